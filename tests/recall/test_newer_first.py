"""The order of hits that contradict each other, as a law over any hits and disputes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moored.model.notes import CURRENT
from moored.model.recall import Hit, HitKind
from moored.recall.disputed import newer_first

IDS = "abcdefgh"


def _hits(order: str) -> list[Hit]:
    return [Hit(one, HitKind.NOTE, one, 1.0 / (place + 1), CURRENT, (), (), {}, 1) for place, one in enumerate(order)]


def _order(order: str, newer: dict[str, list[str]]) -> str:
    return "".join(hit.id for hit in newer_first(_hits(order), newer))


orders = st.permutations(IDS).map(lambda ids: "".join(ids[:6]))
# A note is disputed by notes that were written after it, here by those that come later in the alphabet.
disputes = st.dictionaries(st.sampled_from(IDS), st.lists(st.sampled_from(IDS), max_size=3)).map(
    lambda found: {older: [one for one in newer if one > older] for older, newer in found.items()}
)


@given(orders, disputes)
def test_the_newer_side_stands_before_the_older_and_nothing_is_lost(order: str, newer: dict[str, list[str]]) -> None:
    made = _order(order, newer)
    assert sorted(made) == sorted(order)
    for older, others in newer.items():
        for other in others:
            if older in made and other in made:
                assert made.index(other) < made.index(older)


@given(orders, disputes)
def test_hits_that_nothing_disputes_keep_their_order(order: str, newer: dict[str, list[str]]) -> None:
    among = {older for older, others in newer.items() if others} | {one for others in newer.values() for one in others}
    made = _order(order, newer)
    assert [one for one in made if one not in among] == [one for one in order if one not in among]


@given(orders, disputes)
def test_an_order_that_is_right_already_is_left_as_it_is(order: str, newer: dict[str, list[str]]) -> None:
    made = _order(order, newer)
    assert _order(made, newer) == made


def test_only_the_newer_side_moves_up_to_right_before_the_older() -> None:
    assert _order("abcd", {"b": ["d"]}) == "adbc"
    assert _order("abcd", {"a": ["c"], "c": ["d"]}) == "dcab"
    assert _order("abcd", {"a": ["h"]}) == "abcd"
