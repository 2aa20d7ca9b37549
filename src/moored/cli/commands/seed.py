"""The command that reads a project into its first notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from moored.cli.output import emit
from moored.cli.progress import progress
from moored.cli.session import Session, json_option, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.model.seeding import Seeded, SeededNote


@click.command("seed")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write no note.")
@click.option("--most", type=click.IntRange(min=1), help="At most so many notes.  [default: 60]")
@click.option("--tokens", type=click.IntRange(min=1), help="At most so many tokens together.  [default: 6000]")
@json_option
@pass_session
def seed_command(session: Session, dry_run: bool, most: int | None, tokens: int | None, as_json: bool) -> None:
    """Read the project into its first notes.

    Documents, configuration, commands, entry points, owners and recent history, each note anchored to what it was read
    from. Seeding again brings the notes up to date and leaves alone what somebody made their own.

    \b
    Example:
      moored seed --dry-run
    """
    from moored.cli import shapes

    with session.creating() as memory, progress("reading") as advance:
        done = memory.seed(most=most, tokens=tokens, dry_run=dry_run, progress=advance)
    emit(as_json, lambda: shapes.plain(done), _lines(done))


def _lines(done: Seeded) -> Iterator[str]:
    """Every note that is to be told of, and the sums."""
    from moored.model.seeding import SeedOutcome

    for one in done.notes:
        if done.dry_run or one.outcome is SeedOutcome.LEFT:
            yield from _note(one)
    counts = [f"{done.count(outcome)} {outcome}" for outcome in SeedOutcome if done.count(outcome)]
    told = ", ".join(counts) or "nothing found"
    yield f"{'would be: ' if done.dry_run else ''}{told}; {done.tokens:,} tokens"
    if done.omitted:
        left_out = ", ".join(f"{count} {topic}" for topic, count in done.omitted.items())
        yield f"no room for: {left_out}"
    for why in done.unknown:
        yield f"not known: {why}; what was told of it is left as it is"
    if done.operation:
        yield f"`moored undo {done.operation}` takes it back"


def _note(one: SeededNote) -> Iterator[str]:
    why = f" ({one.why})" if one.why else ""
    yield f"{one.outcome} {one.key}{f' {one.note}' if one.note else ''}{why}"
    yield from (f"   > {line}" for line in one.text.split("\n"))
    if one.about:
        shown = ", ".join(one.about[:4]) + (f" and {len(one.about) - 4} more" if len(one.about) > 4 else "")
        yield f"   about {shown}"
