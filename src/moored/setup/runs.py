"""Setting up several hosts, one after the other: what is refused for one does not keep the others from it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from moored.errors import InvalidInput
from moored.hosts.edits import Setup
from moored.setup import engine, journal
from moored.setup.engine import Change, Plan
from moored.setup.journal import Journal


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done for a host, or, when `refused` says why, that nothing was."""

    host: str
    changes: tuple[Change, ...] = ()
    refused: str = ""

    @property
    def changed(self) -> bool:
        return any(change.changes for change in self.changes)


def set_up(
    hosts: Iterable[tuple[str, Setup]], folder: Path, *, project: Path | None, dry_run: bool
) -> Iterator[Outcome]:
    """Set hosts up, with the journal in a folder. With `dry_run` nothing is written. Raises as `journal.alone`."""

    def plan(host: str, setup: Setup, known: Journal) -> Plan:
        return engine.plan_setup(host, setup, known, project)

    return _one_by_one(hosts, folder, plan, dry_run)


def take_back(
    hosts: Iterable[tuple[str, Setup]],
    folder: Path,
    *,
    projects: tuple[str, ...] | None,
    project: Path | None = None,
    dry_run: bool,
) -> Iterator[Outcome]:
    """Take set-ups back, also those of `project` (None: of the user) of which the journal does not know any more.

    `projects` are as `engine.plan_removal` has them. Raises as `journal.alone`.
    """

    def plan(host: str, setup: Setup, known: Journal) -> Plan:
        return engine.plan_removal(host, engine.adopted(host, setup, known, project), projects)

    return _one_by_one(hosts, folder, plan, dry_run)


def _one_by_one(
    hosts: Iterable[tuple[str, Setup]], folder: Path, plan: Callable[[str, Setup, Journal], Plan], dry_run: bool
) -> Iterator[Outcome]:
    with nullcontext() if dry_run else journal.alone(folder):
        known = journal.load(folder)
        for host, setup in hosts:
            try:
                planned = plan(host, setup, known)
                known = planned.journal if dry_run else engine.carry_out(planned, known)
            except InvalidInput as error:
                yield Outcome(host, refused=str(error))
            else:
                yield Outcome(host, planned.changes)


def hosts_of(folder: Path) -> list[str]:
    """The hosts that the journal in a folder knows, by name."""
    return sorted({host for kept in journal.load(folder).files.values() for host in kept.claims})


def difference(change: Change) -> str:
    """What changes in a file, as a unified diff."""
    before, after = (_lines(held) for held in (change.before, change.after))
    old, new = ("/dev/null" if held is None else str(change.file) for held in (change.before, change.after))
    lines = difflib.unified_diff(before, after, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(held: bytes | None) -> list[str]:
    return [] if held is None else held.decode("utf-8", "replace").splitlines(keepends=True)
