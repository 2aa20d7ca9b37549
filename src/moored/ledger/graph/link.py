"""Linking: the edges of what was read, and of every file whose names could now stand for something else.

Names are resolved from a reading view, outside of any write; the edges follow in short transactions. A file that was
read again meanwhile keeps waiting. Linking a tree again changes nothing, and what an interrupted run left is done by
the next. Two linkers of one tree at a time do no harm, but the later one may leave an edge of the earlier's view:
hold the tree's lease where several processes index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.ledger.graph import keys
from moored.ledger.graph.edges import EdgeMaker
from moored.ledger.graph.families import FAMILY_OF
from moored.ledger.graph.lookups import Lookups
from moored.ledger.graph.outline import pack, unpack_uses
from moored.ledger.graph.sources import Sources
from moored.model.collector import uncollected
from moored.store.durability import Durability

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from moored.model.facts import Extraction
    from moored.model.projects import Tree
    from moored.store.port import LedgerWriter, Store, View
    from moored.store.rows import NewEdge

BATCH = 150
"""Files whose edges are written in one transaction."""


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What linking did: `files` were linked, `affected` of them only because of changes elsewhere."""

    files: int = 0
    affected: int = 0
    edges: int = 0
    resolved: int = 0


@dataclass(frozen=True, slots=True)
class _Linked:
    file: int
    generation: int
    exports: bytes
    lookups: bytes
    edges: list[NewEdge]


def observe(writer: LedgerWriter, tree: Tree, file: int, extraction: Extraction) -> None:
    """Keep what linking needs of a file that was just read; for a file that is not code, do nothing.

    To be called in the transaction that writes the file's facts, with the number that `put_file` returned. For a
    file that is removed nothing has to be called.
    """
    if extraction.language in FAMILY_OF:
        writer.put_outline(tree, file, *pack(extraction))


@uncollected()
def link(store: Store, tree: Tree, *, progress: Callable[[int, int], None] | None = None) -> LinkReport:
    """Make the edges of a tree agree with what was observed. Cheap when nothing waits."""
    with store.read() as view:
        waiting = view.graph.waiting(tree)
        removed = view.graph.relinks(tree)
        if not waiting and not removed:
            return LinkReport()
        sources = Sources(view, tree)
        paths = list(waiting)
        if len(waiting) < len(sources.languages):
            paths += _affected(view, tree, sources, waiting, removed)
        files = edges = resolved = 0
        for batch in _linked(sources, paths):
            with store.write(Durability.GROUP) as transaction, transaction.ledger_writer() as writer:
                for done in batch:
                    writer.put_links(done.file, done.generation, done.exports, done.lookups, done.edges)
            files += len(batch)
            edges += sum(len(done.edges) for done in batch)
            resolved += sum(edge.resolved for done in batch for edge in done.edges)
            if progress:
                progress(files, len(paths))
        if removed:
            with store.write(Durability.GROUP) as transaction, transaction.ledger_writer() as writer:
                writer.clear_relinks(tree, removed[-1][0])
    return LinkReport(files, len(paths) - len(waiting), edges, resolved)


def _affected(
    view: View, tree: Tree, sources: Sources, waiting: Iterable[str], removed: Iterable[tuple[int, str, bytes]]
) -> list[str]:
    """Linked files that looked up something whose answer is another now."""
    changed: set[int] = set()
    for path in waiting:
        source = sources.get(path)
        if source is None or source.outline is None:
            continue
        before, now = keys.unpacked_pairs(source.outline.exports), source.exports()
        changed |= {key for key, _ in before.items() ^ now.items()}
        if not before:
            changed |= keys.of_path(path, sources.root)
    for _, path, exports in removed:
        changed |= keys.unpacked_pairs(exports).keys() | keys.of_path(path, sources.root)
    if not changed:
        return []
    return [path for path, packed in view.graph.lookups(tree) if not changed.isdisjoint(keys.unpacked(packed))]


def _linked(sources: Sources, paths: Iterable[str]) -> Iterable[list[_Linked]]:
    lookups = Lookups(sources)
    maker = EdgeMaker(lookups)
    batch: list[_Linked] = []
    for path in paths:
        source = sources.get(path)
        outline = source.outline if source is not None else None
        if source is None or outline is None:
            continue
        made = maker.edges(source, unpack_uses(outline.uses))
        batch.append(
            _Linked(
                outline.file,
                outline.generation,
                keys.packed_pairs(source.exports()),
                keys.packed(lookups.keys),
                made,
            )
        )
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
