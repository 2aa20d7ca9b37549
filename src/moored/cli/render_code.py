"""Answers about the code graph as short lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moored.cli.render_care import counted
from moored.model.text import shorten

if TYPE_CHECKING:
    from moored.ledger.graph.code_map import CodeMap
    from moored.ledger.graph.impact import Impact
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
    yield f"  depended on by {counted(report.callers, 'symbol')}, depends on {counted(report.callees, 'symbol')}"
    for member in report.members[:SHOWN_MEMBERS]:
        yield f"  {member.span.line:5} {member.kind} {member.name}: {shorten(member.value, WIDTH)}"
    if len(report.members) > SHOWN_MEMBERS:
        yield f"        and {len(report.members) - SHOWN_MEMBERS} more"


def impact(report: Impact) -> Iterator[str]:
    """What depends on a symbol, nearest first."""
    total = sum(report.counts.values())
    if not total:
        yield f"nothing in this tree is known to depend on {report.fact.address}"
        return
    yield f"{report.fact.address} is depended on by {counted(total, 'symbol')}"
    for one in report.dependants:
        unproven = "" if one.proven else ", by name only"
        drift = "" if one.drift == "unchanged" else f", {one.drift}"
        yield f"  {'  ' * (one.depth - 1)}{one.fact.address}, line {one.line} ({one.kind}{unproven}{drift})"
    if report.omitted:
        yield f"  and {report.omitted:,} more"
    if report.truncated:
        yield "  there may be more than were looked for"
    if report.deeper:
        yield "  more depends on the last ones; look further with --depth"


def code_map(report: CodeMap) -> Iterator[str]:
    """The map, and what it leaves out."""
    yield from report.text.splitlines()
    shown = f"{counted(report.symbols, 'symbol')} of {counted(report.files, 'file')}"
    left = f"{counted(report.omitted_symbols, 'symbol')} and {counted(report.omitted_files, 'file')} left out"
    yield f"{shown}, {counted(report.tokens, 'token')}; {left}"
