"""How the tree is laid out: its components, or, in a repository of one package, the rooms of its code.

A folder is told with what it says of itself: the opening of its package's file. Where it says nothing it is only named,
and the note rests on its smallest file being there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.places import own
from moored.model.text import fold, shorten
from moored.seeding.components import ASIDE
from moored.seeding.found import MAX_ABOUT, Seed, Weight, seed
from moored.seeding.manifests import name_facts, name_of
from moored.seeding.prose import opening, sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.facts import Fact
    from moored.seeding.components import Component
    from moored.seeding.ground import Ground

ALONE = 20
"""Components up to which a single list names them all with their folders."""

SHARE = 0.7
"""Of the code of a folder: when one folder in it holds so much, its rooms are told in its place."""

ROOM = 120
FEWEST = 2
"""Code files from which a folder is a room."""

_CODE = re.compile(
    r"\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|rs|go|java|kt|kts|scala|cs|php|rb|swift|c|h|cc|cpp|hpp|lua|dart|ex|exs|sh)$"
)
_SPEAKS = (
    *(
        "__init__.py",
        "mod.rs",
        "lib.rs",
        "doc.go",
        "index.ts",
        "index.js",
        "package-info.java",
        "readme.md",
        "readme.rst",
    ),
)
_DOCSTRING = re.compile(r'\A(?:#[^\n]*\n|\s)*[rRuU]?("""|\'\'\')(.*?)(?:\1)', re.DOTALL)
_LEADING = re.compile(r"\A(?:#![^\n]*\n)?((?:[ \t]*//[!/]?[^\n]*\n)+|\s*/\*\*?.*?\*/)", re.DOTALL)
_MARKS = re.compile(r"^[ \t]*(?://[!/]?|/\*+|\*+/?)[ \t]?|\*/", re.MULTILINE)
_FIRST = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)
_LICENCE = re.compile(r"copyright|license|spdx|eslint|generated|@ts-|prettier|use strict|coding[:=]", re.IGNORECASE)


def read(ground: Ground, parts: Sequence[Component]) -> Iterator[Seed]:
    """The seeds of the layout."""
    inside = [part for part in parts if part.folder]
    if inside:
        yield from _parts(ground, inside)
    else:
        yield from _rooms(ground)


def _parts(ground: Ground, parts: Sequence[Component]) -> Iterator[Seed]:
    """A list of the components, in as many notes as it takes for each to rest on what names them."""
    groups: dict[str, list[Component]] = {}
    for part in parts:
        groups.setdefault(part.folder.rpartition("/")[0] if len(parts) > ALONE else "", []).append(part)
    for folder, group in sorted(groups.items()):
        for at in range(0, len(group), MAX_ABOUT):
            some = group[at : at + MAX_ABOUT]
            told = "; ".join(f"`{part.folder}`{_called(ground, part)}" for part in some)
            where = f" in `{folder}`" if folder else ""
            number = f"#{at // MAX_ABOUT + 1}" if at else ""
            about = tuple(fact for part in some for fact in name_facts(ground, part)[:1])
            text = f"Components{where} ({len(some)} of {len(group)}): {told}."
            weight = Weight.LAYOUT - min(at, 30)
            yield seed("layout", f"{folder}{number}", text, about, weight, "layout", taken=())


def _called(ground: Ground, part: Component) -> str:
    name = name_of(ground, part)
    return f" ({shorten(name, 60)})" if name and name != part.folder.rpartition("/")[2] else ""


def _rooms(ground: Ground) -> Iterator[Seed]:
    """The folders of the code of one package, each with what it says of itself."""
    silent: list[tuple[str, Fact]] = []
    rooms = _folders(ground)
    for room in rooms:
        speaker, says = _says(ground, room)
        if says and speaker:
            text = f"`{room}`: {says}"
            weight = Weight.COMPONENT - room.count("/")
            yield seed("room", room, text, (speaker,), weight, *_tag(room), taken=(says,))
        elif smallest := _smallest(ground, room):
            silent.append((room, smallest))
    for at in range(0, len(silent), MAX_ABOUT):
        some = silent[at : at + MAX_ABOUT]
        told = ", ".join(f"`{room}`" for room, _ in some)
        number = f"#{at // MAX_ABOUT + 1}" if at else ""
        text = f"{'Other folders' if len(silent) < len(rooms) else 'Folders'} of code: {told}."
        about = tuple(fact for _, fact in some)
        yield seed("layout", number, text, about, Weight.LAYOUT - min(at, 30), "layout", taken=())


def _folders(ground: Ground) -> list[str]:
    """The top folders of the code; in place of one that holds most of it, the folders in that one."""
    tops = _counts(ground, "")
    whole = sum(tops.values())
    found: list[str] = []
    for top in sorted(tops):
        inner, count = top, tops[top]
        inside: dict[str, int] = {} if top in ASIDE else _counts(ground, top)
        while inside and max(inside.values()) > SHARE * count:
            inner = max(sorted(inside), key=inside.__getitem__)
            count, inside = inside[inner], _counts(ground, inner)
        rooms = [one for one in sorted(inside) if inside[one] >= FEWEST]
        found += rooms if len(rooms) > 1 and count > whole / 4 else [inner]
    return found


def _counts(ground: Ground, folder: str) -> dict[str, int]:
    """How many code files each folder in a folder holds, with all below it."""
    skip = len(folder) + 1 if folder else 0
    found: dict[str, int] = {}
    for path in ground.below(folder):
        inside, slash, _ = path[skip:].partition("/")
        if slash and _CODE.search(path) and own(path) and not inside.startswith("."):
            one = path[:skip] + inside
            found[one] = found.get(one, 0) + 1
    return found


def _says(ground: Ground, folder: str) -> tuple[Fact | None, str]:
    """What a folder says of itself, and the fact of the file that says it."""
    for path in ground.called(*_SPEAKS, folder=folder):
        text = ground.text(path)
        said = opening(sections(text)) if path.lower().endswith((".md", ".rst")) else _comment(path, text)
        if said:
            return ground.whole(path), said
    return None, ""


def _comment(path: str, text: str) -> str:
    """The first sentence of the comment that a source file begins with, unless it is of a licence or of a tool."""
    found = _DOCSTRING.match(text) if path.endswith(".py") else _LEADING.match(text)
    if not found:
        return ""
    words = fold(found[2] if path.endswith(".py") else _MARKS.sub("", found[1]))
    if not any(letter.isalpha() for letter in words) or _LICENCE.search(words):
        return ""
    first = _FIRST.match(words)
    return shorten(first[1] if first else words, ROOM * 2)


def _smallest(ground: Ground, folder: str) -> Fact | None:
    files = [path for path in ground.below(folder) if _CODE.search(path) and ground.files[path].size > 0]
    return ground.whole(min(files, key=lambda path: (ground.files[path].size, path))) if files else None


def _tag(room: str) -> tuple[str, ...]:
    return (room.lower(),) if len(room) <= 64 else ()
