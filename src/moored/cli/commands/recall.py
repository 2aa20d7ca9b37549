"""Commands that answer: recall, show."""

from __future__ import annotations

import sys

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, text_of
from moored.errors import InvalidInput
from moored.model.episodes import Episode
from moored.model.recall import HitKind

_LISTED = {"pi_": "pins", "op_": "operations", "pr_": "status"}


@click.command("recall")
@click.argument("query")
@click.option("--budget", type=click.IntRange(min=1), default=1_500, show_default=True, help="Tokens of all hits.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice([kind.value for kind in HitKind]), help="Repeatable.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many hits.")
@click.option("--tag", "tags", multiple=True, help="Only notes with this tag. Repeatable: with any of them.")
@click.option(
    "--context",
    type=click.IntRange(0, 5),
    default=0,
    show_default=True,
    help="Turns before and after each episode, within the budget.",
)
@click.option("--path", "paths", multiple=True, help="Where work is done, for rules of a scope. Repeatable.")
@click.option("--session", "session_name", default="", help="The session in which it is, by name or id.")
@click.option("--from", "other", metavar="PROJECT", help="The id of another project to ask instead.")
@json_option
@pass_session
def recall_command(
    session: Session,
    query: str,
    budget: int,
    kinds: tuple[str, ...],
    limit: int | None,
    tags: tuple[str, ...],
    context: int,
    paths: tuple[str, ...],
    session_name: str,
    other: str | None,
    as_json: bool,
) -> None:
    """Ask what is known, with a verdict on each hit.

    With - the question comes from stdin.

    \b
    Example:
      moored recall "how often is sending retried" --budget 800
      moored recall "how often is sending retried" --path net/session.py
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        answer = memory.recall(
            text_of(query),
            budget=budget,
            kinds=kinds or None,
            limit=limit,
            tags=tags,
            context=context,
            paths=paths,
            session=session_name,
            project=other,
        )
        # Before the memory is closed, which keeps what was used: the answer does not wait for that.
        emit(as_json, shapes.recall(answer), render.recall(answer))


@click.command("show")
@click.argument("name")
@click.option("--raw", is_flag=True, help="Only the content of an episode, byte for byte.")
@json_option
@pass_session
def show_command(session: Session, name: str, raw: bool, as_json: bool) -> None:
    """Show one thing whole: an episode, a note or a fact.

    NAME is an id, or the name of a symbol, key or path, PATH:LINE or '$ COMMAND'.

    \b
    Example:
      moored show ep_01jz6k2m3n4p5q6r7s
      moored show net/session.py::Session.send
    """
    from moored.cli import render, shapes

    for begin, command in _LISTED.items():
        if name.startswith(begin):
            raise InvalidInput(f"{name} is no episode, note or fact. `moored {command}` shows what it is.")
    with session.existing() as memory:
        found = memory.show(name)
    if not raw:
        emit(as_json, shapes.shown(found), render.shown(found))
    elif isinstance(found, Episode):
        sys.stdout.flush()
        sys.stdout.buffer.write(found.content)
    else:
        raise InvalidInput(f"{name} is no episode, and only those have a content. Leave out --raw.")
