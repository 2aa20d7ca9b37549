"""Python. The token stream is the same for two texts exactly when their `ast` is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.literals import number_value, prefix_of, string_value, text_token, unescape
from moored.ledger.code.references import HOOKS, hide_assigned
from moored.ledger.code.spec import LanguageSpec, Op
from moored.ledger.code.text import callee, first_paragraph, tidy, type_name
from moored.ledger.code.walk import Frame, Walk, first_child, first_named
from moored.model.facts import EdgeKind, FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

_SHOWN_VALUE = 200


def _trim(signature: str) -> str:
    return tidy(signature.removesuffix(":").removesuffix("=").rstrip())


def _docstring(walk: Walk, body: Node | None) -> str:
    if body is None:
        return ""
    first = first_named(body)
    if first is None or first.type != "expression_statement":
        return ""
    literal = first_named(first)
    if literal is None or literal.type != "string":
        return ""
    raw = walk.source[literal.start_byte : literal.end_byte]
    if set(prefix_of(raw)) & set("bft"):
        return ""
    return first_paragraph(string_value(raw)[1])


def _decorated(walk: Walk, node: Node) -> Op:
    inner = walk.field(node, "definition")
    if inner is not None:
        walk.wrap(node, inner)
    return Op.NODE


def _function(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    body = walk.field(node, "body")
    shown = walk.text(name)
    returned = walk.field(node, "return_type")
    if returned is not None:
        walk.bind("returns", shown, type_name(walk.source[returned.start_byte : returned.end_byte]), node)
    kind = FactKind.METHOD if walk.in_class() else FactKind.FUNCTION
    return walk.open(node, kind, shown, name, body, doc=_docstring(walk, body))


def _class(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    body = walk.field(node, "body")
    opened = walk.open(node, FactKind.CLASS, walk.text(name), name, body, doc=_docstring(walk, body))
    bases = walk.field(node, "superclasses")
    for base in bases.named_children if bases is not None else ():
        kind = base.type
        if kind in ("keyword_argument", "comment", "list_splat", "dictionary_splat"):
            continue
        inner = (walk.field(base, "value") or base) if kind == "subscript" else base
        walk.refer(EdgeKind.INHERIT, callee(walk.source[inner.start_byte : inner.end_byte]), base)
    return opened


def _called(walk: Walk, node: Node) -> str:
    """The callee if the expression is a call, awaited or not."""
    if node.type == "await":
        node = first_named(node) or node
    if node.type != "call":
        return ""
    function = walk.field(node, "function")
    return callee(walk.source[function.start_byte : function.end_byte]) if function is not None else ""


def _assignment(walk: Walk, node: Node) -> Op | Frame:
    left = walk.field(node, "left")
    if left is None:
        return Op.NODE
    right, declared = walk.field(node, "right"), walk.field(node, "type")
    hide_assigned(walk, left)
    kind = left.type
    if kind == "identifier":
        name, scope = walk.text(left), walk.scope
    elif kind == "attribute":
        name = walk.text(left)
        own = walk.class_scope()
        if own is None or not name.startswith("self.") or name.count(".") > 1:
            return Op.NODE
        scope = own
    else:
        return Op.NODE
    _bind_value(walk, node, name, scope, right, declared)
    if kind != "identifier" or walk.in_function():
        return Op.NODE
    whole = node.end_byte if node.end_byte - node.start_byte <= _SHOWN_VALUE else -1
    role = FactKind.CONSTANT if name.isupper() else FactKind.VARIABLE
    return walk.open(node, role, name, left, right, shown_end=whole)


def _bind_value(walk: Walk, node: Node, name: str, scope: str, right: Node | None, declared: Node | None) -> None:
    if declared is not None:
        target = type_name(walk.source[declared.start_byte : declared.end_byte])
        walk.bind("type", name, target, node, scope)
    if right is None:
        return
    called = _called(walk, right)
    if called:
        walk.bind("call", name, called, node, scope)
    elif declared is None and right.type == "identifier":
        known = walk.types.get((walk.scope, walk.text(right)))
        if known:
            walk.bind("type", name, known, node, scope)


def _parameter(walk: Walk, node: Node) -> Op:
    name, declared = walk.field(node, "name") or first_child(node), walk.field(node, "type")
    if name is not None and declared is not None and name.type == "identifier":
        shown, target = walk.text(name), type_name(walk.source[declared.start_byte : declared.end_byte])
        walk.bind("type", shown, target, node)
        walk.types[walk.scope, shown] = target
    return Op.NODE


def _type_alias(walk: Walk, node: Node) -> Op | Frame:
    left, right = walk.field(node, "left"), walk.field(node, "right")
    if left is None:
        return Op.NODE
    name = left
    while name.type != "identifier":
        inner = first_named(name)
        if inner is None:
            return Op.NODE
        name = inner
    return walk.open(node, FactKind.TYPE, walk.text(name), name, right, shown_end=node.end_byte)


def _as_pattern(walk: Walk, node: Node) -> Op:
    value, alias = first_named(node), walk.field(node, "alias")
    if value is None or alias is None:
        return Op.NODE
    name = walk.text(alias)
    if not name.isidentifier():
        return Op.NODE
    called = _called(walk, value)
    if called:
        walk.bind("call", name, called, node)
    elif value.type in ("identifier", "attribute"):
        walk.bind("type", name, walk.text(value), node)
    return Op.NODE


def _call(walk: Walk, node: Node) -> Op:
    function = first_child(node)
    if function is not None:
        walk.refer(EdgeKind.CALL, callee(walk.source[function.start_byte : function.end_byte]), node)
    return Op.NODE


def _decorator(walk: Walk, node: Node) -> Op:
    expression = first_named(node)
    if expression is not None and expression.type != "call":
        target = callee(walk.source[expression.start_byte : expression.end_byte])
        walk.refer(EdgeKind.CALL, target, node)
    return Op.NODE


def _imported(walk: Walk, node: Node, module: str, item: Node, statement: str) -> None:
    """One name of an import statement; `module` is empty for `import x`."""
    alias = walk.field(item, "alias")
    named = walk.field(item, "name") if alias is not None else item
    name = "*" if item.type == "wildcard_import" else walk.text(named or item)
    joined = f"{module}{name}" if module.endswith(".") else f"{module}.{name}" if module else name
    target = f"{module}:{name}" if module else name
    bound = walk.text(alias) if alias is not None else name
    walk.leaf_fact(FactKind.IMPORT, target, node, statement, f"{target} as {bound}")
    walk.refer(EdgeKind.IMPORT, joined, item)
    walk.bind("import", bound, target, item)
    if not module and alias is None and "." in name:
        top = name.partition(".")[0]
        walk.bind("import", top, top, item)


def _import(walk: Walk, node: Node) -> Op:
    statement = walk.text(node)
    for item in node.named_children:
        if item.type in ("dotted_name", "aliased_import"):
            _imported(walk, node, "", item, statement)
    return Op.NODE


def _import_from(walk: Walk, node: Node) -> Op:
    source = walk.field(node, "module_name")
    module = "".join(walk.text(source).split()) if source is not None else "__future__"
    statement = tidy(walk.text(node))
    for item in node.named_children:
        if item == source or item.type not in ("dotted_name", "aliased_import", "wildcard_import"):
            continue
        _imported(walk, node, module, item, statement)
    return Op.NODE


def _block(walk: Walk, node: Node) -> Op:
    return Op.PASS if walk.notes and node.start_byte in walk.notes else Op.NODE


def _elif(walk: Walk, node: Node) -> Op:
    walk.emit(b"kelif", node.start_byte)
    return Op.PASS


def _if(walk: Walk, node: Node) -> Op:
    """`else` that holds nothing but an `if` is `elif`: the parts between the two are marked to be passed over."""
    inner = walk.notes.pop(node.start_byte, None) is not None
    last = node.child(node.child_count - 1) if node.child_count else None
    body = walk.field(last, "body") if last is not None and last.type == "else_clause" else None
    if last is not None and body is not None:
        statements = [child for child in body.named_children if not child.is_extra]
        if len(statements) == 1 and statements[0].type == "if_statement":
            for passed in (last, body, statements[0]):
                walk.notes[passed.start_byte] = b""
    return _elif(walk, node) if inner else Op.NODE


def _subscript(walk: Walk, node: Node) -> Op:
    """`x[a, b]` holds a tuple, and so does `x[a,]`."""
    if node.child_count > 4:
        brackets = [child for child in node.children if child.type in ("[", "]", ",")]
        if len(brackets) > 2:
            walk.notes[brackets[0].start_byte] = b"(tuple"
            walk.notes[brackets[-1].start_byte] = b")"
    return Op.NODE


def _bracket(walk: Walk, node: Node) -> Op:
    token = walk.notes.pop(node.start_byte, None) if walk.notes else None
    if token is not None:
        walk.emit(token, node.start_byte)
    return Op.DROP


def _tuple_pattern(_walk: Walk, node: Node) -> Op:
    """`(a) = b` is no tuple."""
    counted = [child for child in node.children if not child.is_extra]
    return Op.PASS if len(counted) == 3 and counted[1].is_named else Op.NODE


def _boolean(walk: Walk, node: Node) -> Op:
    """`(a and b) and c` is kept apart from `a and b and c`, as `ast` does: the parentheses are marked to count."""
    if walk.source[node.start_byte : node.start_byte + 1] != b"(":
        return Op.NODE
    inner = walk.field(node, "left")
    wrapper = None
    while inner is not None and inner.type == "parenthesized_expression":
        wrapper, inner = inner, first_named(inner)
    if wrapper is not None and inner is not None and inner.type == "boolean_operator":
        mine, other = walk.field(inner, "operator"), walk.field(node, "operator")
        if mine is not None and other is not None and mine.kind_id == other.kind_id:
            walk.notes[wrapper.start_byte] = b""
    return Op.NODE


def _parenthesized(walk: Walk, node: Node) -> Op:
    return Op.NODE if walk.notes and walk.notes.pop(node.start_byte, None) is not None else Op.PASS


def _string(walk: Walk, node: Node) -> Op:
    start = node.start_byte
    if walk.notes and walk.notes.pop(start, None) is not None:
        return Op.PASS
    raw = walk.source[start : node.end_byte]
    if raw[:1] not in b"'\"" and set(prefix_of(raw)) & set("ft"):
        return _pieces(walk, node, [node])
    is_bytes, value = string_value(raw)
    walk.emit((b"sb" if is_bytes else b"ss") + text_token(value), start)
    return Op.DROP


def _concatenated(walk: Walk, node: Node) -> Op:
    parts = [child for child in node.named_children if child.type == "string"]
    raws = [walk.source[part.start_byte : part.end_byte] for part in parts]
    if any(set(prefix_of(raw)) & set("ft") for raw in raws):
        operation = _pieces(walk, node, parts)
        walk.notes.update((part.start_byte, b"") for part in parts)
        if parts and parts[0].start_byte == node.start_byte:
            walk.notes[parts[0].start_byte] = b""
        return operation
    values = [string_value(raw) for raw in raws]
    is_bytes = any(value[0] for value in values)
    joined = "".join(value[1] for value in values)
    walk.emit((b"sb" if is_bytes else b"ss") + text_token(joined), node.start_byte)
    return Op.DROP


def _pieces(walk: Walk, node: Node, parts: list[Node]) -> Op:
    """Emit the constant text of a formatted string, the places of its fields marked; the fields follow."""
    texts = [""]
    template = False
    for part in parts:
        prefix = ""
        for child in part.children:
            kind = child.type
            raw = walk.source[child.start_byte : child.end_byte]
            if kind == "string_start":
                prefix = prefix_of(raw)
                template = template or "t" in prefix
            elif kind == "string_content":
                value = unescape(raw.decode("utf-8", "surrogateescape"), raw="r" in prefix, is_bytes=False)
                if "f" in prefix or "t" in prefix:
                    value = value.replace("{{", "{").replace("}}", "}")
                texts[-1] += value
            elif kind == "interpolation":
                texts[-1] += _debug_text(walk, child)
                texts.append("")
    tag = b"nt" if template else b"nf"
    walk.emit(tag + b"".join(b"%d:%b" % (len(token), token) for token in map(text_token, texts)), node.start_byte)
    return Op.PASS


def _debug_text(walk: Walk, field: Node) -> str:
    """`{x = }` shows its own text."""
    for child in field.children:
        if child.type == "=" and not child.is_named:
            end = child.end_byte
            while walk.source[end : end + 1] == b" ":
                end += 1
            return walk.source[field.start_byte + 1 : end].decode("utf-8", "replace")
    return ""


def _number(walk: Walk, node: Node) -> Op:
    walk.emit(b"n" + number_value(walk.source[node.start_byte : node.end_byte]), node.start_byte)
    return Op.DROP


SPECS = (
    LanguageSpec(
        name="python",
        grammar="tree_sitter_python",
        comments=frozenset({"comment"}),
        dropped=frozenset(
            {"line_continuation", "string_start", "string_content", "string_end", "else", "elif", "if", ";", "(", ")"}
            | {"{", "}", "def", "class", "return", "for", "while", "try", "with", "@"}
        ),
        passed=frozenset({"with_item", "with_clause", "type", "argument_list"}),
        gaps=frozenset({"format_specifier"}),
        separators=frozenset({":", ","}),
        commas=frozenset(),
        keeping=frozenset({"slice", "expression_statement", "delete_statement"}),
        same={
            "expression_list": "tuple",
            "pattern_list": "tuple",
            "tuple_pattern": "tuple",
            "list_pattern": "list",
            "list_splat_pattern": "list_splat",
            "<>": "!=",
        },
        hooks={
            **HOOKS,
            "decorated_definition": _decorated,
            "function_definition": _function,
            "class_definition": _class,
            "assignment": _assignment,
            "typed_parameter": _parameter,
            "typed_default_parameter": _parameter,
            "type_alias_statement": _type_alias,
            "as_pattern": _as_pattern,
            "call": _call,
            "decorator": _decorator,
            "import_statement": _import,
            "import_from_statement": _import_from,
            "future_import_statement": _import_from,
            "block": _block,
            "elif_clause": _elif,
            "if_statement": _if,
            "else_clause": _block,
            "subscript": _subscript,
            "tuple_pattern": _tuple_pattern,
            "boolean_operator": _boolean,
            "parenthesized_expression": _parenthesized,
            "string": _string,
            "concatenated_string": _concatenated,
            "integer": _number,
            "float": _number,
        },
        anonymous={"[": _bracket, "]": _bracket},
        trim=_trim,
    ),
)
