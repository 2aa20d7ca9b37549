"""Commands of the record: record, operations, undo."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, stdin_bytes
from moored.errors import InvalidInput
from moored.model.episodes import Channel, Role, Trust


@click.command("record")
@click.argument("content", required=False)
@click.option(
    "--file", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="Take the content from here."
)
@click.option("--role", type=click.Choice([role.value for role in Role]), default="user", show_default=True)
@click.option(
    "--channel", type=click.Choice([item.value for item in Channel]), help="How it came in; by role if not given."
)
@click.option("--trust", type=click.Choice([item.value for item in Trust]), help="At most what its channel allows.")
@click.option("--host", default="", help="The program that it comes from.")
@click.option("--session", "session_name", default="", help="The host's name of the session.")
@click.option("--event", "host_event", default="", help="The host's id of the event: the same one is kept once.")
@click.option("--tool", "tool_name", default="", help="The tool that printed it.")
@click.option("--tool-input", default="", help="What the tool was asked: a command line, or JSON.")
@click.option("--exit-status", type=int, help="How the command ended.")
@click.option("--corrects", default="", metavar="EPISODE", help="The episode that this one corrects.")
@click.option("--at", metavar="TIME", help="When it happened (RFC 3339); now if not given.")
@json_option
@pass_session
def record_command(
    session: Session,
    content: str | None,
    file: Path | None,
    role: str,
    channel: str | None,
    trust: str | None,
    host: str,
    session_name: str,
    host_event: str,
    tool_name: str,
    tool_input: str,
    exit_status: int | None,
    corrects: str,
    at: str | None,
    as_json: bool,
) -> None:
    """Keep one thing that happened, verbatim but for secrets.

    CONTENT is what was said or printed; without it, or with -, stdin is kept byte for byte.

    \b
    Examples:
      moored record "We keep the retry limit at 3"
      pytest -q | moored record --role tool --tool bash --tool-input "pytest -q" --exit-status 1
    """
    from moored.cli import render_care, shapes

    with session.creating() as memory:
        done = memory.record(
            _content(content, file),
            role=role,
            channel=channel,
            trust=trust,
            host=host,
            session=session_name,
            host_event=host_event,
            tool_name=tool_name,
            tool_input=tool_input,
            exit_status=exit_status,
            corrects=corrects,
            occurred_at=None if at is None else _milliseconds(at),
        )
    if done.episode:
        lines = [f"{done.outcome} {done.episode}, {render_care.counted(done.tokens, 'token')}"]
    else:
        lines = [f"{done.outcome}: {done.structure}"]
    if done.redacted:
        lines.append(f"  taken out: {', '.join(done.redacted)}")
    if done.episode and (role == Role.TOOL or channel in (Channel.TOOL, Channel.DOCUMENT)):
        lines.append(f"  {done.structure}")
    lines += [
        f"  sounds like a constraint: {said}\n    keep it in every brief with `moored pin`"
        for said in done.suggested_pins
    ]
    emit(as_json, shapes.plain(done), lines)


@click.command("operations")
@json_option
@pass_session
def operations_command(session: Session, as_json: bool) -> None:
    """List what was done that can be undone, oldest first.

    \b
    Example:
      moored operations
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        done = memory.operations()
    emit(as_json, {"operations": shapes.plain(done)}, render.operations(done))


@click.command("undo")
@click.argument("operation")
@json_option
@pass_session
def undo_command(session: Session, operation: str, as_json: bool) -> None:
    """Take one operation back, alone.

    Every question has its former answer again. What it brought in stays in the record, and importing again shows it
    again. The undo is an operation too.

    \b
    Example:
      moored undo op_01jz6k2m3n4p5q6r7s
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        done = memory.undo(operation)
    emit(as_json, shapes.plain(done), render.undone(done))


def _content(content: str | None, file: Path | None) -> str | bytes:
    if file is not None:
        if content is not None:
            raise InvalidInput("Both CONTENT and --file were given. Give one of them; nothing was recorded.")
        return file.read_bytes()
    return stdin_bytes() if content in (None, "-") else content or ""


def _milliseconds(at: str) -> int:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError as error:
        raise InvalidInput(
            f"'{at}' is no time. Write one such as 2026-01-31T12:00:00Z; nothing was recorded."
        ) from error
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
