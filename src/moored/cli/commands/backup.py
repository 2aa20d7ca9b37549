"""Commands for whole copies of the store: backup, restore."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session

if TYPE_CHECKING:
    from moored.backup import Contents


@click.command("backup")
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.option(
    "--keep", type=click.IntRange(min=1), metavar="N", help="Keep the newest N in that folder and remove older ones."
)
@json_option
@pass_session
def backup_command(session: Session, target: Path | None, keep: int | None, as_json: bool) -> None:
    """Copy the whole store, while others write to it.

    TARGET is a file, or a folder in which the file is named by the time; by default a folder beside the store. The copy
    is opened and compared before it has its name.

    \b
    Example:
      moored backup --keep 7
    """
    from moored.backup import back_up

    done = back_up(session.store_path, target, keep=keep or 0)
    lines = [f"{done.file}: {done.size:,} bytes, {_held(done.contents)}; opened, and equal to the store"]
    emit(as_json, asdict(done), [*lines, *(f"removed: {one}" for one in done.removed)])


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@pass_session
def restore_command(session: Session, file: Path, as_json: bool) -> None:
    """Put a backup in the place of the store.

    The backup is read through before. What the store holds now is kept beside it under another name.

    \b
    Example:
      moored restore ~/backups/moored-2026-01-31T150130233Z.db
    """
    from moored.backup import restore

    done = restore(session.store_path, file)
    held = _held(done.contents) if done.contents else "of an older moored, which is upgraded when it is opened"
    lines = [f"{done.store}: restored from {done.file}, {held}"]
    emit(as_json, asdict(done), [*lines, *([f"what it held before: {done.kept}"] if done.kept else [])])


def _held(contents: Contents) -> str:
    from moored.cli.render_care import counted

    return ", ".join(counted(number, name[:-1], name) for name, number in asdict(contents).items())
