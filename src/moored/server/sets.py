"""Sets of tools: which tools a server offers. Few by default, since each costs every conversation tokens."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from moored.errors import NotFound
from moored.server.tool import Tool
from moored.server.tools_care import CARE_SET
from moored.server.tools_code import IMPACT, MAP, SYMBOL
from moored.server.tools_context import CONTEXT_SET
from moored.server.tools_disputes import DISPUTE_TOOLS
from moored.server.tools_fetch import FETCH
from moored.server.tools_forget import FORGET
from moored.server.tools_history import HISTORY, HISTORY_SET
from moored.server.tools_profile import PROFILE_TOOL
from moored.server.tools_reading import RECALL, STALE, STATUS
from moored.server.tools_reminders import REMINDER_TOOLS
from moored.server.tools_review import REVIEW_TOOLS
from moored.server.tools_rules import RULE
from moored.server.tools_seed import SEED_TOOL
from moored.server.tools_state import STATE_TOOLS
from moored.server.tools_writing import PIN, RECORD, REMEMBER, REVISE, UNPIN

SETS: Mapping[str, tuple[Tool, ...]] = {
    "default": (
        RECALL,
        REMEMBER,
        RECORD,
        FETCH,
        REVISE,
        STALE,
        PIN,
        UNPIN,
        SYMBOL,
        IMPACT,
        MAP,
        STATUS,
        FORGET,
        HISTORY,
    ),
    "history": HISTORY_SET,
    "care": CARE_SET,
    "context": CONTEXT_SET,
    "life": (*STATE_TOOLS, PROFILE_TOOL, *REMINDER_TOOLS, RULE, *DISPUTE_TOOLS, *REVIEW_TOOLS, SEED_TOOL),
}

DEFAULT = ("default",)


def chosen(wanted: Collection[str]) -> tuple[Tool, ...]:
    """The tools of these sets and of these names, each once, in the order of the sets.

    Raises `NotFound` for a name that is neither.
    """
    every = [tool for tools in SETS.values() for tool in tools]
    known = {*SETS, *(tool.name for tool in every)}
    for name in wanted:
        if name not in known:
            listed = ", ".join(SETS)
            near = tuple(get_close_matches(name, sorted(known)))
            raise NotFound(f"There is no set of tools and no tool called '{name}'. The sets are: {listed}.", near=near)
    return tuple(tool for name, tools in SETS.items() for tool in tools if name in wanted or tool.name in wanted)
