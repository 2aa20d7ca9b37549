"""What `doctor` says of set-up: whether the hosts still call this moored, and whether anything keeps them from it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from moored.doctor import Check
from moored.errors import InvalidInput, NotFound
from moored.hosts.edits import HOOK, Setup
from moored.setup import engine, files, journal, jsonc, known
from moored.setup.journal import Journal
from moored.setup.site import Command, here

NAME = "set-up"
SHOWN = 3

_IN_A_PROGRAM = re.compile(r'^const HOOK = (".*")', re.MULTILINE)


def examine(folder: Path) -> tuple[Check, ...]:
    """One check for each host and project that the journal in a folder knows, or one that says that there is none."""
    try:
        found = journal.load(folder)
        claims = {(host, claim.project) for kept in found.files.values() for host, claim in kept.claims.items()}
        if not claims:
            return (Check(NAME, "ok", "moored is set up in no host."),)
        return tuple(_examined(host, project, found) for host, project in sorted(claims))
    except InvalidInput as error:
        return (Check(NAME, "problem", str(error), "Put that right and run `moored setup` again."),)


def _examined(host: str, project: str, found: Journal) -> Check:
    """The check of one host; `project` is empty for the user's own set-up."""
    name = f"{NAME} {host}" + (f" in {project}" if project else "")
    again = f"Run `moored setup {host}" + (" --project` in that project." if project else "`.")
    if host not in known.HOSTS:
        return Check(name, "warning", "This moored knows no such host.", "Use the moored that set it up.")
    setup = known.setup_of(host, here(Path(project) if project else None, Command.PATH))
    if missing := sorted(program for program in set(_programs(setup)) if not shutil.which(program)):
        return Check(name, "problem", f"Its hooks call {_listed(missing)}, which is not there.", again)
    try:
        differing = _differing(host, Path(project) if project else None, found)
    except InvalidInput as error:
        return Check(name, "problem", str(error), again)
    if differing:
        return Check(name, "warning", f"Not as this moored would set it up: {_listed(differing)}.", again)
    if hindrance := setup.hindrance():
        return Check(name, "warning", *hindrance)
    return Check(name, "ok", f"{setup.title} calls this moored.")


def _differing(host: str, project: Path | None, found: Journal) -> list[str]:
    """The files that set-up would change, in whichever way the host may have been told to call moored.

    Raises `InvalidInput` naming the file that set-up cannot understand or change.
    """
    least: list[str] | None = None
    for command in Command:
        try:
            plan = engine.plan_setup(host, known.setup_of(host, here(project, command)), found, project)
        except NotFound:
            continue
        changed = [str(change.file) for change in plan.changes if change.changes]
        least = changed if least is None else min(least, changed, key=len)
    return least or []


def _programs(setup: Setup) -> Iterator[str]:
    """The programs that the hooks of moored call in the files of a host."""
    for target in setup.targets:
        held = files.content(target.file)
        text = "" if held is None else held.decode("utf-8", "replace")
        if target.file.suffix == ".js":
            yield from (json.loads(word) for word in _IN_A_PROGRAM.findall(text))
        elif target.file.suffix == ".json":
            with suppress(InvalidInput, ValueError):
                root = jsonc.parse(text)
                yield from (shlex.split(line)[0] for line in _commands(root.value if root else None) if HOOK in line)


def _commands(value: Any) -> Iterator[str]:
    """All texts under a key `command` in a JSON value."""
    if isinstance(value, list):
        for item in cast(list[Any], value):
            yield from _commands(item)
    elif isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            if key == "command" and isinstance(item, str):
                yield item
            else:
                yield from _commands(item)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
