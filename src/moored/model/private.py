"""What its author withholds, and what memory itself had put in: neither is ever kept.

`<private>...</private>` is taken out with all that is in it, in capitals or not, nested as it may be. In somebody's own
words a tag that is never closed withholds everything to the end. In what a tool or a document gave it does so only
where it begins a line, since programs and texts about the tag name it too.

A frame `<moored-memory ...>...</moored-memory>` holds what was recalled and injected; recording it again would make
memory its own source. A host that writes `&lt;` and `&gt;` for the angle brackets of what it injects (Gemini CLI) has
them around the frame, too.
"""

from __future__ import annotations

import re
from functools import cache

PRIVATE = b"[private]"
"""What stands where something private was."""

FRAME = b"moored-memory"
"""The name of the tag around what memory injects."""

_OPENING, _CLOSING = b"<private", b"</private"


def without_private(data: bytes, *, own_words: bool = True) -> bytes:
    """The bytes with every private part replaced by `[private]`; the same object when there is none.

    `own_words` says that somebody said them, not a tool or a document.
    """
    if b"<" not in data or _OPENING not in (folded := data.lower()):
        return data
    waiting: list[int] = []
    spans: list[tuple[int, int]] = []
    for tag in _tags(rb"<(/?)private[ \t]*>").finditer(folded):
        if not tag.group(1):
            waiting.append(tag.start())
        elif waiting:
            spans.append((waiting.pop(), tag.end()))
    spans += [(start, len(data)) for start in waiting if own_words or _begins_line(data, start)]
    kept: list[bytes] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            kept += (data[at:start], PRIVATE)
            at = end
    return b"".join((*kept, data[at:])) if kept else data


def only_private(data: bytes) -> bool:
    """Whether nothing but white space is left beside what was private."""
    return not data.replace(PRIVATE, b"").strip()


def without_frames(data: bytes) -> bytes:
    """The bytes without the frames that memory injected; the same object when there is none.

    A frame that was cut off ends with the text, if it begins a line, as an injected one does.
    """
    if FRAME not in data:
        return data
    kept: list[bytes] = []
    at = 0
    for tag in _tags(rb"(?:(<)|&lt;)" + FRAME + rb"(?:\s[^<>]{0,1200}?)?(?(1)>|&gt;)").finditer(data):
        if tag.start() < at:
            continue
        ending = b"</" + FRAME + b">" if tag.group(1) else b"&lt;/" + FRAME + b"&gt;"
        closing = data.find(ending, tag.end())
        line = data.rfind(b"\n", 0, tag.start()) + 1
        if closing < 0 and data[line : tag.start()].strip():
            continue
        kept.append(data[at : tag.start()])
        at = len(data) if closing < 0 else closing + len(ending)
    return b"".join((*kept, data[at:])) if at else data


def _begins_line(data: bytes, at: int) -> bool:
    """Whether only blanks, marks of comments and lists, or the number of the line stand before a place in its line."""
    return not data[data.rfind(b"\n", 0, at) + 1 : at].strip(b" \t\r0123456789|:>#/*-\xe2\x86\x92")


@cache
def _tags(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)
