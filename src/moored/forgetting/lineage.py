"""What is left of a note when some of what it rests on is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.forgetting import Rebuilt
from moored.model.notes import AnchorRole

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from moored.model.notes import Anchor, Revision

QUOTED = 5
"""Words in a row that a revision shares with a text that it rests on, for it to hold some of that text."""


def without(
    revisions: Sequence[Revision],
    head: str,
    episodes: Mapping[str, str],
    facts: Collection[str],
    words_of: Mapping[str, str],
) -> Rebuilt | None:
    """What a note is without these episodes (with what they say) and facts; None when nothing of it is left.

    `head` is the id of its newest revision. A revision holds what is forgotten when its words are those of such an
    episode, or when it rests on one and repeats some of it. The others stay, as long as they have an anchor left. Where
    the newest one goes, the note says again what the newest of those that stay says; where none stays, it says what the
    episodes say that it still rests on, if they are the words of notes (`words_of`) and repeat nothing of it.
    """
    note = revisions[0].note
    erased = tuple(one.id for one in revisions if _goes(one, episodes, facts))
    left = [one for one in revisions if one.id not in erased]
    if left and left[-1].id == head:
        return Rebuilt(note, erased)
    if left and head not in erased:
        # An undo made an older revision the newest one; it stays.
        return Rebuilt(note, erased)
    if left:
        return Rebuilt(note, erased, left[-1].text, left[-1].id)
    newest = next(one for one in revisions if one.id == head)
    sources = tuple(
        dict.fromkeys(
            anchor.episode
            for anchor in newest.anchors
            if anchor.role is AnchorRole.SOURCE
            and anchor.episode in words_of
            and anchor.episode not in episodes
            and not any(repeats(words_of[anchor.episode], said) for said in episodes.values())
        )
    )
    if not sources:
        return None
    return Rebuilt(note, erased, "\n".join(words_of[source] for source in sources), "", sources)


def _goes(revision: Revision, episodes: Mapping[str, str], facts: Collection[str]) -> bool:
    if revision.episode in episodes:
        return True
    lost = [anchor for anchor in revision.anchors if _is_lost(anchor, episodes, facts)]
    if len(lost) == len(revision.anchors):
        return True
    return any(anchor.episode in episodes and repeats(revision.text, episodes[anchor.episode]) for anchor in lost)


def _is_lost(anchor: Anchor, episodes: Mapping[str, str], facts: Collection[str]) -> bool:
    return anchor.episode in episodes or anchor.fact in facts


def repeats(text: str, said: str) -> bool:
    """Whether a text holds several words in a row that another one says, or all of it when that is shorter."""
    words = said.split()
    size = min(QUOTED, len(words))
    if not size:
        return False
    known = {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}
    mine = text.split()
    return any(tuple(mine[at : at + size]) in known for at in range(len(mine) - size + 1))
