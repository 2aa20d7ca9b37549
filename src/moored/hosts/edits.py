"""What a host's set-up is made of: edits of its files, as data. `moored.setup` carries them out and takes them back.

A host's module makes them in its function `setup`, which no hook ever calls; so nothing of this is on the hot path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moored.hosts.port import Adapter, Moment

SERVER = "moored"
"""The name of the MCP server in every host."""

HOOK = "moored-hook"
"""The command that all hooks of moored call. An entry whose command holds it is ours."""

SECONDS: Mapping[Moment, int] = {Moment.START: 10, Moment.PROMPT: 5, Moment.BEFORE_TOOL: 5, Moment.SESSION_END: 3}
"""How long a host waits for a hook. A hook ends long before, within its own deadline; this is for a machine that is
so slow that the process itself does not start."""

OTHER_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Member:
    """An object under a path of keys in a JSON file. Its keys are set; others that stand in it are kept."""

    path: tuple[str, ...]
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Given:
    """A value that a JSON file needs and that is not ours: it is set where the file has none, else left as it is."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of moored in a JSON file: under `path` one list for each event, and in it one element of ours.

    A `nested` element is a group that has its commands in a list `hooks`; else the element is the command itself.
    """

    path: tuple[str, ...]
    elements: Mapping[str, Mapping[str, Any]]
    nested: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a TOML file. Its keys are set; others that stand in it are kept."""

    path: tuple[str, ...]
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Block:
    """A marked block of lines in a Markdown file that others write too."""

    text: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A file that is ours alone."""

    text: str


Edit = Member | Given | Hooks | Table | Block | Whole


@dataclass(frozen=True, slots=True)
class Target:
    """A file and what is to stand in it. A `Whole` stands alone."""

    file: Path
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Setup:
    """How moored is set up in one host.

    `programs` and `folders` tell that the host is on this machine. `hints` are what the user has to know or do.
    `hindrance` looks what keeps the host from running its hooks, and what to do about it; it gives nothing where all is
    well, or where that cannot be told.
    """

    title: str
    programs: tuple[str, ...]
    folders: tuple[Path, ...]
    targets: tuple[Target, ...]
    hints: tuple[str, ...] = ()
    hindrance: Callable[[], tuple[str, str] | None] = lambda: None


@dataclass(frozen=True, slots=True)
class Site:
    """Where a set-up takes place.

    `project` is the root of the project that is set up, None for the user's own set-up. `config` is the folder for the
    user's configuration files, `environment` what hosts look up in it. `server` and `hook` are the words that call
    `moored` and `moored-hook`; `quote` joins words into a line for the shell that hosts hand commands to.
    """

    home: Path
    config: Path
    project: Path | None
    environment: Mapping[str, str]
    system: str
    server: tuple[str, ...]
    hook: tuple[str, ...]
    quote: Callable[[tuple[str, ...]], str]

    def folder(self, variable: str, default: str) -> Path:
        """The user's folder of a host: the one that a variable of the environment names, or one in the home folder."""
        named = self.environment.get(variable, "")
        return Path(named).expanduser() if named else self.home / default

    def command(self, host: str, event: str) -> str:
        """The line that a host runs on an event."""
        return self.quote((*self.hook, host, event))

    def stdio(self) -> dict[str, Any]:
        """The MCP server, as most hosts want it."""
        return {"command": self.server[0], "args": [*self.server[1:], "serve"]}


def seconds(moment: Moment) -> int:
    """How long a host waits for the hook of a moment."""
    return SECONDS.get(moment, OTHER_SECONDS)


def grouped(adapter: Adapter, site: Site, matchers: Mapping[str, str], *, per_second: int = 1) -> Hooks:
    """Hooks of the shape that Claude Code gave to the world: per event a group with a matcher and its commands.

    `matchers` names, by event, the tools that the hook is for; `per_second` is the unit of the host's timeouts.
    """
    elements: dict[str, Mapping[str, Any]] = {}
    for event, moment in adapter.moments.items():
        call = {
            "type": "command",
            "command": site.command(adapter.name, event),
            "timeout": seconds(moment) * per_second,
        }
        matcher = {"matcher": matchers[event]} if event in matchers else {}
        elements[event] = {**matcher, "hooks": [call]}
    return Hooks(("hooks",), elements, nested=True)


def flat(adapter: Adapter, site: Site) -> Hooks:
    """Hooks of the shape in which an event has the list of its commands, without groups."""
    elements = {
        event: {"command": site.command(adapter.name, event), "timeout": seconds(moment)}
        for event, moment in adapter.moments.items()
    }
    return Hooks(("hooks",), elements, nested=False)


def asset(name: str) -> str:
    """A text of the folder `assets`."""
    return (Path(__file__).parent / "assets" / name).read_text(encoding="utf-8")


def shim(file: str, hook: tuple[str, ...]) -> str:
    """A program of the folder `shims`, with the words that call `moored-hook` written into it."""
    program, *more = (json.dumps(word, ensure_ascii=False) for word in hook)
    text = (Path(__file__).parent / "shims" / file).read_text(encoding="utf-8")
    text = text.replace(f'const HOOK = "{HOOK}"', f"const HOOK = {program}")
    return text.replace("spawn(HOOK, [", "spawn(HOOK, [" + "".join(f"{word}, " for word in more))


def skill(folder: Path) -> Target:
    """The skill that says when to use moored, in a host's folder of skills."""
    return Target(folder / SERVER / "SKILL.md", (Whole(asset("SKILL.md")),))
