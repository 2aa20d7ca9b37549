"""One pass over a syntax tree: the normalised token stream, and the symbols, references and bindings in it.

The stream holds one token for each leaf that counts and a pair of markers around each inner node, so it says
exactly what the tree says without its layout. A parallel list holds the byte at which each token starts; when
a symbol ends, the parts of the stream that are its name, its body and its signature are found by bisection.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.model.facts import Binding, EdgeKind, ExtractedFact, FactKind, Reference, Span
from moored.model.hashing import digest

from .spec import Op
from .text import doc_comment, fold, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node, Tree, TreeCursor

    from .languages import Language

MAX_DEPTH = 48
"""Symbols nested deeper than this are read as part of their parents, so that the work stays linear."""

TRIVIAL_TOKENS = 12
"""A body with fewer tokens than this says too little to be recognised elsewhere."""

END = b")"
END_KEEPING = b"):"
OWN_NAME = b"@"
COMMA = b"k,"

RECEIVERS = frozenset({b"self", b"this", b"cls", b"Self", b"static"})
"""Words for the object or type that a method belongs to."""

CONTAINERS = frozenset(
    {
        FactKind.CLASS,
        FactKind.STRUCT,
        FactKind.ENUM,
        FactKind.TRAIT,
        FactKind.INTERFACE,
        FactKind.TYPE,
    }
)


@dataclass(slots=True)
class Frame:
    """A symbol that is being read. Ranges are byte offsets, `index` is its first token.

    A frame without `fact` only opens a scope (a Rust `impl`, a Go receiver).
    """

    kind: FactKind
    name: str
    qualified: str
    parent: str
    outside: str
    start: int
    end: int
    display: int
    index: int
    names: tuple[int, int]
    body: tuple[int, int]
    line: int
    end_line: int
    doc: str
    fact: bool = True
    shown_end: int = -1


@dataclass(slots=True)
class Outer:
    """A wrapper (decorators, `export`) whose start belongs to the symbol inside."""

    start: int
    display: int
    index: int
    line: int
    doc: str


def first_child(node: Node) -> Node | None:
    """The first child of any sort, None when there is none."""
    return node.child(0) if node.child_count else None


def first_named(node: Node) -> Node | None:
    """The first named child that is no comment, None when there is none."""
    count = node.named_child_count
    if not count:
        return None
    first = node.named_child(0)
    if first.is_extra:
        return next((child for child in node.named_children if not child.is_extra), None)
    return first


def hash_tokens(tokens: Sequence[bytes]) -> str:
    """Hash a token list so that no two lists share an input."""
    data = b"\0".join(tokens)
    if data.count(b"\0") >= len(tokens) and tokens:
        data = b"\0\0" + b"".join(b"%d:%b" % (len(token), token) for token in tokens)
    return digest(data)


class Walk:
    """What has been read so far of one file."""

    __slots__ = (
        "_outers",
        "bindings",
        "comments",
        "facts",
        "frames",
        "language",
        "notes",
        "prefix",
        "references",
        "scope",
        "source",
        "starts",
        "tokens",
        "types",
        "uses",
    )

    def __init__(self, language: Language, source: bytes) -> None:
        self.language = language
        self.source = source
        self.tokens: list[bytes] = []
        self.starts: list[int] = []
        self.comments: list[tuple[int, int]] = []
        self.facts: list[ExtractedFact] = []
        self.references: list[Reference] = []
        self.uses: list[tuple[str, str, int]] = []
        self.bindings: list[Binding] = []
        self.frames: list[Frame] = []
        self.scope = ""
        self.notes: dict[int, bytes] = {}
        self.types: dict[tuple[str, str], str] = {}
        self.prefix: tuple[int, Outer] | None = None
        self._outers: dict[int, Outer] = {}

    def text(self, node: Node) -> str:
        """The node's source, white space folded."""
        return fold(self.source[node.start_byte : node.end_byte])

    def emit(self, token: bytes, start: int) -> None:
        self.tokens.append(token)
        self.starts.append(start)

    def field(self, node: Node, name: str) -> Node | None:
        """A child by its field's name; None also when the grammar has no such field."""
        number = self.language.fields.get(name)
        return node.child_by_field_id(number) if number else None

    def container(self) -> Frame | None:
        """The innermost open symbol."""
        return self.frames[-1] if self.frames else None

    def in_class(self) -> bool:
        """Whether the innermost open symbol is a type, so that a function here is a method."""
        return bool(self.frames) and self.frames[-1].kind in CONTAINERS

    def in_function(self) -> bool:
        return bool(self.frames) and self.frames[-1].kind in (FactKind.FUNCTION, FactKind.METHOD)

    def class_scope(self) -> str | None:
        """The qualified name of the innermost enclosing type, None outside of one."""
        for frame in reversed(self.frames):
            if frame.kind in CONTAINERS:
                return frame.qualified
        return None

    def doc_before(self, start: int) -> str:
        """The documentation comment that ends just before `start`."""
        return doc_comment(self.source, self.comments, start)

    def wrap(self, node: Node, inner: Node, display: int | None = None) -> None:
        """Let the symbol that starts at `inner` begin at `node`, and its shown signature at `display`."""
        outer = self._outers.pop(node.start_byte, None)
        if outer is None:
            start = node.start_byte
            shown = inner.start_byte if display is None else display
            line = node.start_point[0] + 1
            outer = Outer(start, shown, len(self.tokens), line, self.doc_before(start))
        self._outers[inner.start_byte] = outer

    def lead(self, node: Node) -> None:
        """Let the symbol that follows `node` directly (an attribute, a decorator) begin at it."""
        start = node.start_byte
        if self.prefix is not None and self._touches(self.prefix[0], start):
            outer = self.prefix[1]
        else:
            outer = Outer(start, start, len(self.tokens), node.start_point[0] + 1, self.doc_before(start))
        self.prefix = (node.end_byte, outer)

    def _touches(self, end: int, start: int) -> bool:
        return end <= start <= end + 4096 and not without(self.source, end, start, self.comments).strip()

    def open(
        self,
        node: Node,
        kind: FactKind,
        name: str,
        name_node: Node | None,
        body: Node | None,
        *,
        doc: str = "",
        body_end: int | None = None,
        shown_end: int = -1,
        display: int | None = None,
        owner: str = "",
    ) -> Frame | Op:
        """Begin a symbol at `node`; it ends when the walker leaves the node.

        `name` may be dotted. The shown signature runs from `display` to `shown_end`, by default to the body.
        `owner` names the type it belongs to where that is not the enclosing symbol (a Go receiver).
        """
        if not name or len(self.frames) >= MAX_DEPTH:
            return Op.NODE
        if not owner and kind in (FactKind.FUNCTION, FactKind.METHOD):
            owner, _, name = name.rpartition(".")
        start, end = node.start_byte, node.end_byte
        outer = self._outers.pop(start, None)
        if outer is None and self.prefix is not None and self._touches(self.prefix[0], start):
            outer = self.prefix[1]
            outer.display = start
        if outer is None:
            above = "" if doc else self.doc_before(start)
            outer = Outer(start, start, len(self.tokens), node.start_point[0] + 1, above)
        parent = f"{self.scope}.{owner}".strip(".") if owner else self.scope
        frame = Frame(
            kind=kind,
            name=name.rpartition(".")[2],
            qualified=f"{parent}.{name}" if parent else name,
            parent=parent,
            outside=self.scope,
            start=outer.start,
            end=end,
            display=outer.display if display is None else display,
            index=outer.index,
            names=(name_node.start_byte, name_node.end_byte) if name_node else (start, start),
            body=(body.start_byte, body_end or body.end_byte) if body else (end, end),
            line=outer.line,
            end_line=self.last_line(node),
            doc=doc or outer.doc,
            shown_end=shown_end,
        )
        self.frames.append(frame)
        self.scope = frame.qualified
        return frame

    def enter(self, node: Node, scope: str, kind: FactKind = FactKind.CLASS) -> Frame | Op:
        """Open a scope that is no symbol of its own (an `impl`, an extension) until the walker leaves `node`."""
        if len(self.frames) >= MAX_DEPTH:
            return Op.NODE
        end = node.end_byte
        frame = Frame(
            kind=kind,
            name="",
            qualified=scope,
            parent="",
            outside=self.scope,
            start=node.start_byte,
            end=end,
            display=end,
            index=len(self.tokens),
            names=(end, end),
            body=(end, end),
            line=0,
            end_line=0,
            doc="",
            fact=False,
        )
        self.frames.append(frame)
        self.scope = scope
        return frame

    def last_line(self, node: Node) -> int:
        """The line on which the node's text ends; a line feed that belongs to it opens no new one."""
        row, column = node.end_point
        return max(row, node.start_point[0] + 1) if column == 0 else row + 1

    def within(self, name: str) -> str:
        """The name, qualified by the current scope."""
        return f"{self.scope}.{name}" if self.scope else name

    def close(self, frame: Frame) -> None:
        """End the innermost symbol and record its fact."""
        self.frames.pop()
        self.scope = frame.outside
        if not frame.fact:
            return
        tokens, starts = self.tokens, self.starts
        size = len(tokens)
        low = bisect_left(starts, frame.body[0], frame.index, size)
        high = bisect_left(starts, frame.body[1], low, size)
        body = tokens[low:high]
        own = b"i" + frame.name.encode("utf-8", "surrogateescape")
        if own in body:
            receivers = RECEIVERS | {frame.parent.rpartition(".")[2].encode("utf-8", "surrogateescape")}
            body = _anonymous(body, own, self.language.access, receivers)
        first = bisect_left(starts, frame.names[0], frame.index, size)
        last = bisect_left(starts, frame.names[1], first, size)
        head = [*tokens[frame.index : low], b"{", *tokens[high:size]]
        if frame.index <= first < last <= low:
            del head[first - frame.index : last - frame.index]
        self.facts.append(
            ExtractedFact(
                kind=frame.kind,
                name=frame.qualified,
                value=self.shown(frame),
                body_hash=hash_tokens(body),
                span=Span(frame.start, frame.end, frame.line, frame.end_line),
                signature_hash=hash_tokens(head),
                parent=frame.parent,
                doc=frame.doc,
                trivial=_is_trivial(body),
            )
        )

    def shown(self, frame: Frame) -> str:
        """The signature as written: from the name's declaration to the body, comments and white space folded."""
        end = frame.shown_end if frame.shown_end >= 0 else frame.body[0]
        if end <= frame.display:
            end = frame.end
        text = without(self.source, frame.display, min(end, frame.display + 4000), self.comments)
        return self.language.trim(fold(text))

    def leaf_fact(self, kind: FactKind, name: str, node: Node, value: str, content: str) -> None:
        """Record a fact that has no parts, such as an import."""
        line, end_line = node.start_point[0] + 1, self.last_line(node)
        self.facts.append(
            ExtractedFact(
                kind=kind,
                name=name,
                value=value,
                body_hash=digest(content),
                span=Span(node.start_byte, node.end_byte, line, end_line),
                parent=self.scope,
                trivial=True,
            )
        )

    def refer(self, kind: EdgeKind, target: str, node: Node) -> None:
        """Record a use of a name in the current scope."""
        if target and (target[0] in "._'$@#(" or target[0].isalnum()):
            self.references.append(Reference(kind, self.scope, target, node.start_point[0] + 1))

    def bind(self, kind: str, name: str, target: str, node: Node, scope: str | None = None) -> None:
        """Record what a name stands for, in the current scope unless another is given."""
        if name and target:
            where = self.scope if scope is None else scope
            self.bindings.append(Binding(kind, where, name, target, node.start_point[0] + 1))


