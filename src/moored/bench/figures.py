"""From answers to figures: the means over questions, by group and by variant, and what a question costs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from moored.bench.metrics import gold_of, in_units, means, measured
from moored.bench.report import WHOLE, Group, Ingest, Ranking, Returned, Times

if TYPE_CHECKING:
    from moored.bench.asking import Answer
    from moored.bench.cases import Case, Question
    from moored.bench.metrics import Unit
    from moored.bench.variants import Variant

ALL = "all"


class Asked(NamedTuple):
    """The answers of one case, with the unit that each of its items is in, by the name of the unit."""

    case: Case
    units: dict[str, dict[str, Unit]]
    answers: list[Answer]


class Spent(NamedTuple):
    """What filling one case took. Times are in seconds."""

    items: int
    vectors: int
    recording: float
    encoding: float


class _Scored(NamedTuple):
    """The measures of one question, by the title of the variant that ranked."""

    question: Question
    half: str
    by_variant: dict[str, dict[str, float]]


def ranking(unit: str, asked: Sequence[Asked], variants: Sequence[Variant]) -> Ranking:
    """The means of one unit, for each variant over all, by half, by group and by category."""
    rows: dict[tuple[str, str], list[dict[str, float]]] = {}
    halves = sorted({one.case.half for one in asked}, reverse=True)
    parts: dict[str, None] = dict.fromkeys([ALL, *halves] if len(halves) > 1 else [ALL])
    for question, half, by_variant in _scored(unit, asked, variants):
        parts.update(dict.fromkeys(question.groups))
        within = (ALL, half, *question.groups) if len(halves) > 1 else (ALL, *question.groups)
        for title, values in by_variant.items():
            for name in (*within, question.category):
                rows.setdefault((title, name), []).append(values)
    categories = sorted({name for _, name in rows}.difference(parts))
    titles = list(dict.fromkeys(title for title, _ in rows))
    keys = [(title, name) for name in (*parts, *categories) for title in titles]
    groups = [Group(*key, len(rows[key]), means(rows[key])) for key in keys if key in rows]
    return Ranking(unit, tuple(parts), tuple(groups))


def _scored(unit: str, asked: Sequence[Asked], variants: Sequence[Variant]) -> Iterator[_Scored]:
    for case, units, answers in asked:
        for answer in answers:
            if gold := gold_of(unit, answer.question, units[unit]):
                orders = {variant.title: answer.variants[variant.name] for variant in variants}
                values = {
                    title: measured(gold, in_units(unit, order, units[unit]))
                    for title, order in {WHOLE: answer.ranked, **orders}.items()
                }
                yield _Scored(answer.question, case.half, values)


def returned(answers: Sequence[Answer]) -> Returned:
    """What came back from `recall` as it is usually asked."""
    ranked = [answer for answer in answers if answer.question.gold]
    without = [answer for answer in answers if not answer.question.answerable]
    right = [(len(set(answer.returned).intersection(answer.question.gold)), answer) for answer in ranked]
    return Returned(
        questions=len(ranked),
        hits=_mean(len(answer.returned) for answer in ranked),
        tokens=_mean(answer.tokens for answer in ranked),
        precision=_mean(count / len(answer.returned) for count, answer in right if answer.returned),
        recall=_mean(count / len(answer.question.gold) for count, answer in right),
        any=_mean(count > 0 for count, _ in right),
        silent=_mean(not answer.returned for answer in ranked),
        without_answer=len(without),
        without_answer_hits=_mean(len(answer.returned) for answer in without),
        without_answer_silent=_mean(not answer.returned for answer in without),
    )


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return statistics.fmean(numbers) if numbers else None


def times(answers: Sequence[Answer]) -> Times:
    """What a question takes, by the clock."""
    recall = [answer.recall_ms for answer in answers]
    deep = [answer.ranking_ms for answer in answers]
    return Times(statistics.median(recall), percentile(recall), statistics.median(deep), percentile(deep))


def percentile(values: Sequence[float]) -> float:
    """The value that 95 of 100 do not exceed."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def ingest(spent: Sequence[Spent], model: float | None) -> Ingest:
    """How fast items were recorded and got their vectors.

    `model` is how many seconds the model itself worked, None where vectors came from a cache, which says nothing of it.
    """
    items, vectors = sum(one.items for one in spent), sum(one.vectors for one in spent)
    recording, encoding = sum(one.recording for one in spent), sum(one.encoding for one in spent)
    return Ingest(
        items=items,
        vectors=vectors,
        recorded_per_second=items / recording,
        vectors_per_second=None if model is None else vectors / (recording + encoding),
        model_per_second=vectors / model if model else None,
    )


def missed(answers: Sequence[Answer]) -> Iterator[str]:
    """The keys of the questions of which no gold id is among the first ten."""
    for answer in answers:
        if answer.question.gold and not set(answer.ranked[:10]).intersection(answer.question.gold):
            yield answer.question.key
