"""Staleness on real code: releases of open-source packages, one after the other, judged note by note.

For each two consecutive releases a tree gets the older one and a note about every function and class, through
`Memory.remember`; then the files become those of the newer one, and every note is judged. What is right is told by
`bench.oracle`. Two baselines say what the figures are worth: to distrust a note when its file changed, and to
distrust every note that is older than a release.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import moored
from bench.oracle import Expected, Fate, Key, compare, read
from bench.report import Section, ratio, table
from bench.sources import cache_folder, unpacked
from moored.errors import MooredError
from moored.model.notes import Change, JudgedNote

RELEASES = {
    "attrs": ("20.2.0", "20.3.0", "21.1.0", "21.2.0", "21.3.0", "21.4.0", "22.1.0", "22.2.0"),
    "click": ("7.0", "7.1", "7.1.1", "7.1.2", "8.0.0", "8.0.1", "8.0.2", "8.0.3"),
    "flask": ("1.1.3", "1.1.4", "2.0.0", "2.0.1", "2.0.2", "2.0.3", "2.1.0", "2.1.1"),
    "httpx": ("0.22.0", "0.23.0", "0.23.1", "0.23.2", "0.23.3", "0.24.0", "0.24.1", "0.25.0"),
    "rich": ("13.3.0", "13.3.1", "13.3.2", "13.3.3", "13.3.4", "13.3.5", "13.4.0", "13.4.1"),
}
"""Consecutive final releases as the package index lists them."""

_LOST = (Fate.CHANGED, Fate.MOVED, Fate.AMBIGUOUS, Fate.GONE)

_INTRODUCTION = (
    "For each two consecutive releases, a note about every function and class of the older one (methods, nested ones, "
    "tests), judged after its files became those of the newer one. What is right is told by Python's own `ast` "
    "(`bench/oracle.py`)."
)
_WORDS = (
    "*Changed* is the verdict `stale` because the signature or the body differs; *moved* that it stands under another "
    "name or in another file; *gone* that it stands nowhere; *lost* any of them. *Named rightly* is the part of the "
    "changed notes for which signature and body are told apart as the oracle does; *once indexed* is what is said when "
    "the ledger has read the new files."
)
_SCORES = (
    "package", "notes", "changed: precision", "changed: recall", "named rightly", "moved: precision", "moved: recall",
    "moved: recall once indexed", "gone: precision", "gone: recall", "lost: precision", "lost: recall",
)  # fmt: skip
_COST_WORDS = (
    "What alerts cost: notes that are flagged for each one that is truly lost, and the part of the lost ones that is "
    "flagged (*found*), against two rules that need no parser: distrust a note when its file changed, and distrust "
    "every note that is older than a release."
)
_UNSTEADY = (
    "Those are definitions with a body too small to be recognised, which moved along with the class or function they "
    "belong to. The ledger follows them once it has read the files; the look at the disk before that says that they "
    "are gone, so a note about them is flagged either way."
)
_COSTS = (
    "package", "lost", "moored: alerts per catch", "found", "file changed: alerts per catch", "found",
    "older than a release: alerts per catch", "found",
)  # fmt: skip


@dataclass
class Tally:
    """The outcome for one package, added up over its releases.

    `confusion` counts notes by what the oracle and what the product say, `later` the same once the ledger has read
    the new files; `aspects` the changed notes by whether the product named rightly what changed (signature, body,
    both); `unanchored` definitions that no note could be tied to; `unsteady` notes whose verdict was another one
    once the ledger had read the new files.
    """

    notes: int = 0
    confusion: Counter[tuple[Fate, Fate]] = field(default_factory=Counter)
    later: Counter[tuple[Fate, Fate]] = field(default_factory=Counter)
    aspects: Counter[bool] = field(default_factory=Counter)
    unanchored: int = 0
    unsteady: int = 0
    file_alerts: int = 0
    file_catches: int = 0
    remember_seconds: float = 0.0
    judge_seconds: float = 0.0
    disagreements: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.notes += other.notes
        self.confusion += other.confusion
        self.later += other.later
        self.aspects += other.aspects
        self.unanchored += other.unanchored
        self.unsteady += other.unsteady
        self.file_alerts += other.file_alerts
        self.file_catches += other.file_catches
        self.remember_seconds += other.remember_seconds
        self.judge_seconds += other.judge_seconds
        self.disagreements += other.disagreements

    def said(self, *fates: Fate) -> int:
        """Notes of which the product says one of these."""
        return sum(count for (_, said), count in self.confusion.items() if said in fates)

    def true(self, *fates: Fate) -> int:
        """Notes of which the oracle says one of these."""
        return sum(count for (true, _), count in self.confusion.items() if true in fates)

    def both(self, *fates: Fate) -> int:
        """Notes of which both say one of these, not necessarily the same."""
        return sum(count for (true, said), count in self.confusion.items() if true in fates and said in fates)

    def found_later(self, fate: Fate) -> int:
        """Notes of which both say this once the ledger has read the new files."""
        return self.later[fate, fate]


def run(packages: Mapping[str, tuple[str, ...]] = RELEASES) -> Section:
    """Measure all packages; the disagreements of each are written to a file in the cache folder."""
    tallies: dict[str, Tally] = {}
    for package, versions in packages.items():
        tally = tallies[package] = Tally()
        for older, newer in pairwise(versions):
            print(f"{package} {older} -> {newer}", flush=True)
            tally.add(measure(unpacked(package, older), unpacked(package, newer), f"{package} {older} -> {newer}"))
        (cache_folder() / f"disagreements-{package}.txt").write_text("\n".join(tally.disagreements) + "\n")
    return _section(packages, tallies)


def measure(older: Path, newer: Path, title: str) -> Tally:
    """Note everything in one release, put the next one in its place, and compare all verdicts with the oracle."""
    expected = compare(read(older), read(newer))
    tally = Tally()
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "tree")
        shutil.copytree(older, tree)
        with moored.open(tree, store=Path(scratch, "moored.db"), dense=False) as memory:
            memory.index()
            began = time.perf_counter()
            notes = _note_everything(memory, expected, tally, title)
            tally.remember_seconds = time.perf_counter() - began
            shutil.rmtree(tree)
            shutil.copytree(newer, tree)
            began = time.perf_counter()
            first = {judged.note.id: judged for judged in memory.stale().notes}
            tally.judge_seconds = time.perf_counter() - began
            memory.index()
            second = {judged.note.id: judged for judged in memory.stale().notes}
    for note, key in notes.items():
        _count(tally, expected[key], key, first.get(note), title)
        tally.later[expected[key].fate, _fate(second.get(note))] += 1
        if _fate(first.get(note)) is not _fate(second.get(note)):
            tally.unsteady += 1
            tally.disagreements.append(
                f"{title}: {_address(key)}: unsteady: {_said(first.get(note))}, then {_said(second.get(note))}"
            )
        changed = _content(older / key[0]) != _content(newer / key[0])
        tally.file_alerts += changed
        tally.file_catches += changed and expected[key].fate is not Fate.CURRENT
    return tally


def _note_everything(
    memory: moored.Memory, expected: Mapping[Key, Expected], tally: Tally, title: str
) -> dict[str, Key]:
    notes: dict[str, Key] = {}
    for number, key in enumerate(expected, 1):
        try:
            notes[memory.remember(f"observation {number}", about=[_address(key)]).id] = key
        except MooredError as error:
            tally.unanchored += 1
            tally.disagreements.append(f"{title}: {_address(key)}: no note could be tied to it: {error}")
    return notes


def _count(tally: Tally, expected: Expected, key: Key, judged: JudgedNote | None, title: str) -> None:
    fate = _fate(judged)
    tally.notes += 1
    tally.confusion[expected.fate, fate] += 1
    problem = "" if fate is expected.fate else f"expected {expected.fate}"
    if judged is not None and fate is expected.fate is Fate.CHANGED:
        named = judged.verdict.change
        right = (expected.signature, expected.body) == (named is not Change.BODY, named is not Change.SIGNATURE)
        tally.aspects[right] += 1
        if not right:
            problem = f"expected signature={expected.signature}, body={expected.body}"
    if judged is not None and fate is expected.fate is Fate.MOVED:
        places = {_address(place) for place in expected.places}
        if not places & set(judged.verdict.current.split("; ")):
            problem = f"expected moved to {places}"
    if problem:
        tally.disagreements.append(f"{title}: {_address(key)}: {problem}, said {_said(judged)}")


def _fate(judged: JudgedNote | None) -> Fate:
    """What a verdict says in the oracle's words. A note of which only part is gone is changed."""
    if judged is None:
        return Fate.CURRENT
    change = judged.verdict.change
    if change in (Change.MOVED, Change.RENAMED):
        return Fate.MOVED
    if change is Change.AMBIGUOUS:
        return Fate.AMBIGUOUS
    return Fate.GONE if change is Change.GONE else Fate.CHANGED


