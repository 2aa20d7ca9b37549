"""Reading the arguments of a tool: any JSON is read or refused in words, and packing keeps its budget."""

from __future__ import annotations

from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from moored.errors import MooredError
from moored.model.text import count_tokens
from moored.server.arguments import called, input_schema, names, number, read, text
from moored.server.words import packed

ARGUMENTS = (
    text("said", "What.", required=True),
    called("id", "Which.", required=False),
    number("budget", "Tokens.", 100, least=10, most=1_000),
    names("kinds", "Which.", choices=("note", "fact")),
    names("tags", "", default=None),
)

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5)
own_names = st.sampled_from([one.name for one in ARGUMENTS])


@given(st.dictionaries(own_names | st.text(), values))
def test_anything_is_read_or_refused_in_words(given_: dict[str, object]) -> None:
    try:
        read_ = read(ARGUMENTS, given_)
    except MooredError:
        return
    assert list(read_) == [one.name for one in ARGUMENTS]
    assert isinstance(read_["said"], str)
    assert 10 <= read_["budget"] <= 1_000
    assert set(read_["kinds"]) <= {"note", "fact"}


@given(
    st.fixed_dictionaries(
        {"said": st.text()},
        optional={
            "id": st.text(max_size=50),
            "budget": st.integers(0, 2_000),
            "kinds": st.lists(st.sampled_from(["note", "fact", "story"]), max_size=3),
            "tags": st.lists(st.text(max_size=5), max_size=3),
        },
    )
)
def test_what_the_schema_allows_is_read_within_limits_and_what_it_forbids_is_not(given_: dict[str, Any]) -> None:
    within = 10 <= given_.get("budget", 100) <= 1_000
    allowed = within and jsonschema.Draft202012Validator(input_schema(ARGUMENTS)).is_valid(given_)
    try:
        read(ARGUMENTS, given_)
        taken = True
    except MooredError:
        taken = False
    assert taken == allowed


@given(st.lists(st.text(max_size=200), max_size=20), st.integers(0, 200))
def test_packing_takes_the_first_entries_whole_and_keeps_the_budget(entries: list[str], budget: int) -> None:
    taken, tokens = packed(entries, budget)
    assert taken == entries[: len(taken)]
    assert sum(count_tokens(entry) for entry in taken) <= tokens <= budget
