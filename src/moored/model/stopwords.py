"""English function words, which say nothing about what a question is about.

Words that decisions and rules are made of (not, no, must, should, can, if) are not among them.
"""

from __future__ import annotations

_WORDS = """
a an the this that these those there
i we us our you your he him his she her it its they them their
and or but so as
of in on at by for from to with
am is are was were be been being do does did has have had
will would
what which who whom whose when where why how
"""

STOP_WORDS = frozenset(_WORDS.split())

# What an apostrophe may add to a function word: it's, we'll, didn't.
CONTRACTIONS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")
IRREGULAR = frozenset({"won't", "let's"})

_EVERY = STOP_WORDS | IRREGULAR | {word + end for word in STOP_WORDS for end in CONTRACTIONS}


def is_stop_word(word: str) -> bool:
    """Whether the word, in any case and with any contraction, is a function word."""
    return word.lower().replace("\u2019", "'") in _EVERY
