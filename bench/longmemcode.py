"""The LongMemCode questions, answered by `moored.bench.longmemcode`, as a section of the results."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from bench.report import Section, table
from moored.bench.longmemcode import WEIGHTS
from moored.bench.longmemcode import run as answer


def run(questions: Path, source: Path) -> Section:
    """Answer the questions of a file about a package folder; the caller names both."""
    with tempfile.TemporaryDirectory() as scratch:
        report = answer(questions, source, Path(scratch, "bench.db"))
    rows = [[name, count, WEIGHTS.get(name, ""), f"{score:.4f}"] for name, (count, score) in report.categories.items()]
    text = (
        f"{report.questions} questions that a coding agent asks of an index of FastAPI {_version(source)}, from "
        "[LongMemCode](https://github.com/CataDef/LongMemCode) (MIT). Weighted accuracy "
        f"{report.weighted:.4f}; nothing invented where nothing is: {report.absent:.4f}. A question takes "
        f"{report.median_ms:.2f} ms (median; 99th percentile {report.p99_ms:.2f} ms), the whole index "
        f"{report.index_seconds:.1f} s."
    )
    misses = [
        f"- {miss.id}, {miss.sub_type}: {miss.score:.2f}; {len(miss.missing)} missing, {len(miss.invented)} too many"
        for miss in report.misses
    ]
    table_ = table(["category", "questions", "weight", "score"], rows)
    return Section(
        "longmemcode", "LongMemCode", [text, "", *table_, "", *(misses or ["Every question is answered in full."])]
    )


def _version(source: Path) -> str:
    """The version that a package says it has."""
    found = re.search(r'__version__ = "([^"]+)"', (source / "__init__.py").read_text(encoding="utf-8"))
    return found[1] if found else "of an unknown version"
