"""Commands of what stands behind a note: notes, explain, rate."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, text_of

ORDERS = ("newest", "heat", "confidence", "importance", "stability")
"""As `moored.atlas.explaining.ORDERS`, which is not loaded for the help."""


@click.command("notes")
@click.option("--by", type=click.Choice(ORDERS), default="newest", show_default=True, help="The highest first.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many.")
@json_option
@pass_session
def notes_command(session: Session, by: str, limit: int, as_json: bool) -> None:
    """List the notes in force, with their verdicts and numbers.

    \b
    Example:
      moored notes --by heat
    """
    from moored.cli import render_state, shapes_state

    with session.existing(dense=False) as memory:
        found = memory.notes(by=by)
    shown = found[:limit]
    emit(as_json, lambda: shapes_state.notes(shown, len(found)), render_state.notes(shown, len(found)))


@click.command("explain")
@click.argument("note")
@json_option
@pass_session
def explain_command(session: Session, note: str, as_json: bool) -> None:
    """Say what stands behind a NOTE.

    Its verdict, its numbers with what made them, and what was done to it.

    \b
    Example:
      moored explain no_01jz6k2m3n4p5q6r7s
    """
    from moored.cli import render_state, shapes_state

    with session.existing(dense=False) as memory:
        found = memory.explain(note)
    emit(as_json, lambda: shapes_state.explained(found), render_state.explained(found))


@click.command("rate")
@click.argument("note")
@click.argument("worth", type=click.Choice(("useful", "useless", "wrong")))
@click.option("--because", default="", help="Why, in a few words; - for stdin.")
@click.option("--actor", default="person", show_default=True, help="Who says it: person or agent.")
@json_option
@pass_session
def rate_command(session: Session, note: str, worth: str, because: str, actor: str, as_json: bool) -> None:
    """Say that a NOTE was useful, useless or wrong.

    It moves its confidence a little, and no answer. One that is wrong, or useless for a reason, is up for `review`.

    \b
    Example:
      moored rate no_01jz6k2m3n4p5q6r7s useful --because "it saved the afternoon"
    """
    from moored.cli import render_state, shapes
    from moored.model.state import WRONG

    why = text_of(because) or (WRONG if worth == "wrong" else "")
    with session.existing(dense=False) as memory:
        rated = memory.rate(note, useful=worth == "useful", because=why, actor=actor)
    emit(as_json, shapes.plain(rated), render_state.rated(rated))
