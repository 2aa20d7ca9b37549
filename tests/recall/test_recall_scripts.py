"""Questions in scripts that the models which come along do not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moored.embed.minilm import minilm
from moored.model.terms import is_mostly_cjk, query_terms

if TYPE_CHECKING:
    from conftest import Desk

SAID = [
    "潮汐表の移行は来週に延期します。",
    "キャッシュの有効期限は三十分に設定した。",
    "部署脚本在周五晚上不能运行。",
    "日志保留九十天。",
    "We shipped the crane service 🚀 on a Friday.",
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("潮汐", 0),
        ("キャッシュの有効期限は?", 1),
        ("什么时候不能部署?", 2),
        ("日志保留多久?", 3),
        ("🚀", 4),
    ],
)
def test_what_the_model_cannot_read_is_found_by_its_words_alone(desk: Desk, question: str, said: int) -> None:
    desk.embedder = minilm()
    episodes = [desk.record(text) for text in SAID]
    for number in range(20):
        desk.record(f"The harbour office writes down remark {number} about the weather.")
    desk.fill()
    answer = desk.recall(question)
    assert [hit.id for hit in answer.hits] == [episodes[said]]
    assert answer.receipt.degraded == (
        "dense: minilm-l6-384@1 reads English, so this was looked for by its words alone",
    )
    assert desk.recall("今天天气怎么样?").hits == ()


@pytest.mark.parametrize(
    ("text", "mostly"),
    [("", False), ("winch", False), ("é", False), ("库", True), ("deploy 🚀", False), ("为什么用PostgreSQL", True)],
)
def test_a_text_is_told_by_the_script_of_most_of_its_words(text: str, mostly: bool) -> None:
    assert is_mostly_cjk(text) is mostly


def test_what_asks_in_a_question_is_no_term_unless_it_is_all_there_is() -> None:
    assert query_terms("什么时候部署吗") == ("部署",)
    assert query_terms("什么") == ("什么",)
