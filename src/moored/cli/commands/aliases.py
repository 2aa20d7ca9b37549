"""The command of other names: alias add, list, remove."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session


@click.group("alias")
def alias_command() -> None:
    """Keep other names of things, by which questions find them too.

    \b
    Example:
      moored alias add Kubernetes k8s
    """


@alias_command.command("add")
@click.argument("name")
@click.argument("other")
@click.option("--actor", default="person", show_default=True, help="Who says it: person or agent.")
@json_option
@pass_session
def add_command(session: Session, name: str, other: str, actor: str, as_json: bool) -> None:
    """Give the thing called NAME another name.

    \b
    Example:
      moored alias add "dead letter queue" DLQ
    """
    from moored.cli import render, shapes

    with session.creating() as memory:
        given = memory.alias(name, other, actor=actor)
    emit(as_json, shapes.alias(given), render.aliases([given]))


@alias_command.command("list")
@json_option
@pass_session
def list_command(session: Session, as_json: bool) -> None:
    """List the other names that are known, and whose word they are.

    \b
    Example:
      moored alias list
    """
    from moored.cli import render, shapes

    with session.existing() as memory:
        known = memory.aliases()
    emit(as_json, {"aliases": [shapes.alias(one) for one in known]}, render.aliases(known))


@alias_command.command("remove")
@click.argument("name")
@click.argument("other")
@json_option
@pass_session
def remove_command(session: Session, name: str, other: str, as_json: bool) -> None:
    """Take another name from the thing called NAME.

    \b
    Example:
      moored alias remove Kubernetes kube
    """
    with session.existing() as memory:
        memory.unalias(name, other)
    emit(as_json, {"name": name, "removed": other}, [f"{other} is not another name of {name} any more"])
