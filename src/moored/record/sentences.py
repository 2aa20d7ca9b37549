"""The sentences of what somebody said, and which of them only ask."""

from __future__ import annotations

import re

_SENTENCE = r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]?"
_ASKING = r"(?:how|why|where|which|who|what)\b"


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, verbatim but for the blanks and the marks of a list around them."""
    return [said for found in re.findall(_SENTENCE, text) if (said := found.strip(" \t\r-*>"))]


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: by its mark, or, where it has none, by its first word."""
    return sentence.endswith("?") or (
        not sentence.endswith((".", "!")) and re.match(_ASKING, sentence, re.IGNORECASE) is not None
    )
