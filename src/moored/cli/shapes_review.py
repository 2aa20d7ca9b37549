"""The JSON of a review and of what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.cli.shapes import plain, verdict
from moored.model.clock import iso

if TYPE_CHECKING:
    from moored.model.proposals import Decided, Proposed, Reviewed


def reviewed(value: Reviewed, most: int) -> dict[str, Any]:
    """The answer of `review`: at most so many proposals; `total` is how many are open."""
    return {
        "proposals": [_proposed(one) for one in value.proposals[:most]],
        "total": len(value.proposals),
        "operation": value.operation,
        "made": value.made,
        "outdated": value.outdated,
        "unsaid": value.unsaid,
        "waiting": value.waiting,
    }


def decided(value: Decided) -> dict[str, Any]:
    """The answer of `review --accept` and `--reject`."""
    return plain(value)


def _proposed(value: Proposed) -> dict[str, Any]:
    proposal, note = value.proposal, value.judged.note
    return {
        "id": proposal.id,
        "note": note.id,
        "action": proposal.action,
        "reason": proposal.reason,
        "evidence": list(value.evidence),
        "text": proposal.text,
        "was": note.head.text,
        "difference": value.difference,
        "successor": proposal.successor,
        "protected": note.protected,
        "verdict": verdict(value.judged.verdict),
        "created_at": iso(proposal.created_at),
        "told_at": iso(value.told_at) if value.told_at else None,
    }