def _anonymous(body: Sequence[bytes], own: bytes, access: frozenset[bytes], receivers: frozenset[bytes]) -> list[bytes]:
    """The body with the symbol's own name blanked, so that a new name changes nothing.

    The member of another object is not the symbol itself: an `add` that calls `self.items.add` still does once it
    has another name.
    """
    return [
        OWN_NAME
        if token == own and (not at or body[at - 1] not in access or _of_receiver(body, at - 2, receivers))
        else token
        for at, token in enumerate(body)
    ]


def _of_receiver(body: Sequence[bytes], at: int, receivers: frozenset[bytes]) -> bool:
    """Whether the object whose expression ends at `at` is what the symbol belongs to."""
    while at > 0 and (body[at] == END or body[at].startswith(b"(")):
        at -= 1
    token = body[at]
    return (token.rpartition(b":")[2] if token.startswith(b"l") else token[1:]) in receivers


def _is_trivial(body: Sequence[bytes]) -> bool:
    if len(body) > 6 * TRIVIAL_TOKENS:
        return False
    return sum(1 for token in body if token[:1] in b"@ilsnf") < TRIVIAL_TOKENS


def walk_tree(walk: Walk, tree: Tree) -> None:
    """Visit every node once, in order."""
    cursor = tree.walk()
    first, following = cursor.goto_first_child, cursor.goto_next_sibling
    ops, hooks, ends = walk.language.ops, walk.language.hooks, walk.language.ends
    marks, leaves, source = walk.language.marks, walk.language.leaves, walk.source
    hook, const, inner, passed, drop = Op.HOOK, Op.CONST, Op.NODE, Op.PASS, Op.DROP
    add, place = walk.tokens.append, walk.starts.append
    stack: list[bytes | Frame | None] = [END]
    while (node := cursor.node) is not None:
        kind = node.kind_id
        op: Op | Frame = ops[kind]
        if op is hook:
            op = hooks[kind](walk, node)
        if op is const:
            add(marks[kind])
            place(node.start_byte)
        elif op is inner:
            start = node.start_byte
            if first():
                add(marks[kind])
                place(start)
                stack.append(ends[kind])
                continue
            add(leaves[kind] + source[start : node.end_byte])
            place(start)
        elif op is passed:
            if first():
                stack.append(None)
                continue
        elif op is not drop and _emit(walk, op, node, stack[-1]) and first():
            stack.append(op if type(op) is Frame else ends[kind])
            continue
        if not following() and not _leave(walk, cursor, stack):
            return


