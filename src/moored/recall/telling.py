"""What an episode has to tell to somebody who did not ask for it: a question tells nothing, nor does a copy of a file.

A turn tells something when it states what was not in the prompt already; an error that was pasted states nothing. Of
what tools gave back, only the outcome of a command does: what looks into files shows them as they were, and the agent
can look at them as they are. So it can at the history of the repository and at what else automation writes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.episodes import Role
from moored.model.stopwords import is_stop_word
from moored.record.commands import command_of, only_looks
from moored.record.sentences import is_question, sentences

if TYPE_CHECKING:
    from collections.abc import Collection

    from moored.model.episodes import Episode

NEWS = 2
"""Words that a turn must state beside those of the prompt."""

_PASTED = (
    r"(?:\S+ ){0,3}[\w.]*(?:Error|Exception)\b:|at \S+ ?\(|File \"|Traceback \(|(?:raise|throw|return) |\s*\^+\s*$"
)
"""How a line of an error that was pasted begins, and of the source that it shows, in Python and JavaScript."""

OF_QUESTIONS = frozenset({"ask", "asked", "asking", "asks", "question", "questions"})
"""Terms of a question that wants to know what was asked."""

_WORD = re.compile(r"[\w'\u2019-]+")

READ = 20_000
"""Characters of a turn that are looked at."""


def tells(episode: Episode, asked: Collection[str]) -> bool:
    """Whether an episode tells more than the terms of a prompt, which are in lower case."""
    if episode.role is Role.TOOL:
        return episode.exit_status is not None and not only_looks(command_of(episode.tool_input))
    if episode.role is Role.SYSTEM:
        return False
    lines = (line for line in episode.text[:READ].splitlines() if not re.match(_PASTED, line.strip()))
    stated = (sentence for sentence in sentences("\n".join(lines)) if not is_question(sentence))
    words = {word for sentence in stated for word in _WORD.findall(sentence.lower())}
    return sum(word not in asked and not is_stop_word(word) for word in words) >= NEWS


def echoes(episode: Episode, asked: Collection[str]) -> bool:
    """Whether a turn only asks what is asked again now, in words of the terms, which are in lower case."""
    if episode.role not in (Role.USER, Role.ASSISTANT) or not OF_QUESTIONS.isdisjoint(asked):
        return False
    text = episode.text[:READ]
    words = (match[0] for match in _WORD.finditer(text.lower()))
    telling = (word for word in words if not is_stop_word(word))
    # Nearly every turn says something else within its first words.
    first = next(telling, None)
    return first in asked and all(word in asked for word in telling) and all(map(is_question, sentences(text)))
