"""What the words of a user tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.context.wording import asks_for_nothing, decisions, is_small_talk


@pytest.mark.parametrize(
    "prompt", ["", "continue", "Yes, please!", "ok, go ahead", "Thanks, that looks great", "hello", "weiter", "no", "…"]
)
def test_small_talk_asks_for_nothing(prompt: str) -> None:
    assert is_small_talk(prompt)
    assert asks_for_nothing(prompt)


@pytest.mark.parametrize(
    "prompt", ["run the tests", "please add a docstring", "Fix it and commit", "explain this code"]
)
def test_an_order_in_general_words_asks_for_nothing_but_is_no_small_talk(prompt: str) -> None:
    assert asks_for_nothing(prompt)
    assert not is_small_talk(prompt)


@pytest.mark.parametrize(
    "prompt",
    ["how do we run the tests", "Which file?", "fix the winch", "Session.send", "設備清单", "run tests/test_a.py"],
)
def test_a_question_and_anything_with_a_word_of_its_own_asks_for_something(prompt: str) -> None:
    assert not asks_for_nothing(prompt)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("No, use a backoff instead. Then run it.", ("No, use a backoff instead.",)),
        ("Never touch main. Always rebase!", ("Never touch main.", "Always rebase!")),
        ("Should we never do that?", ()),
        ("- don't use v1.2 of it\n- look at a.py", ("don't use v1.2 of it",)),
        ("Look at the file.", ()),
        ("We decided on apsw. We decided on apsw.", ("We decided on apsw.",)),
        ("must " + "x" * 400, ()),
    ],
)
def test_sentences_that_decide_are_found_verbatim(prompt: str, said: tuple[str, ...]) -> None:
    assert decisions(prompt) == said


@given(st.text(max_size=400))
def test_what_is_found_stands_in_the_prompt(prompt: str) -> None:
    assert all(sentence in prompt for sentence in decisions(prompt))
    assert isinstance(asks_for_nothing(prompt), bool)
