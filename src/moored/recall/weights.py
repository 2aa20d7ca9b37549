"""What each signal weighs in the score of a hit; leaving one out is a weight of 0."""

from __future__ import annotations

from typing import NamedTuple


class Weights(NamedTuple):
    """The weights of the signals, whose numbers are explained in `fusion` and `priors`.

    Chosen on the halves of LoCoMo and BEAM that are for tuning; bench/RESULTS.md has what each is worth. `length` is
    taken off for each unit of the logarithm of the number of windows.
    """

    words: float = 0.2
    dense: float = 0.3
    late: float = 0.5
    trigrams: float = 0.3
    mention: float = 0.5
    alias: float = 0.5
    tag: float = 0.3
    author: float = 0.5
    role: float = 0.4
    worker: float = 0.3
    error: float = 0.2
    date: float = 1.2
    directive: float = 0.6
    timed: float = 0.15
    question: float = -0.1
    names: float = 0.1
    number: float = 0.2
    first_person: float = 0.05
    length: float = 0.12
    session: float = 0.3
    event: float = 0.1
    acknowledges: float = -0.1
    quoted: float = 0.1
    fact: float = 0.5


WEIGHTS = Weights()
