"""Pieces of source text: folded signatures, documentation comments, the text of a callee."""

from __future__ import annotations

import re
from collections.abc import Sequence

DOC_LIMIT = 400
_CALLEE_LIMIT = 300
_INNER_BRACKETS = re.compile(r"\([^()]+\)|\[[^\[\]]+\]|\{[^{}]*\}|<[^<>]*>(?=\()")
_TYPE_ARGUMENTS = re.compile(r"\.?<[^<>()]*>$")
_LINKS = re.compile(r"\?\.|!!?\.|\??->\$?|::\$?")
_SPACES = re.compile(r"\s+")
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
    """The dotted text of a callee: white space and the arguments of calls inside it left out."""
    if len(raw) > _CALLEE_LIMIT:
        tail = raw[-_CALLEE_LIMIT:].decode("utf-8", "replace")
        name = re.search(r"[\w$]+\s*$", tail)
        return f"().{name.group().strip()}" if name else ""
    text = raw.decode("utf-8", "replace")
    if text.isidentifier():
        return text
    if "(" in text or "[" in text or "{" in text:
        while True:
            shorter = _INNER_BRACKETS.sub(_emptied, text)
            if shorter == text:
                break
            text = shorter
    text = _SPACES.sub("", text)
    return _TYPE_ARGUMENTS.sub("", _LINKS.sub(".", text)).lstrip("$")


def _emptied(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] == "<":
        return ""
    return {"(": "()", "[": "[]", "{": ""}[found[0]]


def type_name(raw: bytes) -> str:
    """The text of a declared type, without quotes around a forward reference."""
    text = fold(raw[:_CALLEE_LIMIT])
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        text = text[1:-1]
    return text
