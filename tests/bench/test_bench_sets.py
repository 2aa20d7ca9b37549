"""Each set is read from its own format into cases."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import made_up
import pytest

from moored.bench import beam, devbench, locomo, longmemeval
from moored.bench.cases import TEST, TUNE, Message, Written
from moored.bench.sets import SETS
from moored.errors import InvalidInput
from moored.model.episodes import Role


def at(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000


def test_turns_of_locomo_come_by_session_with_speaker_picture_and_time(tmp_path: Path) -> None:
    first, second = locomo.read(made_up.locomo(tmp_path))
    assert [item.id for item in first.items] == ["D1:1", "D1:2", "D2:1", "D2:2", "D2:3"]
    assert first.items[0] == Message(
        "D1:1", Role.USER, "Ines", "I bought a lighthouse lamp at the market.", "D1", at(2024, 2, 28, 19, 40)
    )
    assert first.items[3].text == "Here is my new sail. [image: a red sail on a small boat]"
    assert first.asked_at == at(2024, 3, 3, 9, 5)
    assert second.asked_at == at(2024, 1, 1, 0, 15)
    assert (first.half, second.half) == (TUNE, TEST)


def test_questions_of_locomo_keep_their_number_and_those_without_evidence_are_left_out(tmp_path: Path) -> None:
    first, second = locomo.read(made_up.locomo(tmp_path))
    assert [(one.key, one.category, one.gold, one.answerable) for one in first.questions] == [
        ("talk-1/0", "single-hop", ("D1:1",), True),
        ("talk-1/1", "multi-hop", ("D1:2", "D2:1"), True),
        ("talk-1/2", "adversarial", (), False),
    ]
    assert [one.key for one in second.questions] == ["talk-2/0"]


def test_messages_of_beam_lose_the_mark_and_have_the_last_date_before_them(tmp_path: Path) -> None:
    cases = list(beam.read(made_up.beam(tmp_path)))
    assert [(case.name, case.half) for case in cases] == [("1", TUNE), ("2", TEST), ("10", TEST)]
    items = [item for item in cases[0].items if isinstance(item, Message)]
    assert items[0].text == "Always answer in metres when I ask about cranes."
    assert [item.role for item in items[:2]] == [Role.USER, Role.ASSISTANT]
    assert [item.session for item in items] == ["1", "1", "1", "1", "2"]
    days = [at(2024, 3, 15)] * 2 + [at(2024, 3, 20)] * 2 + [at(2024, 4, 2)]
    assert [item.at for item in items] == days


def test_questions_of_beam_gather_the_ids_of_all_parts_and_know_coding_chats(tmp_path: Path) -> None:
    coding, cooking, _ = beam.read(made_up.beam(tmp_path))
    assert [(one.key, one.category, one.gold, one.answerable) for one in coding.questions] == [
        ("1/abstention/0", "abstention", (), False),
        ("1/event_ordering/0", "event ordering", ("2", "4"), True),
        ("1/information_extraction/0", "information extraction", ("0",), True),
    ]
    assert {one.groups for one in coding.questions} == {(beam.CODING,)}
    assert {one.groups for one in cooking.questions} == {()}


def test_longmemeval_has_a_memory_for_each_question_and_gold_of_turns_and_sessions(tmp_path: Path) -> None:
    first, second = longmemeval.read(made_up.longmemeval(tmp_path))
    assert [item.id for item in first.items] == ["s1#0", "s1#1", "s2#0", "s2#1", "s2#2"]
    assert first.items[2].at == at(2024, 5, 21, 10, 0)
    assert first.asked_at == at(2024, 5, 30, 23, 40)
    (question,) = first.questions
    assert (question.gold, question.sessions, question.groups) == (("s2#0",), ("s2",), (longmemeval.WITH_ANSWER,))
    (absent,) = second.questions
    assert (absent.gold, absent.sessions, absent.groups, absent.answerable) == ((), ("s1",), (), False)


def test_memories_of_devbench_are_notes_in_order_of_time_without_the_tags_that_answer(tmp_path: Path) -> None:
    (case,) = devbench.read(made_up.devbench(tmp_path))
    assert case.items[1] == Written(
        "set:decision-1",
        "decision",
        "Chose a queue on disk for the crane's orders, because the network drops at low tide.",
        ("queue",),
        at(2025, 6, 12, 9, 15),
    )
    assert [item.id for item in case.items] == ["set:bug-1", "set:decision-1"]
    assert case.asked_at > case.items[1].at
    assert [(one.gold, one.answerable) for one in case.questions] == [(("set:decision-1",), True), ((), False)]


@pytest.mark.parametrize("name", ["locomo", "longmemeval", "devbench"])
@pytest.mark.parametrize("content", ["no JSON", "17", '[{"a": 1}]', json.dumps({"memories": [{}]})])
def test_a_file_of_another_form_is_refused_by_name(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / "data.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"data\.json"):
        list(SETS[name].read(file))


def test_a_folder_that_is_no_size_of_beam_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no chats of BEAM"):
        list(beam.read(tmp_path))
    chat = made_up.beam(tmp_path) / "2"
    (chat / "chat.json.gz").unlink()
    with pytest.raises(InvalidInput, match=r"There is no chat\.json"):
        list(beam.read(tmp_path / "100K"))
    (chat / "chat.json").write_text('[{"batch_number": 1, "turns": [[{"id": 1}]]}]', encoding="utf-8")
    with pytest.raises(InvalidInput, match="does not hold a chat"):
        list(beam.read(tmp_path / "100K"))
