"""Commands that begin a memory and keep its ledger current: init, index, watch."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import click

from moored.cli.output import emit, write_json
from moored.cli.progress import progress
from moored.cli.session import Session, json_option, pass_session
from moored.errors import MooredError

if TYPE_CHECKING:
    from moored.ledger.refresh import Refreshed
    from moored.memory import Memory

ENCODED_AT_A_TIME = 64
"""Texts that get their vectors between two steps of the progress bar."""


@click.command("init")
@click.option("--no-index", is_flag=True, help="Only note the project down; read no file yet.")
@json_option
@pass_session
def init_command(session: Session, no_index: bool, as_json: bool) -> None:
    """Begin the memory of a project and read its files.

    \b
    Example:
      moored init
    """
    from moored.cli import render, shapes

    with session.creating() as memory:
        done = None
        if not no_index:
            with progress("reading") as advance:
                done = memory.index(progress=advance)
        shape = {
            "project": memory.project.id,
            "name": memory.project.name,
            "key": memory.project.key,
            "root": memory.tree.root,
            "store": str(memory.store.path),
            "index": shapes.plain(done) if done else None,
        }
        lines = [f"{memory.project.name} ({memory.project.id}) is kept in {memory.store.path}"]
        lines += render.refreshed(done) if done else ["no file was read; run `moored index`"]
        emit(as_json, shape, lines)


@click.command("index")
@json_option
@pass_session
def index_command(session: Session, as_json: bool) -> None:
    """Bring the ledger up to what the files hold now.

    Only what changed is read; texts that wait for a vector get one.

    \b
    Example:
      moored index
    """
    from moored.cli import render, render_care, shapes

    with session.creating() as memory:
        with progress("reading") as advance:
            done = memory.index(progress=advance)
        filled = _encode(memory)
        lines = [*render.refreshed(done)]
        if filled:
            lines.append(f"{render_care.counted(filled, 'text')} got a vector")
        emit(as_json, {**shapes.plain(done), "vectors": filled}, lines)


def _encode(memory: Memory) -> int:
    """Give all texts that wait their vectors, and tell how many that were; why it were no more goes to stderr."""
    filled, waiting = 0, memory.status().waiting
    with progress("encoding") as advance:
        try:
            while done := memory.upkeep(limit=ENCODED_AT_A_TIME):
                filled += done
                advance(filled, max(filled, waiting))
        except MooredError as error:
            click.echo(f"moored: {error}", err=True)
    return filled


@click.command("watch")
@json_option
@pass_session
def watch_command(session: Session, as_json: bool) -> None:
    """Keep the ledger current while files change, until Ctrl-C.

    With --json there is one document for each reading.

    \b
    Example:
      moored watch
    """
    from moored.cli import render, shapes

    def report(done: Refreshed) -> None:
        if as_json:
            write_json(shapes.plain(done))
        else:
            click.echo(next(render.refreshed(done)))

    with session.creating() as memory:
        click.echo(f"watching {memory.tree.root}; Ctrl-C ends it", err=True)
        memory.watch(threading.Event(), report)
