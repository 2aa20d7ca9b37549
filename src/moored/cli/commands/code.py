"""Commands of the code graph: symbol, impact, map."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session


@click.command("symbol")
@click.argument("name")
@json_option
@pass_session
def symbol_command(session: Session, name: str, as_json: bool) -> None:
    """Say what the ledger knows of a symbol.

    \b
    Example:
      moored symbol Session.send
    """
    from moored.cli import render_code, shapes

    with session.existing() as memory:
        report = memory.symbol(name)
    emit(as_json, shapes.plain(report), render_code.symbol(report))


@click.command("impact")
@click.argument("name")
@click.option("--depth", type=click.IntRange(min=1), default=4, show_default=True, help="Steps away.")
@json_option
@pass_session
def impact_command(session: Session, name: str, depth: int, as_json: bool) -> None:
    """List everything that depends on a symbol.

    \b
    Example:
      moored impact Session.send --depth 2
    """
    from moored.cli import render_code, shapes

    with session.existing() as memory:
        report = memory.impact(name, depth=depth)
    emit(as_json, shapes.plain(report), render_code.impact(report))


@click.command("map")
@click.option("--budget", type=click.IntRange(min=1), default=2_000, show_default=True, help="Tokens of the map.")
@click.option("--focus", multiple=True, metavar="NAME", help="A folder, path or symbol to draw it around. Repeatable.")
@json_option
@pass_session
def map_command(session: Session, budget: int, focus: tuple[str, ...], as_json: bool) -> None:
    """Draw a map of the code that fits a budget of tokens.

    What most others depend on comes first.

    \b
    Example:
      moored map --budget 1000 --focus src/net
    """
    from moored.cli import render_code, shapes

    with session.existing() as memory:
        report = memory.map(budget=budget, focus=focus)
    emit(as_json, shapes.plain(report), render_code.code_map(report))
