"""What each signal weighs in the score of a hit; leaving one out is a weight of 0."""

from __future__ import annotations

from typing import NamedTuple


class Weights(NamedTuple):
    """The weights of the signals, whose numbers are explained in `fusion`.

    Chosen on the halves of LoCoMo and BEAM that are for tuning; bench/RESULTS.md has what each is worth.
    """

    words: float = 0.2
    dense: float = 0.2
    late: float = 0.6
    author: float = 0.6
    role: float = 0.3
    date: float = 1.2
    directive: float = 0.6
    timed: float = 0.06
    session: float = 0.3
    trigrams: float = 0.3
    mention: float = 0.5
    alias: float = 0.5
    tag: float = 0.3
    fact: float = 0.5
    length: float = 0.7


WEIGHTS = Weights()
