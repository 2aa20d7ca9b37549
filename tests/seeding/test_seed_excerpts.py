"""A seeded note goes stale when what it says stands there no more, and not whenever its file is edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.excerpts import excerpt, holds, is_excerpt
from moored.model.notes import Change, State
from moored.model.seeding import SeedOutcome

if TYPE_CHECKING:
    from conftest import Quay

GUIDE = """\
# Contributing

## Tests

Tests must be written with every change.

## Style

- Never use tabs.
- Prefer short functions.

See [the guide](https://example.com/guide) for more.
"""
DECISION = "# Use boats\n\n## Status\n\nProposed\n\n## Decision\n\nParcels go by boat, and not by air.\n"


def state(quay: Quay, key: str) -> State:
    return quay.memory.show(quay.note(key).id).verdict.state  # type: ignore[union-attr]


@pytest.mark.invariant("I-04")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ferry sail --to north\n", "ferry sail --to north\nferry moor\n"),
        ("on time and dry.\n", "on time and dry.\n\nIt was written in a winter.\n"),
        ("Ferry carries parcels between the islands", "Ferry carries\n   parcels between the islands"),
        ("the islands", "[the islands](https://example.com/islands)"),
        ("# Ferry\n", "<!-- seen by nobody -->\n![badge](badge.svg)\n\n# Ferry\n"),
    ],
)
def test_an_edit_beside_what_a_note_says_leaves_it_current_and_seeding_again_writes_nothing(
    ferry: Quay, old: str, new: str
) -> None:
    ferry.seed()
    ferry.edit("README.md", old, new)
    assert state(ferry, "readme:README.md") is State.CURRENT
    again = ferry.seed()
    assert ferry.of("readme:README.md", again).outcome is SeedOutcome.UNCHANGED
    assert state(ferry, "readme:README.md") is State.CURRENT


@pytest.mark.invariant("I-04")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("on time", "at night"),
        ("# Ferry", "# Barge"),
        ("## Use", "## Usage"),
        ("# Ferry\n", "# Ferry\n\nThis is not kept up any more.\n"),
    ],
)
def test_an_edit_of_what_a_note_says_makes_it_stale_and_an_edit_back_heals_it(ferry: Quay, old: str, new: str) -> None:
    ferry.seed()
    ferry.edit("README.md", old, new)
    judged = ferry.memory.show(ferry.note("readme:README.md").id)
    assert (judged.verdict.state, judged.verdict.change) == (State.STALE, Change.BODY)  # type: ignore[union-attr]
    ferry.edit("README.md", new, old)
    assert state(ferry, "readme:README.md") is State.CURRENT


def test_each_section_of_conventions_stands_for_itself(ferry: Quay) -> None:
    ferry.write("CONTRIBUTING.md", GUIDE)
    ferry.seed()
    tests, style = "conventions:CONTRIBUTING.md#Tests", "conventions:CONTRIBUTING.md#Style"
    ferry.edit("CONTRIBUTING.md", "Never use tabs.", "Never use spaces.")
    assert (state(ferry, tests), state(ferry, style)) == (State.CURRENT, State.STALE)
    ferry.edit("CONTRIBUTING.md", "example.com/guide", "example.org/book")
    ferry.seed()
    assert (state(ferry, tests), state(ferry, style)) == (State.CURRENT, State.CURRENT)


def test_a_decision_goes_stale_with_its_status_and_with_its_words_alone(ferry: Quay) -> None:
    ferry.write("docs/decisions/0001-boats.md", DECISION)
    ferry.seed()
    key = "decision:docs/decisions/0001-boats.md"
    ferry.edit("docs/decisions/0001-boats.md", "by air.\n", "by air.\n\n## Consequences\n\nIt takes longer.\n")
    assert state(ferry, key) is State.CURRENT
    ferry.edit("docs/decisions/0001-boats.md", "Proposed", "Accepted")
    assert state(ferry, key) is State.STALE


def test_what_a_package_says_of_itself_outlives_its_code(ferry: Quay) -> None:
    for room in ("deck", "hold"):
        ferry.write(f"ferry/{room}/__init__.py", f'"""The {room} of the ferry."""\n\nLOAD = 3\n')
        ferry.write(f"ferry/{room}/crew.py", "def sail():\n    return 1\n")
    ferry.seed()
    ferry.edit("ferry/deck/__init__.py", "LOAD = 3", "LOAD = 4\n\n\ndef weigh():\n    return LOAD\n")
    assert state(ferry, "room:ferry/deck") is State.CURRENT
    ferry.edit("ferry/deck/__init__.py", "The deck of", "The upper deck of")
    assert state(ferry, "room:ferry/deck") is State.STALE
    assert state(ferry, "room:ferry/hold") is State.CURRENT


def test_a_folder_that_is_only_named_rests_on_a_file_being_there(ferry: Quay) -> None:
    for room in ("deck", "hold"):
        ferry.write(f"ferry/{room}/crew.py", "def sail():\n    return 1\n")
        ferry.write(f"ferry/{room}/load.py", "def load(parcels):\n    return sorted(parcels, key=len)\n")
    ferry.seed()
    ferry.edit("ferry/deck/crew.py", "return 1", "return 2")
    assert state(ferry, "layout:") is State.CURRENT
    (ferry.root / "ferry/deck/crew.py").unlink()
    assert state(ferry, "layout:") is State.STALE


def test_a_note_that_somebody_reworded_rests_on_the_whole_file_again(ferry: Quay) -> None:
    ferry.seed()
    note = ferry.note("readme:README.md").id
    ferry.memory.revise(note, "Ferry carries parcels, says the README.")
    assert not any(is_excerpt(anchor.value) for anchor in ferry.memory.note(note).head.anchors)
    ferry.edit("README.md", "ferry sail --to north\n", "ferry sail --to south\n")
    assert state(ferry, "readme:README.md") is State.STALE


# Excerpts

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=1, max_size=12).map(" ".join)


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4), WORDS)
def test_what_was_taken_from_a_text_holds_whatever_stands_around_it(
    before: list[str], after: list[str], piece: str
) -> None:
    text = "\n\n".join((*before, f"## {piece}", *after))
    assert holds(excerpt((piece,)), text)


@given(st.lists(WORDS, max_size=4), WORDS)
def test_a_word_that_is_not_in_the_text_never_holds(paragraphs: list[str], piece: str) -> None:
    assert not holds(excerpt((f"{piece} zebra",)), "\n".join((*paragraphs, piece)))


@pytest.mark.parametrize(
    ("piece", "text", "held"),
    [
        ("one two th\u2026", "one two three four", True),
        ("one two th\u2026", "one three four", False),
        ("the cat", "see the cathedral", False),
        ("The Cat, sat", "the *cat* sat", True),
        ("see the cat", "see [the cat](http://example.com/dog)", True),
        ("the cat", "<!-- the cat -->", False),
        ("", "", True),
    ],
)
def test_pieces_are_compared_word_by_word(piece: str, text: str, held: bool) -> None:
    assert holds(excerpt((piece,)), text) is held


def test_an_excerpt_is_told_from_the_value_of_a_file() -> None:
    assert is_excerpt(excerpt(()))
    assert not is_excerpt("markdown, 30 lines")
