"""Notes that a user contradicts in passing, in a turn and not in a note (A-06).

Each turn is read once, a sentence at a time, and compared with its kin as a new note would be. Only what says plainly
that something is so counts: the note denied, or another value for the same. What asks, wishes, orders, supposes or
quotes says nothing of how it is. Found is kept as evidence against the note; what it says is read again when asked.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.kin import kin
from moored.atlas.likeness import Likeness, compare
from moored.atlas.statement import statement
from moored.atlas.values import proposed_value_text
from moored.model.profiles import KINDS
from moored.model.seeding import SEED
from moored.record.sentences import is_question, sentences

if TYPE_CHECKING:
    from collections.abc import Collection

    from moored.model.notes import Note
    from moored.model.projects import Project
    from moored.store.port import View

LONGEST_TURN = 4_000
"""Characters of a turn that is read: what is longer was pasted."""

LONGEST = 240
"""Characters of a sentence that is compared."""

SENTENCES = 12
"""Sentences of one turn that are compared."""

SHARED = 0.6
"""Part of the words of the shorter text that a note and a sentence must share."""

_AHEAD = re.compile(
    r"^(?:(?:actually|by the way|btw|correction|fyi|just so you know|no|note|so|sorry|wait|well|yes)\b[,:;]?\s+)+",
    re.IGNORECASE,
)
_CUES = frozenset(("actual", "any", "more", "now"))
"""Forms of words that say nothing of their own beside what changed."""

_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)|^\s*>.*?$")


class Contradiction(NamedTuple):
    """What a user said against a note: the episode and when (milliseconds), the sentence, and why.

    `text` is what the note would say by it, empty where that does not follow.
    """

    episode: str
    at: int
    sentence: str
    reason: str
    text: str


class Read(NamedTuple):
    """Which episodes contradict which notes, by id, and up to which number the record was read."""

    found: dict[str, tuple[str, ...]]
    to: int


def read_turns(view: View, project: Project, most: int) -> Read:
    """Read the turns that were not compared yet, at most `most` of them."""
    after = view.profiles.compared_to(project)
    turns = view.profiles.turns(project, after, most)
    found: dict[str, tuple[str, ...]] = {}
    for turn in turns:
        for sentence in _plain(turn.text):
            for note in kin(view, project, sentence):
                if _is_open(note) and note.head.created_at <= turn.at and contradicts(note.head.text, sentence):
                    found[note.id] = tuple(dict.fromkeys((*found.get(note.id, ()), turn.episode)))
    return Read(found, turns[-1].seq if turns else after)


def contradicting(view: View, project: Project, note: Note, against: Collection[str]) -> Contradiction | None:
    """The latest of the turns that are known to contradict a note, or are in `against`, that does so as it is now."""
    if not _is_open(note):
        return None
    known = [episode for episode, kind in view.kin.evidence(project, note.id) if kind == "against"]
    for episode_id in dict.fromkeys((*reversed(list(against)), *reversed(known))):
        episode, standing = view.episodes.get(project, episode_id), view.episodes.standing(project, episode_id)
        if episode is None or standing is None or standing.corrected_by or episode.occurred_at < note.head.created_at:
            continue
        for sentence in _plain(episode.text):
            if why := contradicts(note.head.text, sentence):
                text = _with_value(note.head.text, sentence)
                return Contradiction(episode_id, episode.occurred_at, sentence, why, text)
    return None


def contradicts(text: str, sentence: str) -> str:
    """Why a note and a later sentence cannot both hold; empty where they can, or where that is not plain.

    It is plain where the sentence denies what the note says and says nothing else, or says the same with another word
    in the place of one.
    """
    said = _AHEAD.sub("", sentence)
    if is_question(said) or _not_so().search(said) or _ordered().match(said):
        return ""
    one = compare(text, said)
    if one.likeness not in (Likeness.CONTRADICTION, Likeness.UPDATE) or not one.covers or one.shared < SHARED:
        return ""
    fresh = [form for form in one.newer if form not in _CUES]
    plain = not fresh if _denies(said) != _denies(text) else len(one.older) == len(fresh) == 1
    return one.reason if plain else ""


def _denies(text: str) -> bool:
    return any(word.denied for word in statement(text).words)


def _is_open(note: Note) -> bool:
    """Whether a note may be contradicted by what a user says: a profile and a seed are kept by their own rules."""
    return note.kind not in KINDS and note.head.actor != SEED


def _plain(text: str) -> list[str]:
    """The sentences of a turn in which something may be said of how it is."""
    if len(text) > LONGEST_TURN:
        return []
    return [one for one in sentences(_FENCED.sub("", text)) if len(one) <= LONGEST][:SENTENCES]


def _with_value(text: str, sentence: str) -> str:
    """The text with the value that the sentence has, where the two differ in one value and nothing else is denied."""
    one = compare(text, sentence)
    was = [form for form in one.older if form[:1].isdigit()]
    now = [form for form in one.newer if form[:1].isdigit()]
    if len(was) != 1 or len(now) != 1 or len(one.older) > 1:
        return ""
    return proposed_value_text(text, was[0], now[0]) or ""


@cache
def _not_so() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:should|shall|would|could|might|may|must|will|wish|want\w*|need\w*|if|unless|whether|maybe|perhaps|probably|"
        r"suppose|assum\w*|imagine|say|says|said|think|thought|guess|believe|seems?|looks? like|let's|lets|try|plan\w*|"
        r"propos\w*|suggest\w*|instead|rather|please|can you|could you|what about|how about|why|until|locally|"
        r"on my (?:machine|laptop)|in (?:the )?(?:tests?|staging|example)|for (?:this|the) (?:test|example)|"
        r"temporarily|for now|exception|traceback|I|my|no(?! longer)|none|nobody|nothing|there (?:is|are)|"
        r"this|these|here|today|yesterday)\b",
        re.IGNORECASE,
    )


@cache
def _ordered() -> re.Pattern[str]:
    """A sentence that begins with a verb in its plain form orders something, and says nothing of how it is."""
    return re.compile(
        r"(?:and |then |now |ok(?:ay)?,? |also |just |so |first |next )*(?:add|allow|bump|call|change|check|configure|"
        r"create|delete|deploy|disable|do|don't|drop|enable|ensure|extract|fix|give|have|increase|install|keep|leave|"
        r"lower|make|migrate|move|never|open|pin|put|raise|reduce|refactor|remember|remove|rename|replace|restart|"
        r"revert|rewrite|run|send|set|show|skip|start|stop|store|switch|take|tell|turn|update|upgrade|use|write)\b",
        re.IGNORECASE,
    )
