"""A briefing: what a host's hooks would hand over, for clients that ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.server.tools_writing import HOST

if TYPE_CHECKING:
    from moored.memory import Memory

BUDGET = 1_200
TASK_SHARE = 3
"""A task gets one part in so many of the budget."""

NOTHING = "nothing is pinned, no note needs attention, and nothing happened here yet"


@dataclass(frozen=True, slots=True)
class Briefing:
    """The text and its tokens, the ids of what did not fit, and what could not be looked at or judged."""

    text: str
    tokens: int
    omitted: tuple[str, ...]
    degraded: tuple[str, ...]


def briefing(memory: Memory, *, moment: str = "startup", task: str = "", budget: int = BUDGET) -> Briefing:
    """The brief of a moment (`startup`, `resume`, `compact`), and what is known that is plainly about a task."""
    asked = bool(task.strip())
    share = budget // TASK_SHARE if asked else 0
    briefs = [memory.start(host=HOST, session="", source=moment, budget=budget - share)]
    memory.told(briefs[0].reminded)
    if asked:
        briefs.append(memory.before_prompt(task, host=HOST, session="", budget=share))
        memory.told(briefs[1].reminded)
    return Briefing(
        "\n\n".join(brief.text for brief in briefs if brief.text),
        sum(brief.tokens for brief in briefs),
        tuple(id_ for brief in briefs for id_ in brief.omitted),
        tuple(dict.fromkeys(reason for brief in briefs for reason in brief.degraded)),
    )
