"""What the readers of test runs share: facts of counts and of failures, each under its runner's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.output.view import Found
from moored.model.facts import FactKind

if TYPE_CHECKING:
    import re

    from moored.ledger.output.view import View

MAX_SUMMARIES = 1_000
MAX_FAILURES = 1_000


class Run:
    """Collects the facts of one runner. Counts and failures have separate caps."""

    __slots__ = ("_failures", "_runner", "_seen", "_summary", "view")

    def __init__(self, view: View, runner: str) -> None:
        self.view = view
        self._runner = runner
        self._summary = Found()
        self._failures = Found()
        self._seen: set[str] = set()

    @property
    def summarised(self) -> bool:
        """Whether the runner's summary was seen, so that the text is known to be its output."""
        return bool(self._summary.facts)

    def found(self) -> Found:
        """Give all facts, the counts first."""
        return Found(self._summary.facts + self._failures.facts, self._summary.omitted + self._failures.omitted)

    def value(self, name: str, start: int, end: int, value: str | None = None) -> None:
        """Add `runner.name`, read from (or, with `value`, counted in) the plain bytes `[start, end)`."""
        text = self.view.text(start, end) if value is None else value
        if self._summary.has_room(MAX_SUMMARIES):
            fact = self.view.fact(FactKind.TEST_SUMMARY, f"{self._runner}.{name}", text, start, end)
            self._summary.facts.append(fact)

    def group(self, name: str, match: re.Match[bytes], group: int | str, offset: int = 0) -> None:
        """Add `runner.name` from a group of a match, if it took part; `offset` is where its subject starts."""
        start, end = match.span(group)
        if start >= 0:
            self.value(name, offset + start, offset + end)

    def wants(self, test: str) -> bool:
        """Say whether a failure is to be added: not twice, and not over the cap, where it is counted."""
        return bool(test) and test not in self._seen and self._failures.has_room(MAX_FAILURES)

    def failure(self, test: str, message: str, start: int, end: int) -> None:
        """Add a failed test that is wanted, with the first line of its message, which may be empty."""
        self._seen.add(test)
        fact = self.view.fact(FactKind.TEST_FAILURE, test, message, start, end, parent=self._runner)
        self._failures.facts.append(fact)
