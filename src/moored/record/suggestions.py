"""What a user's turn says that sounds like a constraint: suggested as a pin, never pinned by itself (I-21)."""

from __future__ import annotations

import re

from moored.model.episodes import Channel
from moored.record.sentences import sentences

MAX_LENGTH = 300
"""Characters of the longest sentence that is suggested: a constraint is short."""

MAX_READ = 100_000
"""Characters of a turn that are looked at."""

_CONSTRAINT = re.compile(
    r"\b(?:never|always|must(?:n['\u2019]t)?|do not|don['\u2019]t ever|at all times|from now on)\b",
    re.IGNORECASE,
)


def suggested_pins(text: str, channel: Channel) -> tuple[str, ...]:
    """The sentences of a user's turn that sound like a constraint, verbatim and each once; never questions.

    Words that did not come from the user suggest nothing.
    """
    if channel is not Channel.USER:
        return ()
    return tuple(
        dict.fromkeys(
            sentence
            for sentence in sentences(text[:MAX_READ])
            if len(sentence) <= MAX_LENGTH and not sentence.endswith("?") and _CONSTRAINT.search(sentence)
        )
    )
