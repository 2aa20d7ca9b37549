"""The commands of reminders: remind; reminders list, accept, snooze, done."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, text_of
from moored.errors import InvalidInput


@click.command("remind")
@click.argument("text", required=False, default="")
@click.option(
    "--when", default="", metavar="OCCASION", help="A path, symbol, time, event, or words that must all fall."
)
@click.option("--note", default="", metavar="ID", help="The note that it belongs to, and whose words it tells.")
@click.option("--most", type=click.IntRange(min=1), help="How often it is told; 3, or 52 at times that come again.")
@click.option("--expires", default="", metavar="TIME", help="Until when, such as 'in 2 weeks'.")
@click.option("--actor", default="person", show_default=True, help="Who says it: person or agent.")
@click.option("--proposed", is_flag=True, help="List the reminders that were read in what the user said.")
@json_option
@pass_session
def remind_command(
    session: Session,
    text: str,
    when: str,
    note: str,
    most: int | None,
    expires: str,
    actor: str,
    proposed: bool,
    as_json: bool,
) -> None:
    """Have TEXT told to the agent when it matters.

    With - the text comes from stdin. OCCASION says on what: "editing src/auth.py", "src/api/", "Session.send",
    "a test fails", "branch release/*", "every Monday at 9", "deploy staging"; or "keyword: ...", "entity: ...".

    \b
    Example:
      moored remind "Rotate the key first" --when "editing src/auth.py"
      moored remind --proposed
    """
    from moored.cli import shapes_reminders as shapes

    if proposed:
        with session.existing() as memory:
            found, now = memory.reminders(proposed=True), memory.clock.now()
        emit(as_json, shapes.reminders(found, now), shapes.lines(found, now))
        return
    if not when:
        raise InvalidInput("Say with --when on what to remind, such as --when 'editing src/auth.py'.")
    with session.creating() as memory:
        made = memory.remind(text_of(text), when=when, note=note, most=most, expires=expires, actor=actor)
        now = memory.clock.now()
    emit(as_json, shapes.reminder(made, now), shapes.lines([made], now))


@click.group("reminders")
def reminders_command() -> None:
    """See the reminders, put them off, end or accept them.

    \b
    Example:
      moored reminders list
    """


@reminders_command.command("list")
@click.option("--all", "every", is_flag=True, help="Also those that are done, expired or told often enough.")
@json_option
@pass_session
def list_command(session: Session, every: bool, as_json: bool) -> None:
    """List the reminders: what they wait for, how often told.

    Those that reached their limit are listed, too: only what is done or expired is left out.

    \b
    Example:
      moored reminders list --all
    """
    from moored.cli import shapes_reminders as shapes

    with session.existing() as memory:
        now = memory.clock.now()
        found = [one for one in memory.reminders() if every or one.state(now) not in ("done", "expired")]
    emit(as_json, shapes.reminders(found, now), shapes.lines(found, now))


@reminders_command.command("accept")
@click.argument("reminder")
@click.option("--actor", default="person", show_default=True, help="Who accepts it: person or agent.")
@json_option
@pass_session
def accept_command(session: Session, reminder: str, actor: str, as_json: bool) -> None:
    """Make a reminder of one that was proposed.

    It gets an id of its own.

    \b
    Example:
      moored reminders accept rm_01jz6k2m3n4p5q6r7s
    """
    from moored.cli import shapes_reminders as shapes

    with session.existing() as memory:
        made, now = memory.accept_reminder(reminder, actor=actor), memory.clock.now()
    emit(as_json, shapes.reminder(made, now), shapes.lines([made], now))


@reminders_command.command("snooze")
@click.argument("reminder")
@click.argument("until")
@json_option
@pass_session
def snooze_command(session: Session, reminder: str, until: str, as_json: bool) -> None:
    """Tell a reminder no more until UNTIL, a time in words.

    \b
    Example:
      moored reminders snooze rm_01jz6k2m3n4p5q6r7s "tomorrow at 9"
    """
    from moored.cli import shapes_reminders as shapes

    with session.existing() as memory:
        put_off, now = memory.snooze_reminder(reminder, until), memory.clock.now()
    emit(as_json, shapes.reminder(put_off, now), shapes.lines([put_off], now))


@reminders_command.command("done")
@click.argument("reminder")
@json_option
@pass_session
def done_command(session: Session, reminder: str, as_json: bool) -> None:
    """Tell a reminder never again, or turn down one proposed.

    \b
    Example:
      moored reminders done rm_01jz6k2m3n4p5q6r7s
    """
    from moored.cli import shapes_reminders as shapes

    with session.existing() as memory:
        ended, now = memory.finish_reminder(reminder), memory.clock.now()
    emit(as_json, shapes.reminder(ended, now), shapes.lines([ended], now))
