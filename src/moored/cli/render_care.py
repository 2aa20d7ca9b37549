"""Status and diagnosis as short lines for people. It loads next to nothing, since status is asked for often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from moored.model.clock import iso

if TYPE_CHECKING:
    from moored.doctor import Diagnosis
    from moored.status import Status

SHOWN_KINDS = 3


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def status(state: Status) -> Iterator[str]:
    """What a project holds and where."""
    counts = state.counts
    facts = sum(counts.facts.values())
    top = sorted(counts.facts.items(), key=lambda item: (-item[1], item[0]))[:SHOWN_KINDS]
    more = ", ..." if len(counts.facts) > len(top) else ""
    kinds = f" ({', '.join(f'{number:,} {kind}' for kind, number in top)}{more})" if facts else ""
    size = "unknown" if state.store_size is None else f"{state.store_size / 1_000_000:.1f} MB"
    hidden = f", {counts.hidden:,} hidden" if counts.hidden else ""
    partial = f", {counts.partial:,} parsed in part" if counts.partial else ""
    indexed = "never" if state.indexed_at is None else iso(state.indexed_at)
    yield f"project   {state.name} ({state.project})"
    for root in state.trees:
        yield f"tree      {root}" + (" (this one)" if root == state.root and len(state.trees) > 1 else "")
    yield f"store     {state.store}, {size}" + (", read only" if state.read_only else "")
    yield f"          schema {state.schema}, SQLite {state.sqlite}"
    if state.encrypted:
        yield f"          encrypted, with the key in {state.encrypted}"
    yield f"record    {counted(counts.episodes, 'episode')}{hidden}, {counted(counts.sessions, 'session')}"
    if state.captured:
        yield f"          {counted(state.captured, 'captured event')} not absorbed yet"
    if state.not_kept:
        yield f"          {counted(state.not_kept, 'event')} not kept, as the key of the store was not to be had"
    yield f"ledger    {counted(counts.files, 'file')}{partial}, {counted(facts, 'fact')}{kinds}"
    yield f"          {counted(counts.edges, 'edge')}, {counts.resolved:,} of them resolved"
    yield f"          {counted(counts.commands, 'command')} with an outcome, last read {indexed}"
    revisions = counted(counts.revisions, "revision")
    yield f"atlas     {counted(counts.notes, 'note')} in {revisions}, {counted(counts.pins, 'pin')}"
    yield f"vectors   {_vectors(state.vectors)}, {counted(state.waiting, 'text')} waiting"
    yield f"others    {counted(state.other_projects, 'other project')} in this store"


def _vectors(models: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} of {model}" for model, number in models.items()) or "none"


def diagnosis(found: Diagnosis) -> Iterator[str]:
    """Each thing that was examined, and what to do."""
    for check in found.checks:
        yield f"{check.state:8} {check.title}: {check.detail}"
        if check.remedy:
            yield f"         {check.remedy}"
    if found.proved:
        yield f"Proved of this store: {', '.join(found.proved)}"
    problems = sum(check.state == "problem" for check in found.checks)
    warnings = sum(check.state == "warning" for check in found.checks)
    yield f"{counted(problems, 'problem')}, {counted(warnings, 'warning')}"
