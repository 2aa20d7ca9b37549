"""What every command begins with: the project that it is about, and its input."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moored.settings import default_store

if TYPE_CHECKING:
    from moored.memory import Memory


@dataclass(frozen=True, slots=True)
class Session:
    """The global options of one call: a folder of the project and the store's file, None for the default one."""

    path: Path
    store: Path | None

    @property
    def store_path(self) -> Path:
        return self.store or default_store()

    def existing(self, *, dense: bool = True) -> Memory:
        """Open a project that is there. Raises `NotFound` when the store or the project in it is not.

        Without `dense` no embedder is loaded.
        """
        return self._open(create=False, dense=dense)

    def creating(self) -> Memory:
        """Open a project; the store and the project come into being if they are not there."""
        return self._open(create=True)

    def _open(self, *, create: bool, dense: bool = True) -> Memory:
        from moored.memory import open_memory

        return open_memory(self.path, store=self.store_path, create=create, dense=dense)


pass_session = click.make_pass_decorator(Session)

json_option = click.option("--json", "as_json", is_flag=True, help="Answer as JSON; docs/cli.md gives the shape.")


def text_of(argument: str) -> str:
    """A text that was given as an argument, or, for `-`, what comes in on stdin without its last line end."""
    if argument != "-":
        return argument
    return stdin_bytes().decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")


def stdin_bytes() -> bytes:
    """All that comes in on stdin, byte for byte."""
    if sys.stdin.isatty():
        click.echo("reading what is typed; Ctrl-D at the beginning of a line ends it", err=True)
    return sys.stdin.buffer.read()
