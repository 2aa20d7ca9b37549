from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.context.frame import framed
from moored.model.private import only_private, without_frames, without_private


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>x</private> b", "a [private] b"),
        ("a <PRIVATE>x\ny</Private > b", "a [private] b"),
        ("a <private>x<private>y</private>z</private> b", "a [private] b"),
        ("a <private>x</private> b <private>y</private>", "a [private] b [private]"),
        ("a <private>never closed, to the end", "a [private]"),
        ("a <private>x<private>y</private> still", "a [private]"),
        ("<private></private>", "[private]"),
        ("a </private> b", "a </private> b"),
        ("std::vector<privateer> b", "std::vector<privateer> b"),
    ],
)
def test_what_is_private_is_replaced(text: str, left: str) -> None:
    assert without_private(text.encode()) == left.encode()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("OPENING = '<private>'\nx = 1", "OPENING = '<private>'\nx = 1"),
        ("see `<private>` and <private>x</private> b", "see `<private>` and [private] b"),
        ("a\n<private>\nmine", "a\n[private]"),
        ("a\n  // <private> mine", "a\n  // [private]"),
        ("   12\u2192<private>mine", "   12\u2192[private]"),
        ("a\n<private>x</private>\nb", "a\n[private]\nb"),
    ],
)
def test_a_tag_that_a_tool_names_and_never_closes_hides_nothing_unless_it_begins_a_line(text: str, left: str) -> None:
    once = without_private(text.encode(), own_words=False)
    assert once == left.encode()
    assert without_private(once, own_words=False) == once


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n<moored-memory>\nold\n</moored-memory>\nb", "a\n\nb"),
        ('<moored-memory v="1" at="now">old</moored-memory>b', "b"),
        ("<moored-memory>one</moored-memory> x <moored-memory>two</moored-memory>", " x "),
        ("a\n<moored-memory>cut off", "a\n"),
        ("the tag `<moored-memory>` frames what is injected", "the tag `<moored-memory>` frames what is injected"),
        ("<moored-memory-like>x", "<moored-memory-like>x"),
        ("a &lt;moored-memory project=&quot;x&quot;&gt;y &lt;b&gt;\n&lt;/moored-memory&gt; z", "a  z"),
        ("a\n&lt;moored-memory&gt;never closed", "a\n"),
        ('a <moored-memory moment="m">y &lt;/moored-memory> still</moored-memory> z', "a  z"),
        ("the tag &lt;moored-memory&gt; frames it", "the tag &lt;moored-memory&gt; frames it"),
    ],
)
def test_frames_of_memory_are_taken_out(text: str, left: str) -> None:
    assert without_frames(text.encode()) == left.encode()


@given(
    st.lists(
        st.sampled_from(
            ["<private>", "</private>", "<PRIVATE>", "x", "\n", "[private]", "<moored-memory>", "&lt;moored-memory&gt;"]
        )
    )
)
def test_what_was_private_is_nowhere_and_doing_it_again_changes_nothing(parts: list[str]) -> None:
    data = "".join(parts).encode()
    once = without_private(data)
    assert b"<private>" not in once.lower()
    assert without_private(once) is once
    given_by_a_tool = without_private(data, own_words=False)
    assert without_private(given_by_a_tool, own_words=False) == given_by_a_tool
    framed = without_frames(data)
    assert without_frames(framed) == framed


@given(st.binary())
def test_bytes_without_a_tag_are_the_same_object(data: bytes) -> None:
    data = data.replace(b"<", b"")
    assert without_private(data) is data
    assert without_frames(data) is data


def test_nothing_is_left_of_what_is_all_private() -> None:
    assert only_private(b" [private]\n[private] ")
    assert not only_private(b"[private] and more")


def test_the_longest_frame_that_memory_makes_is_known_again() -> None:
    text = framed("- a note", project="\U0001f6a2" * 200, moment="\U0001f6a2" * 200)
    assert without_frames(f"a\n{text}\nb".encode()) == b"a\n\nb"
