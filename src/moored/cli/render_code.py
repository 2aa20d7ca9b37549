"""Answers about the code graph as short lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moored.cli.render import counted
from moored.model.text import shorten

if TYPE_CHECKING:
    from moored.ledger.graph.query import SymbolReport

WIDTH = 100
SHOWN_MEMBERS = 30


def symbol(report: SymbolReport) -> Iterator[str]:
    """What is known of a symbol."""
    fact = report.fact
    yield f"{fact.kind} {fact.address} ({fact.id}), lines {fact.span.line} to {fact.span.end_line}"
    yield f"  {shorten(fact.value, 2 * WIDTH)}"
    if fact.doc:
        yield f"  {shorten(fact.doc, 2 * WIDTH)}"
    yield f"  {counted(report.callers, 'symbol')} depend on it; it depends on {counted(report.callees, 'symbol')}"
    for member in report.members[:SHOWN_MEMBERS]:
        yield f"  {member.span.line:5} {member.kind} {member.name}: {shorten(member.value, WIDTH)}"
    if len(report.members) > SHOWN_MEMBERS:
        yield f"        and {len(report.members) - SHOWN_MEMBERS} more"
