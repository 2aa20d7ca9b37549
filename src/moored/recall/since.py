"""What was said otherwise since: marks between the turns of one answer, made at the moment of reading.

A turn says many things, and is right or wrong about the one that is asked. So two turns of one speaker are compared
only in what the question is about (see `atlas.told`):

- a figure of which a newer turn tells another value is *superseded* by that turn, if its words tell of a change;
- that something was never done is superseded by a newer turn in which it was; said after it was done, both are
  *disputed*.

Nothing is written, and nothing left out: what is marked names the other turn, and the newer stands before it. Only a
question is answered so: what a prompt is about is said too loosely to tell one figure from another by it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.figures import UNCOUNTED, Figure
from moored.atlas.told import Deed, deeds_told, figures_told, may_tell_change, subject
from moored.model.episodes import Trust
from moored.model.notes import CURRENT, Change, State, Verdict
from moored.model.text import shorten
from moored.recall.disputed import newer_first
from moored.recall.verify import SHOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from moored.model.episodes import Episode
    from moored.model.recall import Hit

LEAST = 2
"""Words of the question that both turns must have about what they tell."""

PART = 0.4
"""The least part of the words of the question that these must be."""

TELLING = 3
"""Words of the question that tell what is meant. With fewer in common, half of what is beside the figures must be."""

SAME_DEED, MOST_OF_IT = 0.6, 3
"""Part of the words by which something was never done that must say what was done, all of them where they are fewer."""


class _Mark(NamedTuple):
    """A verdict on a turn, and the turn that it comes from."""

    verdict: Verdict
    by: str


class _Found(NamedTuple):
    """Marks by turn, and how many words of the question what they are about has."""

    asked: int
    marks: dict[str, _Mark]


def marked(hits: Sequence[Hit], turns: Mapping[str, Episode], question: str) -> list[Hit]:
    """The hits, marked where a turn among them says otherwise since, the newer before the older.

    `turns` are the users' turns among the hits, by id.
    """
    about = subject(question)
    standing = (turns[hit.id] for hit in hits if hit.id in turns and hit.verdict == CURRENT)
    said = sorted(standing, key=lambda turn: (turn.occurred_at, turn.seq))
    readers = [
        read
        for read, tells in ((_changed, _tells_change), (_contradicted, _tells_never))
        if any(tells(turn.text, about) for turn in said)
    ]
    marks: dict[str, _Mark] = {}
    for at, older in enumerate(said if readers else ()):
        since = [turn for turn in reversed(said[at + 1 :]) if _may_correct(turn, older)]
        found = (read(older, since, about) for read in readers)
        best = max((one for one in found if one), key=lambda one: one.asked, default=None)
        marks |= best.marks if best else {}
    if not marks:
        return list(hits)
    order = {turn.id: at for at, turn in enumerate(said)}
    newer = {turn: [mark.by] for turn, mark in marks.items() if order[mark.by] > order[turn]}
    return newer_first([_with(hit, marks) for hit in hits], newer)


def _tells_change(text: str, about: frozenset[str]) -> bool:
    """Whether a turn says of a figure that the question is about that it changed."""
    return may_tell_change(text) and any(
        one.changed and _is_asked(one.about & about, about) for one in figures_told(text)
    )


def _tells_never(text: str, about: frozenset[str]) -> bool:
    """Whether a turn says of something that the question is about that it was never done."""
    return "never" in text and any(one.never and _is_asked(one.about & about, about) for one in deeds_told(text))


def _is_asked(common: frozenset[str], about: frozenset[str]) -> bool:
    """Whether these words of a question are enough of it."""
    return len(common) >= max(min(LEAST, len(about)), PART * len(about))


def _may_correct(newer: Episode, older: Episode) -> bool:
    """Whether two turns are of one speaker, and the newer is trusted as far as the older (I-21)."""
    return newer.author == older.author and newer.trust.level >= older.trust.level


def _with(hit: Hit, marks: Mapping[str, _Mark]) -> Hit:
    return hit._replace(verdict=marks[hit.id].verdict) if hit.id in marks else hit


def _changed(older: Episode, since: Iterable[Episode], about: frozenset[str]) -> _Found | None:
    """What newer turns, the newest first, make of the figures of an older one, back to one that tells the same still.

    The one most about the question counts.
    """
    told_since = (_change(older, newer, about) for newer in since)
    changes = takewhile(lambda one: one is None or one.marks, told_since)
    return max((one for one in changes if one), key=lambda one: one.asked, default=None)


def _change(older: Episode, newer: Episode, about: frozenset[str]) -> _Found | None:
    """What one turn makes of the figures of an older one: no marks where it tells the same, None where nothing."""
    same, changes = False, list[tuple[int, Figure, Figure]]()
    for was in figures_told(older.text):
        rivals = [now for now in figures_told(newer.text) if _of_one_thing(was, now, about)]
        if any(now.value == was.value for now in rivals):
            same = True
        elif now := next((one for one in rivals if one.changed), None):
            changes.append((len(was.about & now.about & about), was, now))
    if changes:
        # A turn that tells how something changed tells what it was before as well.
        asked, was, now = max(changes, key=lambda one: (one[0], one[1].changed))
        return _Found(asked, {older.id: _superseded(newer, now.sentence, f"{now.text}, not {was.text}")})
    return _Found(0, {}) if same else None


def _of_one_thing(was: Figure, now: Figure, about: frozenset[str]) -> bool:
    """Whether two figures are of the thing that the question is about, and may be values of the same."""
    if was.wished != now.wished or not _of_one_unit(was, now) or was.near.isdisjoint(now.near):
        return False
    had, has = was.about & about, now.about & about
    common = had & has
    alike = len(common) >= TELLING or 2 * len(was.near & now.near) >= min(len(was.near), len(now.near))
    asked = _is_asked(common, about) and 2 * len(common) > max(len(had), len(has))
    return alike and asked and not _told_apart(was, now)


def _of_one_unit(was: Figure, now: Figure) -> bool:
    """Whether two figures have the same unit, or may count the same."""
    if was.unit == now.unit:
        return True
    if was.unit and now.unit:
        return was.unit in now.counted or now.unit in was.counted
    named, bare = (was, now) if was.unit else (now, was)
    return named.unit not in UNCOUNTED and named.unit in bare.near


def _told_apart(was: Figure, now: Figure) -> bool:
    """Whether a word of both stands behind different ones, or they hold under different conditions."""
    if any(unit == other and value != bound for unit, value in was.bounds for other, bound in now.bounds):
        return True
    return any(
        was.before[word] != now.before[word] and was.before[word] not in now.about and now.before[word] not in was.about
        for word in was.before.keys() & now.before.keys()
    )


def _contradicted(older: Episode, since: Iterable[Episode], about: frozenset[str]) -> _Found | None:
    """What the newest turn makes of the older one where one says that something was done, the other that never."""
    for newer in since:
        for was in deeds_told(older.text):
            for now in deeds_told(newer.text):
                if was.never != now.never and _same_deed(was, now, about):
                    return _Found(len(was.about & now.about & about), _of_deeds(older, newer, was, now))
    return None


def _same_deed(was: Deed, now: Deed, about: frozenset[str]) -> bool:
    """Whether one says of what the question is about that it was never done, and the other that it was."""
    never = was if was.never else now
    common = was.about & now.about
    enough = max(min(MOST_OF_IT, len(never.about)), SAME_DEED * len(never.about))
    return _is_asked(common & about, about) and len(common) >= max(LEAST, enough)


def _of_deeds(older: Episode, newer: Episode, was: Deed, now: Deed) -> dict[str, _Mark]:
    if was.never:
        return {older.id: _superseded(newer, now.sentence, "it was done")}
    return {older.id: _disputed(newer, now.sentence, "newer"), newer.id: _disputed(older, was.sentence, "older")}


def _superseded(by: Episode, sentence: str, what: str) -> _Mark:
    reason = f"said otherwise since, in {by.id} of {_day(by)}: {what}"
    return _Mark(Verdict(State.SUPERSEDED, Change.VALUE, reason, _says(by, sentence)), by.id)


def _disputed(by: Episode, sentence: str, side: str) -> _Mark:
    reason = f"disputed by the {side} {by.id} of {_day(by)}: one says that it was done, the other that it never was"
    return _Mark(Verdict(State.DISPUTED, Change.NONE, reason, _says(by, sentence)), by.id)


def _says(by: Episode, sentence: str) -> str:
    """What the other turn says; of data, which is only ever quoted, its id."""
    return by.id if by.trust is Trust.DATA else f"{by.id}: {shorten(sentence, SHOWN)}"


def _day(turn: Episode) -> str:
    return datetime.fromtimestamp(turn.occurred_at / 1_000, UTC).date().isoformat()
