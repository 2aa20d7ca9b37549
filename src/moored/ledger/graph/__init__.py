"""The code graph: which symbol depends on which, resolved by scopes and imports or fitted by name."""

from __future__ import annotations

from moored.ledger.graph.link import LinkReport, link, observe

__all__ = ["LinkReport", "link", "observe"]
