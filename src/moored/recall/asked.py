"""What a question asks for, as `asking` reads it; on the hot path, so that the rules are not loaded with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moored.model.episodes import Role


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for. Nothing is the answer to an empty question.

    `when`: a time or a duration. `advice`: how to do something, or a suggestion, so that directives and preferences
    apply. `speaker`: whose words hold the answer, where the question tells: what the user said or told of themselves,
    what the assistant said or decided, what a tool was called with or printed; None where it does not tell. `worker`:
    the same by looser signs, which hold only where tools were at work. `error`: what went wrong. `ordering`: what came
    first and then. `summary`: how something went as a whole. `across`: what is spread over sessions. `count`: how many.
    `number`: what is told in numbers. `several`: more than one thing. `meta`: the words that speak of the conversation
    or of answering, in lower case, which say little of the subject.
    """

    when: bool = False
    advice: bool = False
    speaker: Role | None = None
    worker: Role | None = None
    error: bool = False
    ordering: bool = False
    summary: bool = False
    across: bool = False
    count: bool = False
    number: bool = False
    several: bool = False
    meta: frozenset[str] = frozenset()


NOTHING = Asked()
"""A text that is no question, or was not read as one."""
