"""What the documents of a project say first: the README, what contributors and agents are told, decisions, guides."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from moored.model.excerpts import excerpt, holds
from moored.model.places import own
from moored.model.text import shorten
from moored.seeding.found import Seed, Weight, seed
from moored.seeding.prose import LINE, Section, opening, sections, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.seeding.components import Component
    from moored.seeding.ground import Ground

READMES = ("readme.md", "readme.rst", "readme.txt", "readme", "readme.markdown", "readme.adoc")
HEADINGS = 8
SHOWN_COMMANDS = 8
STATED = 8
"""Statements of one section of conventions that are kept."""

SHORT = 200
"""Characters up to which an item of a list is a statement where anything beside it asks for something."""

SECTIONS = 6
"""Sections of one document of conventions that become notes."""

_TOLD = re.compile(
    r"^(?:\.github/|docs?/)?"
    r"(?:contributing|hacking|development|conventions|style[-_ ]?guide|code[-_]?style|coding[-_]standards?)"
    r"(?:\.(?:md|rst|txt|adoc))?$",
    re.IGNORECASE,
)
"""Documents for people who work here."""

_AGENTS = re.compile(
    r"(?:^|/)(?:AGENTS?\.md|CLAUDE\.md|GEMINI\.md|\.github/copilot-instructions\.md|\.cursorrules|\.windsurfrules|"
    r"\.clinerules|\.cursor/rules/[^/]+\.mdc?)$"
)
"""Documents for agents: all that stands in them is a statement."""

_DECISION = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|decision-records?|rfcs?)/(?!readme|index|template|0*-?template)[^/]+\.(?:md|rst|adoc)$",
    re.IGNORECASE,
)
_GUIDE = re.compile(
    r"^(?:(?:docs?|documentation|guides?)/(?:(?!requirements)[^/]+|[^/]+/(?:index|readme))\.(?:md|rst|adoc|txt)|"
    r"(?:architecture|security|design)\.(?:md|rst|adoc))$",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(
    r"\b(?:must|never|always|should|shall|do not|don't|avoid|prefer|require[sd]?|ensure|make sure|not allowed)\b",
    re.IGNORECASE,
)
_DECIDED = re.compile(r"decision|decided|outcome|resolution", re.IGNORECASE)
_DECIDED_INLINE = re.compile(r"\W{0,3}(?:the )?(?:decision|decided|outcome|resolution)\b\W{1,4}(.+)", re.IGNORECASE)
_STATUS = re.compile(r"^\W*status\W+(\w+)", re.IGNORECASE)


def read(ground: Ground, parts: Sequence[Component]) -> Iterator[Seed]:
    """The seeds that stand in documents."""
    for part in parts:
        yield from _readme(ground, part)
    for path in ground.paths:
        if not own(path):
            continue
        if _TOLD.search(path) or _AGENTS.search(path):
            yield from _told(ground, path)
        elif _DECISION.search(path):
            yield from _decision(ground, path)
        elif _GUIDE.search(path):
            yield from _guide(ground, path)


def _readme(ground: Ground, part: Component) -> Iterator[Seed]:
    for path in ground.called(*READMES, folder=part.folder)[:1]:
        said = sections(ground.text(path))
        first = opening(said)
        if first:
            named = [one.heading for one in said if one.heading and one.level == 2][:HEADINGS]
            of = title(said)
            lines = [f"`{path}`{f' ({of})' if of else ''} begins: {first}"]
            if named:
                lines.append(f"Its sections: {shorten('; '.join(named), 300)}.")
            weight = Weight.README if not part.folder else Weight.COMPONENT - 1
            taken = (*_begins(ground, path, of, first), *named)
            yield seed("readme", path, "\n".join(lines), (ground.whole(path),), weight, *part.tags, taken=taken)
        shown = list(dict.fromkeys(shorten(one, LINE) for part_ in said for one in part_.commands))[:SHOWN_COMMANDS]
        if shown and not part.folder:
            text = f"Commands that `{path}` shows: " + ", ".join(f"`{one}`" for one in shown)
            yield seed("shown", path, text, (ground.whole(path),), Weight.README - 2, taken=tuple(shown))


def _told(ground: Ground, path: str) -> Iterator[Seed]:
    """What a document asks of who works here, a note for each section that asks anything."""
    known: dict[str, int] = {}
    every = bool(_AGENTS.search(path))
    found = [(one, stated) for one in sections(ground.text(path)) if (stated := _stated(one, every))][:SECTIONS]
    for section, stated in found:
        number = known[section.heading] = known.get(section.heading, 0) + 1
        of = f"{path}#{shorten(section.heading, 80)}" + (f" {number}" if number > 1 else "")
        under = f" under '{shorten(section.heading, 80)}'" if section.heading else ""
        text = "\n".join((f"`{path}` says{under}:", *(f"- {one}" for one in stated)))
        weight = Weight.CONVENTIONS - 3 * path.count("/")
        taken = (section.heading, *stated)
        yield seed("conventions", of, text, (ground.whole(path),), weight, "conventions", taken=taken)


def _stated(section: Section, every: bool) -> list[str]:
    asking = [one for one in section.prose if _DIRECTIVE.search(one)]
    beside = {one for one in section.items if len(one) <= SHORT} if asking else set[str]()
    told = [one for one in section.prose if every or one in asking or one in beside]
    return list(dict.fromkeys(shorten(one, LINE) for one in told))[:STATED]


def _decision(ground: Ground, path: str) -> Iterator[Seed]:
    said = sections(ground.text(path))
    of = title(said) or PurePosixPath(path).stem
    inline = (found[1] for one in said for text in one.prose if (found := _DECIDED_INLINE.match(text)))
    decided = next((one.prose[0] for one in said if _DECIDED.search(one.heading) and one.prose), "") or next(inline, "")
    words = shorten(decided, 320) if decided else opening(said)
    if words:
        status = next((found[1] for one in said for text in one.prose if (found := _STATUS.search(text))), "")
        status = status or next((one.prose[0] for one in said if one.heading.lower() == "status" and one.prose), "")
        state = f", {shorten(status, 40).lower()}" if status else ""
        text = f"Decision recorded in `{path}`{state}: {of}. {words}"
        taken = (title(said), words, f"status {shorten(status, 40)}" if status else "")
        yield seed("decision", path, text, (ground.whole(path),), Weight.DECISION, taken=taken)


def _guide(ground: Ground, path: str) -> Iterator[Seed]:
    said = sections(ground.text(path))
    first = opening(said)
    if first:
        of = title(said)
        text = f"`{path}`{f' ({of})' if of else ''}: {shorten(first, 220)}"
        taken, weight = _begins(ground, path, of, shorten(first, 220)), Weight.DOCUMENT - 3 * path.count("/")
        yield seed("document", path, text, (ground.whole(path),), weight, taken=taken)


def _begins(ground: Ground, path: str, of: str, first: str) -> tuple[str, ...]:
    """The title and the opening of a document: in one piece where nothing stands between them."""
    whole = f"{of} {first}"
    return (whole,) if holds(excerpt((whole,)), ground.text(path)) else (of, first)
