"""The tool of the set `life` that reads a project into its first notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.seeding import SeedOutcome
from moored.server.arguments import number, text
from moored.server.tool import INTEGER, STRING, STRINGS, Answer, Tool, several, structure
from moored.server.tools_reading import budget
from moored.server.words import packed, quoted

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.model.seeding import Seeded, SeededNote


def seed(memory: Memory, most: int | None, tokens: int | None, dry_run: str, budget: int) -> Answer:
    """What was read into notes, or would be."""
    done = memory.seed(most=most, tokens=tokens, dry_run=dry_run == "yes")
    told = [one for one in done.notes if done.dry_run or one.outcome is not SeedOutcome.UNCHANGED]
    lines, _ = packed((_line(one) for one in told), budget)
    shown = told[: len(lines)]
    if len(told) > len(shown):
        lines.append(f"({len(told) - len(shown):,} left out)")
    data = {
        "operation": done.operation,
        "counts": [f"{done.count(outcome)} {outcome}" for outcome in SeedOutcome if done.count(outcome)],
        "notes": [{"key": one.key, "outcome": str(one.outcome), "id": one.note, "why": one.why} for one in shown],
        "omitted_count": sum(done.omitted.values()),
        "unknown": list(done.unknown),
    }
    return Answer("\n".join([_head(done), *lines]), data, () if done.dry_run else ("status", "stale", "brief"))


def _head(done: Seeded) -> str:
    counts = [f"{done.count(outcome)} {outcome}" for outcome in SeedOutcome if done.count(outcome)]
    told = f"{'would be: ' if done.dry_run else ''}{', '.join(counts) or 'nothing found'}; {done.tokens:,} tokens"
    told += f"; no room for {sum(done.omitted.values())} more" if done.omitted else ""
    told += f"; undo takes back {done.operation}" if done.operation else ""
    return "\n".join([told, *(f"not known: {why}" for why in done.unknown)])


def _line(one: SeededNote) -> str:
    why = f" ({one.why})" if one.why else ""
    return f"## {one.outcome} {one.key} {one.note}{why}\n{quoted(one.text, data=True)}"


SEED_TOOL = Tool(
    "seed",
    "Call when the memory of a project is new or the user asks for an overview: reads documents, configuration, "
    "commands, owners and history into notes. Again, it brings them up to date.",
    (
        number("most", "At most so many notes.", least=1),
        number("tokens", "At most so many tokens together.", least=1),
        text("dry_run", "yes: only say what would be written.", choices=("no", "yes"), default="no"),
        budget,
    ),
    structure(
        ("operation", "notes", "omitted_count"),
        operation=STRING,
        counts=STRINGS,
        notes=several(structure(key=STRING, outcome=STRING, id=STRING, why=STRING)),
        omitted_count=INTEGER,
        unknown=STRINGS,
    ),
    seed,
    writes=True,
)
