"""The words of a message: the text of its blocks, without what the host put around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from moored.importers.transcript import Tally
from moored.record.tool_text import is_list, is_object

TEXTS = frozenset({"text", "input_text", "output_text"})
"""Types of content blocks that are words of the speaker."""


def words(content: object, tally: Tally, left_out: Iterable[str] = (), *, silently: Iterable[str] = ()) -> str:
    """The texts of a message's content, one under the other.

    Blocks of other types are counted, those in `left_out` as such and the rest as unknown, but not those in `silently`.
    """
    if isinstance(content, str):
        return content
    found: list[str] = []
    for block in content if is_list(content) else ():
        text = block.get("text") if is_object(block) else block
        kind = text_of(block, "type") if is_object(block) else ""
        if isinstance(text, str) and (kind in TEXTS or not kind):
            found.append(text)
        elif kind not in silently:
            tally.sort(kind, left_out)
    return "\n".join(found)


def text_of(record: Mapping[str, Any], *names: str) -> str:
    """The first of the named members that is a text and not empty, or an empty text."""
    return next((value for name in names if isinstance(value := record.get(name), str) and value), "")


def member(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A member that is an object, else an empty one."""
    value = record.get(name)
    return value if is_object(value) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none when it is no list."""
    return [item for item in value if is_object(item)] if is_list(value) else []


def without_elements(text: str, names: Iterable[str]) -> str:
    """The text without the elements of these names that a host put before or after it, such as `<name>...</name>`.

    An element within the text is the speaker's own and stays.
    """
    stripped = text.strip()
    before = None
    while stripped != before:
        before = stripped
        for name in names:
            stripped = _without_outer(stripped, f"<{name}", f"</{name}>")
    return text if len(stripped) == len(text.strip()) else stripped


def _without_outer(text: str, opening: str, closing: str) -> str:
    """The text without an element at its beginning and one at its end."""
    if text.startswith(opening) and (end := text.find(closing)) >= 0:
        text = text[end + len(closing) :].lstrip()
    if text.endswith(closing) and (start := text.rfind(opening)) >= 0:
        text = text[:start].rstrip()
    return text


def element(text: str, name: str) -> str | None:
    """What stands in the first element of this name, without white space at its ends; None when there is none."""
    start = text.find(f"<{name}>")
    end = text.find(f"</{name}>", start)
    return text[start + len(name) + 2 : end].strip() if 0 <= start < end else None


def only_elements(text: str, names: Iterable[str]) -> bool:
    """Whether a text is nothing but elements of these names."""
    return bool(text.strip()) and not without_elements(text, names).strip()


def stated_status(text: str) -> int | None:
    """The exit status that the output of a command tells in a line of its own, None when it does not."""
    found = _STATUS.search(text[:400]) or _STATUS.search(text[-400:])
    return int(found[1]) if found else None


_STATUS = re.compile(
    r"^(?:Process exited with code|<exited with exit code|Exit [Cc]ode:?|\(exit code:?) ?(-?\d{1,10})\b", re.MULTILINE
)
