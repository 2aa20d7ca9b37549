"""Commands of what is proposed for notes, and of their protection: review, protect, unprotect."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, text_of
from moored.errors import InvalidInput

_actor = click.option("--actor", default="person", show_default=True, help="Who says it: person or agent.")


@click.command("review")
@click.option("--accept", "accepted", default="", metavar="ID", help="Do what is proposed.")
@click.option("--text", metavar="TEXT", help="With --accept: what the note is to say instead; - for stdin.")
@click.option("--reject", "rejected", default="", metavar="ID", help="Leave the note as it is.")
@click.option("--because", default="", help="With --reject: why, in a few words; - for stdin.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="List at most so many.")
@_actor
@json_option
@pass_session
def review_command(
    session: Session,
    accepted: str,
    text: str | None,
    rejected: str,
    because: str,
    limit: int,
    actor: str,
    as_json: bool,
) -> None:
    """List what is proposed for notes that do not hold.

    Each comes with its evidence and what it would change. No note changes before its proposal is accepted.

    \b
    Example:
      moored review
      moored review --accept po_01jz6k2m3n4p5q6r7s
    """
    from moored.cli import render_review, shapes_review

    _require_one(accepted, text, rejected, because)
    with session.existing() as memory:
        if not (accepted or rejected):
            found = memory.review()
            emit(as_json, lambda: shapes_review.reviewed(found, limit), render_review.reviewed(found, limit))
            return
        if accepted:
            done = memory.accept(accepted, None if text is None else text_of(text), actor=actor)
        else:
            done = memory.reject(rejected, text_of(because), actor=actor)
    emit(as_json, lambda: shapes_review.decided(done), render_review.decided(done))


def _require_one(accepted: str, text: str | None, rejected: str, because: str) -> None:
    if accepted and rejected:
        raise InvalidInput("One proposal is decided at a time. Nothing was changed: give --accept or --reject.")
    if text is not None and not accepted:
        raise InvalidInput("--text is what a note is to say instead of what is proposed: it goes with --accept.")
    if because and not rejected:
        raise InvalidInput("--because is the reason of a rejection: it goes with --reject.")


@click.command("protect")
@click.argument("note")
@click.option("--because", required=True, help="Why, in a few words; - for stdin.")
@_actor
@json_option
@pass_session
def protect_command(session: Session, note: str, because: str, actor: str, as_json: bool) -> None:
    """Let nothing change a NOTE but an explicit request.

    \b
    Example:
      moored protect no_01jz6k2m3n4p5q6r7s --because "agreed with the auditors"
    """
    with session.existing(dense=False) as memory:
        operation = memory.protect(note, text_of(because), actor=actor)
        reason = memory.note(note).protected
    said = f"{note} is protected: {reason}" + (f" ({operation})" if operation else ", as it was")
    emit(as_json, {"note": note, "protected": reason, "operation": operation}, [said])


@click.command("unprotect")
@click.argument("note")
@_actor
@json_option
@pass_session
def unprotect_command(session: Session, note: str, actor: str, as_json: bool) -> None:
    """Protect a NOTE no more.

    \b
    Example:
      moored unprotect no_01jz6k2m3n4p5q6r7s
    """
    with session.existing(dense=False) as memory:
        operation = memory.unprotect(note, actor=actor)
    said = f"{note} is protected no more ({operation})" if operation else f"{note} was not protected"
    emit(as_json, {"note": note, "protected": "", "operation": operation}, [said])
