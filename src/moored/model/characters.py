"""Kinds of characters that need care before a text is stored, cut or indexed."""

from __future__ import annotations

import re

_BROKEN = re.compile("[\0\ud800-\udfff]")


def well_formed(text: str) -> str:
    """The text with NUL characters and lone surrogates, which UTF-8 and SQLite do not take, as U+FFFD."""
    return _BROKEN.sub("\ufffd", text)


def is_unicode(text: str) -> bool:
    """Whether a text is whole characters throughout: no lone surrogate, as names that are not UTF-8 have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
