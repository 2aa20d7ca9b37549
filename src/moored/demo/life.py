"""The act of the demo about the life of a note: said again, changed, contradicted, reviewed, given back, forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from moored.demo.edits import Cast
    from moored.demo.promises import Promises
    from moored.memory import Memory
    from moored.model.notes import Remembered

FIRST = "The nightly build is published at 02:00 UTC."
AGAIN = "At 02:00 UTC the nightly build is published."
UPDATE = "The nightly build is now published at 04:00 UTC, no longer at 02:00 UTC."
DENIAL = "The nightly build is not published at 04:00 UTC. Quinlan looked at the mirror himself."


def live(memory: Memory, say: Callable[[str], None], promise: Promises, cast: Cast, about_renamed: str) -> None:
    """Let a note live; `about_renamed` is the id of the note about the function that is renamed for the review."""
    say("")
    say("8. The life of a note: nothing is lost on the way, until somebody asks to forget it")
    note = _told(memory, say, FIRST)
    again = _told(memory, say, AGAIN)
    promise("what is known already becomes no second note", (again.id, again.outcome) == (note.id, "reinforced"))
    update = _told(memory, say, UPDATE)
    promise("an update is the next revision of the note", (update.id, update.outcome) == (note.id, "revised"))
    promise("what it said before is its history", _history(memory, note.id) == [FIRST, UPDATE])
    denial = _told(memory, say, DENIAL)
    promise("what contradicts it is disputed, and both stand", denial.outcome == "disputed")
    _settle(memory, say, promise, note.id, denial.id)
    _review(memory, say, promise, cast, about_renamed)
    _forget(memory, say, promise, denial.id)


def _history(memory: Memory, note: str) -> list[str]:
    from moored.model.notes import Revision

    return [one.text for one in memory.history(note) if isinstance(one, Revision)]


def _told(memory: Memory, say: Callable[[str], None], text: str) -> Remembered:
    done = memory.remember(text)
    say(f"   {done.outcome}: {done.id} {text}")
    return done


def _settle(memory: Memory, say: Callable[[str], None], promise: Promises, holds: str, loses: str) -> None:
    (disputed,) = memory.disputes()
    settled = memory.resolve(disputed.dispute.id, holds)
    say(f"   resolve {settled.dispute} {holds}: {loses} is superseded by it")
    promise(
        "a dispute is settled by who was asked, and the note that lost is kept", memory.note(loses).head.text == DENIAL
    )


def _review(memory: Memory, say: Callable[[str], None], promise: Promises, cast: Cast, note: str) -> None:
    before = memory.note(note).head
    root = Path(memory.tree.root)
    cast.rename.make(root)
    (proposed,) = (one for one in memory.review().proposals if one.proposal.note == note)
    say(f"   {cast.renamed.name} is renamed again; review: {proposed.proposal.id} {proposed.proposal.reason}")
    promise("a review proposes and changes nothing", memory.note(note).head == before)
    accepted = memory.accept(proposed.proposal.id)
    say(f"   accept {proposed.proposal.id}: {memory.note(note).head.text}")
    promise("accepting revises the note", memory.note(note).head.number == before.number + 1)
    undone = memory.undo(accepted.operation)
    say(f"   undo {undone.undone}")
    promise("undo gives it back as it was, and leaves the proposal open", _is_back(memory, before.id, note))
    cast.rename.take_back(root)


def _is_back(memory: Memory, revision: str, note: str) -> bool:
    open_ones = [one for one in memory.review().proposals if one.proposal.note == note and not one.proposal.decided]
    return memory.note(note).head.id == revision and len(open_ones) == 1


def _forget(memory: Memory, say: Callable[[str], None], promise: Promises, note: str) -> None:
    done = memory.forget(note, hard=True)
    say(f"   forget {note} --hard: {done.receipt[-1]}")
    promise("it is gone from every file", done.proof is not None and not done.proof.found)
    promise("what it had contradicted stands", [one.judged.note.head.text for one in memory.notes()].count(UPDATE) == 1)
