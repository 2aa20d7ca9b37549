"""Windows over long texts, and texts on one line."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from moored.errors import InvalidInput
from moored.model.text import fold, shorten, well_formed, windows

TEXTS = st.text(st.sampled_from("ab.! \n\t。é"), max_size=400)


@given(TEXTS, st.integers(1, 60), st.integers(0, 30))
@example("x" * 300, 20, 10)
@example("\n" * 300, 20, 10)
def test_windows_cover_the_text_in_order_and_keep_their_size(text: str, size: int, overlap: int) -> None:
    assume(overlap <= size // 2)
    found = windows(text, size, overlap)
    assert found == windows(text, size, overlap)
    covered = 0
    for start, end in found:
        assert start <= covered < end
        assert covered - start <= overlap
        covered = end
    assert covered == len(text)
    assert all(end - start <= size for start, end in found[:-1])
    assert all(end - start <= size * 1.25 for start, end in found[-1:])
    assert all(end - start > size // 2 for start, end in found[:-1])


@given(TEXTS, st.integers(1, 400))
def test_a_text_up_to_a_quarter_over_the_size_is_one_window(text: str, size: int) -> None:
    assume(0 < len(text) <= size * 1.25)
    assert windows(text, size, 0) == [(0, len(text))]


def test_an_empty_text_has_no_window() -> None:
    assert windows("") == []


@pytest.mark.parametrize(
    ("gap", "end"),
    [("\n\n", "\n\n"), ("\n", "\n"), (". ", ". "), ("。", "。"), (" ", " ")],
)
def test_a_window_ends_after_the_best_cut_in_its_second_half(gap: str, end: str) -> None:
    text = f"{'word ' * 14}end{gap}{'word ' * 40}"
    first = windows(text, size=100, overlap=0)[0]
    expected = text.index("end") + 3 + len(end) if gap != " " else 99
    assert first == (0, expected)


def test_the_next_window_begins_at_a_word_within_the_overlap() -> None:
    text = "alpha beta gamma delta " * 20
    (_, first_end), (second_start, _) = windows(text, size=100, overlap=30)[:2]
    assert first_end - 30 <= second_start < first_end
    assert text[second_start - 1] == " "


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 6), (10, -1)])
def test_windows_that_would_not_advance_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(InvalidInput, match="between 0 and half"):
        windows("some text", size, overlap)


def test_white_space_is_folded_to_single_blanks() -> None:
    assert fold("  one\n\n two\t\u00a0three ") == "one two three"


@given(st.text(), st.integers(1, 80))
def test_a_shortened_text_fits_and_says_that_it_was_cut(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    if len(fold(text)) <= limit:
        assert short == fold(text)
    else:
        assert short.endswith("…")
        assert fold(text).startswith(short[:-1])


def test_a_text_is_shortened_between_words() -> None:
    assert shorten("the quick brown fox jumps", 17) == "the quick brown…"
    assert shorten("incomprehensibilities", 10) == "incompreh…"


def test_nul_and_lone_surrogates_are_replaced_and_nothing_else() -> None:
    assert well_formed("a\0b\ud800c\U0001f680") == "a\ufffdb\ufffdc\U0001f680"


def test_importing_text_loads_no_heavy_module() -> None:
    heavy = "{'numpy', 'tokenizers', 'apsw', 'asyncio', 'inspect', 'dataclasses'}"
    code = f"import sys, moored.model.text; sys.exit(str({heavy} & set(sys.modules) or ''))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == ""
