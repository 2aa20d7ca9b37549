"""Resolving names: from the text of an expression to what scopes and imports prove it to be.

The answer is a `Value`, or None where nothing is known and the last name alone may be tried. `External("")` means
that the expression is known not to be a symbol of the tree that could be named.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from moored.ledger.graph.families import FAMILY_OF, Family
from moored.ledger.graph.sources import CLASSES, DATA, FUNCTIONS, Source
from moored.ledger.graph.types import named_types
from moored.ledger.graph.values import External, File, Folder, Instance, Opaque, Symbol, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from moored.ledger.graph.lookups import Lookups
    from moored.model.facts import Binding

NOTHING = External("")
MAX_DEPTH = 40
"""Steps from one name to the next before an expression is given up."""

MAX_KNOWN = 100_000
"""Answers about members of files and classes that are kept at once."""

T = TypeVar("T")
Known = dict[tuple[str, str, str], tuple[T, frozenset[int]]]
"""Answers and the keys that working them out left, by path, scope and name."""

_PIECES = re.compile(r"(\(\)|\[\])|([\w$@]+)|::|->|[.\\:!?&*\s]|(.)", re.DOTALL)
_NO_HEAD = (".", "-", "?")


@lru_cache(maxsize=50_000)
def split(text: str) -> tuple[tuple[str, str], ...] | None:
    """The names of a dotted expression, each with the calls `()` and subscripts `[]` after it.

    None for an expression that does not begin with a name, or holds more than names, calls and subscripts.
    """
    found: list[tuple[str, str]] = []
    for match in _PIECES.finditer(text):
        suffix, name, other = match.groups()
        if name is not None:
            found.append((name, ""))
        elif suffix is not None and found:
            found[-1] = (found[-1][0], found[-1][1] + suffix)
        elif suffix is not None or other is not None:
            return None
    return None if not found or text[:1] in _NO_HEAD else tuple(found)


class Resolver:
    """Evaluates expressions of one file at a time, set by `Lookups.begin`."""

    def __init__(self, lookups: Lookups) -> None:
        self._look = lookups
        self._active: set[tuple[str, str, str]] = set()
        self._cuts = 0
        self._path = ""
        self._heads: dict[tuple[str, str], Value | None] = {}
        self._members: Known[Value | None] = {}
        self._names: Known[Value | None] = {}
        self._inherits: Known[list[Value | None]] = {}
        self._imports: Known[Value | None] = {}

    def evaluate(self, source: Source, scope: str, text: str) -> Value | None:
        """What an expression of a file stands for."""
        family = FAMILY_OF[source.language]
        parts = split(text)
        if parts is None:
            return None
        if len(self._active) > MAX_DEPTH:
            self._cuts += 1
            return None
        name, suffix = parts[0]
        value: Value | None
        rest = parts[1:]
        if name in family.base and (suffix or rest):
            value = self._inherited(source, scope, rest[0][0]) if rest else NOTHING
            if rest:
                value, rest = self._applied(value, rest[0][1]), rest[1:]
        else:
            value = self._applied(self._head(source, scope, name, family), suffix)
        for name, suffix in rest:
            if value is None:
                return None
            value = self._applied(self.attribute(value, name), suffix)
        return value

    def attribute(self, value: Value, name: str) -> Value | None:
        """A member of a value."""
        if isinstance(value, External):
            return External(f"{value.name}.{name}") if value.name else NOTHING
        if isinstance(value, Opaque):
            return None
        if isinstance(value, File):
            return self._of_file(value.path, name)
        if isinstance(value, Folder):
            return self._of_folder(value.path, name)
        source = self._look.source(value.path)
        if source is None:
            return None
        if isinstance(value, Instance):
            return self.member(source, value.name, name, value)
        symbol = source.symbols.get(value.name)
        if symbol is None:
            return None
        if symbol.kind in CLASSES:
            return self.member(source, value.name, name, value)
        if symbol.kind in DATA:
            known = self._data(source, value.name)
            return None if known is None else self.attribute(known, name)
        if symbol.kind in FUNCTIONS:
            known = self._returned(source, value)
            return None if known is None else self.attribute(known, name)
        return self._defined(source, value.name, name) or NOTHING

    def called(self, value: Value) -> Value | None:
        """What a call of a value gives."""
        if isinstance(value, External):
            return value
        if isinstance(value, Symbol):
            source = self._look.source(value.path)
            symbol = source.symbols.get(value.name) if source else None
            if source is None or symbol is None:
                return None
            if symbol.kind in CLASSES:
                return Instance(value.path, value.name)
            if symbol.kind in FUNCTIONS:
                return self._returned(source, value)
            return None
        if isinstance(value, Instance):
            found = self.attribute(value, "__call__")
            return self.called(found) if isinstance(found, Symbol) else None
        return None

    def member(self, source: Source, owner: str, name: str, receiver: Instance | Symbol | None) -> Value | None:
        """A member of a class or of what it inherits: depth first, bases from left to right."""
        mark = (source.path, owner, name)
        found = self._shared(self._members, mark, lambda: self._member(source, owner, name))
        return found._replace(owner=receiver) if isinstance(found, Symbol) else found

    def _member(self, source: Source, owner: str, name: str) -> Value | None:
        outside = False
        seen: set[tuple[str, str]] = set()
        pending: list[tuple[Source, str]] = [(source, owner)]
        while pending:
            at, class_name = pending.pop(0)
            if (at.path, class_name) in seen:
                continue
            seen.add((at.path, class_name))
            found = self._own_member(at, class_name, name)
            if found is not None:
                return found
            above: list[tuple[Source, str]] = []
            for base in self._bases(at, class_name):
                file = self._look.source(base.path) if isinstance(base, Symbol) else None
                if isinstance(base, Symbol) and file is not None:
                    above.append((file, base.name))
                else:
                    outside = True
            pending[:0] = above
        return External(f"{owner}.{name}") if outside else Opaque(name)

    def imported(self, source: Source, target: str) -> Value | None:
        """What the target of an import binding stands for."""
        return self._shared(self._imports, (source.path, "", target), lambda: self._imported(source, target))

    def _imported(self, source: Source, target: str) -> Value | None:
        module, _, name = target.partition(":")
        value = FAMILY_OF[source.language].imported(self._look, source.path, module)
        if value is None or not name or name == "*":
            return value
        return self.attribute(value, name)

    def typed(self, source: Source, scope: str, text: str) -> Value | None:
        """An instance of the class that a type names: of the tree's if one of the alternatives is one."""
        family = FAMILY_OF[source.language]
        outside: Value | None = None
        for name in named_types(text, family.wrappers):
            if name in ("Self", "self", "static", "this"):
                own = self._own_class(source, scope)
                value: Value | None = own
            else:
                value = self.evaluate(source, scope, name)
            if isinstance(value, Symbol):
                file = self._look.source(value.path)
                if file is not None and file.is_class(value.name):
                    return Instance(value.path, value.name)
            elif isinstance(value, External):
                outside = value
        return outside

    def _shared(self, answers: Known[T], mark: tuple[str, str, str], work: Callable[[], T]) -> T:
        """An answer that is the same for every file that asks, worked out once; its keys are left each time.

        What was cut short because it leads back to itself is not kept.
        """
        look = self._look
        known = answers.get(mark)
        if known is None:
            outer, shared, cuts = look.keys, look.shared, self._cuts
            look.keys, look.shared = set(), True
            value = work()
            known = value, frozenset(look.keys)
            look.keys, look.shared = outer, shared
            if self._cuts == cuts:
                if len(answers) >= MAX_KNOWN:
                    answers.clear()
                answers[mark] = known
        look.keys |= known[1]
        return known[0]

    def _applied(self, value: Value | None, suffix: str) -> Value | None:
        """A value after the calls and subscripts that follow its name."""
        while suffix and value is not None:
            if suffix.startswith("()"):
                value = self.called(value)
            elif not isinstance(value, External):
                return None
            suffix = suffix[2:]
        return value

    def begin(self, path: str) -> None:
        """Start on a file, after `Lookups.begin`."""
        self._path = path
        self._heads.clear()

    def _head(self, source: Source, scope: str, name: str, family: Family) -> Value | None:
        """What the first name of an expression stands for."""
        if source.path != self._path or self._look.shared:
            return self._first(source, scope, name, family)
        mark = (scope, name)
        if mark in self._heads:
            return self._heads[mark]
        cuts = self._cuts
        found = self._first(source, scope, name, family)
        if self._cuts == cuts:
            self._heads[mark] = found
        return found

    def _first(self, source: Source, scope: str, name: str, family: Family) -> Value | None:
        if name in family.own:
            own = self._own_class(source, scope)
            if own is None:
                return self._scoped(source, scope, name, family) or Opaque(name)
            return own if name in ("cls", "Self", "static", "mcs") else Instance(own.path, own.name)
        found = self._scoped(source, scope, name, family)
        if found is not None:
            return found
        return External(name) if name in family.builtins else None

    def _scoped(self, source: Source, scope: str, name: str, family: Family) -> Value | None:
        at, inner = scope, True
        while True:
            is_class = bool(at) and source.is_class(at)
            if inner or not is_class or family.implicit_members:
                found = self._defined(source, at, name)
                if found is not None:
                    return found
                if is_class and family.implicit_members:
                    found = self.member(source, at, name, Instance(source.path, at))
                    if isinstance(found, Symbol):
                        return found
            if not at:
                break
            at, inner = at.rpartition(".")[0], False
        starred = self._starred(source, name)
        if starred is not None and not isinstance(starred, External):
            return starred
        if family.namespaces and "." in scope:
            found = self._in_namespaces(scope, name, family)
            if found is not None:
                return found
        for path in family.siblings(self._look, source.path):
            other = self._look.source(path)
            if other is not None and self._look.symbol(other, "", name) is not None:
                return Symbol(path, name)
        return starred

    def _in_namespaces(self, scope: str, name: str, family: Family) -> Symbol | None:
        """A symbol of an enclosing namespace, in whichever file it stands."""
        at = scope.rpartition(".")[0]
        while at:
            found = self._qualified(f"{at}.{name}", family)
            if found is not None:
                return found
            at = at.rpartition(".")[0]
        return None

    def _qualified(self, name: str, family: Family) -> Symbol | None:
        for path, symbol in self._look.named(name.rpartition(".")[2]):
            if symbol.name == name and self._look.sources.languages.get(path) in family.languages:
                return Symbol(path, name)
        return None

    def _starred(self, source: Source, name: str) -> Value | None:
        """A name that a star import brings into a module."""
        if name.startswith("_") and FAMILY_OF[source.language].submodules:
            return None
        outside: Value | None = None
        family = FAMILY_OF[source.language]
        for binding in self._look.bound(source, "", "*"):
            if family.namespaces:
                module = binding.target.removesuffix(":*").replace("\\", ".").strip(".")
                found = self._qualified(f"{module}.{name}", family)
                if found is not None:
                    return found
            value = self.imported(source, binding.target)
            found = self._guarded(value, name)
            if isinstance(found, External):
                outside = found if found.name else outside
            elif found is not None:
                return found
        return outside if outside is not None and name[:1].isupper() else None

    def _guarded(self, value: Value | None, name: str) -> Value | None:
        if not isinstance(value, (File, Folder, Symbol, External)):
            return None
        mark = (getattr(value, "path", ""), "*", name)
        if mark in self._active:
            self._cuts += 1
            return None
        self._active.add(mark)
        try:
            return self.attribute(value, name)
        finally:
            self._active.discard(mark)

    def _defined(self, source: Source, scope: str, name: str) -> Value | None:
        """What a name stands for directly in one scope."""
        symbol, bound = self._look.defined(source, scope, name)
        if symbol is None and not bound:
            return None
        own = Symbol(source.path, f"{scope}.{name}" if scope else name)
        if symbol is not None and (symbol.kind not in DATA or not bound):
            return own
        mark = (source.path, scope, name)
        if mark in self._active:
            self._cuts += 1
            return None
        self._active.add(mark)
        try:
            return self._bound(source, scope, bound, own if symbol is not None else None)
        finally:
            self._active.discard(mark)

    def _bound(self, source: Source, scope: str, bound: list[Binding], own: Symbol | None) -> Value | None:
        outside: Value | None = None
        for binding in bound:
            if binding.kind == "import":
                value = self.imported(source, binding.target)
                if value is not None and not isinstance(value, External):
                    return value
                outside = outside or value or NOTHING
            elif binding.kind == "alias":
                return self.evaluate(source, "", binding.target)
        if own is not None:
            return own
        if outside is not None:
            return outside
        for binding in sorted(bound, key=lambda one: one.kind != "type"):
            if binding.kind == "type":
                value = self.typed(source, scope, binding.target)
            elif binding.kind == "call":
                called = self.evaluate(source, scope, binding.target)
                value = self.called(called) if called is not None else None
            else:
                continue
            if value is not None:
                return value
        return Opaque(bound[0].name) if any(one.kind != "returns" for one in bound) else None

    def _data(self, source: Source, name: str) -> Value | None:
        """What a constant or variable holds."""
        scope, _, last = name.rpartition(".")
        mark = (source.path, scope, f"={last}")
        bound = self._look.bound(source, scope, last)
        if not bound:
            return None
        if mark in self._active:
            self._cuts += 1
            return None
        self._active.add(mark)
        try:
            value = self._bound(source, scope, bound, None)
        finally:
            self._active.discard(mark)
        return None if isinstance(value, Opaque) else value

    def _returned(self, source: Source, function: Symbol) -> Value | None:
        scope, _, last = function.name.rpartition(".")
        mark = (source.path, scope, f"{last}()")
        if mark in self._active:
            self._cuts += 1
            return None
        self._active.add(mark)
        try:
            for binding in self._look.bound(source, scope, last):
                if binding.kind != "returns":
                    continue
                if function.owner is not None and binding.target.strip("'\"") in ("Self", "static", "this"):
                    return Instance(function.owner.path, function.owner.name)
                return self.typed(source, scope, binding.target)
        finally:
            self._active.discard(mark)
        return None

    def _own_class(self, source: Source, scope: str) -> Symbol | None:
        at = scope
        while at:
            if source.is_class(at):
                return Symbol(source.path, at)
            at = at.rpartition(".")[0]
        family = FAMILY_OF[source.language]
        if family.open_types and "." in scope:
            return self._open_owner(source, scope.rpartition(".")[0], family)
        return None

    def _open_owner(self, source: Source, owner: str, family: Family) -> Symbol | None:
        """The type, of another file, that members of this file belong to."""
        found = self._scoped(source, "", owner.rpartition(".")[2], family)
        if isinstance(found, Symbol):
            return Symbol(found.path, found.name)
        return None

    def _own_member(self, source: Source, owner: str, name: str) -> Value | None:
        found = self._defined(source, owner, name)
        if found is not None:
            return found
        for own in ("self", "this"):
            if self._look.bound(source, owner, f"{own}.{name}"):
                return self._defined(source, owner, f"{own}.{name}")
        family = FAMILY_OF[source.language]
        if not family.open_types:
            return None
        wanted = f"{owner.rpartition('.')[2]}.{name}"
        elsewhere = [
            Symbol(path, symbol.name)
            for path, symbol in self._look.named(name)
            if path != source.path
            and (symbol.name == wanted or symbol.name.endswith(f".{wanted}"))
            and self._look.sources.languages.get(path) in family.languages
        ]
        return elsewhere[0] if len(elsewhere) == 1 else None

    def _bases(self, source: Source, owner: str) -> list[Value | None]:
        """What a class inherits."""
        return self._shared(self._inherits, (source.path, owner, ""), lambda: self._evaluated_bases(source, owner))

    def _evaluated_bases(self, source: Source, owner: str) -> list[Value | None]:
        mark = (source.path, owner, "<bases>")
        if mark in self._active:
            self._cuts += 1
            return []
        self._active.add(mark)
        try:
            scope = owner.rpartition(".")[0]
            return [self.evaluate(source, scope, base) for base in self._look.bases(source, owner)]
        finally:
            self._active.discard(mark)

    def _inherited(self, source: Source, scope: str, name: str) -> Value | None:
        """A member taken from the bases of the enclosing class."""
        own = self._own_class(source, scope)
        file = self._look.source(own.path) if own is not None else None
        if own is None or file is None:
            return NOTHING
        outside = False
        for base in self._bases(file, own.name):
            at = self._look.source(base.path) if isinstance(base, Symbol) else None
            if isinstance(base, Symbol) and at is not None:
                found = self.member(at, base.name, name, Instance(own.path, own.name))
                if isinstance(found, Symbol):
                    return found
                outside = outside or (isinstance(found, External) and bool(found.name))
            else:
                outside = True
        return External(f"super.{name}") if outside else NOTHING

    def _of_file(self, path: str, name: str) -> Value | None:
        return self._shared(self._names, (path, "", name), lambda: self._in_file(path, name))

    def _in_file(self, path: str, name: str) -> Value | None:
        source = self._look.source(path)
        if source is None:
            return None
        found = self._defined(source, "", name)
        if found is None:
            found = self._starred(source, name)
        if found is not None and not (isinstance(found, External) and not found.name):
            return found
        family = FAMILY_OF[source.language]
        if family.submodules and path.rpartition("/")[2].startswith("__init__."):
            folder = path.rpartition("/")[0]
            inner = self._submodule(folder, name)
            if inner is not None:
                return inner
        if name == "default":
            return self._default(source)
        return NOTHING

    def _default(self, source: Source) -> Value:
        """The default export of a module that does not say its name: its only class or function."""
        tops = [name for name, row in source.symbols.items() if "." not in name and row.kind in CLASSES | FUNCTIONS]
        return Symbol(source.path, tops[0]) if len(tops) == 1 else File(source.path)

    def _submodule(self, folder: str, name: str) -> Value | None:
        stem = f"{folder}/{name}" if folder else name
        found = self._look.first_file(stem, (".py", "/__init__.py", ".pyi", "/__init__.pyi"))
        if found is not None:
            return File(found)
        return Folder(stem) if self._look.is_folder(stem) else None

    def _of_folder(self, path: str, name: str) -> Value | None:
        inner = self._submodule(path, name)
        if inner is not None:
            return inner
        for file in self._look.files_of(path):
            source = self._look.source(file)
            if source is None or FAMILY_OF[source.language].submodules:
                continue
            if self._look.symbol(source, "", name) is not None:
                return Symbol(file, name)
        return NOTHING
