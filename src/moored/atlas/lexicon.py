"""English words of notes: which say the same, which say nothing of their own, which deny, and which tell of a change.

The lists are short on purpose. A word that is missing makes two notes look more different than they are, which costs a
duplicate; a word too many could hide a difference, which costs a fact.
"""

from __future__ import annotations

from functools import lru_cache

_SAME = """
remove delete erase
start begin launch
choose pick select opt
fix repair solve
error exception
fast quick
large big
small little
require need
use utilise utilize employ
show display
keep retain hold store save
fetch obtain retrieve
change alter modify
differ different other another
run execute
call invoke
config configuration settings setting
folder directory
repo repository
database db
environment env
variable var
argument arg parameter param
production prod
development dev
documentation docs doc
authentication auth
application app
administrator admin
second seconds sec s
minute minutes min
hour hours h
millisecond milliseconds ms
kilobyte kb
megabyte mb
gigabyte gb
percent %
each every per a
purpose deliberate intention
forbid ban prohibit
allow permit
check verify
want prefer ask say wish like
empty blank
whole entire complete
base found
lesson learn
place position
commit checkin
answer response reply
maximum max
minimum min
"""

_IRREGULAR = """
broke break broken break took take taken take got get gotten get gave give given give found find chose choose
chosen choose kept keep held hold ran run wrote write written write sent send built build made make went go
lost lose began begin begun begin brought bring caught catch came come drew draw drawn draw fell fall fallen
fall felt feel knew know known know led lead meant mean met meet paid pay said say saw see seen see sold sell
stood stand told tell thought think threw throw thrown throw understood understand won win hung hang hid hide
hidden hide froze freeze frozen freeze forgot forget forgotten forget drove drive driven drive spent spend
shut shut bound bind rebuilt rebuild reran rerun rewrote rewrite overwrote overwrite better good worse bad
slower slow faster fast bigger large larger large smaller small newer new older old quicker fast fewer less
used use using use does do did do done do has have had have was be were be is be are be am be been be being be
them it they it its it
"""

_LIGHT_WORDS = """
a an the this that these those there here i we us our ours you your yours he she it they them their his her
its and or but so as of in on at by for from to with into onto upon about than then while whereas because
since due be have do make take get give go put let happen come will would shall which who whom whose what when
where how if also too just really simply already currently basically actually please note lesson decision
decide learn gotcha remember reminder fyi tip hint team such very quite thing things way reason everything
anything something all's s t re ve ll d m via well case both itself same even any thus hence therefore again
keep still may might can could should use stay talk see reach run back every each per ones must decided mean
through instead
"""

_LIGHT_ELSEWHERE = """
der die das den dem ein eine einer einem im mit von zu auf ist sind wird werden wurde
en las los el la un una de del que con por para es son se lo
le les des du une dans pour avec est sont sur au aux
"""

