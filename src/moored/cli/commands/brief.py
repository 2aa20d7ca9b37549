"""The command that shows what a host hands to its agent: brief."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session, text_of
from moored.errors import InvalidInput

SOURCES = ("startup", "resume", "clear", "compact", "fork")
START, PROMPT, EDIT = 1_200, 600, 400
"""Tokens of a brief at each of its moments."""


@click.command("brief")
@click.option("--source", type=click.Choice(SOURCES), help="What begins the session; startup if nothing is named.")
@click.option("--prompt", metavar="TEXT", help="What is told before this prompt; - reads it from stdin.")
@click.option("--edit", "paths", multiple=True, metavar="PATH", help="What is told before this edit. Repeatable.")
@click.option("--name", "names", multiple=True, help="A symbol that the edit is about. Repeatable.")
@click.option("--host", default="", help="The host that the session belongs to.")
@click.option("--session", "session_name", default="", help="The session; resume and compact take the latest.")
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    help=f"Tokens; by default {START}, {PROMPT} before a prompt, {EDIT} before an edit.",
)
@json_option
@pass_session
def brief_command(
    session: Session,
    source: str | None,
    prompt: str | None,
    paths: tuple[str, ...],
    names: tuple[str, ...],
    host: str,
    session_name: str,
    budget: int | None,
    as_json: bool,
) -> None:
    """Show what an agent is told at a moment of its work.

    Nothing is printed when there is nothing to tell.

    \b
    Example:
      moored brief
      moored brief --source compact
      moored brief --prompt "why is sending retried"
      moored brief --edit net/session.py
    """
    from moored.cli import shapes

    if sum(given is not None for given in (source, prompt, paths or None)) > 1 or (names and not paths):
        raise InvalidInput("Name one moment: --source, --prompt or --edit; --name goes with --edit.")
    with session.existing() as memory:
        if prompt is not None:
            told = memory.before_prompt(text_of(prompt), host=host, session=session_name, budget=budget or PROMPT)
        elif paths:
            told = memory.before_edit(paths, names=names, budget=budget or EDIT)
        else:
            begun = source or "startup"
            told = memory.start(host=host, session=session_name, source=begun, budget=budget or START)
    emit(as_json, shapes.plain(told), told.text.splitlines())
