"""The account of an import: what was read, what came in, and what did not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from moored.importers.event import TranscriptEvent
from moored.model.episodes import Role


@dataclass(frozen=True, slots=True)
class ProjectImport:
    """What an import brought into one project. `operation` takes it back; it is empty when nothing was new."""

    project: str
    name: str
    operation: str
    recorded: int
    known: int


@dataclass(frozen=True, slots=True)
class BadLines:
    """The lines of a transcript that could not be read: how many, and of the first ones the number and the fault."""

    path: str
    count: int
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftTranscript:
    """A transcript that was not read: where it is, which folder it names, and why."""

    path: str
    folder: str
    reason: str


@dataclass(frozen=True, slots=True)
class TranscriptImport:
    """The account of an import of transcripts.

    `transcripts` were read, `unchanged` had been read before. `turns`, `tool_calls` and `results` are what they tell,
    new or known. `skipped` counts by kind what is left out on purpose, `unknown` what no parser knows.
    """

    projects: tuple[ProjectImport, ...]
    transcripts: int
    unchanged: int
    sessions: int
    turns: int
    tool_calls: int
    results: int
    skipped: dict[str, int]
    unknown: dict[str, int]
    bad: tuple[BadLines, ...]
    left: tuple[LeftTranscript, ...]


@dataclass(slots=True)
class Account:
    """What an import counts while it runs."""

    transcripts: int = 0
    unchanged: int = 0
    sessions: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])
    turns: int = 0
    tool_calls: int = 0
    results: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])
    unknown: Counter[str] = field(default_factory=Counter[str])
    bad: list[BadLines] = field(default_factory=list[BadLines])
    left: list[LeftTranscript] = field(default_factory=list[LeftTranscript])

    def count(self, host: str, event: TranscriptEvent) -> None:
        self.sessions.add((host, event.session, event.agent))
        if event.role is Role.TOOL:
            self.tool_calls += bool(event.tool)
            self.results += event.answered
        elif not event.summary:
            self.turns += 1