def _emit(walk: Walk, op: Op | Frame, node: Node, parent: bytes | Frame | None) -> bool:
    """Do the rarer things with a node. True when its children are to be visited."""
    start, mark = node.start_byte, walk.language.marks[node.kind_id]
    if type(op) is Frame:
        walk.emit(mark, start)
        if node.child_count == 0:
            walk.close(op)
        return True
    if op is Op.COMMENT:
        walk.comments.append((start, node.end_byte))
    elif op is Op.GAPS:
        walk.emit(mark, start)
        walk.emit(_gaps(node, walk.source, folded=node.kind_id in walk.language.words), start)
        if node.child_count:
            return True
        walk.emit(END, start)
    elif op is Op.OPEN or op is Op.CLOSE:
        _bracket(walk, mark, start, parent, closing=op is Op.CLOSE)
    elif op is Op.COMMA:
        walk.emit(COMMA, start)
    elif op is Op.SEPARATOR:
        if parent is END_KEEPING:
            walk.emit(mark, start)
    else:
        walk.emit(mark + walk.source[start : node.end_byte], start)
    return False


def _bracket(walk: Walk, mark: bytes, start: int, parent: bytes | Frame | None, *, closing: bool) -> None:
    """Brackets of a transparent wrapper vanish, and so does a comma before a closing one."""
    if parent is None:
        return
    if closing and parent is not END_KEEPING and walk.tokens and walk.tokens[-1] is COMMA:
        walk.tokens.pop()
        walk.starts.pop()
    walk.emit(mark, start)


def _leave(walk: Walk, cursor: TreeCursor, stack: list[bytes | Frame | None]) -> bool:
    """Go up to the next node that was not visited, closing what ends on the way. False at the end."""
    tokens, starts = walk.tokens, walk.starts
    while cursor.goto_parent():
        end = stack.pop()
        if end is not None:
            at = starts[-1] if starts else 0
            if tokens and tokens[-1] is COMMA and end is not END_KEEPING:
                tokens.pop()
                starts.pop()
            tokens.append(END)
            starts.append(at)
            if type(end) is Frame:
                walk.close(end)
        if cursor.goto_next_sibling():
            return True
    return False


def _gaps(node: Node, source: bytes, *, folded: bool) -> bytes:
    """The text of a node that none of its children covers, each piece closed by a line feed."""
    pieces: list[bytes] = []
    at = node.start_byte
    for child in node.children:
        pieces.append(source[at : child.start_byte])
        at = child.end_byte
    pieces.append(source[at : node.end_byte])
    if folded:
        pieces = [b" ".join(piece.split()) for piece in pieces]
    return b"g" + b"\n".join(pieces)
