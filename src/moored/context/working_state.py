"""The working state of a session, rebuilt from the verbatim record: what a compaction takes out of an agent's sight.

Everything is read newest first and within bounds, so that a session of many thousand episodes costs what a short one
does. What the host's own summary says is pointed to and never repeated: the record is the source, not a retelling.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from moored.context.todo import LISTS, TASKS, Step, open_steps, stated_steps
from moored.context.tools import Deed, deed
from moored.context.wording import decisions, is_small_talk
from moored.model.episodes import Role
from moored.model.facts import FactKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.episodes import Episode
    from moored.model.notes import Note
    from moored.model.projects import Project, Session
    from moored.store.port import View
    from moored.store.rows import Call

CALLS = 1_000
PROMPTS = 200
"""The newest tool calls and prompts of a session that are looked at."""

LIST, ASKED = "it updated its list", "the last prompt"
"""What came after the last message of the agent: then what the message says of next steps may be done already."""

GREETINGS = 3
"""Prompts at the beginning of a session among which the first that asks for something is looked for."""

LATEST = 4
DECISIONS = 8
FAILURES = 6
TESTS = 3
LINES = 3
AGENTS = 8
NOTES = 8

_STATUS = r"exit code -?\d+"
"""A line in which a host repeats the exit status."""


class Said(NamedTuple):
    """Words of a turn, and whether they are only data: then they are quoted."""

    episode: str
    text: str
    data: bool


class Touched(NamedTuple):
    """A file as the host names it, and how often it was written and read."""

    path: str
    writes: int
    reads: int


class Ran(NamedTuple):
    """A command, the episode of its last run, how that ended (None when it is not known), and how often it ran."""

    command: str
    episode: str
    exit_status: int | None
    runs: int


class Failure(NamedTuple):
    """A call that failed and has not gone well since: what it was, and what it said, by parser or in its last lines."""

    episode: str
    what: str
    exit_status: int | None
    detail: tuple[str, ...]


class Agent(NamedTuple):
    """A sub-agent: its name, how many episodes it has, and what it said last."""

    name: str
    episodes: int
    last: Said | None


@dataclass(frozen=True, slots=True)
class WorkingState:
    """Where the work of a session stands.

    `first` is the prompt that it began with, `latest` those that it came to since, oldest first. `files` and `commands`
    are newest first, commands that failed before the others. `notes` were written while it ran. `stated` are next steps
    in the words of the last message, `last` the message itself, `overtaken` what came after it, or empty. `summary` is
    the id of the host's own summary, or empty. `partial` says that older calls were not looked at.
    """

    session: str
    host: str
    first: Said | None
    latest: tuple[Said, ...]
    decided: tuple[Said, ...]
    notes: tuple[Note, ...]
    files: tuple[Touched, ...]
    commands: tuple[Ran, ...]
    failures: tuple[Failure, ...]
    steps: tuple[Step, ...]
    stated: tuple[str, ...]
    last: Said | None
    overtaken: str
    agents: tuple[Agent, ...]
    summary: str
    partial: bool


def working_state(view: View, project: Project, session: Session) -> WorkingState | None:
    """The working state of a session as it is recorded now; None when nothing is recorded of it."""
    span = view.sessions.span(project, session)
    if span is None:
        return None
    prompts = view.sessions.turns(project, session, Role.USER, PROMPTS)
    first = first_prompt(view, project, session)
    calls = view.sessions.calls(project, session, CALLS)
    deeds = [deed(call) for call in calls]
    answers = view.sessions.turns(project, session, Role.ASSISTANT, 1)
    last = _said(answers[0]) if answers else None
    lists, tasks = _lists(view, project, session)
    overtaken = _overtaken(answers[0], prompts, (*lists, *tasks)) if answers else ""
    summary = view.sessions.summary(project, session)
    started = span.started_at
    return WorkingState(
        session=session.name,
        host=session.host,
        first=_said(first[0]) if first else None,
        latest=latest_prompts(prompts, first),
        decided=_decided(prompts),
        notes=tuple(note for note in view.notes.newest(project, NOTES) if note.head.created_at >= started),
        files=files_of(deeds),
        commands=commands_of(deeds),
        failures=_failures(view, project, deeds),
        steps=open_steps(lists, tasks),
        stated=stated_steps(last.text) if last and overtaken != LIST else (),
        last=last,
        overtaken=overtaken,
        agents=_agents(view, project, session),
        summary=summary[1] if summary else "",
        partial=len(calls) == CALLS,
    )


def steps_of(view: View, project: Project, session: Session) -> tuple[Step, ...]:
    """What the agent's own list has open."""
    return open_steps(*_lists(view, project, session))


def first_prompt(view: View, project: Project, session: Session) -> list[Episode]:
    """The prompt that a session began with, past a greeting; empty where the user said nothing."""
    begun = view.sessions.turns(project, session, Role.USER, GREETINGS, oldest=True)
    asking = [prompt for prompt in begun if not is_small_talk(prompt.text)]
    return (asking or begun)[:1]


