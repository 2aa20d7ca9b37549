"""What is still to be done: the list that an agent keeps with a tool of its host, and what it said comes next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from moored.context.tools import arguments_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.store.rows import Call

LISTS = frozenset({"TodoWrite", "todowrite", "todo_write", "update_plan", "write_todos", "manage_todo_list", "todo"})
"""Tools that hand in the whole list each time."""

TASKS = frozenset({"TaskCreate", "TaskUpdate"})
"""Tools that hand in one task each time; the host numbers them from 1."""

MOST = 12
MAX_READ = 40_000

_DONE = frozenset({"completed", "complete", "done", "cancelled", "canceled", "deleted"})
_DOING = frozenset({"in_progress", "in-progress", "doing", "active"})
_HEADING = (
    r"(?:next steps?|what(?:['\u2019]s| is) next|remaining(?: work| steps| tasks)?|still to do|left to do|to-?do)"
)
_INTENT = (
    r"(?:next,|next i|now i(?:['\u2019]ll| will)|i(?:['\u2019]ll| will) (?:now|next|then)|then i(?:['\u2019]ll| will))"
)


class Step(NamedTuple):
    """Something to be done, and whether it is being done."""

    text: str
    doing: bool


def open_steps(lists: Sequence[Call], tasks: Sequence[Call]) -> tuple[Step, ...]:
    """What the newest list, or the tasks that were created and updated, still have open. Both are newest first."""
    if lists and (not tasks or lists[0].seq > tasks[0].seq):
        return _of_list(lists[0])
    return _of_tasks(reversed(tasks))


def stated_steps(message: str) -> tuple[str, ...]:
    """The steps that a message says come next: boxes without a tick, what stands under such a heading, an intention."""
    lines = [line.strip() for line in message[-MAX_READ:].splitlines()]
    boxes = [line[5:].strip() for line in lines if line[:5] in ("- [ ]", "* [ ]")]
    if boxes:
        return tuple(boxes[:MOST])
    for at in range(len(lines) - 1, -1, -1):
        bare = lines[at].strip("#*_ ")
        if re.search(rf"(?:^|[.!?]\s+){_HEADING}[*_]*:?$", bare, re.IGNORECASE):
            return _listed_below(lines[at + 1 :])
        if re.match(rf"{_HEADING}[*_]*:\s*\S", bare, re.IGNORECASE):
            return (lines[at],)
    return tuple(line for line in lines if re.match(_INTENT, line, re.IGNORECASE))[-2:]


def _listed_below(lines: Sequence[str]) -> tuple[str, ...]:
    """The items of the list that follows a heading, else the first line that does."""
    items: list[str] = []
    for line in lines:
        item = re.match(r"(?:[-*\u2022]|\d{1,2}[.)])\s+(.*)", line)
        if item:
            items.append(item[1])
        elif line and not items:
            return (line,)
        elif line.startswith("#"):
            break
    return tuple(items[:MOST])


def _of_list(call: Call) -> tuple[Step, ...]:
    arguments = arguments_of(call)
    for name in ("todos", "plan", "todoList", "items"):
        items = arguments.get(name)
        if isinstance(items, list):
            read = [
                _item(cast("dict[str, Any]", item)) for item in cast("list[object]", items) if isinstance(item, dict)
            ]
            return tuple(step for step in read if step is not None)[:MOST]
    return ()


def _item(item: dict[str, Any]) -> Step | None:
    text = next(
        (value for name in ("content", "step", "description", "title", "text") if (value := item.get(name))), ""
    )
    status = str(item.get("status", "")).lower()
    if not isinstance(text, str) or not text.strip() or status in _DONE:
        return None
    return Step(" ".join(text.split()), status in _DOING)


def _of_tasks(calls: Iterable[Call]) -> tuple[Step, ...]:
    """Tasks in the order of their numbers."""
    tasks: dict[str, tuple[str, str]] = {}
    for call in calls:
        arguments = arguments_of(call)
        if call.tool == "TaskCreate":
            tasks[str(len(tasks) + 1)] = (str(arguments.get("subject", "")), "pending")
        elif (number := str(arguments.get("taskId", ""))) in tasks:
            subject, status = tasks[number]
            tasks[number] = (str(arguments.get("subject") or subject), str(arguments.get("status") or status))
    still_open = [(text, status) for text, status in tasks.values() if text.strip() and status.lower() not in _DONE]
    return tuple(Step(" ".join(text.split()), status.lower() in _DOING) for text, status in still_open)[:MOST]
