"""Tables of figures in Markdown, for the terminal and for the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

UNKNOWN = "-"
"""What stands where a figure was not measured, because there was nothing to measure it on."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table. The first column holds names, the others figures, which are set to the right."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return [*lines, *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)]


def share(value: float | None) -> str:
    """A share or a measure from 0 to 1."""
    return UNKNOWN if value is None else f"{value:.3f}"


def number(value: float | None, digits: int = 1) -> str:
    """A number with thousands set apart."""
    return UNKNOWN if value is None else f"{value:,.{digits}f}"
