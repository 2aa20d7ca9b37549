"""Values in the words of a note: putting the present one in place of another."""

from __future__ import annotations

import re

VALUE = 80
"""Characters of a value that is put into a text: what is longer is not a value but a text of its own."""


def proposed_value_text(text: str, old_value: str, new_value: str) -> str | None:
    """The text of a note with the new value in place of the old, None where that cannot be said surely.

    It can when the old value stands in the text exactly once, as a whole: not as a part of another word or number.
    """
    if not old_value.strip() or old_value == new_value:
        return None
    found = list(re.finditer(rf"(?<![\w.]){re.escape(old_value)}(?!\.?\w)", text))
    if len(found) != 1:
        return None
    start, end = found[0].span()
    return text[:start] + new_value + text[end:]


def bare(value: str) -> str:
    """A value without the quotes around it."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
