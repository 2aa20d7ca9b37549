"""TypeScript, TSX and JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import Hook, LanguageSpec, Op
from moored.ledger.code.text import callee, fold, type_name
from moored.ledger.code.walk import Frame, Walk, first_child, first_named
from moored.model.facts import EdgeKind, FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")
_SHOWN_VALUE = 200


def _display(node: Node) -> int:
    """Where the node begins without its decorators."""
    for child in node.children:
        if child.type not in ("decorator", "comment"):
            return child.start_byte
    return node.start_byte


def _declared(walk: Walk, node: Node) -> str:
    """The text of a type annotation without its colon."""
    annotation = walk.field(node, "type")
    if annotation is None:
        return ""
    return type_name(walk.source[annotation.start_byte : annotation.end_byte].lstrip(b":").strip())


def _called(walk: Walk, node: Node | None) -> str:
    while node is not None and node.type in ("await_expression", "non_null_expression", "as_expression"):
        node = first_named(node)
    if node is None or node.type not in ("call_expression", "new_expression"):
        return ""
    function = walk.field(node, "function") or walk.field(node, "constructor")
    return callee(walk.source[function.start_byte : function.end_byte]) if function is not None else ""


def _returns(walk: Walk, node: Node, name: str) -> None:
    returned = walk.field(node, "return_type")
    if returned is not None:
        raw = walk.source[returned.start_byte : returned.end_byte].lstrip(b":").strip()
        walk.bind("returns", name, type_name(raw), node)


def _function(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    shown = walk.text(name)
    _returns(walk, node, shown)
    kind = FactKind.METHOD if walk.in_class() else FactKind.FUNCTION
    return walk.open(node, kind, shown, name, walk.field(node, "body"), display=_start(node))


def _start(node: Node) -> int | None:
    first = first_child(node)
    return _display(node) if first is not None and first.type == "decorator" else None


def _heritage(walk: Walk, node: Node) -> None:
    """Record what a class or interface extends and implements."""
    pending = [child for child in node.children if child.type in ("class_heritage", "extends_type_clause")]
    while pending:
        clause = pending.pop(0)
        for base in clause.named_children:
            kind = base.type
            if kind in ("extends_clause", "implements_clause"):
                pending.append(base)
            elif kind not in ("type_arguments", "comment"):
                inner = walk.field(base, "name") if kind == "generic_type" else base
                inner = inner or base
                walk.refer(EdgeKind.INHERIT, callee(walk.source[inner.start_byte : inner.end_byte]), base)


def _typed(kind: FactKind) -> Hook:
    """A class, interface, enum or namespace."""

    def hook(walk: Walk, node: Node) -> Op | Frame:
        name = walk.field(node, "name")
        if name is None:
            return Op.NODE
        shown = walk.text(name).strip("'\"")
        opened = walk.open(node, kind, shown, name, walk.field(node, "body"), display=_start(node))
        if isinstance(opened, Frame):
            _heritage(walk, node)
        return opened

    return hook


def _alias(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    whole = node.end_byte if node.end_byte - node.start_byte <= _SHOWN_VALUE else -1
    return walk.open(node, FactKind.TYPE, walk.text(name), name, walk.field(node, "value"), shown_end=whole)


def _field(walk: Walk, node: Node) -> Op | Frame:
    """A class field; one that holds a function is a method."""
    name = walk.field(node, "name") or walk.field(node, "property")
    if name is None or not walk.in_class():
        return Op.NODE
    shown = walk.text(name)
    value = walk.field(node, "value")
    scope = walk.class_scope()
    walk.bind("type", f"this.{shown}", _declared(walk, node), node, scope)
    walk.bind("call", f"this.{shown}", _called(walk, value), node, scope)
    if value is not None and value.type in _FUNCTIONS:
        _returns(walk, value, shown)
        return walk.open(node, FactKind.METHOD, shown, name, walk.field(value, "body"), display=_start(node))
    return walk.open(node, FactKind.VARIABLE, shown, name, value, shown_end=node.end_byte, display=_start(node))


def _declaration(walk: Walk, node: Node) -> Op:
    """`const a = 1`: the declarator alone is the symbol, which begins at the keyword."""
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    if len(declarators) == 1:
        walk.wrap(node, declarators[0], node.start_byte)
    if walk.source.startswith(b"const", node.start_byte):
        walk.notes.update((declarator.start_byte, b"const") for declarator in declarators)
    return Op.NODE


def _declarator(walk: Walk, node: Node) -> Op | Frame:
    name, value = walk.field(node, "name"), walk.field(node, "value")
    constant = walk.notes.pop(node.start_byte, None) is not None
    if name is None:
        return Op.NODE
    called = _called(walk, value)
    if called in ("require", "import") and value is not None:
        _required(walk, node, name, value)
        return Op.NODE
    if name.type != "identifier":
        return Op.NODE
    shown = walk.text(name)
    walk.bind("type", shown, _declared(walk, node), node)
    walk.bind("call", shown, called, node)
    if value is not None and value.type in _FUNCTIONS:
        _returns(walk, value, shown)
        return walk.open(node, FactKind.FUNCTION, shown, name, walk.field(value, "body"))
    if value is not None and value.type == "class":
        return walk.open(node, FactKind.CLASS, shown, name, walk.field(value, "body"))
    if walk.in_function():
        return Op.NODE
    kind = FactKind.CONSTANT if constant else FactKind.VARIABLE
    whole = node.end_byte if node.end_byte - node.start_byte <= _SHOWN_VALUE else -1
    return walk.open(node, kind, shown, name, value, shown_end=whole)


def _module_of(walk: Walk, node: Node | None) -> str:
    return walk.text(node).strip("'\"`") if node is not None else ""


def _required(walk: Walk, node: Node, name: Node, value: Node) -> None:
    """`const x = require("m")` and `const {a, b: c} = require("m")`."""
    call = first_named(value) if value.type == "await_expression" else value
    arguments = walk.field(call, "arguments") if call is not None else None
    source = first_named(arguments) if arguments is not None else None
    if source is None or source.type != "string":
        return
    module, statement = _module_of(walk, source), walk.text(node)
    names: list[tuple[str, str]] = []
    if name.type == "identifier":
        names.append((module, walk.text(name)))
    for item in name.named_children if name.type == "object_pattern" else ():
        key, target = walk.field(item, "key"), walk.field(item, "value")
        imported = walk.text(key or item)
        names.append((f"{module}:{imported}", walk.text(target) if target is not None else imported))
    for target, bound in names:
        walk.leaf_fact(FactKind.IMPORT, target, node, statement[:_SHOWN_VALUE], f"{target} as {bound}")
        walk.refer(EdgeKind.IMPORT, target.replace(":", "."), node)
        walk.bind("import", bound, target, node)


def _assignment(walk: Walk, node: Node) -> Op | Frame:
    left, right = walk.field(node, "left"), walk.field(node, "right")
    if left is None or right is None:
        return Op.NODE
    if left.type not in ("identifier", "member_expression"):
        return Op.NODE
    name = callee(walk.source[left.start_byte : left.end_byte])
    scope = walk.class_scope() if name.startswith("this.") else walk.scope
    walk.bind("call", name, _called(walk, right), node, scope)
    if walk.in_function() or right.type not in (*_FUNCTIONS, "class") or "(" in name or "[" in name:
        return Op.NODE
    kind = FactKind.CLASS if right.type == "class" else FactKind.FUNCTION
    short = name.removeprefix("module.").removeprefix("exports.").replace(".prototype.", ".")
    return walk.open(node, kind, short, left, walk.field(right, "body"))


def _parameter(walk: Walk, node: Node) -> Op:
    pattern, target = walk.field(node, "pattern"), _declared(walk, node)
    if pattern is None or not target or pattern.type != "identifier":
        return Op.NODE
    name = walk.text(pattern)
    walk.bind("type", name, target, node)
    first = first_child(node)
    if first is not None and first.type in ("accessibility_modifier", "readonly", "override_modifier"):
        walk.bind("type", f"this.{name}", target, node, walk.class_scope())
    return Op.NODE


def _call(walk: Walk, node: Node) -> Op:
    function = first_child(node)
    if function is not None:
        walk.refer(EdgeKind.CALL, callee(walk.source[function.start_byte : function.end_byte]), node)
    return Op.NODE


def _new(walk: Walk, node: Node) -> Op:
    built = walk.field(node, "constructor")
    if built is not None:
        walk.refer(EdgeKind.CALL, callee(walk.source[built.start_byte : built.end_byte]), node)
    return Op.NODE


def _decorator(walk: Walk, node: Node) -> Op:
    expression = first_named(node)
    if expression is not None and expression.type != "call_expression":
        walk.refer(EdgeKind.CALL, callee(walk.source[expression.start_byte : expression.end_byte]), node)
    walk.lead(node)
    return Op.NODE


def _import(walk: Walk, node: Node) -> Op:
    source = walk.field(node, "source")
    if source is None:
        return Op.NODE
    module, statement = _module_of(walk, source), walk.text(node).rstrip(";")
    found = False
    for clause in node.named_children:
        if clause.type != "import_clause":
            continue
        for name, bound, item in _imported_names(walk, clause):
            target = f"{module}:{name}" if name else module
            walk.leaf_fact(FactKind.IMPORT, target, node, statement, f"{target} as {bound}")
            walk.bind("import", bound, target, item)
            walk.refer(EdgeKind.IMPORT, f"{module}.{name}" if name else module, item)
            found = True
    if not found:
        walk.leaf_fact(FactKind.IMPORT, module, node, statement, module)
        walk.refer(EdgeKind.IMPORT, module, node)
    return Op.NODE


def _imported_names(walk: Walk, clause: Node) -> list[tuple[str, str, Node]]:
    """The imported name (empty: the whole module), the name it is bound to, and where."""
    names: list[tuple[str, str, Node]] = []
    for child in clause.named_children:
        if child.type == "identifier":
            names.append(("default", walk.text(child), child))
        elif child.type == "namespace_import":
            bound = first_named(child)
            names.append(("", walk.text(bound) if bound is not None else "", child))
        elif child.type == "named_imports":
            for item in child.named_children:
                name, alias = walk.field(item, "name"), walk.field(item, "alias")
                if name is not None:
                    names.append((walk.text(name), walk.text(alias or name), item))
    return names


def _export(walk: Walk, node: Node) -> Op:
    inner = walk.field(node, "declaration")
    if inner is not None:
        walk.wrap(node, inner, _display(node))
        return Op.NODE
    source = walk.field(node, "source")
    module, statement = _module_of(walk, source), walk.text(node).rstrip(";")
    if module:
        walk.refer(EdgeKind.IMPORT, module, node)
    named = False
    for clause in node.named_children:
        if clause.type != "export_clause":
            continue
        named = True
        for item in clause.named_children:
            name = walk.field(item, "name")
            if name is None:
                continue
            shown = walk.text(walk.field(item, "alias") or name)
            target = f"{module}:{walk.text(name)}" if module else walk.text(name)
            walk.leaf_fact(FactKind.EXPORT, shown, node, fold(statement), target)
            if module:
                walk.bind("import", shown, target, item)
    if module and not named:
        walk.leaf_fact(FactKind.EXPORT, f"{module}:*", node, statement, statement)
        walk.bind("import", "*", f"{module}:*", node)
    elif not named:
        value = walk.field(node, "value")
        walk.leaf_fact(FactKind.EXPORT, "default", node, statement[:_SHOWN_VALUE], walk.text(value or node))
    return Op.NODE


def _parenthesized(walk: Walk, node: Node) -> Op:
    """Parentheses end an optional chain; elsewhere they say nothing that the tree does not."""
    return Op.NODE if b"?." in walk.source[node.start_byte : node.end_byte] else Op.PASS


def _jsx_text(walk: Walk, node: Node) -> Op:
    raw = walk.source[node.start_byte : node.end_byte]
    if raw.strip() or b"\n" not in raw:
        walk.emit(b"l" + fold(raw).encode("utf-8", "surrogatepass"), node.start_byte)
    return Op.DROP


_HOOKS: dict[str, Hook] = {
    "function_declaration": _function,
    "generator_function_declaration": _function,
    "function_signature": _function,
    "method_definition": _function,
    "method_signature": _function,
    "abstract_method_signature": _function,
    "class_declaration": _typed(FactKind.CLASS),
    "abstract_class_declaration": _typed(FactKind.CLASS),
    "interface_declaration": _typed(FactKind.INTERFACE),
    "enum_declaration": _typed(FactKind.ENUM),
    "internal_module": _typed(FactKind.MODULE),
    "module": _typed(FactKind.MODULE),
    "type_alias_declaration": _alias,
    "public_field_definition": _field,
    "field_definition": _field,
    "property_signature": _field,
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "variable_declarator": _declarator,
    "assignment_expression": _assignment,
    "required_parameter": _parameter,
    "optional_parameter": _parameter,
    "call_expression": _call,
    "new_expression": _new,
    "decorator": _decorator,
    "import_statement": _import,
    "export_statement": _export,
    "parenthesized_expression": _parenthesized,
    "jsx_text": _jsx_text,
}
_IDENTIFIERS = frozenset(
    {
        "identifier",
        "type_identifier",
        "property_identifier",
        "private_property_identifier",
        "shorthand_property_identifier",
    }
)


def _spec(name: str, grammar: str, function: str) -> LanguageSpec:
    return LanguageSpec(
        name=name,
        grammar=grammar,
        function=function,
        comments=frozenset({"comment", "html_comment", "hash_bang_line"}),
        dropped=frozenset({"'", '"'}),
        keeping=frozenset({"for_statement"}),
        identifiers=_IDENTIFIERS,
        hooks=_HOOKS,
    )


SPECS = (
    _spec("typescript", "tree_sitter_typescript", "language_typescript"),
    _spec("tsx", "tree_sitter_typescript", "language_tsx"),
    _spec("javascript", "tree_sitter_javascript", "language"),
)
