"""What its author withholds, and what memory itself had put in: neither is ever kept.

`<private>...</private>` is taken out with all that is in it, in capitals or not, nested as it may be; a tag that is
never closed withholds everything to the end. A frame `<moored-memory ...>...</moored-memory>` holds what was recalled
and injected; recording it again would make memory its own source. A host that writes `&lt;` and `&gt;` for the angle
brackets of what it injects (Gemini CLI) has them around the frame, too.
"""

from __future__ import annotations

import re
from functools import cache

PRIVATE = b"[private]"
"""What stands where something private was."""

FRAME = b"moored-memory"
"""The name of the tag around what memory injects."""

_OPENING, _CLOSING = b"<private", b"</private"


def without_private(data: bytes) -> bytes:
    """The bytes with every private part replaced by `[private]`; the same object when there is none."""
    if b"<" not in data or _OPENING not in (folded := data.lower()):
        return data
    kept: list[bytes] = []
    depth = at = 0
    for tag in _tags(rb"<(/?)private[ \t]*>").finditer(folded):
        if not tag.group(1):
            if depth == 0:
                kept += (data[at : tag.start()], PRIVATE)
            depth += 1
        elif depth:
            depth -= 1
            at = tag.end()
    if not kept:
        return data
    if depth == 0:
        kept.append(data[at:])
    return b"".join(kept)


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
    for tag in _tags(rb"(?:(<)|&lt;)" + FRAME + rb"(?:\s[^<>]{0,400}?)?(?(1)>|&gt;)").finditer(data):
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


@cache
def _tags(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)