def _said(judged: JudgedNote | None) -> str:
    return f"{judged.verdict.change}: {judged.verdict.reason}" if judged else "current"


def _address(key: Key) -> str:
    return f"{key[0]}::{key[1]}"


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _section(packages: Mapping[str, tuple[str, ...]], tallies: Mapping[str, Tally]) -> Section:
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    rows = {**tallies, "all": total}
    lines = [_INTRODUCTION]
    lines += ["", *(f"- {package}: {', '.join(versions)}" for package, versions in packages.items()), "", _WORDS, ""]
    lines += table(_SCORES, [[name, tally.notes, *_scores(tally)] for name, tally in rows.items()])
    lines += ["", _COST_WORDS, ""]
    lines += table(_COSTS, [[name, *_costs(tally)] for name, tally in rows.items()])
    lines += ["", "Notes by what the oracle says (rows) and what moored says (columns)."]
    for name, tally in rows.items():
        confusion = [[true, *(tally.confusion[true, said] for said in Fate)] for true in Fate]
        lines += ["", f"**{name}**", "", *table(["oracle \\ moored", *Fate], confusion)]
    each = 1000 * total.remember_seconds / max(total.notes, 1)
    judging = total.judge_seconds / max(sum(len(versions) - 1 for versions in packages.values()), 1)
    text = (
        f"Definitions that no note could be tied to: {total.unanchored}. Verdicts that were others once the ledger had "
        f"read the new files: {total.unsteady}. `remember` took {each:.1f} ms a note (without vectors), judging all "
        f"notes of a tree {judging:.2f} s."
    )
    return Section("rot", "Staleness on real code", [*lines, "", text, *(["", _UNSTEADY] if total.unsteady else [])])


def _scores(tally: Tally) -> list[str]:
    scores = [*_precision_and_recall(tally, Fate.CHANGED), ratio(tally.aspects[True], tally.aspects.total())]
    scores += _precision_and_recall(tally, Fate.MOVED)
    scores.append(ratio(tally.found_later(Fate.MOVED), tally.true(Fate.MOVED)))
    return [*scores, *_precision_and_recall(tally, Fate.GONE), *_precision_and_recall(tally, *_LOST)]


def _precision_and_recall(tally: Tally, *fates: Fate) -> list[str]:
    both = tally.both(*fates)
    return [ratio(both, tally.said(*fates)), ratio(both, tally.true(*fates))]


def _costs(tally: Tally) -> list[object]:
    true, caught = tally.true(*_LOST), tally.both(*_LOST)
    moored_costs = [ratio(tally.said(*_LOST), caught), ratio(caught, true)]
    by_file = [ratio(tally.file_alerts, tally.file_catches), ratio(tally.file_catches, true)]
    return [true, *moored_costs, *by_file, ratio(tally.notes, true), ratio(true, true)]
