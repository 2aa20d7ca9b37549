"""Commands of the atlas: remember, revise, history, stale, affected."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, text_of
from moored.errors import InvalidInput
from moored.model.notes import Revision

_about = click.option(
    "--about",
    multiple=True,
    metavar="NAME",
    help="What it is about: a symbol, PATH::NAME, a path, PATH:LINE, a key, '$ COMMAND' or an episode. Repeatable.",
)


@click.command("remember")
@click.argument("text")
@_about
@click.option(
    "--kind", default="note", show_default=True, help="note, decision, lesson, preference, summary or your own."
)
@click.option("--tag", "tags", multiple=True, help="A word to find it by. Repeatable.")
@click.option("--proof", default="", metavar="COMMAND", help="The command whose outcome proved it.")
@click.option("--actor", default="person", show_default=True, help="Who says it: person, agent or the name of a rule.")
@click.option("--supersedes", default="", metavar="NOTE", help="The note that it replaces.")
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    metavar="NAME",
    help="What its subject is called, the proper name first. Repeatable.",
)
@click.option("--insist", is_flag=True, help="Write it as a note of its own, whatever is known already.")
@json_option
@pass_session
def remember_command(
    session: Session,
    text: str,
    about: tuple[str, ...],
    kind: str,
    tags: tuple[str, ...],
    proof: str,
    actor: str,
    supersedes: str,
    aliases: tuple[str, ...],
    insist: bool,
    as_json: bool,
) -> None:
    """Write a note about things that exist.

    With - the text comes from stdin. Names that stand in the text are found as well; those that fit nothing are
    reported.

    \b
    Example:
      moored remember "Sending is retried three times" --about net/session.py::Session.send
    """
    from moored.cli import render, shapes

    with session.creating() as memory:
        done = memory.remember(
            text_of(text),
            about=about,
            kind=kind,
            tags=tags,
            proof=proof,
            actor=actor,
            supersedes=supersedes,
            aliases=aliases,
            insist=insist,
        )
    emit(as_json, shapes.remembered(done), render.remembered(done))


@click.command("revise")
@click.argument("note")
@click.argument("text", required=False)
@_about
@click.option("--cause", default="revised", show_default=True, help="Why.")
@click.option("--actor", default="person", show_default=True, help="Who says it.")
@json_option
@pass_session
def revise_command(
    session: Session, note: str, text: str | None, about: tuple[str, ...], cause: str, actor: str, as_json: bool
) -> None:
    """Write the next revision of a note.

    Without TEXT it says the same about its targets as they are now.

    \b
    Example:
      moored revise no_01jz6k2m3n4p5q6r7s "Sending is retried five times" --cause "limit raised"
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        said = None if text is None else text_of(text)
        done = memory.revise(note, said, about=about or None, cause=cause, actor=actor)
    emit(as_json, shapes.remembered(done), render.remembered(done))


@click.command("history")
@click.argument("name")
@click.option("--diff", is_flag=True, help="What changed between the last two revisions of a note.")
@json_option
@pass_session
def history_command(session: Session, name: str, diff: bool, as_json: bool) -> None:
    """Show every revision of a note, or every version of a fact.

    \b
    Example:
      moored history no_01jz6k2m3n4p5q6r7s
      moored history net/session.py::Session.send
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        versions = memory.history(name)
        note = memory.note(name) if any(isinstance(version, Revision) for version in versions) else None
        if diff and note is None:
            raise InvalidInput(f"{name} is a fact, and --diff compares revisions of a note. Leave out --diff.")
        difference = memory.difference(name) if diff else ""
    shape = {
        "versions": [shapes.version(version) for version in versions],
        "difference": difference,
        "protected": note.protected if note else "",
        "withdrawn": note.withdrawn if note else "",
    }
    emit(as_json, shape, [difference or "no difference"] if diff else render.history(versions, note))


@click.command("stale")
@json_option
@pass_session
def stale_command(session: Session, as_json: bool) -> None:
    """List the notes that do not hold any more.

    They are judged now, against the files as they are.

    \b
    Example:
      moored stale
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        report = memory.stale()
    emit(as_json, shapes.plain(report), render.stale(report))


@click.command("affected")
@click.argument("base", required=False)
@json_option
@pass_session
def affected_command(session: Session, base: str | None, as_json: bool) -> None:
    """List the notes that your changes put at risk.

    Those are the uncommitted changes, or all since BASE was left.

    \b
    Example:
      moored affected
      moored affected main
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        report = memory.affected(base)
    emit(as_json, shapes.plain(report), render.affected(report))
