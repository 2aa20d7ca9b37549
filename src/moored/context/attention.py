"""Which notes stopped holding since a moment: found by what changed, so that not every note has to be judged.

A note can only have stopped holding if its file differs on disk from what the ledger read, or if the ledger or the
record show something else than its anchors since. Those are judged against the disk, as any verdict is (I-04). What the
ledger shows as changed before that moment is only counted.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from moored.ledger.disk import seen_as, unchanged
from moored.ledger.sight import TOO_MUCH, TooMuchChanged
from moored.model.notes import JudgedNote, State

if TYPE_CHECKING:
    from moored.ledger.sight import Sight
    from moored.model.files import IndexedFile
    from moored.model.projects import Project
    from moored.store.port import View

JUDGED = 40
"""Notes that are judged at most; how many more there are is said."""


class Attention(NamedTuple):
    """The notes that do not hold since, worst first; how many were not judged; how many changed before already."""

    notes: tuple[JudgedNote, ...]
    unjudged: int
    older: int


def attention(view: View, sight: Sight, project: Project, since: int) -> Attention:
    """The notes of a project that stopped holding since a moment, in milliseconds since the epoch."""
    from moored.atlas.verdict import WORST_FIRST, judge

    suspects = view.notes.suspects(sight.tree)
    paths = differing(view, sight)
    heads = {head for head, at in suspects.items() if at >= since}
    if paths:
        heads |= {note.head.row for note in view.notes.about_paths(project, paths) if not note.superseded_by}
    newest = sorted(heads, reverse=True)
    notes = view.notes.by_heads(project, newest[:JUDGED])
    judged = [judge(sight, view, project, notes[head]) for head in newest[:JUDGED] if head in notes]
    lost = [one for one in judged if one.verdict.state is State.STALE]
    lost.sort(key=lambda one: (WORST_FIRST.index(one.verdict.change), -one.note.head.row))
    unknown = sum(one.verdict.reason == TOO_MUCH for one in judged)
    return Attention(tuple(lost), max(len(newest) - JUDGED, 0) + unknown, len(suspects.keys() - heads))


def differing(view: View, sight: Sight) -> list[str]:
    """The files that notes are about and that differ from what the ledger read.

    One `lstat` tells of most that they do not; only the others are read.
    """
    root = sight.tree.root
    folders = {"": True}
    found: list[str] = []
    for file in view.notes.files(sight.tree):
        if _is_folder(root, file.path.rpartition("/")[0], folders) and _is_unchanged(root, file):
            continue
        try:
            sight.file(file.path)
        except TooMuchChanged:
            found.append(file.path)
        else:
            if file.path in sight.changed:
                found.append(file.path)
    return found


def _is_folder(root: str, path: str, known: dict[str, bool]) -> bool:
    """Whether there is a folder inside a tree, and no link on the way to it."""
    if path not in known:
        try:
            real = stat.S_ISDIR(os.lstat(f"{root}/{path}").st_mode)
        except OSError:
            real = False
        known[path] = real and _is_folder(root, path.rpartition("/")[0], known)
    return known[path]


def _is_unchanged(root: str, file: IndexedFile) -> bool:
    try:
        info = os.lstat(f"{root}/{file.path}")
    except OSError:
        return False
    return stat.S_ISREG(info.st_mode) and unchanged(seen_as(file.path, info), file)
