"""A set goes into a memory by the usual way in, is asked by the usual way out, and the report says what came of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import made_up
import numpy as np
import pytest

from moored.bench.asking import Answer
from moored.bench.beam import CODING
from moored.bench.cached import CachedEmbedder
from moored.bench.cases import TEST, TUNE, Case, Question
from moored.bench.figures import Asked, Spent, ingest, missed, percentile, ranking, returned
from moored.bench.filling import filled
from moored.bench.longmemeval import WITH_ANSWER
from moored.bench.measuring import measure
from moored.bench.report import WHOLE, Report
from moored.bench.sets import SETS
from moored.bench.variants import COMPARED, signals, variants
from moored.embed import Encoded, HashingPieceEmbedder, Passage
from moored.errors import InvalidInput
from moored.recall.policy import RANKING


class Counting(HashingPieceEmbedder):
    """Counts the passages that it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        self.asked += len(passages)
        return super().passages(passages)


def measures(report: Report, unit: str, group: str = "all", variant: str = WHOLE) -> dict[str, float]:
    (found,) = (
        one.measures
        for ranking in report.rankings
        if ranking.unit == unit
        for one in ranking.groups
        if (one.variant, one.name) == (variant, group)
    )
    return dict(found)


def answer(gold: str, ranked: str, returned: str = "", *, answerable: bool = True, **variants: str) -> Answer:
    question = Question(f"q/{gold}{ranked}", "?", "kind", tuple(gold.split()), answerable=answerable)
    orders = {name: tuple(order.split()) for name, order in variants.items()}
    return Answer(question, tuple(ranked.split()), tuple(returned.split()), 10, 4.0, 2.0, orders, ())


