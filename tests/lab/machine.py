"""A machine to set hosts up on: an awkward home folder, an installation in it, and files that others keep there."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from moored.hosts.edits import Setup, Site
from moored.setup import known, runs
from moored.setup.runs import Outcome

NOTHING = Setup("A host", (), (), ())
"""What a host that only the journal knows needs."""


@dataclass(frozen=True)
class Machine:
    """A home folder with a space, an apostrophe and an umlaut, a project in it, and where set-up keeps its journal."""

    home: Path
    project: Path
    folder: Path

    def site(self, scope: str = "user", **environment: str) -> Site:
        programs = self.home / "my venv" / "bin"
        return Site(
            home=self.home,
            config=self.home / ".config",
            project=self.project if scope == "project" else None,
            environment=environment,
            system="linux",
            server=(str(programs / "moored"),),
            hook=(str(programs / "moored-hook"),),
            quote=shlex.join,
        )

    def setup(self, host: str, scope: str = "user") -> Setup:
        return known.setup_of(host, self.site(scope))

    def set_up(self, host: str, scope: str = "user", *, setup: Setup | None = None, dry_run: bool = False) -> Outcome:
        chosen = [(host, setup or self.setup(host, scope))]
        project = self.project if scope == "project" else None
        (done,) = runs.set_up(chosen, self.folder, project=project, dry_run=dry_run)
        return done

    def take_back(self, *hosts: str, projects: tuple[str, ...] | None = None) -> list[Outcome]:
        setups = [(host, self.setup(host) if host in known.HOSTS else NOTHING) for host in hosts]
        return list(runs.take_back(setups, self.folder, projects=projects, dry_run=False))

    def picture(self) -> dict[str, tuple[str, int, bytes]]:
        """All that is in the home folder: the kind, mode and content of everything."""
        return {str(path.relative_to(self.home)): _seen(path) for path in sorted(self.home.rglob("*"))}


def _seen(path: Path) -> tuple[str, int, bytes]:
    mode = stat.S_IMODE(path.lstat().st_mode)
    if path.is_symlink():
        return "link", mode, str(path.readlink()).encode()
    return ("folder", mode, b"") if path.is_dir() else ("file", mode, path.read_bytes())


Spoil = Callable[[str], bytes]


def plain(text: str) -> bytes:
    return text.encode()


def carriage_returns(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def marked(text: str) -> bytes:
    return ("\ufeff" + text).encode()


def unended(text: str) -> bytes:
    return text.rstrip("\n").encode()


SPELLINGS: Sequence[Spoil] = (plain, carriage_returns, marked, unended)

RICH_JSON = """\
// Settings of somebody who cares
{
    "autoMemoryEnabled": true, // another memory, not ours to touch
    "autoMemoryDirectory": "~/notes",
    /* servers */
    "mcpServers": {
        "memory": {"command": "npx", "args": ["-y", "server-memory"], "env": {"A": "ü\\u00e4"}},
    },
    "servers": { "github": { "type": "http", "url": "https://example.com/mcp" } },
    "mcp": {},
    "hooks": {
        "SessionStart": [
            // before everything else
            {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hi"}]}
        ],
        "PostToolUse": [],
        "Notification": [{"hooks": [{"type": "command", "command": "beep"}]}],
        "sessionStart": [{"command": "./start.sh"}]
    },
    "version": 1,
    "memory": {"backend": "local"},
    "permissions": {
        "allow": ["Bash(make:*)"]
    }
}
"""

RICH_TOML = """\
# Settings of somebody who cares
model = "large" # the good one

[features]
memories = true

[memories]
use_memories = true

[mcp_servers.memory]
command = "npx"
args = [ "-y",
  "server-memory" ] # two lines
"""

RICH_MARKDOWN = "# What I want\n\nShort answers.\n"


def rich(file: Path) -> str:
    """What somebody may have written into a file before moored came."""
    return {".toml": RICH_TOML, ".md": RICH_MARKDOWN}.get(file.suffix, RICH_JSON)
