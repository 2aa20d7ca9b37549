"""The commands of rules: rule add, list, test, remove."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session


@click.group("rule")
def rule_command() -> None:
    """Lay down what is told: forbid, require, scope, boost, damp.

    \b
    Example:
      moored rule add forbid "tag=draft"
    """


@rule_command.command("add")
@click.argument("action", metavar="ACTION")
@click.argument("condition")
@click.option("--factor", type=float, help="Of a boost (2, up to 10) or a damp (0.5, down to 0.1).")
@click.option("--path", default="", metavar="PATH", help="Only for hits in this path; for scope, where work is done.")
@click.option("--session", "in_session", default="", metavar="NAME", help="Only in this session.")
@click.option("--because", default="", metavar="REASON", help="Why, for whoever reads the rule later.")
@click.option("--actor", default="person", show_default=True, help="Who says it: person or agent.")
@json_option
@pass_session
def add_command(
    session: Session,
    action: str,
    condition: str,
    factor: float | None,
    path: str,
    in_session: str,
    because: str,
    actor: str,
    as_json: bool,
) -> None:
    """Add a rule for the hits that CONDITION is about.

    ACTION is forbid (never told), require (of the kind named, only those), scope (told only while work is done in
    --path or --session), boost or damp (score times a factor). CONDITION asks kind, tag, path, symbol, age, verdict,
    trust and text, joined by and, or, not and parentheses.

    \b
    Example:
      moored rule add boost "kind=decision and age<30d" --factor 3
      moored rule add require "kind=lesson and trust=user"
      moored rule add scope "tag=billing" --path src/billing
    """
    from moored.cli import shapes_rules as shapes

    with session.creating() as memory:
        added = memory.add_rule(
            action, condition, factor=factor, path=path, session=in_session, reason=because, actor=actor
        )
    emit(as_json, shapes.added(added), shapes.lines([added.rule], added.conflicts))


@rule_command.command("list")
@json_option
@pass_session
def list_command(session: Session, as_json: bool) -> None:
    """List the rules that hold, and which do not go together.

    \b
    Example:
      moored rule list
    """
    from moored.cli import shapes_rules as shapes

    with session.existing() as memory:
        found, conflicts = memory.rules(), memory.rule_conflicts()
    emit(as_json, shapes.rules(found, conflicts), shapes.lines(found, conflicts))


@rule_command.command("test")
@click.argument("query")
@click.option("--at", "paths", multiple=True, metavar="PATH", help="Where work is done, for rules of a scope.")
@click.option("--session", "session_name", default="", help="The session in which it is, by name or id.")
@json_option
@pass_session
def test_command(session: Session, query: str, paths: tuple[str, ...], session_name: str, as_json: bool) -> None:
    """Show what the rules do to the answer to QUERY.

    Each hit that they touch or move, without and with them.

    \b
    Example:
      moored rule test "how do we deploy"
    """
    from moored.cli import shapes_rules as shapes

    with session.existing() as memory:
        tested = memory.test_rules(query, at=paths, session=session_name)
    emit(as_json, shapes.tested(tested), shapes.effect_lines(tested))


@rule_command.command("remove")
@click.argument("rule")
@click.option("--actor", default="person", show_default=True, help="Who says it: person or agent.")
@json_option
@pass_session
def remove_command(session: Session, rule: str, actor: str, as_json: bool) -> None:
    """Let a rule hold no more; `moored undo` restores it.

    \b
    Example:
      moored rule remove ru_01jz6k2m3n4p5q6r7s
    """
    with session.existing() as memory:
        removed = memory.remove_rule(rule, actor=actor)
    line = f"{removed.rule} holds no more; undo {removed.operation} to restore it"
    emit(as_json, {"removed": removed.rule, "operation": removed.operation}, [line])
