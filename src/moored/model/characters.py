"""Kinds of characters that need care before a text is stored, cut or indexed."""

from __future__ import annotations

import re

# Scripts written without blanks between words, after compatibility normalisation (no half-width forms):
# Han, Hiragana, Katakana, Hangul.
_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af"
)
CJK_RUN = re.compile(f"[{_CJK}]+")
CJK_CHARACTER = re.compile(f"[{_CJK}]")

# Pictures and dingbats: symbols that carry meaning of their own.
PICTOGRAPH = re.compile("[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")

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
