"""The life of statements, measured on a made-up chat: what counts as told, as first and as marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bench.life_gold import UPDATE, Figure, figures, holds, wanted

from bench import life
from moored.bench.cases import Message
from moored.embed import HashingPieceEmbedder
from moored.model.episodes import Role

SAID = (
    "The response time of the crane API is 800 ms.",
    "I've written integration tests for the crane API.",
    "Thanks, that works. I prefer pnpm over npm. Now fix the build.",
    "The response time of the crane API is now 250ms.",
    "I've never written integration tests for the crane API.",
)
CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [{"id": at, "role": "user", "content": text, "time_anchor": f"March-{at + 1}-2024"}]
            for at, text in enumerate(SAID)
        ],
    }
]
QUESTIONS: dict[str, list[dict[str, Any]]] = {
    "knowledge_update": [
        {
            "question": "What is the response time of the crane API?",
            "rubric": ["LLM response should state: 250ms"],
            "source_chat_ids": {"original_info": [0], "updated_info": [3]},
        }
    ],
    "contradiction_resolution": [
        {
            "question": "Have I written integration tests for the crane API?",
            "rubric": [],
            "source_chat_ids": {"first_statement": [4], "second_statement": [1]},
        }
    ],
    "preference_following": [{"question": "Do I prefer pnpm over npm?", "rubric": [], "source_chat_ids": [2]}],
}


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """A folder with one chat, as the test half has them."""
    chat = tmp_path / "100K" / "3"
    chat.mkdir(parents=True)
    for name, content in (("chat", CHAT), ("probing_questions", QUESTIONS), ("topic", {"category": "Coding"})):
        (chat / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def test_each_ability_has_a_row_of_what_was_told_and_marked(chats: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "default_embedder", HashingPieceEmbedder)
    lines = life.run(chats).lines
    assert "| test | 1 | 1 | 1 | 1 | 1 | 1 | 1 |" in lines
    assert "| test | 1 | 0 | 1 | 1 | 1 | 1 |" in lines
    assert "| test, preference | 1 | 1 | 1 | 1 | 1 |" in lines


def test_the_gold_of_an_update_is_read_from_rubric_and_messages(chats: Path) -> None:
    messages = {str(at): Message(str(at), Role.USER, "", text, "1", at) for at, text in enumerate(SAID)}
    update = next(one for one in wanted(chats / "100K" / "3", messages) if one.ability == UPDATE)
    assert update.current == {Figure("250", "ms")}
    assert update.old == {Figure("800", "ms")}
    assert (update.older, update.newer) == ({"0"}, {"3"})


@pytest.mark.parametrize(
    ("text", "told"),
    [("It takes 250 ms.", True), ("It takes 250 MB.", False), ("It takes 1,250 ms.", False), ("It takes long.", False)],
)
def test_a_figure_is_told_where_its_number_stands_with_its_unit(text: str, told: bool) -> None:
    assert holds(text, figures("250ms"), named=False) is told


def test_a_small_bare_number_counts_in_the_named_message_alone() -> None:
    assert not holds("There are 4 cranes.", figures("4"), named=False)
    assert holds("There are 4 cranes.", figures("4"), named=True)