def test_locomo_is_measured_by_turns_chunks_and_sessions(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    report = measure(SETS["locomo"], made_up.locomo(tmp_path), embedder=HashingPieceEmbedder(), run=run)
    assert (report.memories, report.questions, report.ingest.items) == (2, 3, 6)
    assert [one.unit for one in report.rankings] == ["items", "chunks", "sessions"]
    assert measures(report, "items", TEST)["recall@1"] == 1
    assert measures(report, "sessions")["recall@5"] == 1
    assert report.returned.without_answer == 1
    lines = [json.loads(line) for line in run.read_text(encoding="utf-8").splitlines()]
    assert [line["key"] for line in lines] == ["talk-1/0", "talk-1/1", "talk-2/0"]
    assert lines[0]["ranked"][0] == "D1:1"
    chunks = [json.loads(line) for line in (tmp_path / "run.chunks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert chunks[0]["ranked"][0] == ["D1:1", "D1:2"]


def test_one_half_alone_is_filled_and_asked(tmp_path: Path) -> None:
    report = measure(SETS["locomo"], made_up.locomo(tmp_path), embedder=HashingPieceEmbedder(), half=TEST)
    assert (report.memories, report.questions, report.half) == (1, 1, TEST)
    assert "the test half" in report.text()


def test_beam_is_measured_with_its_coding_chats_apart(tmp_path: Path) -> None:
    report = measure(SETS["beam"], made_up.beam(tmp_path), embedder=HashingPieceEmbedder(), variants=variants([]))
    (ranked,) = report.rankings
    assert ranked.parts == ("all", TUNE, TEST, CODING)
    counts = {one.name: one.questions for one in ranked.groups if one.variant == WHOLE}
    assert counts == {"all": 6, TUNE: 2, TEST: 4, CODING: 4, "event ordering": 3, "information extraction": 3}
    assert {one.variant for one in ranked.groups} == {WHOLE, *(one.title for one in variants([]))}
    assert "| only dense |" in report.text()


def test_longmemeval_counts_questions_with_an_answer_and_all(tmp_path: Path) -> None:
    report = measure(SETS["longmemeval"], made_up.longmemeval(tmp_path), embedder=HashingPieceEmbedder())
    turns, sessions = report.rankings
    assert {one.name: one.questions for one in sessions.groups if one.name in sessions.parts} == {
        "all": 2,
        TUNE: 1,
        TEST: 1,
        WITH_ANSWER: 1,
    }
    assert [one.questions for one in turns.groups if one.name == "all"] == [1]
    assert report.ingest.items == 5


def test_devbench_is_written_as_notes_and_has_no_halves(tmp_path: Path) -> None:
    data = made_up.devbench(tmp_path)
    report = measure(SETS["devbench"], data, embedder=HashingPieceEmbedder())
    assert measures(report, "items")["any@1"] == 1
    assert (report.memories, report.questions, report.returned.without_answer) == (1, 1, 1)
    with pytest.raises(InvalidInput, match="no tune half"):
        measure(SETS["devbench"], data, embedder=HashingPieceEmbedder(), half=TUNE)


def test_the_same_data_gives_the_same_report_but_for_times(tmp_path: Path) -> None:
    data = made_up.locomo(tmp_path)
    first, second = (measure(SETS["locomo"], data, embedder=HashingPieceEmbedder()) for _ in range(2))
    assert first.rankings == second.rankings
    assert (first.data_hash, first.returned, first.missed) == (second.data_hash, second.returned, second.missed)


def test_an_episode_is_recorded_with_its_author_its_time_and_its_role(tmp_path: Path) -> None:
    case = next(SETS["locomo"].read(made_up.locomo(tmp_path)))
    with filled(case, tmp_path / "store", HashingPieceEmbedder()) as memory:
        by_name = {name: memory.memory.show(episode) for episode, name in memory.names.items()}
        assert memory.vectors == 5
    assert by_name["D2:1"].author == "Odo"
    assert by_name["D2:1"].occurred_at == case.items[2].at
    assert by_name["D2:1"].role == "user"


def test_what_admission_keeps_nothing_of_is_not_among_the_items(tmp_path: Path) -> None:
    case = next(SETS["locomo"].read(made_up.locomo(tmp_path)))
    first, *rest = case.items
    unkept = [first._replace(id=f"{number}", text=text) for number, text in enumerate(("", "<private>key</private>"))]
    with filled(case._replace(items=(*unkept, *rest)), tmp_path / "store", HashingPieceEmbedder()) as memory:
        assert set(memory.names.values()) == {item.id for item in rest}


def test_a_second_measurement_takes_vectors_from_the_cache_and_finds_the_same(tmp_path: Path) -> None:
    data, cache = made_up.locomo(tmp_path), tmp_path / "vectors"
    first, again = Counting(), Counting()
    report = measure(SETS["locomo"], data, embedder=first, cache=cache)
    repeated = measure(SETS["locomo"], data, embedder=again, cache=cache)
    plain = measure(SETS["locomo"], data, embedder=Counting())
    assert first.asked > 0
    assert again.asked == 0
    assert report.rankings == repeated.rankings == plain.rankings
    assert (report.ingest.vectors_per_second, report.ingest.model_per_second) == (None, None)
    assert "a cache of vectors was used" in report.text()
    assert plain.ingest.vectors_per_second is not None
    assert "% of what the model alone makes" in plain.text()


def test_a_cached_passage_is_the_same_to_the_last_bit_and_its_context_counts(tmp_path: Path) -> None:
    passages = [Passage("the winch slips"), Passage("the winch slips", "in the rain"), Passage("")]
    counting = Counting()
    cached = CachedEmbedder(counting, tmp_path)
    first = cached.passages(passages)
    assert counting.asked == 3
    for got, want in zip(
        [*first, *CachedEmbedder(counting, tmp_path).passages(passages)],
        [*HashingPieceEmbedder().passages(passages)] * 2,
        strict=True,
    ):
        assert np.array_equal(got.vector, want.vector)
        assert got.codes == want.codes
    assert counting.asked == 3


def test_a_record_of_the_cache_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    passages = [Passage(f"crane number {number}") for number in range(4)]
    CachedEmbedder(Counting(), tmp_path).passages(passages)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    for asked in (1, 0):
        counting = Counting()
        cached = CachedEmbedder(counting, tmp_path)
        assert [one.codes for one in cached.passages(passages)] == [one.codes for one in Counting().passages(passages)]
        assert counting.asked == asked


def test_two_measurements_may_keep_vectors_in_one_folder_at_a_time(tmp_path: Path) -> None:
    one, other = CachedEmbedder(Counting(), tmp_path), CachedEmbedder(Counting(), tmp_path)
    passages = [Passage(f"crane number {number}") for number in range(6)]
    for at in range(0, 6, 2):
        one.passages(passages[at : at + 1])
        other.passages(passages[at + 1 : at + 2])
    counting = Counting()
    got = CachedEmbedder(counting, tmp_path).passages(passages)
    assert counting.asked == 0
    assert [found.codes for found in got] == [found.codes for found in Counting().passages(passages)]


def test_signals_are_left_out_apart_together_or_but_one() -> None:
    found = {one.name: one for one in variants(["dense, words+date", "each"])}
    assert list(found)[: len(COMPARED)] == list(COMPARED)
    assert set(signals()) <= set(found)
    assert found["words+date"].title == "without words, date"
    weights = found["words+date"].of(RANKING).weights
    assert (weights.words, weights.date, weights.dense) == (0, 0, RANKING.weights.dense)
    only = found["only:dense"].of(RANKING).weights
    assert only.dense == RANKING.weights.dense
    assert not any(value for name, value in only._asdict().items() if name != "dense")


@pytest.mark.parametrize("name", ["nothing", "only:nothing", "dense+nothing"])
def test_an_unknown_signal_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"no signal 'nothing' .* words, dense"):
        variants([name])


def test_means_of_what_is_returned_are_worked_out_by_hand() -> None:
    found = returned(
        [
            answer("a b", "a", "a x"),
            answer("c", "c", ""),
            answer("", "x", "x y z", answerable=False),
            answer("", "", "", answerable=False),
        ]
    )
    assert (found.questions, found.hits, found.precision, found.recall) == (2, 1, 0.5, 0.25)
    assert (found.any, found.silent) == (0.5, 0.5)
    assert (found.without_answer, found.without_answer_hits, found.without_answer_silent) == (2, 1.5, 0.5)


def test_what_was_not_asked_is_unknown_and_not_zero() -> None:
    found = returned([answer("", "", "", answerable=False)])
    assert (found.questions, found.hits, found.precision) == (0, None, None)


def test_a_ranking_has_each_variant_by_part_and_category() -> None:
    (without,) = variants(["date"])[len(COMPARED) :]
    answers = [answer("a", "a b", date="b a"), answer("b", "a b", date="b a")]
    cases = [Case("one", TUNE, (), (), 0), Case("two", TEST, (), (), 0)]
    asked = [Asked(case, {"items": {}}, [one]) for case, one in zip(cases, answers, strict=True)]
    found = ranking("items", asked, [without])
    got = {(one.variant, one.name): one.measures["mrr"] for one in found.groups}
    assert got == {
        (WHOLE, "all"): 0.75,
        (without.title, "all"): 0.75,
        (WHOLE, TUNE): 1,
        (without.title, TUNE): 0.5,
        (WHOLE, TEST): 0.5,
        (without.title, TEST): 1,
        (WHOLE, "kind"): 0.75,
        (without.title, "kind"): 0.75,
    }


def test_missed_are_the_questions_without_gold_in_the_first_ten() -> None:
    far = answer("z", " ".join("bcdefghijk") + " z")
    assert list(missed([answer("a", "a"), far, answer("", "a", answerable=False)])) == [far.question.key]


def test_the_rate_of_vectors_is_held_against_that_of_the_model() -> None:
    found = ingest([Spent(10, 20, 1.0, 4.0), Spent(10, 20, 1.0, 4.0)], 8.0)
    assert (found.recorded_per_second, found.vectors_per_second, found.model_per_second) == (10, 4, 5)


def test_of_a_single_value_it_is_the_percentile() -> None:
    assert percentile([3.0]) == 3.0
    assert percentile([float(one) for one in range(101)]) == 95
