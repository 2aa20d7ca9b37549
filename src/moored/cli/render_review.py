"""A review as short lines for people. What files and others say is quoted with `> ` (I-21)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moored.cli.render import label, quoted
from moored.cli.render_care import counted
from moored.model.clock import iso
from moored.model.proposals import Remedy
from moored.model.text import fold, shorten

if TYPE_CHECKING:
    from moored.model.proposals import Decided, Proposed, Reviewed

WIDTH = 100


def reviewed(found: Reviewed, most: int) -> Iterator[str]:
    """The open proposals, each with its evidence and what it would change, and what else was seen."""
    for one in found.proposals[:most]:
        yield from _proposed(one)
        yield ""
    yield counted(len(found.proposals), "open proposal") + (f", {most:,} shown" if len(found.proposals) > most else "")
    if found.operation:
        yield f"  {found.made:,} new, {found.outdated:,} outdated ({found.operation})"
    if found.unsaid:
        yield f"  {counted(found.unsaid, 'other note')} stale, of which nothing follows: `stale` tells why"
    if found.waiting:
        yield f"  {counted(found.waiting, 'note')} not looked at yet: `review` again"


def decided(done: Decided) -> Iterator[str]:
    """What a decision did."""
    yield f"{done.decision} {done.proposal} ({done.operation})"
    yield from (f"  {line}" for line in done.receipt)


def _proposed(one: Proposed) -> Iterator[str]:
    proposal, note = one.proposal, one.judged.note
    yield f"{proposal.id} {_what(one)} {note.kind} {note.id} {label(one.judged.verdict)}"
    if note.protected:
        yield f"  protected: {fold(note.protected)}"
    yield f"  {shorten(note.head.text, WIDTH)}"
    if one.told_at:
        yield f"  told {iso(one.told_at)}, when it was so already"
    yield f"  why: {fold(proposal.reason)}"
    for line in one.evidence:
        yield from quoted(fold(line), data=True, indent="  ")
    for line in one.difference.splitlines()[2:]:
        yield f"    {line}"


def _what(one: Proposed) -> str:
    proposal = one.proposal
    if proposal.action is Remedy.ARCHIVE:
        return f"archive, since {proposal.successor} stands," if proposal.successor else "archive"
    if not proposal.text:
        return "revise (say what it says now)"
    return "revise" if one.difference else "revise (the same words, about where it is now)"
