"""Recall: what comes back for a question, with its verdict, its evidence and its receipt."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from moored.embed.fake import HashingEmbedder, HashingPieceEmbedder
from moored.embed.static import StaticEmbedder
from moored.errors import MooredError
from moored.model.episodes import Role
from moored.model.notes import Change, State
from moored.model.recall import Hit, HitKind
from moored.recall.policy import Policy
from moored.recall.weights import WEIGHTS
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from conftest import Desk
    from moored.embed.port import Question

NOTES = Policy(kinds=(HitKind.NOTE,))
EPISODES = Policy(kinds=(HitKind.EPISODE,))


def test_a_note_is_found_by_its_words_and_says_what_it_rests_on(harbour: Desk) -> None:
    hit = harbour.recall("why do we retry lifting when the winch slips?").hits[0]
    assert hit.kind is HitKind.NOTE
    assert hit.verdict.state is State.CURRENT
    said, about = hit.evidence
    assert (said.source, said.trust) == ("agent", "agent")
    assert said.id.startswith("ep_")
    assert (about.where, about.source) == ("crane.py:4", "code")


@pytest.mark.invariant("I-14")
def test_every_hit_names_its_evidence_and_the_receipt_adds_up(harbour: Desk) -> None:
    answer = harbour.recall("winch noise tariffs migration crane", Policy(limit=2))
    assert all(hit.evidence for hit in answer.hits)
    receipt = answer.receipt
    assert receipt.returned == len(answer.hits) == 2
    assert receipt.matched == receipt.returned + receipt.omitted_count
    assert receipt.tokens == sum(hit.tokens for hit in answer.hits)
    assert {omitted.reason for omitted in receipt.omitted} <= {"limit", "below the floor", "far below the best"}


def test_a_score_follows_from_its_signals(harbour: Desk) -> None:
    harbour.embedder = HashingPieceEmbedder()
    harbour.record(
        "I heard the crane winch squeak in the rain yesterday. The `lift_container` job was late.", session="a"
    )
    harbour.record("Then oil the winch before the rain comes.", Role.ASSISTANT, session="a")
    harbour.fill_anew()
    hits = harbour.recall("When did I say that Crane.lift_container had a winch in the rain, was it yesterday?").hits
    priors = set(WEIGHTS._fields) - {"words", "dense", "late", "session", "fact"}
    assert {"late", "date", "role", "timed", "mention"} <= {name for hit in hits for name in hit.signals}
    assert {HitKind.NOTE, HitKind.EPISODE, HitKind.FACT} == {hit.kind for hit in hits}
    for hit in hits:
        s, w = hit.signals, WEIGHTS
        if hit.kind is HitKind.FACT:
            told = w.fact * s.get("words", 0.0)
        else:
            told = sum(getattr(w, name) * s[name] for name in ("words", "dense", "late"))
        told += sum(getattr(w, name) * s.get(name, 0.0) for name in priors)
        told += w.session * s["session"]
        assert s["fused"] == pytest.approx(told, abs=1e-5)
        factors = math.prod(s.get(name, 1.0) for name in ("stale", "superseded", "corrected", "disputed"))
        assert hit.score == pytest.approx(s["fused"] * factors, abs=1e-5)


def test_what_is_said_in_the_same_session_adds_to_a_score(harbour: Desk) -> None:
    harbour.record("The tide gauge is stuck.", session="a")
    harbour.record("Replace the gauge at low tide, then.", Role.ASSISTANT, session="a")
    harbour.fill()
    best, second = harbour.recall("tide gauge stuck", EPISODES).hits[:2]
    assert best.signals["session"] == second.signals["session"] > second.score - WEIGHTS.session * best.score


def test_a_symbol_that_is_named_comes_up_as_a_fact_and_so_do_the_notes_about_it(harbour: Desk) -> None:
    hits = harbour.recall("Crane.lift_container").hits
    assert {hit.kind for hit in hits[:2]} == {HitKind.NOTE, HitKind.FACT}
    fact = next(hit for hit in hits if hit.kind is HitKind.FACT)
    assert fact.text.splitlines() == [
        "crane.py::Crane.lift_container",
        "def lift_container(self, weight, retries=3)",
        "Lift one container and put it on the quay.",
    ]
    assert fact.evidence[0].where == "crane.py:4"


@pytest.mark.parametrize(
    ("question", "address"),
    [
        ("lift_container", "crane.py::Crane.lift_container"),
        ("what is crane.max-weight set to", "harbour.toml::crane.max-weight"),
        ("crane.py", "crane.py"),
        ("how did `pytest -q tests/quay` end?", "$ pytest -q tests/quay"),
        ("crane.py::Crane", "crane.py::Crane"),
    ],
)
def test_what_is_named_exactly_is_found(harbour: Desk, question: str, address: str) -> None:
    facts = [hit for hit in harbour.recall(question).hits if hit.kind is HitKind.FACT]
    assert facts[0].text.splitlines()[0] == address


def test_an_id_finds_the_thing_itself_first(harbour: Desk) -> None:
    episode = harbour.record("A remark about nothing.")
    assert harbour.ids_of(f"winch rain retries {episode}")[0] == episode


def test_the_output_of_a_tool_is_found_by_what_the_tool_was_asked(harbour: Desk) -> None:
    hit = harbour.recall("pytest quay", EPISODES).hits[0]
    assert hit.text == "Bash: pytest -q tests/quay\n3 passed, 1 failed"
    assert hit.evidence[0].trust == "data"


def test_a_fact_at_the_end_of_a_long_text_is_found_and_its_part_is_shown(desk: Desk) -> None:
    filler = "".join(f"Line {number} of the log says nothing of note about the weather.\n" for number in range(3_500))
    episode = desk.record(filler + "The spare key hangs behind the periscope.\n", Role.TOOL)
    answer = desk.recall("Where is the spare key? periscope")
    assert [hit.id for hit in answer.hits] == [episode]
    assert "The spare key hangs behind the periscope." in answer.hits[0].text
    assert answer.hits[0].text.startswith("…")
    assert f"[the whole: {episode}]" in answer.hits[0].text
    assert answer.hits[0].tokens <= 400


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("部署前请先备份数据库。", "备份"),
        ("The launch went fine 🚀 at noon.", "🚀"),
        ("Run the pre-edit hook before saving.", "pre-edit"),
        ("The bus moves 12 GB/s at most.", "GB/s"),
        ("We don't ship on Fridays.", "don't ship"),
        ("Write the ratio as a:b in the table.", "a:b"),
        ("Look into forgetUserName for the reason.", "getUserName"),
    ],
)
def test_special_words_find_what_holds_them(desk: Desk, text: str, question: str) -> None:
    desk.embedder = None
    episode = desk.record(text)
    desk.record("Something else was said here.")
    assert desk.ids_of(question) == [episode]


@pytest.mark.parametrize("question", ["", " ", "***", "NEAR(", '"', "\0", "AND OR NOT", "-", "\ud800"])
def test_a_question_of_syntax_alone_finds_nothing_and_does_no_harm(harbour: Desk, question: str) -> None:
    answer = harbour.recall(question)
    assert answer.hits == ()
    assert answer.receipt.matched == 0


@pytest.mark.parametrize(
    "question",
    ["Which sourdough recipe did grandmother bake with cinnamon?", "zebra giraffe quokka", "best banana bread ever"],
)
def test_a_question_about_something_else_is_not_answered(harbour: Desk, question: str) -> None:
    answer = harbour.recall(question)
    assert answer.hits == ()
    assert all(omitted.reason == "below the floor" for omitted in answer.receipt.omitted)


@pytest.mark.invariant("I-04", "I-05")
def test_a_note_goes_stale_with_its_source_and_heals_with_it(harbour: Desk) -> None:
    question = "why retry when the winch slips?"
    fresh = harbour.recall(question).hits[0]
    source = (harbour.root / "crane.py").read_text()
    harbour.write("crane.py", source.replace("retries=3", "retries=5"))
    stale = next(hit for hit in harbour.recall(question).hits if hit.id == fresh.id)
    assert harbour.changed == {"crane.py"}
    assert stale.verdict.state is State.STALE
    assert stale.verdict.change is Change.SIGNATURE
    assert stale.verdict.current == "def lift_container(self, weight, retries=5)"
    assert stale.score == pytest.approx(fresh.score * 0.35, abs=1e-5)
    assert stale.signals["stale"] == 0.35
    assert harbour.recall(question, NOTES).receipt.stale == 1
    (harbour.root / "crane.py").unlink()
    assert next(hit for hit in harbour.recall(question).hits if hit.id == fresh.id).verdict.current == "gone"
    harbour.write("crane.py", source)
    assert harbour.recall(question).hits[0] == fresh


@pytest.mark.invariant("I-05")
def test_a_stale_note_gives_way_to_a_current_one_that_matched_less(harbour: Desk) -> None:
    worse = harbour.remember("The winch slips less in the rain when oiled.")
    harbour.fill()
    question = "retry winch slips rain"
    assert harbour.ids_of(question, NOTES)[-1] == worse
    harbour.write("crane.py", "class Crane:\n    pass\n")
    assert harbour.ids_of(question, NOTES)[0] == worse


def test_stale_hits_can_be_left_out_and_are_accounted_for(harbour: Desk) -> None:
    (harbour.root / "crane.py").unlink()
    answer = harbour.recall("retry winch slips rain", Policy(kinds=(HitKind.NOTE,), include_stale=False))
    assert answer.hits == ()
    assert [omitted.reason for omitted in answer.receipt.omitted] == ["stale"]


@pytest.mark.invariant("I-04")
def test_a_fact_is_shown_against_the_file_as_it_is_now(harbour: Desk) -> None:
    source = (harbour.root / "crane.py").read_text()
    harbour.write("crane.py", "\n\n" + source.replace("retries=3", "retries=7"))

    def shown() -> Hit:
        return next(hit for hit in harbour.recall("lift_container").hits if hit.text.startswith("crane.py::Crane.lift"))

    fact = shown()
    assert fact.verdict.state is State.STALE
    assert fact.verdict.current == "def lift_container(self, weight, retries=7)"
    assert fact.evidence[0].where == "crane.py:6"
    (harbour.root / "crane.py").unlink()
    assert shown().verdict.current == "gone"


def test_a_corrected_episode_is_marked_when_alone_and_left_out_beside_its_correction(desk: Desk) -> None:
    wrong = desk.record("The beacon blinks every nine seconds.")
    right = desk.record("Sorry: six. The beacon blinks every six seconds.", corrects=wrong)
    answer = desk.recall("beacon blinks seconds")
    assert [hit.id for hit in answer.hits] == [right]
    assert [(omitted.id, omitted.reason) for omitted in answer.receipt.omitted] == [(wrong, "superseded")]
    alone = desk.recall("nine").hits[0]
    assert alone.id == wrong
    assert alone.verdict.state is State.SUPERSEDED
    assert alone.verdict.current == f"{right}: Sorry: six. The beacon blinks every six seconds."
    assert alone.signals["corrected"] == 0.35


def test_a_superseded_note_gives_its_place_to_its_successor(desk: Desk) -> None:
    old = desk.remember("Pilots board at the outer buoy.")
    new = desk.remember("Pilots board at the inner buoy since May.", supersedes=old)
    answer = desk.recall("where do pilots board? buoy")
    assert [hit.id for hit in answer.hits] == [new]
    assert (old, "superseded") in [(omitted.id, omitted.reason) for omitted in answer.receipt.omitted]
    alone = desk.recall("outer")
    assert [(hit.id, hit.signals["successor"]) for hit in alone.hits] == [(new, 1.0)]
    assert (old, "superseded") in [(omitted.id, omitted.reason) for omitted in alone.receipt.omitted]


def test_a_superseded_note_stays_where_its_successor_is_not_asked(desk: Desk) -> None:
    old = desk.remember("Pilots board at the outer buoy.", tags=("pilots",))
    desk.remember("Pilots board at the inner buoy since May.", supersedes=old, tags=("moved",))
    hit = desk.recall("outer buoy", NOTES._replace(tags=("pilots",))).hits[0]
    assert (hit.id, hit.verdict.state) == (old, State.SUPERSEDED)


def test_the_last_of_several_corrections_is_named(desk: Desk) -> None:
    first = desk.record("Berth nine is free.")
    second = desk.record("No, berth eight is.", corrects=first)
    third = desk.record("In truth none is.", corrects=second)
    hit = desk.recall("nine free").hits[0]
    assert (hit.id, hit.verdict.current) == (first, f"{third}: In truth none is.")


def test_the_last_of_several_successors_is_answered(desk: Desk) -> None:
    first = desk.remember("Berth nine is free.")
    second = desk.remember("Only number eight remains.", supersedes=first)
    third = desk.remember("All are taken.", supersedes=second)
    assert desk.ids_of("nine free") == [third]


def test_a_note_and_the_episode_in_which_it_was_said_are_one_hit(desk: Desk) -> None:
    note = desk.remember("Pilots board at the outer buoy.")
    assert desk.ids_of("pilots outer buoy") == [note]
    assert [hit.kind for hit in desk.recall("pilots outer buoy", EPISODES).hits] == [HitKind.EPISODE]


def test_the_first_words_of_a_revised_note_are_marked_as_superseded(desk: Desk) -> None:
    note = desk.remember("Pilots board at the outer buoy.")
    desk.revise(note, "The boarding place moved to the northern pier.")
    hit = desk.recall("outer buoy").hits[0]
    assert hit.kind is HitKind.EPISODE
    assert hit.verdict.state is State.SUPERSEDED
    assert hit.verdict.current == f"{note}: The boarding place moved to the northern pier."
    assert desk.ids_of("boarding place northern pier outer buoy pilots") == [note]


def test_the_same_text_is_returned_once(desk: Desk) -> None:
    for _ in range(3):
        desk.record("Please continue with the ballast tanks.")
    answer = desk.recall("ballast tanks")
    assert len(answer.hits) == 1
    assert [omitted.reason for omitted in answer.receipt.omitted] == ["duplicate", "duplicate"]


def test_the_windows_of_one_episode_are_one_hit(desk: Desk) -> None:
    desk.record("The hull was inspected. " * 200)
    assert len(desk.recall("hull inspected").hits) == 1


def test_a_note_is_shown_whole_or_not_at_all(desk: Desk) -> None:
    long = desk.remember("The lighthouse " + "keeps its lamp burning all night and " * 40 + "rests by day.")
    short = desk.remember("The lighthouse has a new lamp.")
    answer = desk.recall("lighthouse lamp", Policy(kinds=(HitKind.NOTE,), budget=60))
    assert [hit.id for hit in answer.hits] == [short]
    assert (long, "budget") in [(omitted.id, omitted.reason) for omitted in answer.receipt.omitted]


def test_the_receipt_counts_all_that_was_left_out_and_lists_the_best(desk: Desk) -> None:
    for number in range(80):
        desk.record(f"Container {number} arrived.")
    receipt = desk.recall("container arrived", Policy(limit=3)).receipt
    assert (receipt.returned, receipt.omitted_count, len(receipt.omitted)) == (3, 77, 50)


def test_a_hidden_episode_is_not_answered(desk: Desk) -> None:
    kept = desk.record("The ferry leaves at dawn.")
    hidden = desk.record("The ferry leaves at noon.")
    desk.fill()
    assert set(desk.ids_of("ferry leaves")) == {kept, hidden}
    with desk.store.write() as transaction:
        transaction.operations.begin(desk.project, "op_1", "import", "a transcript", 1, actor="import")
        transaction.operations.attribute(desk.project, "op_1", [hidden])
        transaction.operations.hide(desk.project, "op_1")
    assert desk.ids_of("ferry leaves") == [kept]


@pytest.mark.invariant("I-22")
def test_what_could_not_play_its_part_is_named(harbour: Desk) -> None:
    assert harbour.recall("winch").receipt.degraded == ()
    harbour.record("Another word about the winch.")
    assert harbour.recall("winch").receipt.degraded == ("dense: 1 text waits for a vector",)
    harbour.embedder = None
    assert harbour.recall("winch", tree=False).receipt.degraded == (
        "facts: no tree was named to take them from",
        "dense: there is no embedder, so nothing was found by meaning",
    )


@pytest.mark.invariant("I-22")
def test_without_a_tree_a_note_is_not_called_current(harbour: Desk) -> None:
    hit = harbour.recall("retry winch slips", NOTES, tree=False).hits[0]
    assert hit.verdict.state is State.UNVERIFIABLE


@pytest.mark.invariant("I-11")
def test_recall_answers_from_a_store_that_cannot_be_written(harbour: Desk) -> None:
    expected = harbour.recall("winch slips tariffs")
    path = harbour.store.path
    harbour.store.close()
    before = path.read_bytes()
    harbour.store = Store(path, read_only=True)
    assert harbour.recall("winch slips tariffs") == expected
    harbour.store.close()
    assert path.read_bytes() == before
    assert os.access(path, os.R_OK)


def test_without_vectors_no_model_is_loaded(desk: Desk) -> None:
    desk.embedder = StaticEmbedder(desk.root / "no such model")
    assert desk.recall("anything").receipt.degraded == ()
    desk.record("The tide is low.")
    assert desk.recall("tide").receipt.degraded == ("dense: 1 text waits for a vector",)


@pytest.mark.invariant("I-16", "I-22")
def test_vectors_of_another_model_are_not_compared_and_that_is_said(desk: Desk) -> None:
    desk.record("The tide is low.")
    desk.fill()
    desk.embedder = HashingEmbedder(32)
    answer = desk.recall("tide")
    assert "cosine" not in answer.hits[0].signals
    assert answer.receipt.degraded == (
        "dense: there are no vectors of hashing-32@1 yet, only 1 of hashing-64@1, which are not comparable",
    )


class Broken(HashingEmbedder):
    """An embedder whose endpoint went down."""

    def question(self, text: str) -> Question:
        raise MooredError(f"The endpoint does not answer to {len(text)} characters. Start it.")

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise MooredError(f"The endpoint does not answer to {len(texts)} text. Start it.")


@pytest.mark.invariant("I-22")
def test_an_embedder_that_fails_leaves_the_answer_to_the_words_and_is_named(harbour: Desk) -> None:
    harbour.embedder = Broken()
    answer = harbour.recall("why do we retry lifting when the winch slips?")
    assert answer.hits[0].kind is HitKind.NOTE
    assert all("cosine" not in hit.signals for hit in answer.hits)
    assert answer.receipt.degraded == (
        "dense: hashing-64@1 cannot be asked: The endpoint does not answer to 45 characters. Start it.",
    )


@pytest.mark.invariant("I-22")
def test_the_first_pass_answers_in_place_of_an_embedder_that_fails(harbour: Desk) -> None:
    harbour.embedder = HashingEmbedder(32)
    with harbour.store.write() as transaction:
        transaction.vectors.requeue_missing(harbour.embedder.model)
    harbour.fill()
    working, down = HashingEmbedder(), Broken(32)
    harbour.embedder, harbour.first = down, working
    answer = harbour.recall("winch slips retry lifting")
    assert answer.hits[0].signals["dense"] > 0
    assert answer.receipt.degraded == (
        "dense: hashing-32@1 cannot be asked: The endpoint does not answer to 25 characters. Start it.",
    )
    harbour.first = Broken()
    assert harbour.recall("winch slips retry lifting").receipt.degraded[1:] == (
        "dense: hashing-64@1 cannot be asked: The endpoint does not answer to 1 text. Start it.",
    )


def test_other_projects_are_counted(harbour: Desk) -> None:
    harbour.beside("marina")
    assert harbour.recall("winch").receipt.other_projects == 1


def test_loading_the_selector_loads_no_heavy_module() -> None:
    code = (
        "import sys, moored.recall.selector; print(*sorted({'numpy', 'tokenizers', 'tree_sitter'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
