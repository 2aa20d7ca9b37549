"""Sections of bench/RESULTS.md: rendered for the terminal, and written in their place in the file."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import apsw

RESULTS = Path(__file__).with_name("RESULTS.md")

_HEAD = """# Results

Measured with `python -m bench <what> --write`; bench/README.md says what each part does and how to run it. Every
section names the day, the machine and the versions it was measured with.
"""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the results. `lines` are Markdown."""

    name: str
    title: str
    lines: Sequence[str]

    def render(self) -> str:
        return "\n".join([f"## {self.title}", "", f"*{surroundings()}*", "", *self.lines])


def surroundings() -> str:
    """When and on what it was measured."""
    day = datetime.now(UTC).date().isoformat()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{day}, moored {version('moored')}, Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}"
    )


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown; numbers are set to the right."""
    body = [[_cell(value) for value in row] for row in rows]
    right = [
        bool(body) and all(re.fullmatch(r"[<>~]?[\d,.]+( \S+)?|", row[at]) for row in body) for at in range(len(head))
    ]
    lines = ["| " + " | ".join(_cell(name) for name in head) + " |"]
    lines.append("| " + " | ".join("---:" if one else "---" for one in right) + " |")
    return [*lines, *("| " + " | ".join(row) + " |" for row in body)]


def ratio(part: float, whole: float) -> str:
    """`part / whole`, cut and not rounded, so that 1.0000 means all; empty when there is nothing to divide by."""
    return f"{int(10_000 * part / whole) / 10_000:.4f}" if whole else ""


def write(section: Section, results: Path = RESULTS) -> None:
    """Put a section into the results, in the place of an older one of its name."""
    text = results.read_text(encoding="utf-8") if results.exists() else _HEAD
    begin, end = f"<!-- begin {section.name} -->", f"<!-- end {section.name} -->"
    block = f"{begin}\n{section.render()}\n{end}"
    before, found, rest = text.partition(begin)
    text = f"{before}{block}{rest.partition(end)[2]}" if found else f"{text.rstrip()}\n\n{block}\n"
    results.write_text(text, encoding="utf-8")


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")
