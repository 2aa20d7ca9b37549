"""Reading a document for what it says first: its title, its opening, its sections, and the commands that it shows.

Markdown is read as plain lines. What is not prose (front matter, comments, badges, tables, the block that moored itself
sets into the files of agents) is left out, and nothing is reworded: what is taken is taken as it stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.model.excerpts import TAG, plain
from moored.model.text import fold, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPENING = 320
"""Characters of an opening that are kept."""

LINE = 200
"""Characters of one item that are kept."""

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+)$")
_UNDERLINE = re.compile(r"(=|-|~){3,}[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.+)$")
_NOT_PROSE = re.compile(r"[ \t]*(?:[|>]|\.\. |:[\w-]+:|\[[^\]]+\]:|[-=*_~+|]{3,}[ \t]*$)")
_SHELL = frozenset(
    {"", "bash", "cmd", "console", "powershell", "ps1", "sh", "shell", "shell-session", "terminal", "zsh"}
)
_MARKED = frozenset(_SHELL - {""})


class Section(NamedTuple):
    """A heading with what stands under it up to the next: paragraphs and items in order, and shown commands.

    `items` are those of the prose that are items of a list.
    """

    heading: str
    level: int
    prose: tuple[str, ...]
    commands: tuple[str, ...]
    items: frozenset[str] = frozenset()


class _Block(NamedTuple):
    kind: str
    text: str
    level: int = 0


def sections(text: str) -> list[Section]:
    """The sections of a document in order; the first has no heading when the document begins without one."""
    found = [Section("", 0, (), ())]
    for block in _blocks(plain(text)):
        last = found[-1]
        if block.kind == "heading":
            found.append(Section(block.text, block.level, (), ()))
        elif block.kind == "command":
            found[-1] = last._replace(commands=(*last.commands, block.text))
        else:
            items = last.items | {block.text} if block.kind == "item" else last.items
            found[-1] = last._replace(prose=(*last.prose, block.text), items=items)
    return [one for one in found if one != Section("", 0, (), ())]


def title(parts: Sequence[Section]) -> str:
    """The heading that a document begins with, empty when it has none."""
    return shorten(next((one.heading for one in parts[:2] if one.heading), ""), LINE)


def opening(parts: Sequence[Section]) -> str:
    """The first prose of a document, shortened; empty when there is none."""
    return shorten(next((text for one in parts for text in one.prose), ""), OPENING)


def _blocks(text: str) -> Iterator[_Block]:
    lines = text.split("\n")
    waiting: list[str] = []
    kind = "prose"
    at = 0
    while at < len(lines):
        line = lines[at]
        fence, heading, item = _FENCE.match(line), _HEADING.match(line), _ITEM.match(line)
        if fence or heading or item or not line.strip() or _UNDERLINE.fullmatch(line):
            if waiting and _UNDERLINE.fullmatch(line) and len(waiting) == 1:
                yield _Block("heading", fold(waiting.pop()), 1 if line.startswith("=") else 2)
            yield from _paragraph(kind, waiting)
            waiting, kind = [], "item" if item else "prose"
        if fence:
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(fence[1])), len(lines))
            yield from (_Block("command", one) for one in _commands(fence[2].lower(), lines[at + 1 : end]))
            at = end
        elif heading:
            yield _Block("heading", fold(TAG.sub("", heading[2].rstrip(" \t#"))), len(heading[1]))
        elif item:
            waiting.append(item[1])
        elif line.strip() and not _NOT_PROSE.match(line):
            waiting.append(line)
        at += 1
    yield from _paragraph(kind, waiting)


def _paragraph(kind: str, lines: Sequence[str]) -> Iterator[_Block]:
    text = fold(TAG.sub("", " ".join(lines)))
    if any(letter.isalpha() for letter in text):
        yield _Block(kind, text)


def _commands(language: str, lines: Sequence[str]) -> Iterator[str]:
    """The commands of a fenced block that is said to be of a shell, or of one without a language that shows prompts."""
    if language not in _SHELL:
        return
    for line in lines:
        said = line.strip()
        if said.startswith(("$ ", "> ")):
            yield fold(said[2:].partition("  #")[0])
        elif language in _MARKED and said and not said.startswith("#") and not line.startswith((" ", "\t")):
            yield fold(said.partition("  #")[0])
