"""Pieces of source text: folded signatures, documentation comments, the text of a callee."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DOC_LIMIT = 400
_CALLEE_LIMIT = 300
_TYPE_ARGUMENTS = re.compile(r"\.?<[^<>()]*>$")
_LINKS = re.compile(r"\?\.|!!?\.|\??->\$?|::\$?|\\")
_SPACES = re.compile(r"\\?\s+")
_PLAIN = re.compile(r"[A-Za-z_][\w.]*")
_WORD = re.compile(r"\w")
_NO_NAMES = ("func(", "function(", "function ", "lambda ", "async ", "|")
_BEFORE_CLOSE = re.compile(r",? (?=[)\]])|(?<=[(\[]) ")
_COMMENT_EDGE = re.compile(r"^\s*(?:/\*+!?|//+[!/]?|#+:?!?|--+|\*+(?!/)|<!--)[ \t]?|\s*\*+/\s*$", re.MULTILINE)


def fold(raw: bytes | str) -> str:
    """Decode, and turn every run of white space into one space."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return " ".join(text.split())


def tidy(text: str) -> str:
    """A folded signature as if it had been written on one line."""
    return _BEFORE_CLOSE.sub("", text)


def without(source: bytes, start: int, end: int, comments: Sequence[tuple[int, int]]) -> bytes:
    """The source between two offsets without the comments in it; `comments` are in order."""
    pieces: list[bytes] = []
    inside: list[tuple[int, int]] = []
    for low, high in reversed(comments):
        if high <= start:
            break
        if low < end:
            inside.append((low, high))
    for low, high in reversed(inside):
        if low >= start:
            pieces.append(source[start:low])
        start = min(high, end)
    pieces.append(source[start:end])
    return b" ".join(pieces)


def first_paragraph(text: str) -> str:
    """The first paragraph, folded, of at most DOC_LIMIT characters."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if not line.strip():
            break
        lines.append(line)
    folded = fold("\n".join(lines))
    return folded if len(folded) <= DOC_LIMIT else folded[: DOC_LIMIT - 1].rstrip() + "…"


def doc_comment(source: bytes, comments: Sequence[tuple[int, int]], start: int) -> str:
    """The text of the comments that end directly above `start`, a blank line apart from nothing."""
    pieces: list[bytes] = []
    at = start
    for low, high in reversed(comments):
        if high > at:
            continue
        gap = source[high:at]
        if gap.strip() or gap.count(b"\n") > 1 or len(pieces) >= 60:
            break
        line_start = source.rfind(b"\n", 0, low) + 1
        if source[line_start:low].strip():
            break
        pieces.append(source[low : min(high, low + 8 * DOC_LIMIT)])
        at = low
    if not pieces:
        return ""
    text = b"\n".join(reversed(pieces)).decode("utf-8", "replace")
    return first_paragraph(_COMMENT_EDGE.sub("", text).lstrip("\n"))


def callee(raw: bytes) -> str:
    """The dotted text of a callee: white space, literals and the arguments of calls left out.

    `a.b(x).c` gives `a.b().c`, `", ".join` gives `''.join`; a callee that is no name gives an empty text.
    """
    if len(raw) > _CALLEE_LIMIT:
        tail = raw[-_CALLEE_LIMIT:].decode("utf-8", "replace")
        name = re.search(r"[\w$]+\s*$", tail)
        return f"().{name.group().strip()}" if name else ""
    text = raw.decode("utf-8", "replace")
    if _PLAIN.fullmatch(text):
        return text
    if text.startswith(_NO_NAMES):
        return ""
    text = _SPACES.sub("", _emptied(text))
    text = _TYPE_ARGUMENTS.sub("", _LINKS.sub(".", text)).lstrip("$.") if text[:1] != "." else text
    return text if _WORD.search(text) else ""


def _emptied(text: str) -> str:
    """The text with nothing left between its brackets and its quotes."""
    kept: list[str] = []
    depth = 0
    quote = ""
    for character in text:
        if quote:
            if character == quote:
                quote = ""
        elif character in "\"'`" and (not kept or kept[-1] != "&"):
            quote = character
            if depth == 0:
                kept.append("''")
        elif character in "([{":
            if depth == 0:
                kept.append(character)
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                kept.append(character)
        elif depth == 0:
            kept.append(character)
    return "".join(kept)


def type_name(raw: bytes) -> str:
    """The text of a declared type, without quotes around a forward reference."""
    text = fold(raw[:_CALLEE_LIMIT])
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        text = text[1:-1]
    return text
