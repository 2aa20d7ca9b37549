"""The targets of a note once more, with the hashes of now: what a revision is about unless it says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas import lookup
from moored.atlas.about import command_anchor, fact_anchors
from moored.atlas.verdict import called, locate
from moored.model.facts import FactKind
from moored.model.notes import Anchor, AnchorRole, Change, Note

if TYPE_CHECKING:
    from moored.ledger.sight import FactNow, Sight
    from moored.store.port import View


def same_targets(view: View, sight: Sight, note: Note) -> tuple[tuple[Anchor, ...], tuple[str, ...]]:
    """Anchors to what a note is about, as it is now, and in words what was followed or dropped.

    What moved is followed, as far as the verdict follows it; what is gone is dropped. What cannot be read just now
    is kept as it was.
    """
    anchors: dict[tuple[str, ...], Anchor] = {}
    account: dict[str, None] = {}
    for anchor in note.head.anchors:
        if anchor.role is AnchorRole.ABOUT:
            found, remark = _again(view, sight, anchor, note.head.created_at)
            for one in found:
                anchors[one.path, one.kind or "", one.name, one.episode, one.signature_hash, one.body_hash] = one
            if remark:
                account[f"{called(anchor)}: {remark}"] = None
    return tuple(anchors.values()), tuple(account)


def _again(view: View, sight: Sight, anchor: Anchor, written_at: int) -> tuple[tuple[Anchor, ...], str]:
    project = sight.tree.project
    if anchor.kind is FactKind.COMMAND:
        latest = command_anchor(view, project, anchor.name, AnchorRole.ABOUT)
        return (latest,) if latest else (), "" if latest else "dropped, the record holds no run of it"
    if not anchor.path:
        return (anchor,), ""
    standing = locate(sight, view, project, anchor, written_at)
    if standing.change is Change.UNREADABLE:
        return (anchor,), "kept as it was, since it cannot be read"
    if standing.now is None:
        gone = standing.change is Change.GONE
        return (), "dropped, it is gone" if gone else f"dropped, it could be any of {', '.join(standing.places)}"
    return _at_its_place(view, sight, anchor, standing.now)


def _at_its_place(view: View, sight: Sight, anchor: Anchor, now: FactNow) -> tuple[tuple[Anchor, ...], str]:
    facts = view.facts.named(sight.tree, now.name, path=now.path)
    alike = tuple(fact for fact in facts if (fact.kind in lookup.IMPORTS) == (now.kind in lookup.IMPORTS))
    if not alike:
        return (), f"dropped, it is now in {now.path}, which is not indexed"
    place = lookup.Target(now.path, now.name, alike)
    moved = (now.path, now.name) != (anchor.path, anchor.name)
    return fact_anchors(sight, place), f"followed to {place.address}" if moved else ""
