"""The forms of English sentences that state a preference, as patterns with the group `what`."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from moored.model.preferences import Subject
from moored.record.preference_words import BASE_VERBS, HABITS


class Form(NamedTuple):
    """A way of stating a preference: its pattern with the group `what`, whose it is, and whether that is wanted.

    `verb` names the verbs that the group `verb` may be, `bound` lets the value name one thing ("the button"); with
    `named` it must be one of several that a key is known to take: "we use the response" tells no preference. With
    `topical` it must be about something that has a key: "I love pottery" tells nothing about the work. With `opening`
    it opens the sentence: in "they wave and always smile" nobody is told to.
    """

    pattern: str
    subject: Subject = Subject.USER
    wanted: bool = True
    verb: frozenset[str] | None = None
    bound: bool = False
    named: bool = False
    topical: bool = False
    opening: bool = False
    correction: bool = False


_PLACE = r"(?:repo|repository|project|codebase|monorepo|team|company)"
_LEAD = (
    r"(?:(?:ok(?:ay)?|also|and|but|so|well|please|pls|thanks|thank you|great|good|right|btw|by the way|fyi|note|"
    r"remember|reminder|important|one (?:more )?thing|in general|generally|as a (?:general )?rule|"
    r"for (?:the record|future reference|reference)|just so you know|personally|again|hey|hi|actually|"
    rf"in (?:this|our) {_PLACE}|commit messages)(?:\s+that)?[,:!.\u2014-]*\s+)*"
)
_CLAUSE = (
    r"(?:^|[;:]\s+|,\s+(?:(?:so|but|and|because|since|as)\s+)?|\s[\u2013\u2014-]+\s+|"
    r"\b(?:but|and|because|since)\s+)"
)
_OPENING = r"(?:^|[;:]\s+|\s[\u2013\u2014-]+\s+)"
_OFTEN = (
    r"(?: (?:really|strongly|much|generally|usually|always|still|also|definitely|normally|typically|personally|tend to|"
    r"almost always|just))*"
)
_LASTING = (
    r"(?:from (?:now|here|this point) on(?:wards?)?|going forward|moving forward|in (?:the )?future|henceforth|"
    r"by default|as a (?:general )?rule|at all times|for all future \w+)[,:]?\s+"
)
_WHAT = r"(?P<what>.+)"
_VERB = r"(?P<verb>(?!run (?:into|out))[a-z][\w-]*)\b\s*(?P<what>.*)"
_NO = r"(?P<no>never |don't |do not |stop )?"
_HERE = rf"(?:in (?:this|our) {_PLACE},?\s+)?we "
_MINE = (
    r"my (?:preference|(?:preferred|favou?rite|default|go-to|usual)(?: [\w-]+){0,3}|[\w-]+ preference) (?:is|are)\s+"
)
_OURS = (
    r"(?:our|the) (?:coding |team |house )?(?:convention|standard|policy|rule|guideline|style) "
    r"(?:here |in this (?:repo|project|codebase) )?(?:is|are)\s+(?:to\s+|that we\s+)?"
)
_KEYS = (
    r"package manager|test (?:runner|framework)|formatter|linter|type checker|bundler|database|line length|indentation"
)
_OTHER_TOOL = r"[\w.+#-]+(?:,? (?:instead of|not|rather than) [\w.+#-]+)"
_PROJECT = Subject.PROJECT

_FORMS = (
    Form(rf"i{_OFTEN} prefer\s+{_WHAT}"),
    Form(rf"i{_OFTEN} like\s+(?:to\s+)?{_WHAT}"),
    Form(rf"i{_OFTEN} (?:enjoy|love)\s+(?:to\s+)?{_WHAT}", topical=True),
    Form(
        rf"i{_OFTEN} (?:hate|dislike|detest|avoid|(?:do not|don't|can't|cannot) (?:really )?(?:like|stand))\s+{_WHAT}",
        wanted=False,
    ),
    Form(rf"i'm (?:really )?not a (?:big |huge )?fan of\s+{_WHAT}", wanted=False),
    Form(rf"i'm a (?:big |huge )?fan of\s+{_WHAT}"),
    Form(rf"i (?:tend to|like to)\s+(?P<no>avoid )?{_WHAT}"),
    Form(rf"i (?:always|usually|normally|typically|generally|almost always)\s+{_VERB}", verb=HABITS, bound=True),
    Form(rf"i never\s+{_VERB}", wanted=False, verb=HABITS),
    Form(r"i use\s+(?P<what>.+?\b(?:as my|by default|everywhere|for everything|for all)\b.*)"),
    Form(rf"{_MINE}(?:for\s+|to\s+)?{_WHAT}"),
    Form(rf"let's (?P<often>always|never)\s+{_VERB}", _PROJECT, verb=BASE_VERBS),
    Form(rf"i(?:'d| would) like you to (?P<often>always|never)\s+{_VERB}", verb=BASE_VERBS, bound=True),
    Form(rf"i (?:always |only )?want you to (?P<often>always|never)\s+{_VERB}", verb=BASE_VERBS, bound=True),
    Form(rf"i (?:always want|want (?=(?:all|every|any)\b)|expect (?=(?:all|every)\b))\s*{_WHAT}"),
    Form(rf"i (?:never want|(?:don't|do not) (?:ever want|want any))\s+{_WHAT}", wanted=False),
    Form(
        rf"{_LASTING}(?:(?:please|i want you to|you should|you must|let's|always|only)\s+)*{_NO}{_VERB}",
        verb=BASE_VERBS,
        bound=True,
    ),
    Form(rf"{_LASTING}(?:please\s+)?(?:i (?:prefer|want)|we (?:only )?(?:use|prefer|want))\s+{_WHAT}"),
    Form(rf"(?:you (?:should|must|have to) )?always\s+{_VERB}", verb=BASE_VERBS, bound=True, opening=True),
    Form(
        rf"(?:you (?:should|must) )?never\s+(?:ever )?{_VERB}", wanted=False, verb=BASE_VERBS, bound=True, opening=True
    ),
    Form(rf"(?:do not|don't) ever\s+{_VERB}", wanted=False, verb=BASE_VERBS, bound=True, opening=True),
    Form(rf"(?:make|be) sure (?:that )?(?:you |to )?always\s+(?:to )?{_VERB}", verb=BASE_VERBS, bound=True),
    Form(rf"remember to (?P<often>always|never)\s+{_VERB}", verb=BASE_VERBS, bound=True),
    Form(
        rf"(?:every time|each time|whenever|any ?time) (?:you|i) [^,]{{3,80}},\s+(?:please |always )*{_NO}{_VERB}",
        verb=BASE_VERBS,
        bound=True,
    ),
    Form(
        rf"when (?:you|i) [^,]{{3,80}},\s+(?:please )?(?:you should )?(?P<often>always|never)\s+{_VERB}",
        verb=BASE_VERBS,
        bound=True,
    ),
    Form(r"(?:please )?stop\s+(?P<verb>[a-z]+ing)\b\s*(?P<what>.*)", wanted=False),
    Form(
        rf"{_HERE}(?:(?:always|usually|generally|only|typically|normally|strictly) )+{_VERB}",
        _PROJECT,
        verb=HABITS,
        bound=True,
    ),
    Form(rf"{_HERE}never\s+{_VERB}", _PROJECT, wanted=False, verb=HABITS, bound=True),
    Form(
        rf"{_HERE}(?P<verb>prefer|follow|stick to|name|indent|format|rebase|squash|pin|version|log|target|support)\b"
        r"\s*(?P<what>.*)",
        _PROJECT,
    ),
    Form(rf"{_HERE}avoid\s+{_WHAT}", _PROJECT, wanted=False),
    Form(rf"{_HERE}use\s+{_WHAT}", _PROJECT, named=True),
    Form(rf"we(?:'re| are) using\s+{_WHAT}", _PROJECT, named=True),
    Form(rf"this is an? (?P<what>[\w.+#-]+) {_PLACE}\b", _PROJECT, named=True),
    Form(rf"{_HERE}(?:don't|do not|no longer) use\s+{_WHAT}", _PROJECT, wanted=False, named=True),
    Form(
        r"we(?: have|'ve)? (?:switched|moved|migrated)(?: (?:everything|the project|the repo))?"
        rf"(?: from (?P<over>[\w.+#-]+))? to\s+{_WHAT}",
        _PROJECT,
        named=True,
    ),
    Form(rf"{_OURS}{_WHAT}", _PROJECT),
    Form(rf"our (?P<key>{_KEYS}) is\s+{_WHAT}", _PROJECT),
    Form(rf"this {_PLACE} uses\s+{_WHAT}", _PROJECT, named=True),
    Form(
        rf"(?:no|nope|wrong|again|i said)[,.!:]*\s+(?:please )?{_NO}(?:use|with|stick to|run)\s+{_WHAT}",
        _PROJECT,
        named=True,
        correction=True,
    ),
    Form(rf"use\s+(?P<what>{_OTHER_TOOL}.*)", _PROJECT, named=True, correction=True),
)


@cache
def forms() -> tuple[tuple[Form, re.Pattern[str]], ...]:
    """The forms, each with its pattern: at the beginning of a sentence, or of a clause in it."""
    return tuple(
        (form, re.compile((_OPENING if form.opening else _CLAUSE) + _LEAD + form.pattern, re.IGNORECASE | re.DOTALL))
        for form in _FORMS
    )


@cache
def hint() -> re.Pattern[str]:
    """A word without which no form matches, looked for first: most sentences have none."""
    return re.compile(
        r"\b(?:i|i'm|my|we|our|this is|always|never|stop|use|uses|(?:do not|don't) ever|from (?:now|here|this)|"
        r"(?:going|moving) forward|future|henceforth|by default|as a (?:general )?rule|(?:every|each|any) ?time|"
        r"whenever|convention|rule|policy)\b",
        re.IGNORECASE,
    )
