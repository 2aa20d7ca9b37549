"""The story that the demo tells. What it shows is checked, and a promise that does not hold ends it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from moored.demo.copying import copy_repository
from moored.demo.edits import PREFERRED, Cast, Edit, choose
from moored.demo.life import live
from moored.demo.promises import Promises
from moored.demo.session import Agent, work_a_day
from moored.model.notes import Change, State
from moored.model.recall import HitKind

if TYPE_CHECKING:
    from moored.ledger.refresh import Progress
    from moored.memory import Memory
    from moored.model.facts import Fact
    from moored.model.recall import Hit, Recall

PIN = "A released migration is never edited: what changes gets a step of its own."

NOTES = (
    "`shorten` cuts between words where it can, so that a shortened line still reads.",
    "`match_moves` follows a symbol only when one place can be meant; it never guesses.",
)
QUESTIONS = ("where may a line be cut when it is shortened", "when is a moved symbol followed")

RESULT = b"""{
  "passed": 41,
  "failed": 1,
  "first_failure": {"test": "tests/test_limits.py::test_the_cap_holds", "message": "expected 3 retries, saw 4"}
}
"""
COMMAND = "run-tests --format json"


Watched = Callable[[str], "AbstractContextManager[Progress | None]"]


@dataclass(frozen=True, slots=True)
class Stage:
    """What every act of the story plays with."""

    memory: Memory
    say: Callable[[str], None]
    promise: Promises


def tell(
    source: Path,
    say: Callable[[str], None],
    *,
    keep: bool = False,
    watched: Watched | None = None,
) -> int:
    """Tell the story on a copy of the repository that holds `source`; return how many promises were kept.

    The copy and its store are in a temporary folder, which is removed at the end unless `keep` is set. `watched` shows,
    under a title, how far the reading is while it lasts.

    Raises `PromiseBroken`, and `InvalidInput` outside a repository.
    """
    if keep:
        folder = Path(tempfile.mkdtemp(prefix="moored-demo-"))
        kept = _tell(source, folder, say, watched or _unwatched)
        say(f"the copy and its store stay in {folder}")
        return kept
    with tempfile.TemporaryDirectory(prefix="moored-demo-") as folder:
        return _tell(source, Path(folder), say, watched or _unwatched)


@contextmanager
def _unwatched(title: str) -> Generator[Progress | None]:
    del title
    yield None


def _tell(source: Path, folder: Path, say: Callable[[str], None], watched: Watched) -> int:
    from moored.memory import open_memory

    began = time.perf_counter()
    root = copy_repository(source, folder / "copy")
    promise = Promises(say)
    with open_memory(root, store=folder / "demo.db") as memory:
        stage = Stage(memory, say, promise)
        _day_one(stage, watched)
        with memory.store.read() as view:
            cast = choose(view, memory.tree)
        notes = _remember(stage, cast)
        _edit_a_body(stage, cast, notes)
        _rename(stage, cast, notes)
        _revert(stage, cast, notes)
        _record_a_result(stage)
        hidden = _undo(stage)
        live(memory, say, promise, cast, notes[1])
        work_a_day(Agent(memory, say, promise), cast, _questions(cast)[0], notes[0], PIN)
        stage.promise("importing the history again brings it back", memory.import_git().recorded == hidden)
        _sum_up(stage)
    say("")
    say(f"{promise.kept} promises kept in {time.perf_counter() - began:.1f} s")
    return promise.kept


def _day_one(stage: Stage, watched: Watched) -> None:
    memory, say = stage.memory, stage.say
    say("1. Day one: the history and the code of a copy of this repository")
    imported = memory.import_git()
    say(f"   history: {_counted(imported.recorded, 'commit')} in the record, each an episode")
    with watched("reading") as progress:
        done = memory.index(progress=progress)
    say(f"   code: {_counted(done.files, 'file')} read by parsers, {_counted(done.born, 'fact')}")
    stage.promise("the history is in the record", imported.recorded > 0)
    stage.promise("importing it again changes nothing", memory.import_git().recorded == 0)
    again = memory.index()
    stage.promise("a second look at unchanged files reads none of them", again.parsed == again.born == 0)


def _remember(stage: Stage, cast: Cast) -> tuple[str, str]:
    memory, say = stage.memory, stage.say
    say("")
    say("2. A constraint is pinned, and two notes say what they are about")
    pin = memory.pin(PIN)
    say(f"   {pin.id} {pin.text}")
    ids: list[str] = []
    for fact, text in zip((cast.edited, cast.renamed), _texts(cast), strict=True):
        done = memory.remember(text, about=[fact.address], kind="lesson")
        say(f"   {done.id} {text}")
        say(f"      about {fact.address}, line {fact.span.line}")
        stage.promise("the note is anchored to the function", fact.id in {anchor.fact for anchor in done.anchors})
        ids.append(done.id)
    stage.promise("the pin stands word for word", [one.text for one in memory.pins()] == [PIN])
    return ids[0], ids[1]


def _texts(cast: Cast) -> tuple[str, str]:
    if _is_own(cast):
        return NOTES
    return (
        f"`{cast.edited.name}` was checked by hand: its callers rely on every case.",
        f"`{cast.renamed.name}` is called from outside: its name is part of the contract.",
    )


def _questions(cast: Cast) -> tuple[str, str]:
    if _is_own(cast):
        return QUESTIONS
    return f"was {cast.edited.name} checked", f"is {cast.renamed.name} part of the contract"


def _is_own(cast: Cast) -> bool:
    """Whether the demo runs on moored itself, about which it has something to say."""
    return ((cast.edited.path, cast.edited.name), (cast.renamed.path, cast.renamed.name)) == PREFERRED


def _edit_a_body(stage: Stage, cast: Cast, notes: tuple[str, str]) -> None:
    stage.say("")
    stage.say(f"3. Somebody edits the body of {cast.edited.name}; nobody tells moored")
    _change(stage, cast.edit)
    hit = _asked(stage, _questions(cast)[0], notes[0])
    stage.promise(
        "the note is stale at once, and says that the body changed",
        hit.verdict.state is State.STALE and hit.verdict.change is Change.BODY,
    )
    stage.promise("it carries the value of now", hit.verdict.current != "")
    stage.promise("the other note still holds", _verdict_of(stage, notes[1]) is State.CURRENT)


def _rename(stage: Stage, cast: Cast, notes: tuple[str, str]) -> None:
    stage.say("")
    stage.say(f"4. Somebody renames {cast.renamed.name}")
    _change(stage, cast.rename)
    hit = _asked(stage, _questions(cast)[1], notes[1])
    stage.promise(
        "the note is followed to the new name",
        hit.verdict.change is Change.RENAMED and hit.verdict.current == f"{cast.renamed.path}::{cast.new_name}",
    )
    report = stage.memory.stale()
    stage.promise("both notes are listed as stale", {one.note.id for one in report.notes} == set(notes))


def _revert(stage: Stage, cast: Cast, notes: tuple[str, str]) -> None:
    stage.say("")
    stage.say("5. Both edits are taken back")
    root = Path(stage.memory.tree.root)
    cast.rename.take_back(root)
    cast.edit.take_back(root)
    for question, note in zip(_questions(cast), notes, strict=True):
        hit = _asked(stage, question, note)
        stage.promise("the note holds again: a verdict is computed, never stored", hit.verdict.state is State.CURRENT)


def _record_a_result(stage: Stage) -> None:
    memory, say = stage.memory, stage.say
    say("")
    say("6. A tool result is kept byte for byte, and parsers read it")
    done = memory.record(RESULT, role="tool", tool_name="bash", tool_input=COMMAND, exit_status=1)
    say(f"   {done.episode} $ {COMMAND}: exit 1, {done.structure}")
    with memory.store.read() as view:
        episode = view.episodes.get(memory.project, done.episode)
        facts: list[Fact] = view.facts.of_episode(memory.project, done.episode)
        outcome = view.facts.command(memory.project, COMMAND)
    failed = next((fact for fact in facts if fact.name.endswith("first_failure.message")), None)
    stage.promise("its bytes are as they came", episode is not None and episode.content == RESULT)
    stage.promise("the exit status is a fact", outcome is not None and outcome.value == "exit 1")
    stage.promise("so is each field of its JSON", failed is not None)
    if failed:
        say(f"      {failed.name} = {failed.value}")
    answer = memory.recall("which test failed and what did it expect", kinds=[HitKind.EPISODE], budget=600)
    stage.promise("it is found by asking", done.episode in {hit.id for hit in answer.hits})


def _undo(stage: Stage) -> int:
    memory = stage.memory
    stage.say("")
    stage.say("7. What a machine did can be undone")
    operation = memory.operations()[0]
    hidden = memory.undo(operation.id).hidden
    stage.say(f"   undo {operation.id} ({operation.kind}): {_counted(hidden, 'episode')} out of every answer")
    stage.promise("the import is undone, alone", hidden == operation.episodes and len(memory.pins()) == 1)
    return hidden


def _sum_up(stage: Stage) -> None:
    memory, say = stage.memory, stage.say
    say("")
    say("10. Status and doctor")
    state = memory.status()
    counts = state.counts
    size = "of unknown size" if state.store_size is None else f"{state.store_size / 1_000_000:.1f} MB"
    facts = sum(counts.facts.values())
    say(f"   record: {_counted(counts.episodes, 'episode')}; ledger: {_counted(facts, 'fact')}")
    say(f"   atlas: {_counted(counts.notes, 'note')}, {_counted(counts.pins, 'pin')}; store: {size}")
    found = memory.doctor(deep=True)
    problems = [check for check in found.checks if check.state == "problem"]
    say(f"   doctor: {len(found.checks)} checks, {_counted(len(problems), 'problem')}")
    for check in problems:
        say(f"      {check.name}: {check.detail}")
    stage.promise("rows, indexes, vectors and queue agree, and the life of notes is whole", found.healthy)


def _change(stage: Stage, edit: Edit) -> None:
    edit.make(Path(stage.memory.tree.root))
    stage.say(f"   {edit.path}, line {edit.line}")
    stage.say(f"   - {edit.old}")
    stage.say(f"   + {edit.new}")


def _asked(stage: Stage, question: str, note: str) -> Hit:
    """Ask, show the answer, and return the hit that is the note."""
    answer = stage.memory.recall(question, kinds=[HitKind.NOTE], budget=400)
    stage.say(f"   recall: {question}?")
    hit = next((hit for hit in answer.hits if hit.id == note), None)
    if hit is None:
        stage.promise.broken(f"the note {note} is found by asking")
    change = f": {hit.verdict.change}" if hit.verdict.change else ""
    stage.say(f"   [{hit.verdict.state}{change}] {hit.text}")
    if hit.verdict.reason:
        stage.say(f"      why: {hit.verdict.reason}")
    if hit.verdict.current:
        stage.say(f"      now: {hit.verdict.current}")
    stage.say(f"      {_receipt(answer)}")
    return hit


def _receipt(answer: Recall) -> str:
    receipt = answer.receipt
    return (
        f"receipt: {receipt.matched} matched, {receipt.returned} returned, {receipt.omitted_count} left out, "
        f"{receipt.stale} stale, {receipt.tokens} of {receipt.budget} tokens"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def _verdict_of(stage: Stage, note: str) -> State | None:
    from moored.model.notes import JudgedNote

    shown = stage.memory.show(note)
    return shown.verdict.state if isinstance(shown, JudgedNote) else None
