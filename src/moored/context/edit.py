"""The brief before an edit: what was noted about the file, and first about the symbols that are meant."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from moored.atlas.lookup import relative
from moored.atlas.names import Mention
from moored.context.brief import Brief
from moored.context.entries import hit_entry
from moored.context.pack import Block, pack
from moored.context.reminders import due_now, reminder_block
from moored.ledger.sight import Sight
from moored.model.characters import well_formed
from moored.model.facts import SYMBOL_KINDS, FactKind
from moored.recall.disputed import newer_first
from moored.recall.policy import EDIT, InContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import tzinfo

    from moored.ledger.sight import FactNow
    from moored.model.projects import Project, Tree
    from moored.model.recall import Hit
    from moored.recall.vectors import VectorCache
    from moored.store.port import View

MOMENT = "edit"
HEADING = "Noted about what is edited:"
PATHS = 4
MEANT = 12
LARGEST = 2_000_000
"""Bytes of the largest file in which the place of an edit is looked for."""

LONGEST = 200_000
"""Characters of a tool's input that are read."""

_OLD = frozenset({"old_string", "oldString", "old_str", "oldText", "old_source", "search"})
_NAMEABLE = SYMBOL_KINDS | {FactKind.CONFIG_KEY}


class Edited(NamedTuple):
    """What is about to be edited: files, symbols that were named, the input of the tool, and in which session."""

    paths: Sequence[str]
    names: Sequence[str]
    text: str
    session: str = ""


def before_edit(
    view: View,
    project: Project,
    tree: Tree,
    edited: Edited,
    budget: int,
    cache: VectorCache,
    now: int,
    zone: tzinfo,
) -> Brief:
    """The reminders on these files and their symbols, and notes about them with their verdicts.

    Those about the symbols that are named or touched come first.
    """
    from moored.recall.meaning import Meaning
    from moored.recall.selector import recall

    inside = list(dict.fromkeys(_inside(tree, well_formed(path)) for path in edited.paths if "\0" not in path))[:PATHS]
    sight = Sight(view, tree, reads=PATHS)

    def symbols() -> list[tuple[str, str]]:
        return [(path, name) for path in inside for name in meant(sight, tree, path, edited)]

    due = due_now(view, project, tree, now=now, zone=zone, paths=inside, symbols=symbols)
    reminders = reminder_block(due)
    asked: list[Mention] = []
    for path in inside:
        # Most files have no note: then nothing of them has to be read.
        if view.notes.about_paths(project, [path]):
            asked += [Mention(f"{path}::{name}", path=path, name=name) for name in meant(sight, tree, path, edited)]
            asked.append(Mention(path, path=path))
    if not asked and not due:
        return Brief("", 0, budget, 0, 0, 0, ())
    if not asked:
        return pack((), [reminders], project=project.name, moment=MOMENT, budget=budget)
    known = InContext(works_in=well_formed(edited.session))
    answer, _ = recall(view, project, tree, asked, EDIT, meaning=Meaning(None, None, cache), now=now, known=known)
    first = {(mention.path, mention.name or mention.path): at for at, mention in enumerate(asked)}
    hits = _newer_first(view, project, sorted(answer.hits, key=lambda hit: _place(hit, first)))
    block = Block(HEADING, "note", [hit_entry(hit) for hit in hits], "hits")
    return pack((), [reminders, block], project=project.name, moment=MOMENT, budget=budget)


def _newer_first(view: View, project: Project, hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits, the newer side of each dispute before the older, whatever each is about."""
    if len(hits) < 2:
        return hits
    opponents = view.kin.opponents(project, [hit.id for hit in hits])
    return newer_first(hits, {note: [one.note for one in sides if one.newer] for note, sides in opponents.items()})


def _inside(tree: Tree, path: str) -> str:
    """A path from the root of the tree, also where the host came to it by a link."""
    inside = relative(tree, path)
    return relative(tree, os.path.realpath(inside)) if Path(inside).is_absolute() else inside


def _place(hit: Hit, asked: Mapping[tuple[str, str], int]) -> int:
    """Where the first thing that a note is about stands among what was asked for; behind all for any other."""
    return min((asked.get((one.anchor.path, one.anchor.name), len(asked)) for one in hit.anchors), default=len(asked))


def meant(sight: Sight, tree: Tree, path: str, edited: Edited) -> tuple[str, ...]:
    """The symbols and keys of a file that are named, or whose lines an edit touches, or that stand in its text."""
    facts = [fact for fact in sight.file(path) or () if fact.kind in _NAMEABLE]
    wanted = {name.rpartition("::")[2] for name in edited.names}
    named = [fact.name for fact in facts if fact.name in wanted or _leaf(fact.name) in wanted]
    touched = _touched(facts, tree, path, edited.text)
    words = set(re.findall(r"\w+", edited.text[:LONGEST]))
    said = [fact.name for fact in facts if _leaf(fact.name) in words]
    return tuple(dict.fromkeys([*named, *touched, *said]))[:MEANT]


def _touched(facts: Sequence[FactNow], tree: Tree, path: str, text: str) -> list[str]:
    """The innermost symbols first that cover the lines which an edit is to replace."""
    lines = _lines(tree, path, _old_texts(text))
    if not lines:
        return []
    covering = [fact for fact in facts if any(fact.line <= end and fact.end_line >= start for start, end in lines)]
    return [fact.name for fact in sorted(covering, key=lambda fact: fact.end_line - fact.line)]


def _lines(tree: Tree, path: str, texts: Iterable[str]) -> list[tuple[int, int]]:
    """The first and last line, from 1, of the first place in a file where each of the texts stands."""
    file = Path(tree.root, path)
    wanted = [old for old in texts if old.strip()]
    try:
        if not wanted or file.stat().st_size > LARGEST:
            return []
        content = file.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return []
    places = ((content.find(old), old) for old in wanted)
    return [
        (content.count("\n", 0, at) + 1, content.count("\n", 0, at + len(old.rstrip("\n"))) + 1)
        for at, old in places
        if at >= 0
    ]


def _old_texts(text: str) -> list[str]:
    """What an edit replaces: the old texts of a tool's input, or the lines that a patch takes or keeps."""
    if len(text) > LONGEST:
        return []
    try:
        given = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        given = None
    found = [value for name, value in _strings(given) if name in _OLD] if given else []
    patches = [value for _, value in _strings(given)] if given else [text]
    for patch in patches:
        if "*** Begin Patch" in patch:
            found += [hunk for part in re.split(r"^@@.*$", patch, flags=re.MULTILINE)[1:] if (hunk := _kept(part))]
    return found


def _strings(value: object, name: str = "") -> Iterable[tuple[str, str]]:
    """Every text in a JSON value with the name under which it stands."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _strings(item, key)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _strings(item, name)


def _kept(hunk: str) -> str:
    """The first run of lines of a hunk that must stand in the file: those that are not added."""
    lines = [line[1:] for line in hunk.strip("\n").splitlines() if line[:1] in (" ", "-")]
    return "\n".join(lines)


def _leaf(name: str) -> str:
    return name.rpartition(".")[2]
