"""Sight: what a tree holds at this moment, whatever the ledger last heard of it (I-04)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from moored.errors import MooredError
from moored.ledger.disk import stat_of, unchanged

if TYPE_CHECKING:
    from moored.ledger.reconcile import Numbered
    from moored.model.facts import ExtractedFact, Fact, FactKind
    from moored.model.files import IndexedFile
    from moored.model.projects import Tree
    from moored.store.port import View

_STILL_THERE = frozenset({"unreadable", "too large", "secret"})
"""Why a file is not read although what it held may stand in it as before."""


LOOKED_AT = 8
"""So many times the files that may be read may be compared with the ledger by their hash, which costs far less."""


TOO_MUCH = "too many files changed to look at them all just now; asked for by itself it is judged"


class TooMuchChanged(MooredError):
    """More files changed than a sight in a hurry may read. What rests on them is not known then."""


class FactNow(NamedTuple):
    """A fact of a file as it stands on disk now. `fact` is its id when the ledger knows it, else empty."""

    fact: str
    path: str
    kind: FactKind
    name: str
    ordinal: int
    value: str
    signature_hash: str
    body_hash: str
    line: int
    end_line: int
    trivial: bool


class Sight:
    """Looks at the files of a tree as they are now, each at most once.

    An unchanged file (its stat says so, or its hash) is answered from the ledger; any other is read again in
    memory. Nothing is written: `changed` is what the ledger has to be told afterwards. A file that the ledger does not
    know counts as part of the tree only where the walk lists it: one that is ignored is looked at when it is named, and
    nothing is found in it otherwise. What reads files is loaded once one has changed: most answers need none of it.

    A sight in a hurry reads at most `reads` changed files, and raises `TooMuchChanged` where it would need another.
    """

    def __init__(self, view: View, tree: Tree, *, reads: int | None = None) -> None:
        self._view = view
        self._reads = reads
        self._tree = tree
        self._root = Path(tree.root)
        self._files: dict[str, tuple[FactNow, ...] | None] = {}
        self._unchanged: set[str] = set()
        self._changed: set[str] = set()
        self._bodies: dict[str, list[FactNow]] = {}
        self._texts: dict[str, str] = {}
        self._readings: dict[str, tuple[ExtractedFact, ...]] = {}
        self._moves: dict[str, FactNow] | None = None
        self._unreadable: set[str] = set()
        self._looked_everywhere = False

    @property
    def tree(self) -> Tree:
        return self._tree

    @property
    def changed(self) -> frozenset[str]:
        """Paths that were found to differ from what the ledger holds: to be handed to its refresh."""
        return frozenset(self._changed)

    @property
    def unreadable(self) -> frozenset[str]:
        """Paths that are there and cannot be read, or never are: they are too large or hold secrets."""
        return frozenset(self._unreadable)

    def file(self, path: str) -> tuple[FactNow, ...] | None:
        """The facts that a file holds now, or None when there is no such file, or none that can be read as text."""
        if path not in self._files:
            known = path in self._unchanged
            indexed = None if known else self._view.facts.file(self._tree, path)
            self._files[path] = self._from_ledger(path) if known else self._look(path, indexed)
        return self._files[path]

    def find(self, path: str, name: str) -> tuple[FactNow, ...]:
        """The facts of this name in a file now, in order of appearance."""
        if path not in self._files and self._is_unchanged(path):
            return tuple(_from_fact(fact) for fact in self._view.facts.named(self._tree, name, path=path))
        return tuple(fact for fact in self.file(path) or () if fact.name == name)

    def text(self, path: str) -> str:
        """What a file that is part of the tree says now, without secrets; empty for one that cannot be read."""
        if path not in self._texts:
            from moored.ledger.walk import Skipped, read_text_candidate
            from moored.model.redaction import redact

            try:
                seen = stat_of(self._root, path)
            except MooredError:
                seen = None
            limit = self._tree.max_file_size
            content = read_text_candidate(self._root, seen, max_file_size=limit) if seen else b""
            said = "" if isinstance(content, Skipped) else content.decode("utf-8", "replace")
            self._texts[path] = redact(said.removeprefix("\ufeff").replace("\r\n", "\n")).text
        return self._texts[path]

    def with_body(self, body_hash: str) -> tuple[FactNow, ...]:
        """Everywhere in the tree that a body which is not trivial stands now.

        Looks for changed and new files in the whole tree, once.
        """
        self._look_everywhere()
        known = {fact.path for fact in self._view.facts.with_body(self._tree, body_hash)}
        standing = [
            fact
            for path in known
            for fact in self.file(path) or ()
            if path not in self._changed and fact.body_hash == body_hash and not fact.trivial
        ]
        return tuple(sorted([*standing, *self._bodies.get(body_hash, ())], key=lambda fact: (fact.path, fact.line)))

    def followed(self, fact_id: str) -> FactNow | None:
        """Where a fact of the ledger went that is not in its place any more, as the next refresh will find it.

        What belongs to something that moved goes along with it, however small it is. None when it stands where the
        ledger says, or nowhere that can be told.
        """
        if self._moves is None:
            from moored.ledger.compare import compare

            self._look_everywhere()
            read = {path: facts for path, facts in self._readings.items() if path in self._changed}
            moves = compare(self._view, self._tree, read, self._changed - set(read)).moves
            self._moves = {move.fact.id: _from_reading(move.path, move.now, move.fact.id) for move in moves.moved}
        return self._moves.get(fact_id)

    def _look_everywhere(self) -> None:
        if self._looked_everywhere:
            return
        from moored.ledger.walk import walk

        known = self._view.facts.files(self._tree)
        found = walk(self._root, max_file_size=self._tree.max_file_size, extra_ignored=self._tree.ignore).files
        differing = [s.path for s in found if not ((indexed := known.get(s.path)) and unchanged(s, indexed))]
        if self._reads is not None and len(differing) > LOOKED_AT * self._reads:
            raise TooMuchChanged(TOO_MUCH)
        for path in differing:
            facts = self.file(path)
            if path not in known and facts is not None:
                self._differs(path, facts)
        for path in known.keys() - {seen.path for seen in found}:
            self.file(path)
        self._looked_everywhere = True

    def _is_unchanged(self, path: str) -> bool:
        """Whether a file's stat says that it is as the ledger knows it: then it need not be loaded whole."""
        if path not in self._unchanged:
            indexed = self._view.facts.file(self._tree, path)
            try:
                seen = stat_of(self._root, path) if indexed else None
            except MooredError:
                return False
            if not (indexed and seen and unchanged(seen, indexed)):
                return False
            self._unchanged.add(path)
        return True

    def _look(self, path: str, indexed: IndexedFile | None) -> tuple[FactNow, ...] | None:
        try:
            seen = stat_of(self._root, path)
        except MooredError:
            self._unreadable.add(path)
            return None
        if seen is None:
            return self._found(path, indexed, None)
        if indexed and unchanged(seen, indexed):
            return self._from_ledger(path)
        from moored.ledger.walk import Skipped, read_text_candidate
        from moored.model.hashing import digest

        if indexed is None and self._kept_away(path):
            self._unreadable.add(path)
            return None
        content = read_text_candidate(self._root, seen, max_file_size=self._tree.max_file_size)
        if isinstance(content, Skipped):
            if content.reason in _STILL_THERE:
                self._unreadable.add(path)
            return self._found(path, None if content.reason == "unreadable" else indexed, None)
        if indexed and digest(content) == indexed.content_hash:
            return self._from_ledger(path)
        return self._found(path, indexed, self._read(path, content, indexed))

    def _kept_away(self, path: str) -> bool:
        """Whether a file is never read. All are, while it cannot be told which."""
        from moored.ledger.ignore import never_read

        try:
            return never_read(self._root, self._tree.ignore)(path)
        except MooredError:
            return True

    def _found(
        self, path: str, indexed: IndexedFile | None, facts: tuple[FactNow, ...] | None
    ) -> tuple[FactNow, ...] | None:
        """Pass on what a file holds now, and take note that it differs if the ledger knows it."""
        if indexed:
            self._differs(path, facts)
        return facts

    def _differs(self, path: str, facts: tuple[FactNow, ...] | None) -> None:
        """Take note that a file of the tree is not as the ledger knows it, and where its bodies stand."""
        if path in self._changed:
            return
        self._changed.add(path)
        for fact in facts or ():
            if not fact.trivial:
                self._bodies.setdefault(fact.body_hash, []).append(fact)

    def _read(self, path: str, content: bytes, indexed: IndexedFile | None) -> tuple[FactNow, ...]:
        from moored.ledger.extract import extract_file
        from moored.ledger.reconcile import reconcile

        if self._reads is not None and len(self._readings) >= self._reads:
            raise TooMuchChanged(TOO_MUCH)
        facts = extract_file(path, content).facts
        self._readings[path] = facts
        known = self._view.facts.in_file(self._tree, path, gone=True) if indexed else []
        outcome = reconcile(known, facts)
        kept = [
            _from_reading(path, match.now, match.fact.id)
            for match in (*outcome.unchanged, *outcome.changed, *outcome.revived)
        ]
        return tuple(sorted([*kept, *(_from_reading(path, now, "") for now in outcome.born)], key=_appearance))

    def _from_ledger(self, path: str) -> tuple[FactNow, ...]:
        return tuple(_from_fact(fact) for fact in self._known(path))

    def _known(self, path: str) -> list[Fact]:
        return self._view.facts.in_file(self._tree, path)


def _from_fact(fact: Fact) -> FactNow:
    return FactNow(
        fact.id, fact.path, fact.kind, fact.name, fact.ordinal, fact.value, fact.signature_hash, fact.body_hash,
        fact.span.line, fact.span.end_line, fact.trivial,
    )  # fmt: skip


def _from_reading(path: str, now: Numbered, fact_id: str) -> FactNow:
    fact = now.extracted
    return FactNow(
        fact_id, path, fact.kind, fact.name, now.ordinal, fact.value, fact.signature_hash, fact.body_hash,
        fact.span.line, fact.span.end_line, fact.trivial,
    )  # fmt: skip


def _appearance(fact: FactNow) -> tuple[int, int, str, int]:
    return (fact.line, -fact.end_line, fact.name, fact.ordinal)
