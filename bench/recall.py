"""How well recall finds: every set of `moored bench` that is at hand, against the goals that moored sets itself.

The folder has the sets where `PLACES` says; one that is not there is left out and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report import Section, table
from moored.bench import precision
from moored.bench.cached import CachedEmbedder
from moored.bench.measuring import measure
from moored.bench.report import WHOLE, Report
from moored.bench.sets import SETS
from moored.bench.variants import Variant, variants
from moored.embed import default_embedder

PLACES = {
    "LoCoMo": ("locomo", "locomo/locomo10.json.gz"),
    "BEAM 100K": ("beam", "beam/100K"),
    "BEAM 500K, coding chats": ("beam", "beam/500K"),
    "BEAM 1M, coding chats": ("beam", "beam/1M"),
    "LongMemEval": ("longmemeval", "longmemeval/longmemeval_s.json"),
    "devbench": ("devbench", "devbench/devbench_dataset.json"),
}
"""Each set by its title: its name, and where in the folder it is."""

PRECISION = "precisionmembench"
"""The folder of PrecisionMemBench in the folder."""

ABOVE_DENSE = 0.1
"""How far recall@10 of the larger coding chats is to be above that of plain search by vectors."""

DENSE, UNKNOWING = variants([])
"""What is always compared: plain search by vectors, and recall that does not know who speaks or orders."""


@dataclass(frozen=True, slots=True)
class Goal:
    """The least that a measure is to reach, of a part of a set in a unit, by the whole or a variant."""

    title: str
    unit: str
    part: str
    measure: str
    least: float
    variant: str = WHOLE

    def row(self, found: float) -> list[str]:
        what = self.part if self.variant == WHOLE else f"{self.part}, {self.variant}"
        return _row(self.title, f"{self.unit}, {what}", self.measure, self.least, found)


GOALS = (
    Goal("LoCoMo", "items", "test", "recall@10", 0.84),
    Goal("LoCoMo", "items", "test", "mrr", 0.69),
    Goal("LoCoMo", "items", "test", "ndcg@10", 0.70),
    Goal("LoCoMo", "chunks", "test", "any@10", 0.92),
    Goal("LoCoMo", "chunks", "test", "mrr", 0.72),
    Goal("LoCoMo", "sessions", "test", "recall@10", 0.955),
    Goal("LoCoMo", "sessions", "test", "any@1", 0.78),
    Goal("BEAM 100K", "items", "test", "recall@10", 0.66),
    Goal("BEAM 100K", "items", "test", "ndcg@10", 0.59),
    Goal("BEAM 100K", "items", "test", "recall@10", 0.58, UNKNOWING.title),
    Goal("BEAM 100K", "items", "coding chats", "recall@10", 0.76),
    Goal("devbench", "items", "all", "any@1", 0.93),
    Goal("devbench", "items", "all", "any@5", 1.0),
)


def run(data: Path, *, cache: Path | None = None, ablate: Sequence[str] = ()) -> list[Section]:
    """Measure every set that the folder has: a section of the goals, then one for each set."""
    chosen = variants(ablate)
    reports = dict(_reports(data, cache, chosen))
    sections = [
        Section(f"recall-{title.lower().replace(',', '').replace(' ', '-')}", title, _lines(report))
        for title, report in reports.items()
    ]
    rows = list(_rows(reports))
    if (folder := data / PRECISION).is_dir():
        embedder = default_embedder()
        found = precision.run(folder, embedder=CachedEmbedder(embedder, cache) if cache else embedder)
        sections.append(Section("recall-precision", "PrecisionMemBench", found.text().splitlines()))
        rows += _precision_rows(found)
    left_out = [title for title in PLACES if title not in reports]
    text = (
        "Measured by `moored bench`, with one configuration, the defaults. Constants were chosen on the tuning halves; "
        "goals are held against the test halves, and against all of a set that is not split. In `chunks`, consecutive "
        "turns are taken in twos."
    )
    lines = [text, "", *table(["set", "what", "measure", "goal", "reached", "met"], rows)]
    if left_out:
        lines += ["", f"Not measured, as the data was not at hand: {', '.join(left_out)}."]
    return [Section("recall", "Recall", lines), *sections]


def _reports(data: Path, cache: Path | None, chosen: Sequence[Variant]) -> Iterator[tuple[str, Report]]:
    for title, (name, place) in PLACES.items():
        if (data / place).exists():
            print(f"measuring: {title}", flush=True)
            yield title, measure(SETS[name], data / place, embedder=default_embedder(), variants=chosen, cache=cache)


def _rows(reports: Mapping[str, Report]) -> Iterator[list[str]]:
    for goal in GOALS:
        if goal.title in reports:
            yield goal.row(_found(reports[goal.title], goal.unit, goal.part, goal.measure, goal.variant))
    for title in ("BEAM 500K, coding chats", "BEAM 1M, coding chats"):
        if title in reports:
            whole, dense = (_found(reports[title], "items", "all", "recall@10", one) for one in (WHOLE, DENSE.title))
            yield _row(title, f"items, all; plain dense {dense:.3f}", "recall@10", dense + ABOVE_DENSE, whole)
    if "devbench" in reports:
        silent = reports["devbench"].returned.without_answer_silent
        if silent is not None:
            yield _row("devbench", "questions without an answer", "nothing returned", 1.0, silent)


def _precision_rows(found: precision.PrecisionReport) -> Iterator[list[str]]:
    title = "PrecisionMemBench"
    passed, active = found.active
    yield _row(title, f"active cases passed, of {active}", "number", 36, passed)
    yield _row(title, "cases", "precision", 0.85, found.precision)
    yield _row(title, "cases", "recall", 0.95, found.recall)


def _found(report: Report, unit: str, part: str, measure: str, variant: str) -> float:
    (value,) = (
        group.measures[measure]
        for ranking in report.rankings
        if ranking.unit == unit
        for group in ranking.groups
        if (group.name, group.variant) == (part, variant)
    )
    return value


def _row(title: str, what: str, measure: str, least: float, found: float) -> list[str]:
    digits = 0 if least > 1 else 3
    met = "yes" if found >= least else "**no**"
    return [title, what, measure, f"{least:.{digits}f}", f"{found:.{digits}f}", met]


def _lines(report: Report) -> list[str]:
    """The report below its title, as a section of the results has one of its own."""
    return report.text().splitlines()[2:]
