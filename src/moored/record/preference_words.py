"""Words by which a sentence is told to state nothing lasting of its author's own."""

from __future__ import annotations

import re
from functools import cache

_HABITS = """
use write name indent format commit squash rebase merge deploy log document annotate type test prefer avoid start put
keep stick go work sign run ship pair review release version pin store support target follow split group sort return
raise throw branch tag build publish import export mock want include
"""
_BASE = """
add answer append apply ask assume base be begin bump call change check choose clean close comment confirm consider
convert create declare default define delete describe do edit enable end ensure escape explain expose extract fail
favor favour fetch fix force force-push generate give handle hardcode hard-code hide ignore inline install leave limit
link lint list load lock make mark mention mix modify move narrow nest omit open optimise optimize order override pass
paste pick place plan prefix print propose provide push quote read refactor reference refer remove rename repeat reply
report require respond reuse round save say search send set share show skip speak stage state stay stop suggest
summarise summarize swallow switch take talk tell touch translate treat trust try update upgrade validate verify wait
wrap
"""

HABITS = frozenset(_HABITS.split())
"""Verbs of what people do by habit and on purpose: "I always get" and "we never saw" tell what happens to them."""

BASE_VERBS = HABITS.union(_BASE.split())
"""Verbs in the form of an instruction."""

_UNSURE = (
    r"\b(?:if|suppose|supposing|imagine|assum(?:e|ing) (?:that )?(?:i|we)|maybe|perhaps|might|could|i guess|i wonder|"
    r"not sure|hard to say|let's say|let us say|what if|would have|hypothetically|whether|unless)\b"
)
_ONCE = (
    r"\b(?:for now|for the moment|for the time being|right now|this (?:time|once|one|pr|ticket|branch|commit|task|test|"
    r"file|function|method|class|module|endpoint|button|page|component|case|check|step|week|sprint|screen|query|script)|"
    r"today|tonight|tomorrow|temporarily|just once|just this|until|in the (?:meantime|next|last)|the demo|"
    r"that (?:one|case|file|function)|at the moment|from this|"
    r"(?:when|whenever|once) you(?: are|'re) (?:ready|done|finished))\b"
)
_PAST = (
    r"\b(?:used to|back then|in the past|previously|formerly|my (?:last|old|previous|former)|"
    r"our (?:old|previous|former)|when (?:i|we) (?:was|were)|at the time|years ago|last (?:year|job)|before that)\b"
)
_OTHERS = (
    r"\b(?:says|(?:they|people|some) say|said|told|tells|states|according to|as (?:he|she|they) |everyone|everybody|"
    r"most (?:people|developers)|some people|the docs (?:say|tell|state|recommend)|wrote|recommends?)\b"
)
_IRONY = (
    r"\b(?:yeah,? right|what could (?:possibly )?go wrong|said no one|of course|obviously|oh great|oh,? sure|wow|lol|"
    r"haha|rofl|as if|brilliant idea|blame)\b|^sure,|(?:^|\s)/s\b|"
    r"[\U0001f600-\U0001f64f\U0001f910-\U0001f92f\U0001fae0-\U0001faef\u2639\u263a]"
)
_SPEAKS_OF = (
    r"\b(?:for example|for instance|e\.g\.|such as|as a user|user story|labelled|labeled|button text|test case|"
    r"prompt that|translate|rename the|is a rule|mind|never (?:say never|give up)|not to say|to ask|to complain|"
    r"to admit|to say|would (?:always|never)|checkbox|as always)\b|[{}]|=="
)
_ONE_THING = (
    r"(?:to (?:wait|not|add|know|see|have|ask|go|do|hear|feel|be\b)|to$|not (?:to|\w+ing)|go (?:for|to)\b|"
    r"(?:the|this|that|these|those|it|its|them|him|her|his|your|you|their|my|some|how|when|where|what|why|who|both|"
    r"one(?! \w+ per)|option|working|waiting|being|seeing|debugging|having|getting|watching|playing|going|talking|"
    r"helping|spending|flaky)\b)(?! standard library)"
)


def is_left_out(sentence: str) -> bool:
    """Whether a sentence is unsure, of one occasion, of the past, of others, ironical, or speaks of a text."""
    return bool(_left_out().search(sentence))


def of_one_thing(what: str) -> bool:
    """Whether what somebody likes is one thing before them, not a kind of thing."""
    return re.match(_ONE_THING, what, re.IGNORECASE) is not None


@cache
def _left_out() -> re.Pattern[str]:
    return re.compile(f"{_UNSURE}|{_ONCE}|{_PAST}|{_OTHERS}|{_IRONY}|{_SPEAKS_OF}", re.IGNORECASE)
