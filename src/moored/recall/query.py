"""A question, read once into the forms in which the indexes are asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.names import Mention, mentions
from moored.model.stopwords import is_stop_word
from moored.model.text import fragments, fts_query, query_terms, well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence

READ = 20_000
"""Characters of a question that are read; what follows is left out."""

MAX_NAMES = 24
MIN_FRAGMENT = 4
MAX_FRAGMENTS = 8

_ID = re.compile(r"\b(?:ep|fa|no)_[0-9a-hjkmnp-tv-z]{18}\b")
_TRACEBACK = re.compile(r'File "([^"\n]{1,300})", line (\d{1,7})')
"""How Python names a line of a file in a traceback."""

_ORDINARY = re.compile(r"\d+|[A-Za-z]?[a-z]+(?:-[a-z]+)+")
"""Numbers and hyphenated words, which look like pieces of code and are none."""

_PLAIN = re.compile(r"[^\W\d]\w{3,60}")


class Query(NamedTuple):
    """A question in every form that is asked of the indexes. Any text is a valid question.

    `text` is as much of it as is read, without what the store cannot take. `terms` are those of the word index in
    their order, `words` a MATCH expression of them all, empty when there are none. `fragments` are pieces of code.
    `ids` are the ids named, `names` what has the form of a symbol, key, path or command, `plain` the ordinary words
    that could be the name of a symbol all the same.
    """

    text: str
    terms: tuple[str, ...]
    words: str
    fragments: tuple[str, ...]
    ids: tuple[str, ...]
    names: tuple[Mention, ...]
    plain: tuple[str, ...]


def read(question: str | Sequence[Mention]) -> Query:
    """Read a question: a text, or the names of files and symbols alone, whatever words stand in them."""
    if isinstance(question, str):
        return _of_text(question)
    return Query("; ".join(name.text for name in question), (), "", (), (), tuple(question), ())


def _of_text(text: str) -> Query:
    part = well_formed(text[:READ])
    terms = query_terms(part)
    pieces = [
        piece for piece in fragments(part).split() if len(piece) >= MIN_FRAGMENT and not _ORDINARY.fullmatch(piece)
    ]
    names = mentions(_TRACEBACK.sub(r"\1:\2", part))[:MAX_NAMES]
    named = {name.name for name in names}
    plain = dict.fromkeys(word for word in _PLAIN.findall(part) if not is_stop_word(word) and word not in named)
    return Query(
        text=part,
        terms=terms,
        words=fts_query(terms),
        fragments=tuple(dict.fromkeys(pieces))[:MAX_FRAGMENTS],
        ids=tuple(dict.fromkeys(_ID.findall(part))),
        names=names,
        plain=tuple(plain)[:MAX_NAMES],
    )
