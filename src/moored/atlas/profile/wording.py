"""The words of beliefs, and what the words of a preference or belief state.

A belief's words are a template filled with what its evidence says, or the newest sentence of it, so that what it states
is read from them again: nothing about it is stored beside them, and who revises it changes what it states.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.preferences import Preference, Subject
from moored.model.profiles import BELIEF, KINDS
from moored.record.preference_keys import OTHER, topic
from moored.record.preferences import preference
from moored.record.sentences import sentences

if TYPE_CHECKING:
    from moored.model.notes import Note

HABITS = {
    "test command": "Tests are run with",
    "lint command": "The code is linted with",
    "format command": "The code is formatted with",
    "type check command": "Types are checked with",
    "build command": "It is built with",
}
"""How a belief about a command begins, by its key."""

_WANTS = {
    (Subject.USER, True): "the user wants",
    (Subject.USER, False): "the user does not want",
    (Subject.PROJECT, True): "the project uses",
    (Subject.PROJECT, False): "the project does not use",
}
_SAID = {words: meaning for meaning, words in _WANTS.items()}
_BELIEF = re.compile(rf"As (?P<key>[^,]+), (?P<said>{'|'.join(_SAID)}) (?P<value>.+)\.")
_HABIT = re.compile(rf"(?P<said>{'|'.join(map(re.escape, HABITS.values()))}) `(?P<value>[^`]+)`\.")


def belief_text(said: Preference) -> str:
    """The words of a belief that one statement, made again and again, leads to."""
    if said.known and not said.scope:
        return f"As {said.key}, {_WANTS[said.subject, said.wanted]} {said.value}."
    return said.text


def habit_text(key: str, command: str) -> str:
    """The words of a belief about a command that is run again and again."""
    return f"{HABITS[key]} `{command}`."


def is_habit(note: Note) -> bool:
    """Whether a note is a belief about a command."""
    return note.kind == BELIEF and _HABIT.fullmatch(note.head.text) is not None


def key_of(note: Note) -> str:
    """What a note of a profile is about: its first tag, which stays when it is reworded."""
    return note.head.tags[0] if note.head.tags else OTHER


def stated(note: Note) -> Preference | None:
    """What a preference or belief states, as its words are now; None where a rule reads nothing in them."""
    text = note.head.text
    if note.kind not in KINDS:
        return None
    if note.kind == BELIEF and (match := _BELIEF.fullmatch(text)):
        subject, wanted = _SAID[match["said"]]
        return Preference(text, subject, match["key"], match["value"], wanted, known=True)
    if note.kind == BELIEF and (match := _HABIT.fullmatch(text)):
        key = next(key for key, said in HABITS.items() if said == match["said"])
        return Preference(text, Subject.PROJECT, key, match["value"], known=True)
    found = (preference(sentence) for sentence in (text, *sentences(text)))
    if read := next((one for one in found if one is not None), None):
        return read._replace(text=text)
    about = topic(text, text)
    return Preference(text, Subject.USER, key_of(note), about.name) if about.name else None