def latest_prompts(prompts: Sequence[Episode], first: Sequence[Episode], most: int = LATEST) -> tuple[Said, ...]:
    """The newest prompts that ask for something, oldest first, without the very first."""
    known = {episode.id for episode in first}
    asking: list[Episode] = []
    for prompt in prompts:
        if len(asking) < most and prompt.id not in known and not is_small_talk(prompt.text):
            asking.append(prompt)
    return tuple(_said(prompt) for prompt in reversed(asking))


def files_of(deeds: Iterable[Deed]) -> tuple[Touched, ...]:
    """The files that calls touched: first those written, each group in the order of the calls."""
    found: dict[str, Touched] = {}
    for one in deeds:
        if one.failed:
            continue
        for path in one.writes:
            known = found.get(path, Touched(path, 0, 0))
            found[path] = known._replace(writes=known.writes + 1)
        for path in one.reads:
            known = found.get(path, Touched(path, 0, 0))
            found[path] = known._replace(reads=known.reads + 1)
    return tuple(sorted(found.values(), key=lambda touched: not touched.writes))


def commands_of(deeds: Iterable[Deed]) -> tuple[Ran, ...]:
    """The commands of calls (newest first), each with its last outcome, those that failed before the others."""
    found: dict[str, Ran] = {}
    for one in deeds:
        if one.command:
            known = found.get(one.command)
            ran = known or Ran(one.command, one.call.id, _status(one), 0)
            found[one.command] = ran._replace(runs=ran.runs + 1)
    return tuple(sorted(found.values(), key=lambda ran: ran.exit_status in (None, 0)))


def _failures(view: View, project: Project, deeds: Iterable[Deed]) -> tuple[Failure, ...]:
    """The newest calls that failed and did not go well since: the same command, or the same tool and files."""
    decided: set[tuple[str, ...]] = set()
    found: list[Failure] = []
    for one in deeds:
        key = ("$", one.command) if one.command else (one.call.tool, *one.writes, *one.reads)
        if key in decided:
            continue
        decided.add(key)
        if one.failed and len(found) < FAILURES:
            found.append(Failure(one.call.id, _called(one), _status(one), _detail(view, project, one.call.id)))
    return tuple(found)


def _lists(view: View, project: Project, session: Session) -> tuple[list[Call], list[Call]]:
    """The newest list that was handed in whole, and the newest tasks that were handed in one by one."""
    whole = view.sessions.calls(project, session, 1, tools=LISTS)
    return whole, view.sessions.calls(project, session, PROMPTS, tools=TASKS)


def _overtaken(last: Episode, prompts: Sequence[Episode], lists: Sequence[Call]) -> str:
    """What came after the last message: a list of what is to be done, else a prompt, else nothing."""
    if any(call.seq > last.seq for call in lists):
        return LIST
    return ASKED if any(prompt.seq > last.seq for prompt in prompts[:1]) else ""


def _status(one: Deed) -> int | None:
    return one.call.exit_status


def _called(one: Deed) -> str:
    return one.command or " ".join((one.call.tool or "a tool", *one.writes, *one.reads))


def _detail(view: View, project: Project, episode_id: str) -> tuple[str, ...]:
    """What parsers read of a failure: the counts of a test run and the first tests that failed; else its last lines."""
    facts = view.facts.of_episode(project, episode_id)
    counts = [f"{fact.name}: {fact.value}" for fact in facts if fact.kind is FactKind.TEST_SUMMARY]
    failures = [fact for fact in facts if fact.kind is FactKind.TEST_FAILURE]
    if counts or failures:
        tests = [f"{fact.name}: {fact.value}" if fact.value else fact.name for fact in failures[:TESTS]]
        more = [f"and {len(failures) - TESTS} more tests"] if len(failures) > TESTS else []
        return (*([", ".join(counts)] if counts else ()), *tests, *more)
    episode = view.episodes.get(project, episode_id)
    lines = [line.strip() for line in episode.text[-4_000:].splitlines()] if episode else []
    return tuple([line for line in lines if line and not re.fullmatch(_STATUS, line, re.IGNORECASE)][-LINES:])


def _decided(prompts: Sequence[Episode]) -> tuple[Said, ...]:
    """Sentences of the user's that decide or correct something, newest first, each once."""
    found: dict[str, Said] = {}
    for prompt in prompts:
        for sentence in decisions(prompt.text):
            found.setdefault(sentence, Said(prompt.id, sentence, _is_data(prompt)))
    return tuple(found.values())[:DECISIONS]


def _agents(view: View, project: Project, session: Session) -> tuple[Agent, ...]:
    """The newest sub-agents, in the order in which they began."""
    found: list[Agent] = []
    for span in view.sessions.agents(project, session)[-AGENTS:]:
        said = view.sessions.turns(project, span.session, Role.ASSISTANT, 1)
        name = span.session.name.removeprefix(f"{session.name}/")
        found.append(Agent(name, view.sessions.count(project, span.session), _said(said[0]) if said else None))
    return tuple(found)


def _said(episode: Episode) -> Said:
    return Said(episode.id, episode.text, _is_data(episode))


def _is_data(episode: Episode) -> bool:
    return episode.trust.level == 0
