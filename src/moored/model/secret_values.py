"""What a value looks like that could be a secret: made by chance, and no placeholder that only stands for one."""

from __future__ import annotations

import re
from functools import cache
from math import log2

MIN_RANDOM = 10
SURE_RANDOM = 16
"""From so many bytes on, digits among letters are enough for chance; a shorter one has three sorts of characters."""

ENTROPY = 3.0
"""Bits for each byte that a value of chance has at least (Shannon)."""

_LETTERS = rb"(?:[A-Z][a-z]++|[a-z]{2,}+|[A-Z]{2,}+)*+"
# Words with at most two numbers among them in each part, as in `Ed25519PrivateKey2` or `text-embedding-3-small`.
_WORDS = rb"(?:" + _LETTERS + rb"[0-9]{0,6}+" + _LETTERS + rb"[A-Za-z]?[0-9]{0,6}+(?:[_\-./:@+= ]++|\Z))++"

_NAMED = rb"""
    (?:my|the|a|an|some|new|old|db|user|dummy|fake|test|valid|invalid|wrong|bad|good|super)?[-_\ ]?
    (?:pass(?:word|wd|phrase|code)?|pw|pwd|secrets?|tokens?|credentials?|auth
      |(?:api|access|secret|private)?[-_\ ]?keys?)
    [-_\ ]?[0-9]?
"""
_WHOLE = (
    rb"x{3,} | \*{2,} | \.{2,} | [-_#?]+ | 0+ | 1?234?5?6?7?8?9?0? | -[0-9]+ | 0x[0-9a-f]+ | [0-9]*[.:/-][0-9.:/-]*%?"
    rb"| none | null | nil | undefined | unset | empty | default | true | false | yes | no | on | off"
    rb"| str(?:ing)? | text | bytes | int(?:eger)? | bool(?:ean)? | object | any | optional | required"
    rb"| todo | tbd | fixme | dummy | foo(?:bar)? | bar | baz | qux | bearer | basic"
    rb"| user(?:name)? | admin | root | guest | postgres | test(?:ing)?"
)
_REFERENCE = (
    rb"\$[A-Za-z_{(] | <[^>]*> | %[A-Za-z_]+% | \{[\w.!:]*\} | \[ | !"
    rb"| (?:ref|env|file|op|vault|ssm|arn|secretsmanager|keyring|kms|https?|data|sha[0-9]{1,3}|md5|aws|gcp)[:+-]"
)
_STANDS_FOR = rb"(?ix) (?:" + _WHOLE + rb"|" + _NAMED + rb")\Z | " + _REFERENCE
_SPEAKS_OF = (
    rb"(?ix) \$\{ | \$\( | \{[a-z_][\w.!:]*\} | \{\{ | \}\} | <% | %\( | \#\{ | \.\.\. | \xe2\x80\xa6 | x{5,} | \*{3,}"
    rb"| your[-_\ ] | [-_\ ]here\b | example | placeholder | redacted | \[private\] | not\ kept"
    rb"| change[-_\ ]?(?:me|it|this) | replace[-_\ ]?(?:me|with|this) | insert[-_\ ]"
    rb"| process\.env | environ | getenv | secrets\."
)


def is_words(value: bytes) -> bool:
    """Whether a value is made of words and numbers, in any of the ways in which names are written."""
    return _pattern(_WORDS).fullmatch(value) is not None


def is_random(value: bytes) -> bool:
    """Whether a value looks like chance: digits among letters, and not words that numbers follow."""
    digits = sum(48 <= byte < 58 for byte in value)
    letters = sum(65 <= byte < 91 or 97 <= byte < 123 for byte in value)
    if len(value) < MIN_RANDOM or not digits or not letters or is_words(value):
        return False
    if len(value) < SURE_RANDOM:
        mixed = value != value.lower() and value != value.upper()
        if not mixed and digits + letters == len(value):
            return False
    counts = (value.count(byte) / len(value) for byte in set(value))
    return -sum(share * log2(share) for share in counts) >= ENTROPY


def is_placeholder(value: bytes) -> bool:
    """Whether a value only stands for one: `changeme`, `${TOKEN}`, `<your key>`, `xxx`, `None`."""
    return _pattern(_STANDS_FOR).match(value) is not None or _pattern(_SPEAKS_OF).search(value) is not None


@cache
def _pattern(source: bytes) -> re.Pattern[bytes]:
    return re.compile(source)
