"""Test runs in tool output.

The readers form a closed list; each knows one family of runners by the exact form of its summary and finds nothing
in other text. Counts are named by runner (`pytest.passed`, `go.failed`) and have the form in which they are
printed; where a runner prints none (TAP, `go test`), result lines are counted and the span covers those lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.output.runs import go, javascript, junit, python, rust, tap
from moored.ledger.output.view import Found

if TYPE_CHECKING:
    from collections.abc import Callable

    from moored.ledger.output.view import View

_READERS: tuple[Callable[[View], Found], ...] = (
    python.pytest,
    python.unittest,
    javascript.jest,
    javascript.vitest,
    javascript.mocha,
    go.text,
    go.json_stream,
    rust.cargo,
    rust.nextest,
    tap.extract,
    junit.extract,
)


def extract(view: View) -> Found:
    """Find the summaries and failures of every runner in an output."""
    found = Found()
    for reader in _READERS:
        part = reader(view)
        found.facts.extend(part.facts)
        found.omitted += part.omitted
    return found
