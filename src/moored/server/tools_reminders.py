"""Tools of the set `life` that make reminders and see to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.errors import InvalidInput
from moored.model.clock import iso
from moored.server.arguments import called, number, text
from moored.server.tool import INTEGER, STRING, Answer, Tool, several, structure
from moored.server.tools_reading import budget
from moored.server.tools_writing import ACTOR
from moored.server.words import counted, one_line, packed

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.model.reminders import Reminder

LIST, PROPOSED, ACCEPT, SNOOZE, DONE = "list", "proposed", "accept", "snooze", "done"
_CHANGED = ("brief",)


def remind(memory: Memory, text: str, when: str, note: str, most: int | None, expires: str) -> Answer:
    """Make a reminder."""
    made = memory.remind(text, when=when, note=note, most=most, expires=expires, actor=ACTOR)
    now = memory.clock.now()
    return Answer(f"will be told: {_line(made, now)}", _data(made, now), _CHANGED)


def reminders(memory: Memory, do: str, reminder: str, until: str, budget: int) -> Answer:
    """See reminders, or see to one."""
    if do in (LIST, PROPOSED):
        return _listed(memory, do == PROPOSED, budget)
    if not reminder:
        raise InvalidInput(f"'{do}' needs 'reminder': the id of one. List them first.")
    match do:
        case "accept":
            one = memory.accept_reminder(reminder, actor=ACTOR)
        case "snooze":
            one = memory.snooze_reminder(reminder, until)
        case _:
            one = memory.finish_reminder(reminder)
    now = memory.clock.now()
    return Answer(_line(one, now), {"reminders": [_data(one, now)], "omitted_count": 0}, _CHANGED)


def _listed(memory: Memory, proposed: bool, budget: int) -> Answer:
    now = memory.clock.now()
    found = [one for one in memory.reminders(proposed=proposed) if one.state(now) not in ("done", "expired")]
    lines, _ = packed((_line(one, now) for one in found), budget)
    omitted = len(found) - len(lines)
    if omitted:
        lines.append(f"({omitted:,} left out)")
    shown = [_data(one, now) for one in found[: len(found) - omitted]]
    head = counted(len(found), "proposed reminder" if proposed else "reminder")
    return Answer("\n".join([head, *lines]), {"reminders": shown, "omitted_count": omitted})


def _line(one: Reminder, now: int) -> str:
    until = f" until {iso(one.snoozed_until)}" if one.snoozed_until and one.state(now) == "snoozed" else ""
    state = f"{one.state(now)}{until}, told {one.fired} of {counted(one.most, 'time')}"
    return f"- {one.id} on {one.kind} {one_line(one.on)} ({state}): {one_line(one.text, 240)}"


def _data(one: Reminder, now: int) -> dict[str, Any]:
    data = {
        "id": one.id,
        "kind": one.kind.value,
        "on": one.on,
        "text": one.text,
        "state": one.state(now),
        "told": one.fired,
        "most": one.most,
        "note": one.note,
    }
    return {key: value for key, value in data.items() if value != ""}


_ONE = structure(
    ("id", "kind", "on", "text", "state"),
    id=STRING,
    kind=STRING,
    on=STRING,
    text=STRING,
    state=STRING,
    told=INTEGER,
    most=INTEGER,
    note=STRING,
)

REMIND = Tool(
    "remind",
    "Call when something must be told later: when a file, folder or symbol is touched, words fall, a time comes, a test"
    " or command fails, a branch is checked out.",
    (
        text("text", "What is to be told, whole in itself."),
        text(
            "when",
            "On what: 'editing src/a.py', 'every Monday at 9', 'a test fails', 'deploy staging', 'entity: k8s'.",
            required=True,
        ),
        called("note", "A note that it belongs to; without text its words are told.", required=False),
        number("most", "How often; 3 by default.", least=1, most=10_000),
        text("expires", "Until when: 'in 2 weeks'."),
    ),
    _ONE,
    remind,
    writes=True,
    repeatable=False,
)

REMINDERS = Tool(
    "reminders",
    "Call to see reminders, to end one when what it asks is done, to put it off, or to accept what the user asked for.",
    (
        text("do", "", choices=(LIST, PROPOSED, ACCEPT, SNOOZE, DONE), default=LIST),
        called("reminder", "Its id.", required=False),
        text("until", "For snooze: 'tomorrow at 9'."),
        budget,
    ),
    structure(("reminders", "omitted_count"), reminders=several(_ONE), omitted_count=INTEGER),
    reminders,
    writes=True,
    repeatable=False,
)

REMINDER_TOOLS = (REMIND, REMINDERS)
