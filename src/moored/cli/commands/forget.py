"""The command of forgetting."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, stdin_bytes
from moored.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from moored.memory import Memory
    from moored.model.forgetting import Forgotten

FOUND = 20
"""Hits that are shown of what is found by a question."""


@click.command("forget")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--hard", is_flag=True, help="Erase it for good, and prove it. Without, `undo` restores it for 30 days.")
@click.option("--preview", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--query", metavar="TEXT", help="Show what a question finds, with its ids; nothing is forgotten.")
@click.option("--session", "in_session", metavar="NAME", default="", help="All of a session.")
@click.option("--since", metavar="TIME", help="What happened at this time (RFC 3339, or a day) or later.")
@click.option("--until", metavar="TIME", help="What happened before this time.")
@click.option("--author", default="", help="What this person said.")
@click.option("--source", default="", help="What came from a host, by a channel, or by an operation.")
@click.option("--everything", is_flag=True, help="The whole project.")
@click.option(
    "--text-from",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    help="Take only the text in FILE (- for stdin) out, everywhere in the project. Then IDs are episodes that hold it.",
)
@click.option("--expired", is_flag=True, help="Erase what was forgotten more than 30 days ago.")
@click.option("--finish", is_flag=True, help="Finish an erasure that was interrupted.")
@json_option
@pass_session
def forget_command(
    session: Session,
    ids: tuple[str, ...],
    hard: bool,
    preview: bool,
    yes: bool,
    query: str | None,
    in_session: str,
    since: str | None,
    until: str | None,
    author: str,
    source: str,
    everything: bool,
    text_from: Path | None,
    expired: bool,
    finish: bool,
    as_json: bool,
) -> None:
    """Forget what the IDs name, or a session, a time, a person.

    IDs are those of episodes, notes, pins and reminders. Everything that rests on them goes along, and is shown before.
    A secret is best handed in with --text-from -, so
    that it stays out of the history of the shell.

    \b
    Example:
      moored forget no_01jz6k2m3n4p5q6r7s --hard
    """
    from_ms, to_ms = _milliseconds(since), _milliseconds(until)
    with session.existing() as memory:
        if query is not None:
            _show_found(memory, query, as_json)
        elif expired or finish:
            _look_after(memory, expired, as_json)
        elif text_from is not None:
            if in_session or since or until or author or source or everything:
                raise InvalidInput(
                    "A text is taken out everywhere in the project: with --text-from give no session, time, author, "
                    "source or --everything. Nothing was changed."
                )
            text = _text(text_from)

            def redact(preview: bool, token: str) -> Forgotten:
                return memory.redact(text, *ids, preview=preview, token=token)

            _do(redact, preview=preview, yes=yes, as_json=as_json)
        else:

            def forget(preview: bool, token: str) -> Forgotten:
                return memory.forget(
                    *ids,
                    session=in_session,
                    since=from_ms,
                    until=to_ms,
                    author=author,
                    source=source,
                    everything=everything,
                    hard=hard,
                    preview=preview,
                    token=token,
                )

            _do(forget, preview=preview, yes=yes, as_json=as_json)


def _do(run: Callable[[bool, str], Forgotten], *, preview: bool, yes: bool, as_json: bool) -> None:
    """Show what would go, ask, and do it."""
    from moored.cli import render_forget

    shown = run(True, "")
    if preview or shown.plan.empty:
        emit(as_json, render_forget.shape(shown), render_forget.lines(shown))
        return
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise InvalidInput(
                "Nothing was forgotten, because nobody can be asked here. Look at it with --preview, then say --yes."
            )
        for line in render_forget.lines(shown):
            click.echo(line)
        click.confirm("Forget all of this?", abort=True)
    done = run(False, shown.plan.token)
    emit(as_json, render_forget.shape(done), render_forget.lines(done))


def _show_found(memory: Memory, query: str, as_json: bool) -> None:
    from moored.cli import render_forget

    hits = memory.recall(query, limit=FOUND).hits
    found = [{"id": hit.id, "kind": str(hit.kind), "text": hit.text} for hit in hits if str(hit.kind) != "fact"]
    emit(as_json, {"found": found}, render_forget.found(found))


def _look_after(memory: Memory, expired: bool, as_json: bool) -> None:
    from moored.cli import render_forget

    if not expired:
        finished = memory.finish_forgetting()
        said = "the erasure that was interrupted is finished" if finished else "there is nothing to finish"
        emit(as_json, {"finished": finished}, [said])
        return
    done = memory.forget_expired()
    lines = [line for one in done for line in render_forget.lines(one)] or ["nothing has expired"]
    emit(as_json, {"erased": [render_forget.shape(one) for one in done]}, lines)


def _text(file: Path) -> str:
    data = stdin_bytes() if str(file) == "-" else file.read_bytes()
    return data.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")


def _milliseconds(at: str | None) -> int | None:
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise InvalidInput(
            f"'{at}' is no time. Write one such as 2026-01-31T12:00:00Z or 2026-01-31. Nothing was changed."
        ) from error
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
