"""The command `moored`: its global options, its commands, and how it ends.

A module of commands is imported when one of them is called, so that each command loads only what it needs.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from moored.cli.output import say_error
from moored.cli.session import Session
from moored.errors import MooredError

INTERRUPTED = 130
CLOSED_PIPE = 141
UNFORESEEN = 1

TRACEBACK = "MOORED_TRACEBACK"
"""The variable of the environment with which an error that nobody foresaw shows where it comes from."""

_MODULES = {
    "setup": ("setup", "unsetup"),
    "begin": ("init", "index", "watch"),
    "record": ("record", "operations", "undo"),
    "imports": ("import",),
    "seed": ("seed",),
    "notes": ("remember", "revise", "history", "stale", "affected"),
    "recall": ("recall", "show"),
    "brief": ("brief",),
    "state": ("notes", "explain", "rate"),
    "code": ("symbol", "impact", "map"),
    "pins": ("pin", "pins", "unpin"),
    "forget": ("forget",),
    "disputes": ("disputes", "resolve"),
    "review": ("review", "protect", "unprotect"),
    "aliases": ("alias",),
    "profile": ("profile",),
    "reminders": ("remind", "reminders"),
    "rules": ("rule",),
    "care": ("status", "doctor", "export", "completion"),
    "backup": ("backup", "restore"),
    "encryption": ("encrypt", "rekey", "decrypt"),
    "serve": ("serve",),
    "demo": ("demo",),
    "bench": ("bench",),
}
_HOME = {command: module for module, commands in _MODULES.items() for command in commands}


class Commands(click.Group):
    """The group of all commands. It turns every deliberate error into one sentence and its exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the signature is click's
        return list(_HOME)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _HOME:
            return None
        module = import_module(f"moored.cli.commands.{_HOME[cmd_name]}")
        return getattr(module, f"{cmd_name}_command")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in _HOME and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], _HOME)
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean: {', '.join(near)}?" if near else ""))
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        if not standalone_mode:
            return super().main(arguments, prog_name, complete_var, standalone_mode, **extra)
        sys.exit(self._end(arguments, prog_name or "moored", complete_var, extra))

    def _end(self, arguments: list[str], prog_name: str, complete_var: str | None, extra: dict[str, Any]) -> int:
        """Run a command and return the exit code."""
        as_json = "--json" in arguments
        try:
            code = super().main(arguments, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except MooredError as error:
            say_error(error, as_json=as_json)
            return error.exit_code
        except click.ClickException as error:
            say_error(error, as_json=as_json)
            return error.exit_code
        except click.Abort:
            return INTERRUPTED
        except Exception as error:  # the edge: nobody outside is to be shown a traceback unasked
            if os.environ.get(TRACEBACK):
                raise
            say_error(error, as_json=as_json)
            return UNFORESEEN
        return code if isinstance(code, int) else 0

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            _let_go_of_stdout()
            ctx.exit(CLOSED_PIPE)
        return result


def _let_go_of_stdout() -> None:
    """Give what is still buffered for a reader that went away to nobody, so that nothing complains at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.command(
    cls=Commands, name="moored", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--project",
    type=click.Path(path_type=Path, exists=False),
    default=Path(),
    metavar="PATH",
    help="A folder of the project; the current one by default.",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The file that keeps the memory; $MOORED_STORE or one for all projects by default.",
)
@click.version_option(package_name="moored", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context, project: Path, store: Path | None) -> None:
    """Memory for coding agents that stays tied to its source.

    \b
    Begin in a project with:
      moored init
      moored remember "why something is as it is" --about path/to/file.py::name
      moored recall "what you want to know"
    """
    context.obj = Session(project, store)


def main() -> None:
    """The entry point of the command `moored`."""
    # What cannot be written in the encoding of a terminal is written as an escape, and does not end the command.
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    cli()