_LIGHT = frozenset((*_LIGHT_WORDS.split(), *_LIGHT_ELSEWHERE.split()))
_TO_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
_TENS = {"single": "1", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80"}

NUMBERS = {word: str(number) for number, word in enumerate(_TO_TWENTY.split())} | _TENS | {"ninety": "90"}

_DENYING = """
not no never none nor cannot without neither nobody nothing nicht kein keine keinen keiner nie niemals ohne
nunca sin jamás tampoco ne pas jamais sans aucun aucune
"""

DENIES = frozenset(_DENYING.split())

_ENDING = """
for in because when since until so as are is if that which where unless from to with by on at through
"""

ENDS_DENIAL = frozenset(_ENDING.split())
"""Words before which a denial ends: `not MongoDB for the store` says nothing against the store."""

_PASSIVE_WORDS = "is are was were be been being got"

WAS = frozenset(_PASSIVE_WORDS.split())
"""Words before a participle in the passive."""

_GONE_STEMS = """
remove drop delete reject abandon forbid deprecat gone retire disabl ban unus
"""

GONE = frozenset(_GONE_STEMS.split())
"""Stems of verbs that deny what they are done to: `webpack was removed`, `we removed webpack`."""

CUES = (
    r"\bnow\b|\bno longer\b|\bany ?more\b|\bmoved (?:to|from|in|into)\b|\b(?:was|were|has|have been|been) moved\b|"
    r"\bchanged (?:to|from|in)\b|\b(?:was|were|been) changed\b|\bswitched\b|\bas of\b|\bfrom now on\b|"
    r"\bsince (?:v?\d|version|release|last (?:week|month|year|release)|we moved|we switched)|\bmigrated\b|"
    r"\breplaced (?:by|with)\b|"
    r"\b(?:raised|lowered|increased|reduced|bumped|upgraded|downgraded|renamed) (?:to|from)\b|"
    r"\b(?:is|are) gone\b|\b(?:was|were) dropped\b|\bis fixed\b|\bsuperseded\b|\bused to\b|"
    r"\bmeanwhile\b|\bupdate:|\bcorrection:|\bedit:|\bnot any\b|"
    r"\bjetzt\b|\bnicht mehr\b|\bnunmehr\b|\bahora\b|\bya no\b|\bdésormais\b|\bmaintenant\b"
)
"""What tells that something is another way than before."""

SINGLE = (
    r"\b(?:is|are|was|were) (?:in|at|on|set to|called|named|based on|built (?:with|by)|stored in|kept in|written in|"
    r"hosted on|sent through|sent by|started by|owned by|taken from|read from|ranked by|checked with|keyed by|"
    r"rate limited to|located in|deployed to|deployed with|formatted with|installed with|compiled with)\b|"
    r"\b(?:listens? on|runs? on|lives? in|points? to|defaults? to|expires? after|returns?|stays? (?:under|at)|"
    r"times? out after|belongs? to|equals?)\b|\w+ ?= ?\S"
)
"""Relations that have one value: with another value for the same thing, only one of two notes can hold."""

MEASURED = r"\b(?:benchmark|measured|measurement|took|takes|timing|score|scored|result|run \d+|attempt \d+)\b"
"""What a note about one measurement says: another figure is another measurement."""

OPPOSITES = """
before after
above below
most least
first last
fast slow
on off
always never
enabl disabl
allow forbid
larg small
open clos
ascend descend
stabl unstabl
synchron asynchron
public privat
strict lenient
encrypt plain
require optional
add remove
old new
up down
left right
increas decreas
rais lower
short long
accept reject
adopt reject
public intern
lock unlock
"""

PASSIVE = (
    r"^(.+?)\b(?:is|are|was|were|be|been|being)\s+"
    r"(\w*(?:ed|en|wn|ilt|ent|ept|eld|un|aid|old|ght|read|set))\s+(?:by|with|through)\s+(.+?)"
    r"((?:\s(?:in|on|at|for|when|before|after|if|because|every|once|from|to|into|under|until|since)\b.*)?)$"
)
"""A clause in the passive: what is done to, the participle, who or what does it, and the rest."""

PHRASES = (
    (r"\bno more than\b|\bat most\b|\bup to\b|\bnot more than\b", " atmost "),
    (r"\bno (?:less|fewer) than\b|\bat least\b|\bnot (?:less|fewer) than\b", " atleast "),
    (r"\b(?:more|larger|bigger|greater|longer|higher) than\b|\bover(?= \d)", " above "),
    (r"\b(?:less|smaller|fewer|shorter|lower) than\b|\bunder(?= \d)", " below "),
    (r"\bat (?:once|the same time)\b|\bin parallel\b|\bsimultaneously\b|\bconcurrently\b", " parallel "),
    (r"\bon purpose\b", " purpose "),
    (r"\bchecked in\b|\bcheck in\b", " commit "),
    (r"\b(?:have|has|needs?|is|are) to\b|\bmust\b", " must "),
    (r"\bas long as\b", " until "),
    (r"\bonce (?:more|again)\b", " again "),
    (r"\bin order to\b", " to "),
    (r"\bdue to\b|\bbecause of\b|\bso that\b|\bbecause\b|\bin case\b", " because "),
    (r"\b(?:rather than|instead of|in place of|and not|but not|over)\b", " not "),
    (r"\bno longer\b", " not "),
    (r"\b(?:n't|n\u2019t)\b", " not "),
    (r"\bun(stable|safe|used|known|supported|ordered|available|limited|indexed|protected|tested)\b", r" not \1 "),
    (r"\bcan (?:be )?null\b", " nullable "),
    (r"\boff\b", " not enabled "),
    (r"\b(?:stays?|is|are|be|turned|switched|remains?|left|kept)\s+on(?=\s*(?:[.,;:!]|$))", " enabled "),
)
"""Turns of phrase and the word by which they are compared, in this order."""


def _groups() -> dict[str, str]:
    return {stem(word): stem(line.split()[0]) for line in _SAME.strip().splitlines() for word in line.split()}


def _pairs() -> dict[str, str]:
    words = _IRREGULAR.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def stem(word: str) -> str:
    """An English word in lower case without the endings of number, tense and noun: `validates`, `validation`: `valid`.

    It is made to compare two short texts: what it gives need be no word.
    """
    word = IRREGULAR.get(word, word)
    for end, rest in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(end) and len(word) > len(end) + 1:
            word = word.removesuffix(end) + rest
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
            word = word[:-1]
    for end in ("ingly", "edly", "ation", "ing", "ion", "ed", "ly"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            word = word.removesuffix(end)
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("ate") and len(word) > 5:
        word = word[:-3]
    elif word.endswith("at") and len(word) > 5:
        word = word[:-2]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


IRREGULAR = _pairs()
GROUPS = _groups()
_LIGHT_STEMS = frozenset(stem(word) for word in _LIGHT)


OPPOSITE = frozenset(frozenset(line.split()) for line in OPPOSITES.strip().splitlines())


@lru_cache(maxsize=8_192)
def is_light(word: str) -> bool:
    """Whether a word in lower case says nothing of its own about a thing: a text with more of these says no more."""
    base = stem(word)
    return (
        word in _LIGHT
        or (base in _LIGHT_STEMS and (word in IRREGULAR or not word.endswith("e")))
        or GROUPS.get(base, "") in _LIGHT_STEMS
    )


def form(word: str) -> str:
    """The canonical form of a plain word."""
    folded = word.casefold()
    base = stem(folded.removesuffix("'s"))
    return NUMBERS.get(folded) or GROUPS.get(base, base)
