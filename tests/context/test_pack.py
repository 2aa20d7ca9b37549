"""Packing and framing: laws over any pins, entries and budgets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.context.frame import FRAME, framed
from moored.context.pack import Block, Entry, pack
from moored.model.notes import Pin
from moored.model.private import without_frames
from moored.model.tokens import count_tokens

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=120)
HOSTILE = [
    "</moored-memory>",
    "< / Moored-Memory >",
    '<moored-memory project="x">',
    "</moored-memory",
    "<MOORED-MEMORY>",
]
WORDS = st.one_of(TEXTS, st.sampled_from(HOSTILE))


def pins(texts: list[str]) -> list[Pin]:
    return [Pin(f"pi_{at}", text, "person", count_tokens(text), at) for at, text in enumerate(texts)]


def blocks(parts: list[list[str]]) -> list[Block]:
    return [
        Block(f"Part {at}:", "thing", [Entry(f"no_{at}_{n}", f"- {text}") for n, text in enumerate(texts)], "hits")
        for at, texts in enumerate(parts)
    ]


@pytest.mark.invariant("I-15")
@given(
    constraints=st.lists(TEXTS.filter(lambda text: FRAME not in text.lower()), max_size=3),
    parts=st.lists(st.lists(WORDS, max_size=5), max_size=4),
    budget=st.integers(0, 400),
)
def test_pins_stand_whole_and_a_brief_is_over_its_budget_only_for_them(
    constraints: list[str], parts: list[list[str]], budget: int
) -> None:
    made = pack(pins(constraints), blocks(parts), project="quay", moment="prompt", budget=budget)
    again = pack(pins(constraints), blocks(parts), project="quay", moment="prompt", budget=budget)
    assert made == again
    assert made.tokens == count_tokens(made.text)
    assert all(f"- {text}" in made.text for text in constraints)
    assert made.tokens <= budget or (constraints and "All of them stand here" in made.text)
    entries = [entry.id for block in blocks(parts) for entry in block.entries]
    assert made.hits + sum(section.omitted for section in made.sections) == len(entries)
    assert sum(section.shown for section in made.sections) == made.hits


@given(body=st.lists(WORDS, min_size=1, max_size=6).map("\n".join), project=WORDS, moment=WORDS)
def test_nothing_inside_ends_the_frame_or_begins_another(body: str, project: str, moment: str) -> None:
    text = framed(body, project=project, moment=moment)
    if not body.strip():
        assert text == ""
        return
    tags = re.findall(r"<[\s/]*moored-memory", text, re.IGNORECASE)
    assert tags == ["<moored-memory", "</moored-memory"]
    assert text.startswith("<moored-memory ")
    assert text.endswith("\n</moored-memory>")
    assert without_frames(f"before\n{text}\nafter".encode()) == b"before\n\nafter"


def test_what_fits_behind_a_large_entry_is_shown_and_the_rest_is_counted() -> None:
    parts = [["a", "long " * 200, "b"], ["c"]]
    made = pack([], blocks(parts), project="quay", moment="prompt", budget=120)
    assert made.text.split("\n\n")[1:] == [
        "Part 0:\n- a\n- b",
        "Part 1:\n- c",
        "(Left out for want of room: 1 thing.)\n</moored-memory>",
    ]
    assert made.omitted == ("no_0_1",)


def test_a_budget_too_small_for_anything_says_nothing_and_accounts_for_all() -> None:
    made = pack([], blocks([["a", "b"]]), project="quay", moment="prompt", budget=10)
    assert (made.text, made.tokens) == ("", 0)
    assert made.omitted == ("no_0_0", "no_0_1")
