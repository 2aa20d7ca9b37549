"""The sentences of what somebody said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.record.sentences import is_question, sentences


def test_sentences_and_lines_are_found_verbatim() -> None:
    assert sentences("- Use v1.2 of it!\r\n- Why? See a.py") == ["Use v1.2 of it!", "Why?", "See a.py"]


@pytest.mark.parametrize("sentence", ["Does it hold?", "what is in payment.py", "Why not"])
def test_a_mark_or_a_first_word_asks(sentence: str) -> None:
    assert is_question(sentence)


@pytest.mark.parametrize("sentence", ["What we need is a queue.", "When it rains the line drops", "Do not swallow it"])
def test_a_statement_does_not_ask(sentence: str) -> None:
    assert not is_question(sentence)


@given(st.text(max_size=300))
def test_every_sentence_stands_in_the_text(text: str) -> None:
    assert all(sentence in text for sentence in sentences(text))
