"""Run edits through the product: index, remember, edit the files, ask for the verdict."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import moored
from bench.edits.edit import Edit, Files, languages, load
from bench.report import Section, table
from moored.errors import MooredError
from moored.model.notes import Change, JudgedNote, Remembered, State, Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the product said of one edit, and what is wrong with it; `problem` is empty when nothing is."""

    edit: Edit
    problem: str


def run_all(scratch: Path, chosen: Iterable[str] = ()) -> Iterator[Outcome]:
    """Run the edits of the chosen languages, or of all, in one store. Each language has a project of its own."""
    for language in chosen or languages():
        edits = load(language)
        tree = scratch / language
        _write(tree, {}, edits[0].before)
        with moored.open(tree, store=scratch / "moored.db", dense=False) as memory:
            memory.index()
            symbols = dict.fromkeys(edit.symbol for edit in edits)
            notes = {symbol: _note(memory, symbol, number) for number, symbol in enumerate(symbols, 1)}
            for edit in edits:
                note = notes[edit.symbol]
                yield Outcome(edit, _run_one(memory, tree, edit, note.id) if isinstance(note, Remembered) else note)


def _note(memory: moored.Memory, symbol: str, number: int) -> Remembered | str:
    try:
        return memory.remember(f"Finding {number} of the review.", about=[symbol])
    except MooredError as error:
        return f"no note could be tied to {symbol}: {error}"


def _run_one(memory: moored.Memory, tree: Path, edit: Edit, note: str) -> str:
    """What is wrong with the verdicts on one edit, or an empty text.

    The verdict is asked for thrice: from the disk right after the edit, after the ledger has read it, and once the
    files are as they were again, when the note must hold.
    """
    _write(tree, edit.before, edit.after)
    at_once = _judged(memory, note)
    memory.index()
    later = _judged(memory, note)
    _write(tree, edit.after, edit.before)
    reverted = _judged(memory, note)
    if reverted.verdict.state is not State.CURRENT:
        return f"after it was taken back: {_said(reverted.verdict)}"
    if edit.reverted:
        return "" if at_once.verdict.state is State.STALE else "the edit to be taken back did not make the note stale"
    return _problem(edit, at_once) or (f"once indexed: {text}" if (text := _problem(edit, later)) else "")


def run() -> Section:
    """Run everything, and count what is right by language and by kind of edit."""
    with tempfile.TemporaryDirectory() as scratch:
        outcomes = list(run_all(Path(scratch)))
    kinds = sorted({outcome.edit.kind for outcome in outcomes})
    cells: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for outcome in outcomes:
        for row in (outcome.edit.language, "all"):
            for column in (outcome.edit.kind, "all"):
                cells[row, column][not outcome.problem] += 1
    rows = [
        [language, *(_share(cells[language, kind]) for kind in ("all", *kinds))]
        for language in (*sorted({outcome.edit.language for outcome in outcomes}), "all")
    ]
    misses = [f"- {outcome.edit.name}: {outcome.problem}" for outcome in outcomes if outcome.problem]
    introduction = (
        "Right verdicts of all, by language and kind of edit. Every edit is judged from the disk right after it, again "
        "once the ledger has read it, and once more after it was taken back, when the note must hold; it counts as "
        "right only if all three are."
    )
    return Section(
        "edits",
        "Edits made by hand",
        [introduction, "", *table(["language", "all", *kinds], rows), "", *(misses or ["No edit is judged wrongly."])],
    )


def _judged(memory: moored.Memory, note: str) -> JudgedNote:
    shown = memory.show(note)
    assert isinstance(shown, JudgedNote)
    return shown


def _problem(edit: Edit, judged: JudgedNote) -> str:
    verdict = judged.verdict
    state = State.STALE if edit.expected else State.CURRENT
    if verdict.state is not state or verdict.change is not Change(edit.expected):
        return f"expected {edit.expected or 'current'}, said {_said(verdict)}"
    if edit.where and verdict.current != edit.where:
        return f"expected it at {edit.where}, said {_said(verdict)}"
    return ""


def _said(verdict: Verdict) -> str:
    return f"{verdict.state} {verdict.change} ({verdict.reason})" if verdict.reason else verdict.state


def _share(cell: Counter[bool]) -> str:
    return f"{cell[True]}/{cell.total()}" if cell else ""


def _write(tree: Path, before: Files, after: Files) -> None:
    """Turn the files of a tree from one state into another, touching only those that differ."""
    for path in before.keys() - after.keys():
        (tree / path).unlink()
    for path, text in after.items():
        if before.get(path) != text:
            file = tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
