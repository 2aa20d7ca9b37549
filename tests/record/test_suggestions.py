from __future__ import annotations

import pytest

from moored.model.episodes import Channel
from moored.record.suggestions import suggested_pins


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Never push to main. Thanks!", ("Never push to main.",)),
        ("Please fix it. You must not touch v1.2 of api.py!", ("You must not touch v1.2 of api.py!",)),
        ("don\u2019t worry. You mustn't worry", ("You mustn't worry",)),
        ("From now on, run ruff first\nand go on", ("From now on, run ruff first",)),
        ("Should I always do this?", ()),
        ("Fix the bug in the parser.", ()),
        ("Never again. Never again.", ("Never again.",)),
        ("always " + "very " * 100 + "long", ()),
        ("", ()),
    ],
)
def test_what_sounds_like_a_constraint_is_suggested_verbatim(text: str, expected: tuple[str, ...]) -> None:
    assert suggested_pins(text, Channel.USER) == expected
    assert all(found in text for found in expected)


@pytest.mark.invariant("I-21")
@pytest.mark.parametrize("channel", [Channel.ASSISTANT, Channel.TOOL, Channel.DOCUMENT, Channel.IMPORT])
def test_only_the_users_words_suggest_a_pin(channel: Channel) -> None:
    assert suggested_pins("Never push to main.", channel) == ()
