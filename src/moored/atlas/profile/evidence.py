"""Finding the evidence of beliefs in the record: what was said on several occasions, and what is run on several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.model.preferences import Preference, same
from moored.model.profiles import LEAST_PIECES
from moored.model.terms import fts_query, query_terms
from moored.record.preferences import preferences

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from moored.model.profiles import Run, Turn
    from moored.model.projects import Project
    from moored.store.port import View

LOOKED_AT = 60
"""Turns with the words of a statement that are read for other times at which it was made."""

MOST_PIECES = 12
"""Pieces of evidence that are kept for a note: the newest count, and more say nothing more."""

COMMANDS = 200
"""The commands that are looked at: those that ran the most."""

RUNS = 40
"""The newest runs of a command that are looked at."""

NOT_FOUND = ("exit 126", "exit 127")
"""Outcomes of a command that was not there to be run."""

_RUNNER = r"(?:(?:make|just|task|npm|pnpm|yarn|bun|cargo|go|mix|rake|(?:\./)?gradlew?|mvn|uv run|poetry run) (?:run )?)"
_KEYS = (
    ("test command", rf"^{_RUNNER}?(?:tests?|check)\b|\b(?:pytest|vitest|jest|mocha|rspec|phpunit|ctest|tox|nox)\b"),
    ("type check command", rf"^{_RUNNER}?(?:typecheck|type-check|types)\b|\b(?:mypy|pyright|tsc --noEmit)\b"),
    ("lint command", rf"^{_RUNNER}?lint\b|\b(?:ruff check|eslint|flake8|pylint|golangci-lint|cargo clippy|biome)\b"),
    ("format command", rf"^{_RUNNER}?(?:fmt|format)\b|\b(?:ruff format|prettier|black|gofmt|rustfmt)\b"),
    ("build command", rf"^{_RUNNER}(?:build|package|compile)\b"),
)


class Habit(NamedTuple):
    """A command that is run again and again, what for, and one run of each occasion, newest first."""

    key: str
    command: str
    runs: tuple[Run, ...]


def times_said(
    view: View, project: Project, turn: Turn, said: Preference, without: Collection[str]
) -> list[tuple[Turn, Preference]]:
    """The turns up to this one that make its statement, or correct to it, one of each occasion, newest first.

    `without` are episodes that do not count.
    """
    terms = query_terms(said.value)
    if not terms:
        return []
    every = " AND ".join(fts_query([term]) for term in terms)
    found = view.search.postings("window", project, every, LOOKED_AT)
    turns = view.profiles.turns_in(project, sorted({one.episode for one in found if one.episode <= turn.seq}))
    kept: dict[tuple[int, int], tuple[Turn, Preference]] = {}
    for one in reversed(turns):
        again = next((read for read in preferences(one.text) if same(read, said)), None)
        if again and one.episode not in without and not is_pasted(view, project, one, again):
            kept.setdefault((one.session, one.at // 86_400_000), (one, again))
    return list(kept.values())[:MOST_PIECES]


def is_pasted(view: View, project: Project, turn: Turn, said: Preference) -> bool:
    """Whether others were the first to say the very sentence: then the user hands it on, and it is not their word."""
    terms = query_terms(said.text)
    if not terms:
        return False
    every = " AND ".join(fts_query([term]) for term in terms)
    found = view.search.postings("window", project, every, LOOKED_AT)
    seqs = sorted({posting.episode for posting in found if posting.episode < turn.seq})
    first = next((own for own, text in view.profiles.told(project, seqs) if said.text in text), True)
    return not first


def habits(view: View, project: Project, without: Collection[str]) -> list[Habit]:
    """The commands that are run on enough occasions, for each key the one that is run on the most."""
    best: dict[str, Habit] = {}
    for command in view.profiles.commands(project, LEAST_PIECES, COMMANDS):
        key = _key(command)
        if not key:
            continue
        kept: dict[tuple[int, int], Run] = {}
        for run in view.profiles.runs(project, command, RUNS):
            if run.status not in NOT_FOUND and run.episode not in without:
                kept.setdefault((run.session, run.at // 86_400_000), run)
        runs = tuple(kept.values())[:MOST_PIECES]
        if len(runs) >= LEAST_PIECES and (key not in best or _newer(runs, best[key].runs)):
            best[key] = Habit(key, command, runs)
    return list(best.values())


def _newer(runs: Sequence[Run], others: Sequence[Run]) -> bool:
    """Whether a command is the one of two that is run now: its last runs that make a habit are the later ones."""
    mine, theirs = runs[LEAST_PIECES - 1].at, others[LEAST_PIECES - 1].at
    return (mine, len(runs)) > (theirs, len(others))


def _key(command: str) -> str:
    if re.search(r"[;&|<>]", command):
        return ""
    return next((key for key, pattern in _KEYS if re.search(pattern, command)), "")
