"""What the words of a user tell: whether a prompt asks for anything of its own, and what it decides.

The lists are short and of the plainest words on purpose: what they miss is looked for or shown once too often, which
the floor of recall and the budget of a brief bound.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.record.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_READ = 20_000
"""Characters of a prompt that are looked at."""

LONGEST = 300
"""Characters of the longest sentence that is taken for a decision."""

_WORDS = """
ok okay k yes yeah yep yup no nope sure fine right correct exactly perfect great good nice cool awesome excellent
thanks thank thx ty please hi hello hey morning evening afternoon bye
go ahead on continue proceed carry keep going next again more done finish finished start begin
do it that this these so now then just also too let lets let's me can could would should may might not
sounds looks lgtm works work working looking good-to-go wait stop hold resume retry try think
ja nein danke bitte weiter oui non merci si gracias hola da net
"""
_SMALL_TALK = frozenset(_WORDS.split())

_ORDERS = """
run runs running test tests testing check checks lint format build compile install start launch execute
add adds adding make write create generate implement update change changes edit modify fix fixes improve simplify
clean cleanup refactor rename remove delete move copy split merge rebase revert undo open close
read look see show list print find explain describe summarize summarise review document comment
commit push pull request pr branch diff log
code file files function functions method methods class classes variable name names line lines docstring docstrings
comments type types error errors bug bugs issue issues result results output thing things everything all
better faster cleaner simpler shorter nicer small big new old one ones first last other same
you think help need want use using used get put set try sure does did done here there some any
"""
_ORDER_WORDS = frozenset(_ORDERS.split())
_QUESTION_WORDS = frozenset(("how", "why", "where", "when", "which", "who", "what"))

_DECISION = (
    r"\b(?:instead|rather than|let['\u2019]?s (?:use|go|keep|drop|do|not)|go with|we will (?:use|keep|go)"
    r"|we decided|decision|never|always|must(?:n['\u2019]t)?|do not|don['\u2019]t|should(?:n['\u2019]t)?|not \w+ but"
    r"|actually|no longer|stop (?:using|doing)|that['\u2019]?s wrong|wrong|prefer)\b|^no[,.]"
)


def is_small_talk(prompt: str) -> bool:
    """Whether a prompt asks for nothing of its own: a greeting, thanks, consent, "continue"."""
    return _only(_words(prompt), _SMALL_TALK)


def asks_for_nothing(prompt: str) -> bool:
    """Whether a prompt has no word by which anything could be looked up: small talk, or an order in general words.

    "Run the tests" says nothing of what it is about. A question does, in the same words: "how do we run the tests".
    """
    words = _words(prompt)
    asking = "?" in prompt or not _QUESTION_WORDS.isdisjoint(words)
    return _only(words, _SMALL_TALK if asking else _SMALL_TALK | _ORDER_WORDS)


def _words(prompt: str) -> list[str]:
    return re.findall(r"[\w'\u2019-]+", prompt[:MAX_READ].lower())


def _only(words: Iterable[str], known: frozenset[str]) -> bool:
    from moored.model.stopwords import is_stop_word

    return all(word in known or is_stop_word(word) for word in words)


def decisions(prompt: str) -> tuple[str, ...]:
    """The sentences in which a user decides or corrects something, verbatim and each once; never questions."""
    return tuple(
        dict.fromkeys(
            said
            for said in sentences(prompt[:MAX_READ])
            if len(said) <= LONGEST and not said.endswith("?") and re.search(_DECISION, said, re.IGNORECASE)
        )
    )
