"""Secrets that are known by their names: what `DB_PASSWORD`, `api_key`, `authToken` and their like are set to.

A name counts when its last word is a secret's, and a value when it is plainly one: no placeholder, no reference to a
variable, no code, no path, and either set to a password or not made of words. What is found is the value alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from moored.model.secret_values import SURE_RANDOM, is_placeholder, is_random, is_words

NAMES = {
    b"pass": "password",
    b"pwd": "password",
    b"secret": "secret",
    b"token": "token",
    b"key": "api key",
    b"auth": "credentials",
    b"credential": "credentials",
}
"""The words of which one is in every name of a secret, in lower case, and the kind of what it is set to."""

_CHOSEN = (b"pass", b"pwd", b"secret")
"""The names of what people choose, which is words with a number as often as chance."""

MAX_VALUE = 4_096
"""Bytes of the longest quoted value that is looked at."""

MAX_BARE = 1_024
"""Bytes of the longest value without quotes; what goes on for longer is a blob or a program on one line."""

MIN_PASSWORD = 6


class Assigned(NamedTuple):
    """A value that is a secret by its name: bytes `[start, end)`, its kind, and the quote that it lacks in JSON.

    `rank` is that of the word in `NAMES`.
    """

    start: int
    end: int
    rank: int
    kind: str
    quote: bytes


# What may follow the word in a name that is still a secret's: `PASSWORD`, `token_b64`, `SECRET_KEY_BASE`, `passwd2`.
_TAIL = (
    rb"(?:s|wd|words?|phrase|code)?(?:[_-]?(?:value|raw|plain|text|b64|base64|prod|production|dev|staging|test|live"
    rb"|old|new|access[_-]?key|key(?:[_-]?base)?|[0-9]{1,3}))?"
)
# Which keys are secret, and which of the other words are not, by the word before.
_SECRET_KEY = (
    rb"(?:api|access|secret|private|priv|auth|account|encryption|encrypt|signing|sign|master|service|subscription"
    rb"|storage|client|app|application|license|licence|webhook|deploy|admin|shared|hmac|jwt|session|cookie|aes|crypt"
    rb"|consumer)[_.\-]?\Z"
)
_NOT_SECRET = (
    rb"(?:page|next|continuation|cont|sync|cursor|resume|pagination|csrf|xsrf|idempotency|pad|eos|bos|unk|sep|cls|mask"
    rb"|stop|special|end|start|cache|public|publickey|pub|design|max|min|num|per|by|parse|lex|is|has|no|css|color|theme"
    rb"|cancel(?:lation)?|abort|syntax|first|last|curr(?:ent)?|prev(?:ious)?)[_.\-]?\Z"
)
# What sets a value: `=`, `:`, `:=`, `=>`, an annotation with `=`, a `value` beside a `name`, the next item of a list,
# the end of a tag, or, where prose could go on as well, a blank.
_SET = (
    rb"(?P<tail>(?i:" + _TAIL + rb"))(?![A-Za-z0-9_-])(?:(?P<quote>\\{0,8}[\"'`])?\]?(?:[ \t]{0,16}"
    rb"(?::[ \t]{0,16}[A-Za-z_][A-Za-z0-9_.|\[\]]{0,40}[ \t]{1,16}=(?![=>~])|:=|=>|=(?![=>~])|:(?!:))"
    rb"(?:\s{0,40}(?=\\{0,8}[\"'`])|[ \t]{0,16})"
    rb"|,?(?:\s|\\{1,8}[nrt]){0,40}\\{0,8}[\"']?value\\{0,8}[\"']?[ \t]{0,16}[:=][ \t]{0,16})"
    rb"|(?P<item>\\{0,8}[\"'],[ \t]{0,16})(?=\\{0,8}[\"'])"
    rb"|(?P<tag>>)(?=[^<>\s]{4,200}</)"
    rb"|(?P<blank>[ \t]{1,16}(?:(?:is|was)[ \t]{1,16})?)(?=\\{0,8}[\"'`]?[^\s\"'`\\]{6}))"
)
# Where the name begins a line, as in a file of variables or of YAML, also as diffs quote it and hosts number it.
_LINE = (
    rb"(?:\A|\r|\n|\\{1,8}[nrt])[ \t]{0,40}(?:[0-9]{1,6}(?:\t|\\{1,8}t|:|\xe2\x86\x92| ?\|)[ \t]{0,40})?"
    rb"(?:[+>-] ?)?"
    rb"(?:(?:export|set|ENV|ARG|setx) )?\Z"
)
_LINE_ENDS = rb"[ \t]{0,40}(?:\Z|\r|\n|\\{1,8}[nr]|\\{0,8}[\"']\s{0,8}[,}\]\r\n]|[ \t]#)"
_HEAD = rb"[A-Za-z0-9_.\-]{0,64}\Z"
_OPENING = rb"(?:[A-Za-z]{1,2}|\$)?(?P<mark>\\{0,8}[\"'`])"
_BARE = rb"[^\s\"'`,;<>()\[\]{}\\&|#]{1,1024}"
_TO_BLANK = rb"[^\s\"'`\\]{1,1024}"
_TOKEN = rb"[A-Za-z0-9_.~+/=-]+"
_CODE = rb"[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$]|->|::|\(|\[|\?\.)"
_ITEM = rb"(?<![0-9]\])(?:\[[0-9]{1,9}\])+\Z"
_HEX = rb"[0-9a-fA-F-]+"


def assigned(data: bytes, folded: bytes) -> Iterator[Assigned]:
    """The values in a text that are secrets by their names. `folded` is the text in lower case."""
    for rank, (word, kind) in enumerate(NAMES.items()):
        at = folded.find(word)
        while at >= 0:
            after = at + len(word)
            found = _pattern(_SET).match(data, after)
            if found and (value := _value_of(data, at, word, found)):
                start, end, quote = value
                yield Assigned(start, end, rank, kind, quote)
                after = end
            at = folded.find(word, after)


def kind_of(name: str, value: str) -> str:
    """The kind of secret that a value is by its name, or empty. The value is known to be one, as in a parsed file."""
    data = _pattern(_ITEM).sub(b"", name.encode("utf-8", "surrogatepass"))
    folded = data.lower()
    for word, kind in NAMES.items():
        at = folded.rfind(word)
        after = at + len(word)
        if at >= 0 and _pattern(_TAIL).fullmatch(folded, after) and _names_secret(data[:at], word, data[after:]):
            given = value.encode("utf-8", "surrogatepass")
            return kind if _is_secret(word, given, plain=True, loose=False) else ""
    return ""


def _value_of(data: bytes, at: int, word: bytes, found: re.Match[bytes]) -> tuple[int, int, bytes] | None:
    """Where the secret stands that the name at `at` is set to, and the quote that JSON needs around its marker."""
    head_at = _head(data, at)
    head = data[head_at:at]
    if not _names_secret(head, word, found["tail"]) or (found["tag"] and data[head_at - 1 : head_at] != b"<"):
        return None
    flag = head.startswith(b"-")
    if found["item"] and not flag:
        return None
    loose = found["blank"] is not None and not flag
    opening = _pattern(_OPENING).match(data, found.end())
    if opening:
        start, end = _quoted(data, opening)
        plain = True
    elif bare := _bare(data, head_at, found):
        start, end, plain = bare
        plain = plain or flag or bool(found["tag"] or found["quote"])
    else:
        return None
    if not _is_secret(word, data[start:end], plain=plain, loose=loose):
        return None
    return start, end, found["quote"] if found["quote"] and not opening and b":" in found[0] else b""


def _bare(data: bytes, head_at: int, found: re.Match[bytes]) -> tuple[int, int, bool] | None:
    """A value without quotes, and whether nothing but a value can stand there. None where code stands.

    Set to a variable of a shell (`A=b`), or in a line of variables (`a=b`) or of YAML (`a: b`), it goes on to the next
    blank, elsewhere to the end of an expression.
    """
    start, tail = found.end(), found.end("tail")
    name = data[head_at:tail]
    tight = found[0].endswith(b"=") and start == tail + 1
    of_yaml = found[0].endswith((b" ", b"\t")) and data[tail : tail + 1] == b":" and b"=" not in found[0]
    variable = tight and name == name.upper()
    line = variable or ((tight or of_yaml) and _pattern(_LINE).search(data, max(head_at - 64, 0), head_at) is not None)
    value = _pattern(_TO_BLANK if line else _BARE).match(data, start)
    if value and of_yaml and value[0].endswith((b",", b";")):
        line, value = False, _pattern(_BARE).match(data, start)
    if value is None or len(value[0]) == MAX_BARE or data[value.end() : value.end() + 1] in (b"(", b"["):
        return None
    if data[head_at - 1 : head_at] not in (b"?", b"&") and _pattern(_CODE).match(data, *value.span()):
        return None
    ends = of_yaml and line and _pattern(_LINE_ENDS).match(data, value.end()) is not None
    return *value.span(), variable or ends


def _head(data: bytes, at: int) -> int:
    """Where the name begins whose last word stands at `at`. An escape before it is none of its letters."""
    found = _pattern(_HEAD).search(data, max(at - 64, 0), at)
    start = found.start() if found else at
    return start + 1 if start < at and data[start - 1 : start] == b"\\" and data[start : start + 1] in b"nrt" else start


def _quoted(data: bytes, opening: re.Match[bytes]) -> tuple[int, int]:
    """The bytes up to the same quote, or to the end of the line where it is missing."""
    mark, start = opening["mark"], opening.end()
    limit = start + MAX_VALUE
    line = data.find(b"\n", start, limit)
    limit = line if line >= 0 else min(limit, len(data))
    end = data.find(mark, start, limit)
    while end > start and data[end - 1 : end] == b"\\":
        end = data.find(mark, end + 1, limit)
    if end >= 0:
        return start, end
    found = _pattern(_TO_BLANK).match(data, start)
    return found.span() if found and len(found[0]) < MAX_BARE else (start, start)


def _names_secret(head: bytes, word: bytes, tail: bytes) -> bool:
    """Whether a name ends in the word of a secret, as `DB_PASSWORD` and `apiKey` do and `max_tokens` does not."""
    folded = head.lower()
    if word == b"key":
        return _pattern(_SECRET_KEY).search(folded) is not None
    if word == b"pass" and tail[:1].lower() not in (b"w", b"p", b"c"):
        return not head[-1:].isalpha()
    if word == b"auth":
        return not tail and not head[-1:].isalpha()
    return _pattern(_NOT_SECRET).search(folded) is None


def _is_secret(word: bytes, value: bytes, *, plain: bool, loose: bool) -> bool:
    """Whether a value is a secret. `plain`: only a value can stand there; `loose`: a word of prose could as well."""
    if len(value) < MIN_PASSWORD or is_placeholder(value) or any(byte in b" \t\r\n" for byte in value):
        return False
    chance = is_random(value)
    if loose:
        token = _pattern(_TOKEN).fullmatch(value) and not _pattern(_HEX).fullmatch(value)
        return chance and len(value) >= SURE_RANDOM and token is not None
    if chance or word not in _CHOSEN or not plain:
        return chance
    if value[:1] in b"/~." and is_words(value):
        return False  # a path
    return any(not (65 <= byte < 91 or 97 <= byte < 123 or byte in b"_-./:") for byte in value)


@cache
def _pattern(source: bytes) -> re.Pattern[bytes]:
    return re.compile(source)
