"""Pieces of what was forgotten by which a scan of bytes tells whether some of it is left.

A piece is a run of bytes that is hardly anywhere by chance. Of a short text it is all of it, of a longer one a few runs
of words, from all over it, those with digits, capitals and long words first. Of a content that is kept compressed there
are pieces of the compressed bytes as well. Full-text indexes hold words in lower case, without what they share with the
word before: so long words are looked for without their beginning, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST = 12
"""Bytes of the shortest text that is a piece as a whole."""

SHORTEST_RUN = 15
"""Bytes of the shortest piece of a longer one."""

LONGEST = 32
"""Bytes of the longest one."""

PER_TEXT = 8
"""Pieces that are taken of one text, at most."""

MOST = 20_000
"""Pieces that are looked for at once."""

STEM = 3
"""Bytes of a word that it may share with the one before it in an index."""

_RUNS = re.compile(rb"[^\x00-\x1f]{15,}")
_TOKEN = re.compile(r"[0-9a-z]{18,}")
_RARE = re.compile(rb"[0-9A-Z_./:-]")


def pieces(texts: Iterable[bytes], packed: Iterable[bytes] = ()) -> list[bytes]:
    """The pieces of these texts, and of these contents as they are kept when they are compressed."""
    found: dict[bytes, None] = {}
    for text in texts:
        found |= dict.fromkeys(_of_text(text))
        found |= dict.fromkeys(_of_words(text))
    for content in packed:
        found |= dict.fromkeys(_of_packed(content))
    return list(found)[:MOST]


def _of_text(text: bytes) -> list[bytes]:
    text = text.strip()
    if SHORTEST <= len(text) <= 2 * LONGEST and b"\n" not in text:
        return [text]
    runs = [cut for run in _RUNS.findall(text) for cut in _cuts(run)]
    if len(runs) <= PER_TEXT:
        return runs
    # One of each part of the text, the rarest of its part.
    size = len(runs) / PER_TEXT
    parts = (runs[int(at * size) : int((at + 1) * size)] for at in range(PER_TEXT))
    return [max(part, key=_rarity) for part in parts if part]


def _cuts(run: bytes) -> list[bytes]:
    """Runs of whole words of a line, as long as a piece may be; a word that is longer is cut."""
    cuts: list[bytes] = []
    at = 0
    while at + SHORTEST_RUN <= len(run):
        end = min(at + LONGEST, len(run))
        if end < len(run):
            space = run.rfind(b" ", at + SHORTEST_RUN, end)
            end = space if space > 0 else end
        piece = run[at:end].strip()
        if len(piece) >= SHORTEST_RUN:
            cuts.append(piece)
        at = end
    return cuts


def _rarity(piece: bytes) -> tuple[int, int, bytes]:
    return len(_RARE.findall(piece)), max(map(len, piece.split())), piece


def _of_words(text: bytes) -> list[bytes]:
    words = sorted(set(_TOKEN.findall(text.decode("utf-8", "ignore").lower())))
    return [word[STEM:].encode() for word in words[:PER_TEXT]]


def _of_packed(content: bytes) -> list[bytes]:
    """A few runs of compressed bytes; the beginning is alike in many."""
    step = max((len(content) - LONGEST) // PER_TEXT, LONGEST)
    return [content[at : at + LONGEST] for at in range(LONGEST, len(content) - LONGEST, step)][:PER_TEXT]
