"""What the words of a user tell: whether a prompt asks for anything of its own, and what it decides.

The lists are short and of the plainest words on purpose: what they miss is looked for or shown once too often, which
the floor of recall and the budget of a brief bound.
"""

from __future__ import annotations

import re

MAX_READ = 20_000
"""Characters of a prompt that are looked at."""

LONGEST = 300
"""Characters of the longest sentence that is taken for a decision."""

_WORDS = """
ok okay k yes yeah yep yup no nope sure fine right correct exactly perfect great good nice cool awesome excellent
thanks thank thx ty please hi hello hey morning evening afternoon bye
go ahead on continue proceed carry keep going next again more done finish finished start begin
do it that this these so now then just also too let lets let's me can could would should may might not
sounds looks lgtm works work working looking good-to-go wait stop hold resume retry try
ja nein danke bitte weiter oui non merci si gracias hola da net
"""
_SMALL_TALK = frozenset(_WORDS.split())

_DECISION = (
    r"\b(?:instead|rather than|let['\u2019]?s (?:use|go|keep|drop|do|not)|go with|we will (?:use|keep|go)"
    r"|we decided|decision|never|always|must(?:n['\u2019]t)?|do not|don['\u2019]t|should(?:n['\u2019]t)?|not \w+ but"
    r"|actually|no longer|stop (?:using|doing)|that['\u2019]?s wrong|wrong|prefer)\b|^no[,.]"
)
_SENTENCE = r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?"


def is_small_talk(prompt: str) -> bool:
    """Whether a prompt has no word that anything could be looked up by: a greeting, thanks, consent, "continue"."""
    from moored.model.stopwords import is_stop_word

    words = re.findall(r"[\w'\u2019-]+", prompt[:MAX_READ].lower())
    return all(word in _SMALL_TALK or is_stop_word(word) for word in words)


def decisions(prompt: str) -> tuple[str, ...]:
    """The sentences in which a user decides or corrects something, verbatim and each once; never questions."""
    sentences = (found.strip(" \t-*>") for found in re.findall(_SENTENCE, prompt[:MAX_READ]))
    return tuple(
        dict.fromkeys(
            said
            for said in sentences
            if len(said) <= LONGEST and not said.endswith("?") and re.search(_DECISION, said, re.IGNORECASE)
        )
    )
