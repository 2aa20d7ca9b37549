"""An answer as compact text for people and agents.

Text that is only data (tool output, documents, imports, what a file says now) is quoted line by line with `> `, so
that it cannot pass for an instruction (I-21).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.clock import iso
from moored.model.episodes import Trust
from moored.model.notes import State
from moored.model.recall import HitKind

if TYPE_CHECKING:
    from moored.model.recall import Evidence, Hit, Recall, Receipt

_OWN_WORDS = (Trust.USER, Trust.AGENT)


def render(recall: Recall) -> str:
    """Every hit with its verdict, what it rests on and its text, best first; the receipt is the last line."""
    return "\n\n".join([*(_hit(hit) for hit in recall.hits), _receipt(recall.receipt)])


def _hit(hit: Hit) -> str:
    verdict = hit.verdict
    state = verdict.state.upper() if verdict.state is State.STALE else verdict.state
    lines = [f"[{hit.id}] {hit.kind}, {state}" + (f": {verdict.reason}" if verdict.reason else "")]
    if verdict.current:
        lines.append(f"> now: {verdict.current}")
    lines += [f"  rests on {_evidence(evidence)}" for evidence in hit.evidence]
    quoted = hit.kind is HitKind.FACT or hit.evidence[0].trust not in _OWN_WORDS
    lines += [f"> {line}" for line in hit.text.splitlines()] if quoted else [hit.text]
    return "\n".join(lines)


def _evidence(evidence: Evidence) -> str:
    place = f" at {evidence.where}" if evidence.where else ""
    return f"{evidence.id}{place} ({evidence.source}, trust {evidence.trust}, {iso(evidence.at)})"


def _receipt(receipt: Receipt) -> str:
    parts = [
        f"{receipt.returned} of {receipt.matched} matches, {receipt.tokens} of {receipt.budget} tokens",
        f"{receipt.stale} stale" if receipt.stale else "",
        f"left out: {_reasons(receipt)}" if receipt.omitted_count else "",
        *receipt.degraded,
    ]
    if not receipt.matched:
        parts[0] = "nothing in this project matches"
    if receipt.other_projects and not receipt.returned:
        others = receipt.other_projects
        parts.append(f"{others} other project{'' if others == 1 else 's'} not looked at")
    return f"({'; '.join(part for part in parts if part)})"


def _reasons(receipt: Receipt) -> str:
    counts: dict[str, int] = {}
    for omitted in receipt.omitted:
        counts[omitted.reason] = counts.get(omitted.reason, 0) + 1
    unlisted = receipt.omitted_count - len(receipt.omitted)
    shown = [f"{count} {reason}" for reason, count in counts.items()] + ([f"{unlisted} more"] if unlisted else [])
    return ", ".join(shown)
