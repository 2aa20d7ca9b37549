"""Commands that look after a memory: status, doctor, export, completion."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session
from moored.errors import InvalidInput, MooredError, NotFound, StoreError

if TYPE_CHECKING:
    from moored.doctor import Diagnosis

UNHEALTHY = 5


def _plain(value: object) -> dict[str, Any]:
    """The JSON of a value; what makes it is loaded only when JSON is asked for."""
    from moored.cli import shapes

    return shapes.plain(value)


@click.command("status")
@json_option
@pass_session
def status_command(session: Session, as_json: bool) -> None:
    """Say what a project holds and where.

    \b
    Example:
      moored status
    """
    from moored.cli import render_care

    with session.existing(dense=False) as memory:
        state = memory.status()
    emit(as_json, lambda: _plain(state), render_care.status(state))


@click.command("doctor")
@click.option("--deep", is_flag=True, help="Also prove the promises that can be proved of a store.")
@json_option
@click.pass_context
def doctor_command(context: click.Context, deep: bool, as_json: bool) -> None:
    """Examine the store, what it stands on, and the set-up.

    Exits 5 when there is a problem. It answers for a store that cannot be opened, too.

    \b
    Example:
      moored doctor --deep
    """
    from dataclasses import replace

    from moored.cli import render_care
    from moored.setup import checks, site

    found = _diagnosis(context.obj, deep)
    found = replace(found, checks=(*found.checks, *checks.examine(site.journal_folder())))
    emit(as_json, lambda: {"healthy": found.healthy, **_plain(found)}, render_care.diagnosis(found))
    if not found.healthy:
        context.exit(UNHEALTHY)


def _diagnosis(session: Session, deep: bool) -> Diagnosis:
    from moored.doctor import explain

    try:
        with session.existing() as memory:
            return memory.doctor(deep=deep)
    except (StoreError, NotFound) as error:
        return explain(session.store_path, error)


@click.command("export")
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--facts", is_flag=True, help="Also the facts, with their history.")
@click.option("--bundle", is_flag=True, help="All that cannot be derived again, in a file that can be imported.")
@click.option("--everything", is_flag=True, help="With --bundle: every project of the store.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--plain", is_flag=True, help="Also of an encrypted store: what is written lies open.")
@json_option
@pass_session
def export_command(
    session: Session,
    target: Path,
    facts: bool,
    bundle: bool,
    everything: bool,
    force: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Write all of a project to a file of JSON Lines.

    With - it goes to stdout. docs/export.md gives the format, and that of a bundle.

    \b
    Examples:
      moored export memory.jsonl
      moored export --bundle memory.zip
    """
    from moored.cli import render_care

    to_stdout = str(target) == "-"
    if to_stdout and as_json:
        raise InvalidInput("Both the export and its account cannot go to stdout. Leave out --json, or name a file.")
    if target.exists() and not force and not to_stdout:
        raise InvalidInput(f"{target} is there already. Name another file, or replace it with --force.")
    if (bundle and (to_stdout or facts)) or (everything and not bundle):
        raise InvalidInput(
            "A bundle is a file and has the facts; --everything is for bundles. Leave out - and --facts."
        )
    if bundle:
        with session.existing(dense=False) as memory:
            made = memory.bundle(target, everything=everything, plain=plain)
        rows = render_care.counted(sum(made.parts.values()), "row", "rows")
        of = render_care.counted(len(made.projects), "project", "projects")
        emit(as_json, asdict(made), [f"{made.file}: {made.size:,} bytes, {rows} of {of}"])
        return
    with session.existing() as memory:
        done = memory.export(sys.stdout.buffer if to_stdout else target, facts=facts, plain=plain)
    if not to_stdout:
        counts = _plain(done)
        parts = ", ".join(render_care.counted(number, name[:-1], name) for name, number in counts.items())
        emit(as_json, {"target": str(target), "counts": counts}, [f"{target}: {parts}"])


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print what makes a shell complete commands and options.

    \b
    Example:
      eval "$(moored completion bash)"
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise MooredError(f"There is no completion for {shell}. Choose bash, zsh or fish.")
    click.echo(made(context.find_root().command, {}, "moored", "_MOORED_COMPLETE").source())
