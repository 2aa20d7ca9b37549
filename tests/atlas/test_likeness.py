"""What a newer note is to an older one: the labelled pairs, and what must never be taken for the same."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.atlas.likeness import Likeness, compare

DUPLICATE, PART = "DP", "S"
KEPT_OUT = {Likeness.SAME, Likeness.NEAR, Likeness.PART}


class Pair(NamedTuple):
    """Two notes and the kind of the pair, see `pairs.txt`; `held` out are those that no rule was made from."""

    kind: str
    older: str
    newer: str
    held: bool


def _pairs() -> list[Pair]:
    found: list[Pair] = []
    older, held = "", False
    for line in Path(__file__).with_name("pairs.txt").read_text(encoding="utf-8").splitlines():
        kind, _, text = line.partition(" ")
        if kind == "=":
            older = text
        elif kind != "#":
            found.append(Pair(kind, older, text, held))
        held = held or line.startswith("# held out")
    return found


PAIRS = _pairs()
HELD = [pair for pair in PAIRS if pair.held]


def _distinct(pairs: list[Pair]) -> list[Pair]:
    return [pair for pair in pairs if pair.kind not in DUPLICATE + PART]


def _duplicates(pairs: list[Pair]) -> list[Pair]:
    return [pair for pair in pairs if pair.kind in DUPLICATE]


def _kept_out(pair: Pair) -> bool:
    return compare(pair.older, pair.newer).likeness in KEPT_OUT


def test_the_labelled_set_is_large_and_holds_every_kind() -> None:
    assert len(PAIRS) >= 600
    assert len({pair.newer for pair in PAIRS}) >= 550
    assert {pair.kind for pair in HELD} == {pair.kind for pair in PAIRS} == set("DPSMUCNRX")


@pytest.mark.parametrize("pairs", [PAIRS, HELD], ids=["all", "held out"])
def test_no_distinct_fact_is_taken_for_one_that_is_known(pairs: list[Pair]) -> None:
    distinct = _distinct(pairs)
    wrong = [pair for pair in distinct if _kept_out(pair)]
    assert len(wrong) <= 0.005 * len(distinct), wrong


def test_duplicates_and_paraphrases_are_caught() -> None:
    duplicates = _duplicates(HELD)
    missed = [pair for pair in duplicates if not _kept_out(pair)]
    assert len(missed) <= 0.1 * len(duplicates), missed


def test_contradictions_are_told_from_what_is_only_related() -> None:
    def disputed(kinds: str) -> float:
        pairs = [pair for pair in HELD if pair.kind in kinds]
        found = [pair for pair in pairs if compare(pair.older, pair.newer).likeness is Likeness.CONTRADICTION]
        return len(found) / len(pairs)

    assert disputed("C") >= 0.8
    assert disputed("DPRXM") == 0


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The database is on port 5432", "The database is on port 5433"),
        ("Benchmark of the parser: 41.2 ms", "Benchmark of the parser: 38.7 ms"),
        ("The staging host is slow", "The production host is slow"),
        ("Use httpx 0.27 in the client", "Use httpx 0.28 in the client"),
        ("Do not cache the tokens", "Cache the tokens"),
        ("The schema is in db/schema.sql", "The schema is in db/seed.sql"),
        ("Uploads stop at 5 MB", "Uploads stop at 5 GB"),
        ("`load_user` may return None", "`load_team` may return None"),
        ('The error says "quota exceeded"', 'The error says "quota missing"'),
        ("Alice calls Bob", "Bob calls Alice"),
        ("The flag must stay on.", "The flag must stay off."),
    ],
)
def test_what_differs_in_a_number_name_version_denial_path_or_unit_is_never_the_same(older: str, newer: str) -> None:
    assert compare(older, newer).likeness not in KEPT_OUT
    assert compare(newer, older).likeness not in KEPT_OUT


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The importer reads rows in batches.", "The importer reads rows in sorted batches."),
        ("Backups of the order database are encrypted.", "Backups of the order database are partly encrypted."),
        ("Integration tests run before every merge.", "Integration tests run locally before every merge."),
        ("The search index is rebuilt every night.", "The search index is rebuilt manually every night."),
        ("Log files are deleted after a week.", "Compressed log files are deleted after a week."),
        ("Retry failed uploads in the sync client.", "Retry failed image uploads in the sync client."),
        ("The feature flag service is called on startup.", "The feature flag service is called twice on startup."),
        ("Passwords are checked on login.", "Passwords are checked on first login."),
        ("Deploys happen weekly after the review.", "After the review, deploys happen monthly."),
        ("For admins the export button is visible.", "The export button is hidden for admins."),
        ("The old tables are kept until the move is finished.", "Until the move is started the old tables are kept."),
    ],
)
def test_a_plain_word_that_only_the_newer_text_has_keeps_two_facts_apart(older: str, newer: str) -> None:
    assert compare(older, newer).likeness not in KEPT_OUT


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Use Redis for the queue, not RabbitMQ.", "Use RabbitMQ for the queue, not Redis."),
        ("We chose Vite over webpack.", "We chose webpack over Vite."),
        ("The API is versioned.", "The API is not versioned."),
        ("We use Redis.", "We do not use Redis."),
        ("The proxy listens on port 8080.", "The proxy listens on port 9090."),
    ],
)
def test_the_opposite_decision_and_another_value_for_the_same_are_contradictions(older: str, newer: str) -> None:
    assert compare(older, newer).likeness is Likeness.CONTRADICTION


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The proxy listens on port 8080.", "The proxy now listens on port 9090."),
        ("The reports are made with Excel.", "The reports are no longer made with Excel."),
        ("The worker runs on host blue.", "The worker was moved to host green."),
        ("Redis is used.", "Redis is no longer used."),
    ],
)
def test_what_says_that_something_is_another_way_now_is_an_update(older: str, newer: str) -> None:
    assert compare(older, newer).likeness is Likeness.UPDATE


def test_the_outcome_tells_what_differs() -> None:
    one = compare("The proxy listens on port 8080.", "The proxy listens on port 9090.")
    assert (one.older, one.newer) == (("8080",), ("9090",))
    assert one.reason == "another value for the same: 8080, 9090"


@given(st.text(max_size=80))
def test_a_text_says_the_same_as_itself(text: str) -> None:
    assert compare(text, text).likeness is Likeness.SAME


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(older: str, newer: str) -> None:
    assert 0 <= compare(older, newer).shared <= 1


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_numbers_are_the_same_only_when_they_are_equal(first: int, second: int) -> None:
    said = "The pool has {} connections at most"
    assert (compare(said.format(first), said.format(second)).likeness in KEPT_OUT) == (first == second)
