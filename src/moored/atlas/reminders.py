"""Which reminders are due: pure matching of what stands against what is being done now.

- A *directory* is met by paths that lie in it, folder by folder: `src/app` holds `src/app/main.py`, not `src/app2`.
- A *file* is met by that path, or by those that fit its `*`, `?` and `**`.
- A *symbol* is met where the fact that it was resolved to stands now, so it follows moves and renames of the ledger.
- *Keywords* are met when all of the words fall, each whole and in any case; an *entity* when it is called by any of its
  names.
- A *time* is met once an occurrence has come since the last one was told, however long nobody asked.
- An *event* is met once a command that failed, or the branch that is checked out, is newer than what was told last.

None is met by what came before it was made, so none is told on its own creation.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from moored.model.aliases import folded
from moored.model.clock import iso
from moored.model.reminders import QUIET_MS, Due, ReminderKind, told
from moored.model.text import shorten
from moored.model.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import tzinfo

    from moored.ledger.branch import Branch
    from moored.model.projects import Project, Tree
    from moored.model.reminders import Reminder
    from moored.store.port import View

RANK = {
    kind: rank
    for rank, kind in enumerate(
        (
            *(ReminderKind.SYMBOL, ReminderKind.FILE, ReminderKind.EVENT, ReminderKind.TIME),
            *(ReminderKind.KEYWORD, ReminderKind.ENTITY, ReminderKind.DIRECTORY),
        )
    )
}
"""The closest come first."""

READ = 20_000
"""Characters of a text in which words and names are looked for."""

FAILING = 200
"""Commands that failed last and are looked at."""

NOTE = 300
"""Characters of a note whose words are told."""

COMMAND = 80
"""Characters of a command that are shown in a reason."""

_TIMELESS = frozenset({ReminderKind.TIME, ReminderKind.EVENT})
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_TEST = re.compile(
    r"(?:^|[\s/:._-])(?:py)?tests?(?:$|[\s:._-])|\b(?:pytest|jest|vitest|mocha|rspec|unittest|tox|nox|ctest|phpunit|nextest)\b"
)


class Situation(NamedTuple):
    """What is being done: files edited, and their symbols as (path, name), or what was said, by what it is called.

    `speaks` is `prompt`, `question` or `note`, empty where nothing was said. `symbols` is asked only where a reminder
    is on one. `now` is in milliseconds since the epoch, `zone` that of the reader. `without` is the id of a note whose
    own reminders are not met.
    """

    now: int
    zone: tzinfo
    paths: Sequence[str] = ()
    symbols: Callable[[], Collection[tuple[str, str]]] = tuple
    text: str = ""
    speaks: str = ""
    without: str = ""


def due(view: View, project: Project, tree: Tree | None, situation: Situation) -> tuple[Due, ...]:
    """The reminders that are to be told now, the closest first. Nothing is counted by asking."""
    standing = view.reminders.standing(project)
    if not standing:
        return ()
    scene = _Scene(view, project, tree, situation)
    found = [(RANK[one.kind], one, why) for one in standing if _may_be_told(one, situation) and (why := scene.why(one))]
    found.sort(key=lambda met: (met[0], met[1].created_at, met[1].id))
    return tuple(_due(view, project, one, why) for _, one, why in found)


def _due(view: View, project: Project, one: Reminder, why: str) -> Due:
    made = Due(one.id, _words(view, project, one), why, one.fired + 1, one.most, one.note, 0)
    return made._replace(tokens=count_tokens(told(made)) + 1)


def _words(view: View, project: Project, one: Reminder) -> str:
    """What is told: of a reminder that took its words from a note, what that note says now."""
    note = view.notes.get(project, one.note) if one.note else None
    if note is None or note.head.episode == one.episode:
        return one.text
    earlier = {revision.episode for revision in view.notes.revisions(project, note.id)}
    return shorten(note.head.text, NOTE) if one.episode in earlier else one.text


def _may_be_told(one: Reminder, situation: Situation) -> bool:
    now = situation.now
    if one.state(now) != "waiting" or one.created_at >= now or (one.note and one.note == situation.without):
        return False
    return one.kind in _TIMELESS or one.fired_at is None or now - one.fired_at >= QUIET_MS


class _Scene:
    """A situation, with what has to be looked up of it once a reminder asks."""

    def __init__(self, view: View, project: Project, tree: Tree | None, situation: Situation) -> None:
        self._view = view
        self._project = project
        self._tree = tree
        self._now = situation
        self._folded = fold_words(situation.text[:READ])
        self._words = frozenset(_WORD.findall(self._folded))
        self._mentioned: tuple[list[str], list[str]] | None = None
        self._branch: tuple[Branch | None] | None = None

    def why(self, one: Reminder) -> str:
        """Why a reminder is met, in words; empty where it is not."""
        match one.kind:
            case ReminderKind.DIRECTORY:
                return self._at_path(one.pattern.rstrip("/"), f", in {one.pattern}")
            case ReminderKind.FILE:
                return self._at_path(one.pattern, "")
            case ReminderKind.SYMBOL:
                return self._at_symbol(one.pattern)
            case ReminderKind.KEYWORD:
                return self._said([one.pattern]) and f"because the {self._now.speaks} says {_listed(one.pattern)}"
            case ReminderKind.ENTITY:
                return self._of_entity(one.pattern)
            case ReminderKind.TIME:
                return self._at_time(one)
            case ReminderKind.EVENT:
                return self._on_event(one)

    def _at_path(self, pattern: str, place: str) -> str:
        for path in self._now.paths:
            if at_path(pattern, path, folder=bool(place)):
                return f"because you are editing {path}{place}"
        for path in self._names()[0]:
            if at_path(pattern, path, folder=bool(place)) or (not place and pattern.endswith(f"/{path}")):
                return f"because the {self._now.speaks} names {path}{place}"
        return ""

    def _at_symbol(self, pattern: str) -> str:
        path, name = self._stands(pattern)
        leaf = name.rpartition(".")[2]
        for where, called in self._now.symbols():
            if (not path or where == path) and (called == name or (not path and called.endswith(f".{name}"))):
                return f"because you are editing {called} in {where}"
        for called in self._names()[1]:
            if called == name or name.endswith(f".{called}") or called.endswith(f".{name}"):
                return f"because the {self._now.speaks} names {called}"
        return f"because the {self._now.speaks} names {leaf}" if f"`{leaf}`" in self._now.text[:READ] else ""

    def _stands(self, pattern: str) -> tuple[str, str]:
        """Path and name of the symbol as the ledger has it now, or as it was given where that knows none."""
        fact_id, _, address = pattern.rpartition(" ")
        fact = self._view.facts.get(self._project, fact_id) if fact_id else None
        if fact:
            return fact.path, fact.name
        path, _, name = address.rpartition("::")
        return path, name

    def _said(self, patterns: Sequence[str]) -> str:
        """The first of some words or phrases of which all words fall; empty where none does."""
        return next((one for one in patterns if all_fall(one, self._folded, self._words)), "")

    def _of_entity(self, pattern: str) -> str:
        names = [pattern]
        rows = self._view.aliases.of(self._project, [pattern]) if self._words else []
        things = sorted({row.name for row in rows})
        for row in self._view.aliases.of(self._project, things) if things else []:
            names += [name for name in (row.name, row.alias) if name not in names]
        found = next((name for name in names if phrase_falls(name, self._folded)), "")
        called = f" ({pattern})" if found and folded(found) != folded(pattern) else ""
        return f"because the {self._now.speaks} speaks of {found}{called}" if found else ""

    def _at_time(self, one: Reminder) -> str:
        from moored.model.schedule import kept, latest

        schedule = kept(one.pattern, self._now.zone)
        came = latest(schedule, self._now.now, self._now.zone)
        before = one.fired_at if schedule.at is not None else max(one.fired_at or 0, one.created_at)
        if came is None or (before is not None and came <= before):
            return ""
        again = f", {one.pattern}" if schedule.recurs else ""
        return f"because it was due {local(came, self._now.zone)}{again}"

    def _on_event(self, one: Reminder) -> str:
        from moored.record.reminding import BRANCH

        after = max(one.fired_at or 0, one.created_at)
        return (
            self._on_branch(one.pattern.removeprefix(f"{BRANCH} "), after)
            if one.pattern.startswith(BRANCH)
            else self._on_failure(one.pattern, after)
        )

    def _on_branch(self, pattern: str, after: int) -> str:
        from moored.ledger.branch import checked_out
        from moored.model.patterns import fits

        if self._branch is None:
            self._branch = (checked_out(Path(self._tree.root)) if self._tree else None,)
        (branch,) = self._branch
        met = branch and branch.at > after and fits(pattern, branch.name)
        return f"because branch {branch.name} is checked out" if branch and met else ""

    def _on_failure(self, pattern: str, after: int) -> str:
        from moored.model.patterns import fits
        from moored.record.reminding import TEST_FAILS

        command = pattern.partition(": ")[2]
        for failed in self._view.reminders.failing(self._project, after, FAILING):
            if pattern == TEST_FAILS:
                met = bool(_TEST.search(failed.command.lower()))
            else:
                met = not command or fits(command, failed.command) or fits(f"{command} *", failed.command)
            if met:
                return f"because `{shorten(failed.command, COMMAND)}` failed with {failed.outcome} at {iso(failed.at)}"
        return ""

    def _names(self) -> tuple[list[str], list[str]]:
        """Paths and symbols that the text names."""
        if self._mentioned is None:
            from moored.atlas.lookup import relative
            from moored.atlas.names import mentions

            found = mentions(self._now.text[:READ]) if self._now.text else ()
            tree = self._tree
            paths = [relative(tree, one.path) if tree else one.path for one in found if one.path]
            # `auth.py` has the form of a name as well as of a file.
            paths += [one.text for one in found if one.name and "." in one.text and not one.path]
            self._mentioned = (paths, [one.name for one in found if one.name])
        return self._mentioned


def at_path(pattern: str, path: str, *, folder: bool = False) -> bool:
    """Whether a path, from the root of the tree, is what a pattern names, or, with `folder`, lies in it."""
    from moored.model.patterns import fits_path

    # `fits_path` counts what lies in a folder as met, which a file has none of.
    return fits_path(pattern, path) and (folder or len(pattern.split("/")) == len(path.split("/")) or "**" in pattern)


def fold_words(text: str) -> str:
    """A text as words of it are compared: compatibility forms and case unified."""
    return unicodedata.normalize("NFKC", text).casefold()


def all_fall(keyword: str, said: str, words: Collection[str]) -> bool:
    """Whether every word of a keyword is one of the words of a text, which is folded as `fold_words` does.

    Scripts that put no blanks between words have no words to compare: there it is enough that the letters stand there.
    """
    wanted = _WORD.findall(fold_words(keyword))
    return bool(wanted) and all(word in words or (_UNSPACED.search(word) and word in said) for word in wanted)


def phrase_falls(name: str, said: str) -> bool:
    """Whether a name stands in a folded text as whole words, in its order."""
    wanted = " ".join(fold_words(name).split())
    if _UNSPACED.search(wanted):
        return wanted in said
    return bool(wanted) and re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", " ".join(said.split())) is not None


def local(at: int, zone: tzinfo) -> str:
    """A moment on the reader's calendar and clock; the day alone where it is its beginning."""
    from moored.model.stretches import at_of

    moment = at_of(at, zone)
    return f"{moment:%Y-%m-%d}" if (moment.hour, moment.minute) == (0, 0) else f"{moment:%Y-%m-%d %H:%M}"


def _listed(pattern: str) -> str:
    return " and ".join(f'"{word}"' for word in _WORD.findall(pattern))
