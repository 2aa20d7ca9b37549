"""Whatever comes from elsewhere is read or refused in so many words: no parser crashes, and none hangs."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.mutants import TOKENS, hostile
from lab.parsers import PARSERS, TESTS, Parser

EXAMPLES = 12
CORPUS = sorted(file for file in (TESTS / "fuzz" / "corpus").iterdir() if file.is_file())

composed = st.lists(st.sampled_from(TOKENS) | st.binary(max_size=4), max_size=40).map(b"".join)
fuzzed = settings(
    max_examples=EXAMPLES, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
parsers = pytest.mark.parametrize("parser", PARSERS.values(), ids=list(PARSERS))


@parsers
@fuzzed
@given(data=composed)
def test_tokens_in_any_order_are_read_or_refused(parser: Parser, data: bytes) -> None:
    read_in_time(parser, data)


@parsers
@fuzzed
@given(seed=st.integers(0, 2**32))
def test_spoilt_samples_are_read_or_refused(parser: Parser, seed: int) -> None:
    read_in_time(parser, hostile(random.Random(seed), [file.read_bytes() for file in parser.samples]))  # noqa: S311


@parsers
def test_what_once_went_wrong_is_read_or_refused(parser: Parser) -> None:
    for file in CORPUS:
        read_in_time(parser, file.read_bytes())


def read_in_time(parser: Parser, data: bytes) -> None:
    parser(b"")  # what it needs is loaded
    begun = time.process_time()
    parser(data)
    assert time.process_time() - begun < parser.seconds
