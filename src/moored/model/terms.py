"""What is indexed of a text and what is asked of the index, for SQLite's FTS5.

Two kinds of index are served: words (`searchable`, tokenizer `porter unicode61`) and pieces of code
(`fragments`, tokenizer `trigram`). A text and a question go through the same steps, so that what stands in a text
is found by asking for it:

- Compatibility forms are unified (Unicode NFKC): full-width letters, ligatures, composed and decomposed accents.
- unicode61 takes a run of Chinese, Japanese or Korean for one word, glued to Latin letters beside it. Such a run
  is replaced by its overlapping pairs of characters and its last character: then a pair is a word, and every
  single character begins one. A question asks for the pairs, or for the beginning if it is one character.
- unicode61 drops pictographs. Each is replaced by `u` and its code point, such as `u1f680`.
- unicode61 divides `snake_case`, `dotted.names` and `paths/of/files` by itself, but not `camelCase`: those parts
  are added.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from moored.model.characters import well_formed
from moored.model.stopwords import is_stop_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_TERMS = 32
MAX_FRAGMENTS = 16_384
MAX_FRAGMENT = 256

_WORD = re.compile(r"[^\W_]+")
# Words joined by what joins names in code, paths, addresses and contractions.
_JOINED = re.compile(r"\w+(?:(?:::|->|[-./\\:@+#&'\u2019])\w+)*")
# The same for the trigram index: with a leading path or option mark, without apostrophes.
_CODE = re.compile(r"[-./~@]{0,3}\w+(?:(?:::|->|[-./\\:@+#])\w+)*")
_CODE_LIKE = re.compile(r"[\d_./\\:@+#-]|[a-z][A-Z]|[A-Z]{2}[a-z]")
# `HTTPServer2` is HTTP and Server2; `getURL` is get and URL.
_CAMEL = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
# The same places, looked for at capitals, of which a text has few.
_CAPITAL_INSIDE = re.compile(r"[A-Z](?:(?<=[a-z0-9][A-Z])|(?=[A-Z][a-z]))")

# Scripts written without blanks between words, after compatibility normalisation (no half-width forms):
# Han, Hiragana, Katakana, Hangul.
_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)

# What asks in a Chinese or Japanese question, and says nothing of what it is about.
_ASKING = (
    "为什么|什么时候|什么|怎么样|怎么|如何|哪个|哪些|哪里|多少|多久|是否|[吗呢]$|ですか$|ますか$|でしたか$|ましたか$"
)

# Pictures and dingbats: symbols that carry meaning of their own.
_PICTOGRAPH = re.compile("[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")


def searchable(text: str) -> str:
    """What to index of a text in a `porter unicode61` table. It is not meant to be shown.

    The parts of camelCase names follow the text, each once, up to the length of the text.
    """
    spelled = _spell(text, asked=False)
    parts: dict[str, None] = {}
    for word in _camel_words(spelled):
        parts.update(dict.fromkeys(part.lower() for part in _camel_parts(word)))
    if not parts:
        return spelled
    added = _joined_up_to(parts, len(text) - 1)
    return f"{spelled}\n{added}" if added else spelled


def fragments(text: str) -> str:
    """The pieces of a text that look like code, for a trigram index: each once, divided by blanks.

    A piece counts if it has a digit, a capital inside or a mark that joins names (`_ . / : - @ + #`). A piece
    is cut after `MAX_FRAGMENT` characters, the whole after `MAX_FRAGMENTS`.
    """
    pieces = dict.fromkeys(_CODE.findall(well_formed(text)))
    like_code = [
        piece[:MAX_FRAGMENT]
        for piece in pieces
        # Most pieces are plain words, which is seen without a pattern.
        if not (piece.isalpha() and piece[1:].islower()) and _CODE_LIKE.search(piece)
    ]
    return _joined_up_to(like_code, MAX_FRAGMENTS)


def query_terms(query: str) -> tuple[str, ...]:
    """The terms of a question, for `fts_query`: at most `MAX_TERMS`, in their order, each once.

    A compound (`src/app.py`, `getUserName`, `it's`) is a term and so are its parts of two characters and more.
    Function words are left out unless the question consists of nothing else.
    """
    words = [word for word in _JOINED.findall(_spell(query, asked=True)) if _WORD.search(word)]
    telling = [word for word in words if not is_stop_word(word)]
    terms: dict[str, str] = {}
    for word in telling or words:
        for term in (word, *_parts(word)):
            terms.setdefault(term.lower(), term)
        if len(terms) >= MAX_TERMS:
            break
    return tuple(terms.values())[:MAX_TERMS]


def fts_query(terms: Sequence[str]) -> str:
    """A MATCH expression that finds what has any of the terms; empty if there are none.

    Every term is quoted, so that nothing in it is syntax of FTS5
    (https://www.sqlite.org/fts5.html#fts5_strings). A single Chinese, Japanese or Korean character also finds
    the pairs that begin with it.
    """
    quoted = ('"' + well_formed(term).replace('"', '""') + '"' for term in terms)
    return " OR ".join(
        f"{quote}*" if len(term) == 1 and not term.isascii() and _cjk_run().match(term) else quote
        for quote, term in zip(quoted, terms, strict=True)
    )


@cache
def _cjk_run() -> re.Pattern[str]:
    """A run of those scripts; made when it is needed, as making it takes longer than all else here."""
    return re.compile(f"[{_CJK}]+")


def is_mostly_cjk(text: str) -> bool:
    """Whether Chinese, Japanese or Korean characters and pictographs outnumber the words of other scripts."""
    if text.isascii():
        return False
    unified = unicodedata.normalize("NFKC", well_formed(text))
    rest = _PICTOGRAPH.sub(" ", _cjk_run().sub(" ", unified))
    there = sum(map(len, _cjk_run().findall(unified))) + len(_PICTOGRAPH.findall(unified))
    return there > len(_WORD.findall(rest))


@cache
def _asking() -> re.Pattern[str]:
    return re.compile(_ASKING)


def _spell(text: str, *, asked: bool) -> str:
    """The text in the form in which a question (`asked`) or a text reaches the word index."""
    if text.isascii():
        return well_formed(text)
    unified = unicodedata.normalize("NFKC", well_formed(text))
    named = _PICTOGRAPH.sub(lambda match: f" u{ord(match[0]):x} ", unified)
    return _cjk_run().sub(lambda match: f" {' '.join(_pairs(match[0], asked=asked))} ", named)


def _pairs(run: str, *, asked: bool) -> list[str]:
    """The overlapping pairs of a run, and its last character unless it is asked for and has pairs."""
    if asked and (told := [part for part in _asking().split(run) if part]) and told != [run]:
        return [pair for part in told for pair in _pairs(part, asked=True)]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return pairs if asked and pairs else [*pairs, run[-1]]


def _parts(word: str) -> list[str]:
    """The words and camelCase parts of a compound that are not function words."""
    found: list[str] = []
    for piece in _WORD.findall(word):
        found += [part for part in (piece, *_camel_parts(piece)) if len(part) > 1 and not is_stop_word(part)]
    return found


def _camel_words(text: str) -> dict[str, None]:
    """The words with a capital inside, each once, in their order."""
    found: dict[str, None] = {}
    end = 0
    for capital in _CAPITAL_INSIDE.finditer(text):
        start = capital.start()
        if start < end:
            continue
        while start > end and text[start - 1].isalnum():
            start -= 1
        if word := _WORD.match(text, start):
            found[word[0]] = None
            end = word.end()
    return found


def _camel_parts(word: str) -> list[str]:
    """The parts, of two characters and more, of an ASCII word with capitals inside."""
    if not word.isascii() or not _INNER_CAPITAL.search(word):
        return []
    return [part for part in _CAMEL.findall(word) if 1 < len(part) < len(word)]


def _joined_up_to(pieces: Iterable[str], limit: int) -> str:
    """As many of the pieces as fit, divided by blanks."""
    wanted = list(pieces)
    whole = " ".join(wanted)
    if len(whole) <= limit:
        return whole
    taken: list[str] = []
    room = limit + 1
    for piece in wanted:
        room -= len(piece) + 1
        if room < 0:
            break
        taken.append(piece)
    return " ".join(taken)
