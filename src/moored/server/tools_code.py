"""Tools that ask the code graph: symbol, impact, map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.model.text import fold
from moored.server.arguments import called, names, number
from moored.server.tool import BOOLEAN, INTEGER, STRING, Answer, Tool, several, strings, structure
from moored.server.tools_reading import MOST_BUDGET, budget
from moored.server.words import counted, one_line, packed

if TYPE_CHECKING:
    from moored.ledger.graph.impact import Dependant
    from moored.memory import Memory
    from moored.model.facts import Fact


def symbol(memory: Memory, name: str, budget: int) -> Answer:
    """What the ledger knows of a symbol."""
    report = memory.symbol(name)
    fact = report.fact
    lines = [
        f"{fact.kind} {fold(fact.address)} ({fact.id}), lines {fact.span.line} to {fact.span.end_line}",
        f"> {one_line(fact.value, 400)}",
    ]
    if fact.doc:
        lines.append(f"> {one_line(fact.doc, 400)}")
    lines.append(f"depended on by {counted(report.callers, 'symbol')}, depends on {counted(report.callees, 'symbol')}")
    members, _ = packed((_member(one) for one in report.members), budget)
    omitted = len(report.members) - len(members)
    lines += members
    if omitted:
        lines.append(f"({omitted:,} more members left out)")
    data: dict[str, Any] = {
        "id": fact.id,
        "address": fact.address,
        "kind": fact.kind.value,
        "path": fact.path,
        "line": fact.span.line,
        "end_line": fact.span.end_line,
        "signature": fact.value,
        "doc": one_line(fact.doc, 400) if fact.doc else "",
        "callers": report.callers,
        "callees": report.callees,
        "members": [
            {"name": one.name, "kind": one.kind.value, "line": one.span.line, "signature": one_line(one.value)}
            for one in report.members[: len(members)]
        ],
        "omitted_count": omitted,
    }
    return Answer("\n".join(lines), data)


def _member(one: Fact) -> str:
    return f"> {one.span.line}: {one.kind} {fold(one.name)}: {one_line(one.value)}"


def impact(memory: Memory, name: str, depth: int, budget: int) -> Answer:
    """Everything that depends on a symbol, nearest first."""
    report = memory.impact(name, depth=depth)
    total = sum(report.counts.values())
    address = fold(report.fact.address)
    if not total:
        lines, shown = [f"nothing in this tree is known to depend on {address}"], report.dependants
    else:
        lines, _ = packed((_dependant(one) for one in report.dependants), budget)
        shown = report.dependants[: len(lines)]
        lines.insert(0, f"{address} is depended on by {counted(total, 'symbol')}")
    omitted = total - len(shown)
    if omitted:
        lines.append(f"({omitted:,} more left out)")
    more = report.truncated or report.deeper
    if more:
        lines.append("(more may depend on the last ones; ask with a larger depth)")
    data = {
        "address": address,
        "total": total,
        "dependants": [
            {
                "address": one.fact.address,
                "depth": one.depth,
                "line": one.line,
                "kind": one.kind.value,
                "proven": one.proven,
                "drift": one.drift,
            }
            for one in shown
        ],
        "omitted_count": omitted,
        "more": more,
    }
    return Answer("\n".join(lines), data)


def _dependant(one: Dependant) -> str:
    unproven = "" if one.proven else ", by name only"
    drift = "" if one.drift == "unchanged" else f", {one.drift}"
    return f"{'  ' * (one.depth - 1)}{fold(one.fact.address)}, line {one.line} ({one.kind}{unproven}{drift})"


def code_map(memory: Memory, budget: int, focus: tuple[str, ...]) -> Answer:
    """A map of the code that fits a budget."""
    report = memory.map(budget=budget, focus=focus)
    shown = f"{counted(report.symbols, 'symbol')} of {counted(report.files, 'file')}"
    data = {
        "text": report.text,
        "files": report.files,
        "symbols": report.symbols,
        "omitted_files": report.omitted_files,
        "omitted_count": report.omitted_symbols,
        "tokens": report.tokens,
    }
    text = report.text.rstrip("\n") or "no symbols are known here"
    return Answer(f"{text}\n({shown})", data)


_NAME = called("name", "`path::Name.member`, `Name.member`, a name, a path, or `path:line`.")

SYMBOL = Tool(
    "symbol",
    "Call to see what a function, class or file is without reading it: signature, place, members, dependants.",
    (_NAME, budget),
    strings(
        ("id", "address", "kind"),
        line=INTEGER,
        end_line=INTEGER,
        callers=INTEGER,
        callees=INTEGER,
        members=several({"type": "object"}),
        omitted_count=INTEGER,
    ),
    symbol,
    of_code=True,
)

IMPACT = Tool(
    "impact",
    "Call before you change or remove a symbol: everything that depends on it, nearest first.",
    (_NAME, number("depth", "Steps away.", 4, least=1, most=20), budget),
    structure(
        ("address", "total", "dependants"),
        address=STRING,
        total=INTEGER,
        dependants=several({"type": "object"}),
        omitted_count=INTEGER,
        more=BOOLEAN,
    ),
    impact,
    of_code=True,
)

MAP = Tool(
    "map",
    "Call when you are new to the code or a part of it: what the most depends on, by file.",
    (
        number("budget", "Most tokens.", 1_500, least=50, most=MOST_BUDGET),
        names("focus", "Folders, paths or symbols to draw it around."),
    ),
    structure(
        ("text",),
        text=STRING,
        files=INTEGER,
        symbols=INTEGER,
        omitted_files=INTEGER,
        omitted_count=INTEGER,
        tokens=INTEGER,
    ),
    code_map,
    of_code=True,
)
