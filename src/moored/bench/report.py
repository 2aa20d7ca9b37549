"""The report of a measurement: every figure as a value, and the same as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moored.bench.tables import number, share, table

COLUMNS = ("recall@5", "recall@10", "recall@20", "any@1", "any@5", "any@10", "all@5", "all@10", "mrr", "ndcg@10")
COMPARED = ("recall@10", "mrr", "ndcg@10")
"""The measures that are shown of a ranking, and of each variant of it. JSON has all of them (see `metrics`)."""

WHOLE = "moored"
"""The name of the configuration itself among its variants."""


@dataclass(frozen=True, slots=True)
class Group:
    """The means over the questions of a part of the set, as one variant ranks."""

    variant: str
    name: str
    questions: int
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rankings in one unit. `parts` are the names of the groups that are not categories."""

    unit: str
    parts: tuple[str, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """What `recall` hands out when it is asked as usual, as means over questions with gold ids and those without.

    `precision` is the share of what was returned that is gold, over the questions for which anything was; `recall` the
    share of gold that was returned; `any` the share of questions with a piece of it; `silent` the share of questions
    to which nothing was returned. A mean over no questions is None.
    """

    questions: int
    hits: float | None
    tokens: float | None
    precision: float | None
    recall: float | None
    any: float | None
    silent: float | None
    without_answer: int
    without_answer_hits: float | None
    without_answer_silent: float | None


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds a question, in a process that has answered before: `recall` and the deep `ranking`."""

    recall_median: float
    recall_p95: float
    ranking_median: float
    ranking_p95: float


@dataclass(frozen=True, slots=True)
class Ingest:
    """What was put in, and how fast.

    `items` are the episodes or notes, `vectors` the windows and notes that got one. `recorded_per_second` counts items
    until they are found by their words, `vectors_per_second` vectors in all the time that recording and encoding took,
    and `model_per_second` vectors in the time that the model itself worked. The last two are None when vectors came
    from a cache.
    """

    items: int
    vectors: int
    recorded_per_second: float
    vectors_per_second: float | None
    model_per_second: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of measuring one set. `text()` shows it.

    `data_hash` is that of the set as it was read, so that two reports can be known to be of the same data.
    `questions` are those with gold ids; those without an answer are in `returned` alone. `degraded` counts, by what it
    says, the questions for which a signal could not play its full part. `missed` are the keys of the questions of which
    nothing is among the first ten.
    """

    name: str
    title: str
    half: str
    halves: str
    data_hash: str
    memories: int
    questions: int
    rankings: tuple[Ranking, ...]
    returned: Returned
    times: Times
    ingest: Ingest
    degraded: Mapping[str, int]
    missed: tuple[str, ...]
    made_with: Mapping[str, str]

    def text(self) -> str:
        """The report for a person, as Markdown."""
        memories = "one memory" if self.memories == 1 else f"{self.memories:,} memories"
        part = f", the {self.half} half" if self.half else ""
        told = f"{memories}, {self.questions:,} questions with gold ids{part}. {self.halves}"
        lines = [f"## {self.title}", "", told[0].upper() + told[1:]]
        for ranking in self.rankings:
            lines += ["", f"### Ranked {ranking.unit}", "", *_groups(ranking), *_variants(ranking)]
        lines += ["", "### Returned", "", *_returned(self.returned)]
        lines += ["", "### Cost", "", *_cost(self.times, self.ingest)]
        lines += [f"- degraded for {count:,} questions: {what}" for what, count in self.degraded.items()]
        made = {**self.made_with, "data": self.data_hash}
        lines += ["", "; ".join(f"{name} {value}" for name, value in made.items()) + "."]
        return "\n".join(lines) + "\n"


def _groups(ranking: Ranking) -> list[str]:
    groups = (one for one in ranking.groups if one.variant == WHOLE)
    rows = ([one.name, f"{one.questions:,}", *(share(one.measures[name]) for name in COLUMNS)] for one in groups)
    return table(["group", "questions", *COLUMNS], rows)


def _variants(ranking: Ranking) -> list[str]:
    """What each signal is worth: empty when nothing was left out."""
    groups = [one for one in ranking.groups if one.name in ranking.parts]
    if all(one.variant == WHOLE for one in groups):
        return []
    head = ["variant", *(f"{part}: {measure}" for part in ranking.parts for measure in COMPARED)]
    rows = {
        variant: [share(one.measures[measure]) for one in groups if one.variant == variant for measure in COMPARED]
        for variant in dict.fromkeys(one.variant for one in groups)
    }
    return ["", *table(head, ([variant, *cells] for variant, cells in rows.items()))]


def _returned(returned: Returned) -> list[str]:
    head = ["questions", "number", "hits", "tokens", "precision", "recall", "any", "nothing returned"]
    rows = [
        [
            "with an answer",
            f"{returned.questions:,}",
            number(returned.hits),
            number(returned.tokens, 0),
            *map(share, (returned.precision, returned.recall, returned.any, returned.silent)),
        ]
    ]
    if returned.without_answer:
        silent, hits = returned.without_answer_silent, returned.without_answer_hits
        rows.append(
            ["without an answer", f"{returned.without_answer:,}", number(hits), *map(share, [None] * 4), share(silent)]
        )
    return table(head, rows)


def _cost(times: Times, ingest: Ingest) -> list[str]:
    asked = (
        f"- a question, warm: recall {times.recall_median:.1f} ms (median; 95th percentile {times.recall_p95:.1f} ms), "
        f"deep ranking {times.ranking_median:.1f} ms ({times.ranking_p95:.1f} ms)"
    )
    recorded = (
        f"- {ingest.items:,} items recorded at {number(ingest.recorded_per_second, 0)} a second, found by their words "
        f"from then on; {ingest.vectors:,} vectors: "
    )
    if ingest.vectors_per_second is None or ingest.model_per_second is None:
        return [asked, recorded + "how fast they are made was not measured, since a cache of vectors was used"]
    part = ingest.vectors_per_second / ingest.model_per_second
    made = (
        f"{number(ingest.vectors_per_second)} a second with recording, {100 * part:.0f} % of what the model alone makes"
    )
    return [asked, recorded + made]
