"""A working state as the parts of a brief: whole after a compaction, in a few lines among the recent sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.context.entries import said_entry, said_lines, some
from moored.context.pack import Block, Entry
from moored.context.working_state import commands_of, files_of, first_prompt, latest_prompts, steps_of
from moored.model.clock import iso
from moored.model.episodes import Role
from moored.model.text import shorten
from moored.record.commands import only_looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.context.working_state import Agent, Failure, Ran, Said, Touched, WorkingState
    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.rows import SessionSpan

FILES = 15
COMMANDS = 10
LATER = 300
PROMPT = 160
COMMAND = 120
MESSAGE = 400
"""Characters of later prompts, of prompts and commands among the recent sessions, and of a last message."""

CALLS = 150
"""The newest tool calls of a recent session that are looked at."""


def blocks_of(state: WorkingState, root: str, notes: Sequence[Entry]) -> list[Block]:
    """The parts of a working state, what is needed first to go on standing first.

    Files are told from `root`; `notes` are those of the state with their verdicts.
    """
    older = " (older calls not looked at)" if state.partial else ""
    return [
        Block("Task, in the user's words:", "prompt", _task(state)),
        Block("Next steps:", "step", _next(state)),
        Block(f"Failed and not gone well since{older}:", "failure", [_failure(one, root) for one in state.failures]),
        Block("Decided by the user:", "decision", [said_entry("user", said) for said in _decided(state)]),
        Block(f"Files, last touched first{older}:", "line", _files(state, root)),
        Block(
            f"Commands, last run first{older}:", "command", [Entry(r.episode, f"- {_ran(r)}") for r in _ended(state)]
        ),
        Block("Notes written since it began:", "note", notes),
        Block("Sub-agents:", "sub-agent", [_agent(agent) for agent in state.agents]),
        Block(
            "The host's own summary of what was compacted:",
            "summary",
            [Entry(state.summary, f"- {state.summary} (a retelling; the entries above are from the record)")]
            if state.summary
            else [],
        ),
    ]


def recent(view: View, project: Project, span: SessionSpan, root: str) -> Entry:
    """A session in a few lines: when it was, what was asked, what was written, how commands ended, what was left."""
    from moored.context.tools import deed

    session = span.session
    first = first_prompt(view, project, session)
    prompts = view.sessions.turns(project, session, Role.USER, 10)
    lines = [f"- {iso(span.ended_at)[:16].replace('T', ' ')} UTC, {session.host or 'no host'}, session {session.name}"]
    for label, said in (
        *(("asked", one) for one in latest_prompts(first, (), 1)),
        *(("asked last", one) for one in latest_prompts(prompts, first, 1)),
    ):
        lines += [f"  {line.removeprefix('- ')}" for line in said_lines(label, said, PROMPT)]
    deeds = [deed(call) for call in view.sessions.calls(project, session, CALLS)]
    if written := _written([touched for touched in files_of(deeds) if touched.writes], root):
        lines.append(f"  wrote: {some(written, 8)}")
    if ran := [_ran(one) for one in commands_of(deeds) if _is_telling(one)]:
        lines.append(f"  ran: {'; '.join(ran[:4])}" + (f"; and {len(ran) - 4} more" if len(ran) > 4 else ""))
    if steps := [shorten(step.text, PROMPT) for step in steps_of(view, project, session)]:
        lines.append(f"  left to do: {some(steps, 4)}")
    return Entry(first[0].id if first else "", "\n".join(lines))


def shown_path(path: str, root: str) -> str:
    """A path from the root of the tree where it lies in it, on one line."""
    inside = path.removeprefix(f"{root.rstrip('/')}/") if root else path
    return shorten(inside, PROMPT)


def _task(state: WorkingState) -> list[Entry]:
    first = [said_entry("asked first", state.first)] if state.first else []
    return [*first, *(said_entry("then", said, LATER) for said in state.latest)]


def _decided(state: WorkingState) -> list[Said]:
    """The decisions that do not stand in the task already, word by word."""
    told = {said.episode for said in (state.first, *state.latest) if said and len(said.text.strip()) <= LATER}
    return [said for said in state.decided if said.episode not in told]


def _next(state: WorkingState) -> list[Entry]:
    """The open list of the agent, and what its last message says comes next, or where that message stopped."""
    steps = [
        Entry("", f"- {shorten(step.text, MESSAGE)}" + (" (being done)" if step.doing else "")) for step in state.steps
    ]
    if state.last is None:
        return steps
    when = f"before {state.overtaken}" if state.overtaken else "last"
    by, mark = f"- the agent, {when} ({state.last.episode}):", "\n  > " if state.last.data else " "
    if state.stated:
        return [*steps, *(Entry(state.last.episode, f"{by}{mark}{shorten(said, MESSAGE)}") for said in state.stated)]
    text = " ".join(state.last.text.split())
    end = text if len(text) <= MESSAGE else f"…{text[-MESSAGE:]}"
    return [*steps, Entry(state.last.episode, f"{by}{mark}{end}")]


def _files(state: WorkingState, root: str) -> list[Entry]:
    written = _written([touched for touched in state.files if touched.writes], root)
    read = [shown_path(touched.path, root) for touched in state.files if not touched.writes]
    lines = (("written", written), ("read only", read))
    return [Entry("", f"- {what}: {some(paths, FILES)}") for what, paths in lines if paths]


def _failure(failure: Failure, root: str) -> Entry:
    status = "failed" if failure.exit_status is None else f"exit {failure.exit_status}"
    what = failure.what.replace(f"{root.rstrip('/')}/", "")
    lines = [f"- {shorten(what, COMMAND)}: {status} ({failure.episode})"]
    lines += [f"  > {shorten(line, PROMPT)}" for line in failure.detail]
    return Entry(failure.episode, "\n".join(lines))


def _ended(state: WorkingState) -> Sequence[Ran]:
    """The commands that did something and did not fail at last: those that did stand among the failures."""
    failing = {failure.what for failure in state.failures}
    return [ran for ran in state.commands if ran.command not in failing and _is_telling(ran)][:COMMANDS]


def _is_telling(ran: Ran) -> bool:
    """Whether that it ran tells anything: not when it looked at something that was there."""
    return ran.exit_status not in (None, 0) or not only_looks(ran.command)


def _ran(ran: Ran) -> str:
    status = "exit status unknown" if ran.exit_status is None else f"exit {ran.exit_status}"
    return f"{shorten(ran.command, COMMAND)}: {status}" + (f" ({ran.runs} runs)" if ran.runs > 1 else "")


def _written(files: Sequence[Touched], root: str) -> list[str]:
    return [shown_path(one.path, root) + (f" ({one.writes} times)" if one.writes > 1 else "") for one in files]


def _agent(agent: Agent) -> Entry:
    head = f"- {agent.name}, {agent.episodes} episode{'' if agent.episodes == 1 else 's'}"
    if agent.last is None:
        return Entry("", head)
    end = shorten(agent.last.text, PROMPT)
    mark = "> " if agent.last.data else ""
    return Entry(agent.last.episode, f"{head}, said last ({agent.last.episode}):\n  {mark}{end}")
