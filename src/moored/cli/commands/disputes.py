"""Commands of disputes: disputes, resolve."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session
from moored.model.clock import iso


@click.command("disputes")
@json_option
@pass_session
def disputes_command(session: Session, as_json: bool) -> None:
    """List the notes that cannot both hold, the newer first.

    \b
    Example:
      moored disputes
    """
    with session.existing() as memory:
        found = memory.disputes()
    shape = [
        {
            "id": one.dispute.id,
            "reason": one.dispute.reason,
            "newer": {"id": one.newer.id, "text": one.newer.head.text, "at": iso(one.newer.head.created_at)},
            "older": {"id": one.older.id, "text": one.older.head.text, "at": iso(one.older.head.created_at)},
            "fact": one.fact and {"address": one.fact.address, "value": one.fact.value, "holds": one.fact.holds},
        }
        for one in found
    ]
    lines: list[str] = []
    for one in found:
        lines.append(f"{one.dispute.id}  {one.dispute.reason}")
        lines += [f"  {side.id}  {iso(side.head.created_at)}  {side.head.text}" for side in (one.newer, one.older)]
        lines += [f"  {one.fact.told}: `review` proposes what follows"] if one.fact else []
    emit(as_json, {"disputes": shape}, lines or ["no note is disputed"])


@click.command("resolve")
@click.argument("dispute")
@click.argument("holds", metavar="NOTE|both")
@click.option("--actor", default="person", show_default=True, help="Who says it: person or agent.")
@json_option
@pass_session
def resolve_command(session: Session, dispute: str, holds: str, actor: str, as_json: bool) -> None:
    """Settle a dispute: say which note holds, or that both do.

    The other note is superseded by the one that holds; `undo` takes that back.

    \b
    Example:
      moored resolve di_01k0000000 both
    """
    from moored.cli.shapes import plain

    with session.existing() as memory:
        done = memory.resolve(dispute, holds, actor=actor)
    what = f"{done.outcome} holds, {done.superseded} is superseded" if done.superseded else "both notes hold"
    emit(as_json, plain(done), [f"{done.dispute}: {what}", f"  operation {done.operation}"])
