"""Refresh: bring the ledger up to what a tree holds now, reading only what changed.

Files are read and parsed outside any transaction. A first reading is written in batches; a later one in a single
transaction, since a symbol that left one file may have come to another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from moored.errors import MooredError, NotFound
from moored.ledger.compare import Comparison, compare
from moored.ledger.disk import Seen, stat_of, unchanged
from moored.ledger.extract import extract_file, extractor_of
from moored.ledger.graph import observe
from moored.ledger.ignore import never_read
from moored.ledger.walk import Skipped, read_text_candidate, walk
from moored.model.batching import batches
from moored.model.characters import is_unicode
from moored.model.collector import uncollected
from moored.model.files import IndexedFile
from moored.model.hashing import digest
from moored.model.ids import FACT, IdSource
from moored.store.durability import Durability
from moored.store.rows import NewFact

if TYPE_CHECKING:
    from moored.ledger.moves import Born
    from moored.ledger.reconcile import Match
    from moored.model.clock import Clock
    from moored.model.facts import Extraction
    from moored.model.projects import Tree
    from moored.store.port import LedgerWriter, Store, View

BATCH = 200
"""Files that a first reading writes in one transaction."""

Progress = Callable[[int, int], None]
"""Told how many files are read and how many there are to read."""


@dataclass(slots=True)
class Refreshed:
    """The account of a refresh. Everything but the first two counts facts, save `removed` and `partial`: files.

    `skipped` says which paths were not read and why; `partial` counts files that were read as far as they parse;
    `omitted` facts left out because a file holds more than the cap of its extractor; `unfollowed` facts that may
    have moved, with too many places to tell where.
    """

    files: int = 0
    parsed: int = 0
    removed: int = 0
    partial: int = 0
    born: int = 0
    changed: int = 0
    moved: int = 0
    revived: int = 0
    gone: int = 0
    omitted: int = 0
    unfollowed: int = 0
    by_git: bool = False
    skipped: list[Skipped] = field(default_factory=list[Skipped])


@dataclass(frozen=True, slots=True)
class _Reading:
    """A file that was read again. `extraction` is None when it holds what was known and only its stat differs."""

    file: IndexedFile
    extraction: Extraction | None


@uncollected()
def refresh(
    store: Store,
    tree: Tree,
    *,
    clock: Clock,
    ids: IdSource,
    paths: Collection[str] | None = None,
    progress: Progress | None = None,
    patience_ms: int | None = None,
) -> Refreshed:
    """Read what changed in a tree, or only these paths of it, and write it to the ledger.

    The edges between facts follow with `moored.ledger.graph.link`. `patience_ms` is as for `Store.write`.

    Raises `NotFound` when the tree's root is gone: then nothing is taken for deleted.
    """
    report = Refreshed()
    with store.read() as view:
        known = view.facts.files(tree)
    root = Path(tree.root)
    if paths is None:
        found = walk(root, max_file_size=tree.max_file_size, extra_ignored=tree.ignore)
        seen, report.by_git = list(found.files), found.by_git
        report.skipped += found.skipped
        removed = set(known) - {file.path for file in seen}
    else:
        seen, removed = _named(tree, paths, known, report)
    report.files = len(seen)
    stale = [file for file in seen if not (file.path in known and unchanged(file, known[file.path]))]
    readings = _read(tree, stale, known, report, progress)
    if known:
        batch = list(readings)
        removed |= {item.path for item in report.skipped if item.path in known}
        removed -= _not_seen(removed, report.skipped)
        if batch or removed:
            _write(store, tree, batch, sorted(removed), clock, ids, report, patience_ms)
    else:
        for batch in batches(readings, BATCH):
            _write(store, tree, batch, [], clock, ids, report, patience_ms)
    return report


def _named(
    tree: Tree, paths: Collection[str], known: dict[str, IndexedFile], report: Refreshed
) -> tuple[list[Seen], set[str]]:
    """Those of these paths that are there and may be read, and those that were."""
    root, kept_away = Path(tree.root), never_read(Path(tree.root), tree.ignore)
    if not root.is_dir():
        raise NotFound(f"{root} is not a directory, so there is nothing to read in it. Name the project's folder.")
    seen: list[Seen] = []
    removed: set[str] = set()
    for path in sorted(paths):
        try:
            stat = stat_of(root, path)
        except MooredError:
            report.skipped.append(Skipped(path, "unreadable"))
            continue
        if stat is not None and not kept_away(path):
            seen.append(stat)
        elif path in known:
            removed.add(path)
    return seen, removed


def _not_seen(removed: Collection[str], skipped: Iterable[Skipped]) -> set[str]:
    """Those of these paths that may be there all the same: they, or a folder that they are in, cannot be looked at."""
    closed = {item.path or "." for item in skipped if item.reason == "unreadable"}
    return {path for path in removed if not closed.isdisjoint((path, *map(str, PurePosixPath(path).parents)))}


def _read(
    tree: Tree, files: Sequence[Seen], known: dict[str, IndexedFile], report: Refreshed, progress: Progress | None
) -> Iterator[_Reading]:
    root = Path(tree.root)
    for done, seen in enumerate(files, 1):
        # The file system's time, not the clock of the store: it is compared with the times of files.
        opened_at = time.time_ns()
        content = read_text_candidate(root, seen, max_file_size=tree.max_file_size)
        if isinstance(content, Skipped):
            report.skipped.append(content)
        elif not is_unicode(seen.path):
            report.skipped.append(Skipped(seen.path, "name is not UTF-8"))
        else:
            yield _reading(seen, content, opened_at, known.get(seen.path), report)
        if progress:
            progress(done, len(files))


def _reading(seen: Seen, content: bytes, opened_at: int, known: IndexedFile | None, report: Refreshed) -> _Reading:
    content_hash = digest(content)
    extraction = None
    if known and known.content_hash == content_hash:
        language, errors, omitted = known.language, known.errors, known.omitted
    else:
        extraction = extract_file(seen.path, content)
        language, errors, omitted = extraction.language, extraction.errors, extraction.omitted
        report.parsed += 1
        report.partial += errors > 0
        report.omitted += omitted
    file = IndexedFile(
        0, seen.path, seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode, content_hash, language, errors, omitted,
        opened_at,
    )  # fmt: skip
    return _Reading(file, extraction)


def _write(
    store: Store,
    tree: Tree,
    readings: Sequence[_Reading],
    removed: Sequence[str],
    clock: Clock,
    ids: IdSource,
    report: Refreshed,
    patience_ms: int | None,
) -> None:
    """Reconcile what was read with what is known, and write the outcome in one transaction."""
    now = clock.now()
    with store.write(Durability.GROUP, patience_ms=patience_ms) as transaction:
        readings = [reading for reading in readings if reading.extraction or _holds(transaction, tree, reading.file)]
        read = {r.file.path: r.extraction.facts for r in readings if r.extraction is not None}
        found = compare(transaction, tree, read, removed)
        with transaction.ledger_writer() as ledger:
            ledger.close(found.moves.gone, now)
            for path in removed:
                ledger.remove_file(tree, path)
            for reading in readings:
                file = ledger.put_file(tree, reading.file)
                if reading.extraction is not None:
                    observe(ledger, tree, file, reading.extraction)
            _apply(ledger, tree, found, now, ids)
    report.removed += len(removed)
    report.gone += len(found.moves.gone)
    report.moved += len(found.moves.moved)
    report.born += len(found.moves.born)
    report.unfollowed += sum(len(group.gone) for group in found.moves.unfollowed)
    report.changed += sum(len(outcome.changed) for outcome in found.files.values())
    report.revived += sum(len(outcome.revived) for outcome in found.files.values())


def _holds(view: View, tree: Tree, file: IndexedFile) -> bool:
    """Whether the ledger still holds this content of a file: another writer may have told it of another meanwhile."""
    known = view.facts.file(tree, file.path)
    return known is not None and known.content_hash == file.content_hash


def _apply(ledger: LedgerWriter, tree: Tree, found: Comparison, at: int, ids: IdSource) -> None:
    matches = [
        match for outcome in found.files.values() for match in (*outcome.unchanged, *outcome.changed, *outcome.revived)
    ]
    ledger.release(match.fact for match in matches if _identity_differs(match))
    ledger.release(move.fact for move in found.moves.moved)
    for path, outcome in found.files.items():
        ledger.move_position((match.fact, match.now.extracted, match.now.ordinal) for match in outcome.unchanged)
        for match in outcome.changed:
            ledger.change(match.fact, match.now.extracted, match.now.ordinal, match.change, at, path=path)
        for match in outcome.revived:
            ledger.revive(match.fact, match.now.extracted, match.now.ordinal, at, path=path)
    for move in found.moves.moved:
        ledger.change(move.fact, move.now.extracted, move.now.ordinal, move.change, at, path=move.path)
    for path, born in _by_path(found.moves.born):
        new = [
            NewFact(ids.new(FACT), item.now.ordinal, item.now.extracted, extractor_of(item.now.extracted))
            for item in born
        ]
        ledger.add(tree.project, new, at, tree=tree, path=path)


def _identity_differs(match: Match) -> bool:
    fact, now = match.fact, match.now
    return (fact.kind, fact.ordinal) != (now.extracted.kind, now.ordinal) or fact.gone_at is not None


def _by_path(born: Iterable[Born]) -> Iterator[tuple[str, list[Born]]]:
    grouped: dict[str, list[Born]] = {}
    for item in born:
        grouped.setdefault(item.path, []).append(item)
    yield from grouped.items()
