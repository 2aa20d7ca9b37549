"""Commands of the pins: pin, pins, unpin."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, text_of


@click.command("pin")
@click.argument("text")
@click.option("--actor", default="person", show_default=True, help="Who says it.")
@json_option
@pass_session
def pin_command(session: Session, text: str, actor: str, as_json: bool) -> None:
    """Keep a constraint that every brief shows verbatim.

    With - the text comes from stdin.

    \b
    Example:
      moored pin "Never change a released migration"
    """
    from moored.cli import render, shapes

    with session.creating() as memory:
        pin = memory.pin(text_of(text), actor=actor)
    emit(as_json, shapes.pin(pin), render.pins([pin]))


@click.command("pins")
@json_option
@pass_session
def pins_command(session: Session, as_json: bool) -> None:
    """List the pins that stand, oldest first.

    \b
    Example:
      moored pins
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        standing = memory.pins()
    emit(as_json, {"pins": [shapes.pin(pin) for pin in standing]}, render.pins(standing))


@click.command("unpin")
@click.argument("pin")
@json_option
@pass_session
def unpin_command(session: Session, pin: str, as_json: bool) -> None:
    """Take a pin out of every brief.

    \b
    Example:
      moored unpin pi_01jz6k2m3n4p5q6r7s
    """
    with session.existing() as memory:
        memory.unpin(pin)
    emit(as_json, {"unpinned": pin}, [f"unpinned {pin}"])
