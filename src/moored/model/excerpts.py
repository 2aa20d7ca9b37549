"""Excerpts: what a note takes from a file that has no smaller facts, so that only these words have to stay in it.

An excerpt is kept as the value of the anchor to the file, a piece a line. It is compared word by word: layout, markup
and what no reader sees count for nothing, and a piece that was cut counts as far as it goes. One without pieces asks
only that the file is there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,300}>")
"""A tag of HTML."""

_BEGINS = "takes up:"
_FRONT = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.DOTALL)
_OWN_BLOCK = re.compile(r"<!-- moored: begin -->.*?(?:<!-- moored: end -->|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# What stands in brackets is bounded, so that a line of them costs no more than it is long.
_TARGET = r"\([^)\n]{0,500}\)"
_IMAGE = re.compile(rf"\[?!\[[^\[\]\n]{{0,500}}\]{_TARGET}(?:\]{_TARGET})?")
_LINK = re.compile(rf"\[([^\[\]\n]{{1,500}})\]{_TARGET}|`([^`<\n]{{1,200}}?)\s{{0,9}}<[^>\n]{{1,500}}>`__?")
_WORD = re.compile(r"\w+")
_CUT = "\u2026"


def excerpt(pieces: Iterable[str]) -> str:
    """Some pieces of a text as the value of an anchor."""
    return "\n".join((_BEGINS, *dict.fromkeys(fold(piece) for piece in pieces if piece.strip())))


def is_excerpt(value: str) -> bool:
    """Whether the value of an anchor is an excerpt."""
    return value.partition("\n")[0] == _BEGINS


def holds(value: str, text: str) -> bool:
    """Whether every piece of an excerpt stands in a text."""
    pieces = value.split("\n")[1:]
    says = _words(plain(text)) if pieces else ""
    return all(_words(_whole(piece)) in says for piece in pieces)


def plain(text: str) -> str:
    """A document without what no reader sees, and with its links as their words."""
    kept = _COMMENT.sub("", _OWN_BLOCK.sub("", _FRONT.sub("", text)))
    return _LINK.sub(lambda found: found[1] or found[2], _IMAGE.sub("", kept))


def _whole(piece: str) -> str:
    """A piece without what stands at a cut: the last word before it may be half of one."""
    return piece.removesuffix(_CUT).rpartition(" ")[0] if piece.endswith(_CUT) else piece


def _words(text: str) -> str:
    """The words of a text, each with a blank before it, and one after the last."""
    words = _WORD.findall(TAG.sub(" ", text).casefold())
    return f" {' '.join(words)} "
