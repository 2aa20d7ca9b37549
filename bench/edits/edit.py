"""Edits as they are written down, and what each does to the files of its language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

Files = dict[str, str]
"""Text by path, as a tree holds it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit. `symbol` is what the note is about, `expected` the change in its verdict, empty when it still holds.

    `where` is the address at which the target must be found when it moved; `after` are the files as they become.
    With `reverted`, the files are judged after they are as before again.
    """

    language: str
    kind: str
    title: str
    symbol: str
    expected: str
    where: str
    reverted: bool
    before: Mapping[str, str]
    after: Mapping[str, str]

    @property
    def name(self) -> str:
        return f"{self.language}: {self.kind}: {self.title}"


def languages() -> tuple[str, ...]:
    """Every language that has edits."""
    return tuple(sorted(file.stem for file in HERE.glob("*.toml")))


def load(language: str) -> tuple[Edit, ...]:
    """The edits of one language. Raises `ValueError` for one that does not fit its source."""
    table = tomllib.loads((HERE / f"{language}.toml").read_text(encoding="utf-8"))
    folder = HERE / "sources" / language
    before = {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    main, blocks = table["file"], table.get("blocks", {})
    return tuple(_edit(language, main, blocks, before, entry) for entry in table["edit"])


def _edit(language: str, main: str, blocks: Mapping[str, list[str]], before: Files, entry: dict[str, Any]) -> Edit:
    after = dict(before)
    try:
        if "move" in entry:
            moved = entry["move"]
            block = _block(before[main], blocks[moved["block"]])
            after[moved["to"]] = moved.get("before", "") + block + moved.get("after", "")
        text = _laid_out(_edited(before[main], blocks, entry), entry)
    except ValueError as error:
        raise ValueError(f"{language}: {entry['title']}: {error}") from error
    del after[main]
    after[entry.get("move_file", main)] = text
    if after == before:
        raise ValueError(f"{language}: {entry['title']}: it changes nothing")
    return Edit(
        language=language,
        kind=entry["kind"],
        title=entry["title"],
        symbol=f"{main}::{entry['symbol']}",
        expected=entry.get("expect", ""),
        where=entry.get("where", ""),
        reverted=entry["kind"] == "revert",
        before=before,
        after=after,
    )


def _edited(text: str, blocks: Mapping[str, list[str]], entry: dict[str, Any]) -> str:
    """The text after everything that is done to its words."""
    if "rename" in entry:
        text = _renamed(text, *entry["rename"])
    for old, new in entry.get("swap", ()):
        text = _swapped(text, old, new)
    for name in (entry.get("delete"), entry.get("move", {}).get("block")):
        if name:
            text = _swapped(text, _block(text, blocks[name]), "")
    if "reorder" in entry:
        text = _reordered(text, *(_block(text, blocks[name]) for name in entry["reorder"]))
    if "copy" in entry:
        name, old, new = entry["copy"]
        block = _block(text, blocks[name])
        text = _swapped(text, block, f"{block}\n{_renamed(block, old, new)}")
    return text + entry.get("append", "")


def _laid_out(text: str, entry: dict[str, Any]) -> str:
    """The text with other white space."""
    if entry.get("unindent"):
        text = re.sub(r"(?m)^(?: {4})+", lambda found: " " * (len(found[0]) // 2), text)
    if entry.get("tabs"):
        text = re.sub(r"(?m)^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), text)
    return text.replace("\n", "\r\n") if entry.get("carriage_returns") else text


def _block(text: str, marks: list[str]) -> str:
    """The whole lines from the one that begins with the first mark to the next one that begins with the second."""
    first, last = marks
    lines = text.splitlines(keepends=True)
    begin = next((at for at, line in enumerate(lines) if line.startswith(first)), None)
    if begin is None:
        raise ValueError(f"no line begins with {first!r}")
    end = next((at for at in range(begin, len(lines)) if lines[at].startswith(last)), None)
    if end is None:
        raise ValueError(f"no line after {first!r} begins with {last!r}")
    return "".join(lines[begin : end + 1])


def _swapped(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"{old!r} stands {text.count(old)} times in the source, not once")
    return text.replace(old, new)


def _renamed(text: str, old: str, new: str) -> str:
    renamed, count = re.subn(rf"(?<![\w$]){re.escape(old)}(?![\w$])", new, text)
    if not count:
        raise ValueError(f"{old!r} does not stand in the source")
    return renamed


def _reordered(text: str, first: str, second: str) -> str:
    marker = "\0"
    return _swapped(_swapped(text, first, marker), second, first).replace(marker, second)
