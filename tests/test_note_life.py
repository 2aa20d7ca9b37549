"""The whole life of notes, at random, in two projects of one store, with a few plain dictionaries as the oracle.

After each deed the notes say what the oracle says, and the other project answers as before (I-06). What is protected
changes only for somebody who asks (I-08). Histories only grow, and name who did it and why (I-07). When the latest
operation is undone, every answer is what it was, and when that is undone, the other; an undo can be undone as well, to
any depth (I-09). What is forgotten for good is in no answer and in no byte (I-10).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from moored.embed.fake import HashingEmbedder
from moored.errors import InvalidInput, MooredError
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import Revision

QUESTIONS = ("winch", "what is known of the crane", "tide and north quay")
SUBJECTS = ("The winch", "The crane", "The north quay", "The tide")
PENDING = "pending"
DEEDS = (
    *("remember", "revise", "supersede", "protect", "unprotect", "rate", "change_unasked", "pin"),
    *("forget_for_a_while", "forget_for_good", "undo", "undo", "undo", "undo_the_last"),
)
"""What is done; they are no rules of their own, so that every run has all of them."""

WHO, PICK = st.integers(0, 1), st.integers(0, 99)


Change = tuple[str, str, object, object]
"""A note, what of it was changed, its value before and after."""


@dataclass(slots=True)
class Told:
    """What the oracle knows of a note: its texts, which one stands, its state, and the name that it gave."""

    texts: list[str]
    called: str = ""
    head: int = 0
    superseded: str | None = None
    protected: str = ""
    withdrawn: str | None = None


@dataclass(slots=True)
class Deed:
    """An operation as the oracle knows it: what it changed, and what was answered before."""

    kind: str
    changes: list[Change]
    undoes: str = ""
    undone: bool = False
    before: list[object] | None = None


@dataclass(slots=True)
class Home:
    """One project with what the oracle knows of it. `known` is what it answered last."""

    memory: Memory
    notes: dict[str, Told] = field(default_factory=dict)
    deeds: dict[str, Deed] = field(default_factory=dict)
    pins: list[str] = field(default_factory=list)
    known: list[object] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)

    def in_force(self) -> list[str]:
        return [id_ for id_, note in self.notes.items() if note.withdrawn is None]

    def standing(self) -> list[str]:
        return [id_ for id_ in self.in_force() if not self.replaced(id_)]

    def replaced(self, note: str) -> bool:
        """Whether a note that is in force took the place of this one, or of those that did and are not."""
        by = self.notes[note].superseded
        return by is not None and (self.notes[by].withdrawn is None or self.replaced(by))

    def chain(self, operation: str) -> list[str]:
        """An operation, what it took back, what that had taken back, and so on."""
        undone = self.deeds[operation].undoes
        return [operation, *(self.chain(undone) if undone else [])]

    def change(self, note: str, name: str, after: object) -> Change:
        before = getattr(self.notes[note], name)
        setattr(self.notes[note], name, after)
        return note, name, before, after

    def take_back(self, deed: Deed, by: str) -> list[Change] | None:
        """Change the notes back; None, and nothing changed, where something else changed them since."""
        state = {id_: (n.head, n.superseded, n.protected, n.withdrawn) for id_, n in self.notes.items()}
        done: list[Change] = []
        for note, name, before, after in reversed(deed.changes):
            told = self.notes[note]
            if name == "begun" and told.head == 0 and told.withdrawn is None:
                done.append(self.change(note, "withdrawn", by))
            elif name != "begun" and getattr(told, name) == after:
                done.append(self.change(note, name, before))
            else:
                for id_, was in state.items():
                    one = self.notes[id_]
                    one.head, one.superseded, one.protected, one.withdrawn = was
                return None
        return done

    def call_pending(self, changes: list[Change], operation: str) -> list[Change]:
        """Put the id of an operation in place of the one that was pending."""
        for one in self.notes.values():
            one.withdrawn = operation if one.withdrawn == PENDING else one.withdrawn
        return [(note, name, before, operation if after == PENDING else after) for note, name, before, after in changes]

    def forget_what_was_before(self) -> None:
        """Expect no former answer of any undo, since something else was changed in between."""
        for deed in self.deeds.values():
            deed.before = None

    def erase(self, note: str) -> None:
        """Let a note be gone, with every line of the log that names it."""
        successor = self.notes[note].superseded
        self.forgotten += self.notes.pop(note).texts
        for one in self.notes.values():
            if one.superseded == note:
                one.superseded = successor
        for deed in self.deeds.values():
            deed.changes = [one for one in deed.changes if note not in (one[0], one[2], one[3])]


def answers(memory: Memory) -> list[object]:
    """All that a memory answers, when every text has its vector."""
    memory.upkeep()
    notes = [one.judged for one in memory.notes()]
    asked = [memory.recall(question).hits for question in QUESTIONS]
    shown = [memory.show(one.note.id) for one in notes]
    return [
        notes,
        asked,
        shown,
        memory.stale(),
        memory.pins(),
        memory.rules(),
        memory.reminders(),
        memory.disputes(),
        memory.aliases(),
        memory.brief().text,
        memory.brief(QUESTIONS[0]).text,
    ]


class NoteLife(RuleBasedStateMachine):
    """Random deeds; each is done to the store and to the oracle."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.store = Path(self.folder.name) / "data" / "moored.db"
        self.store.parent.mkdir()
        clock, ids = ManualClock(), SequentialIds()
        self.homes: list[Home] = []
        for name in ("harbour", "quay"):
            (root := Path(self.folder.name) / name).mkdir()
            memory = open_memory(root, store=self.store, clock=clock, ids=ids, embedder=HashingEmbedder())
            self.homes.append(Home(memory))
        for home in self.homes:
            home.known = answers(home.memory)
        self.words = 0
        self.redo: tuple[int, str, list[object]] | None = None

    def text(self, subject: int) -> str:
        """A text with words that are only its own."""
        self.words += 1
        own = " ".join(f"{word}{self.words:03}" for word in ("quartz", "lantern", "zephyr"))
        return f"{SUBJECTS[subject % len(SUBJECTS)]} {own}."

    def pick(self, who: int, pick: int, *, standing: bool = True) -> str | None:
        home = self.homes[who]
        among = home.standing() if standing else list(home.notes)
        return among[pick % len(among)] if among else None

    def done(self, who: int, kind: str, changes: list[Change]) -> None:
        """Keep the operation that was just done, and what was answered before it."""
        home = self.homes[who]
        deed = Deed(kind, changes, before=home.known)
        home.deeds[home.memory.operations()[-1].id] = deed
        assert home.memory.operations()[-1].kind == kind
        self.settle(who)

    def settle(self, who: int, *, redo: tuple[int, str, list[object]] | None = None) -> None:
        """Ask everything of both projects."""
        here, other = self.homes[who], self.homes[1 - who]
        assert answers(other.memory) == other.known
        here.known = answers(here.memory)
        self.redo = redo

    @initialize()
    def begin(self) -> None:
        for who in (0, 1):
            for pick in range(3):
                self.remember(who, pick)

    @rule(deed=st.sampled_from(DEEDS), who=WHO, pick=PICK)
    def act(self, deed: str, who: int, pick: int) -> None:
        getattr(self, deed)(who, pick)

    def remember(self, who: int, pick: int) -> None:
        home, text, kind = self.homes[who], self.text(pick), "note" if pick % 3 else "decision"
        called = f"gear {pick % 2}" if pick % 5 == 0 else ""
        done = home.memory.remember(
            text, kind=kind, insist=pick % 2 == 0, aliases=["equipment", called] if called else []
        )
        assert done.outcome == "new"
        home.notes[done.id] = Told([text], called, protected="it is a decision" if kind == "decision" else "")
        self.done(who, "remember", [(done.id, "begun", None, 0)])

    def revise(self, who: int, pick: int) -> None:
        if note := self.pick(who, pick):
            home, text = self.homes[who], self.text(pick)
            assert home.memory.revise(note, text).outcome == "revised"
            home.notes[note].texts.append(text)
            self.done(who, "revise", [home.change(note, "head", len(home.notes[note].texts) - 1)])

    def supersede(self, who: int, pick: int) -> None:
        if older := self.pick(who, pick):
            home, text = self.homes[who], self.text(pick)
            newer = home.memory.remember(text, supersedes=older).id
            home.notes[newer] = Told([text])
            self.done(who, "remember", [(newer, "begun", None, 0), home.change(older, "superseded", newer)])

    def protect(self, who: int, pick: int) -> None:
        note = self.pick(who, pick)
        if note and not self.homes[who].notes[note].protected:
            home = self.homes[who]
            home.memory.protect(note, "it was agreed")
            self.done(who, "protect", [home.change(note, "protected", "it was agreed")])

    def unprotect(self, who: int, pick: int) -> None:
        note = self.pick(who, pick)
        if note and self.homes[who].notes[note].protected:
            home = self.homes[who]
            home.memory.unprotect(note)
            self.done(who, "unprotect", [home.change(note, "protected", "")])

    def rate(self, who: int, pick: int) -> None:
        if note := self.pick(who, pick):
            useful = pick % 2 == 0
            self.homes[who].memory.rate(note, useful=useful, because="" if useful else "it misled")
            self.done(who, "rate", [])

    def change_unasked(self, who: int, pick: int) -> None:
        """Try to change what is protected as a rule would, which nobody asked for it."""
        note = self.pick(who, pick)
        if note and self.homes[who].notes[note].protected:
            home = self.homes[who]
            attempts: list[Callable[[], object]] = [
                lambda: home.memory.revise(note, self.text(pick), actor="robot"),
                lambda: home.memory.remember(self.text(pick), supersedes=note, actor="robot"),
                lambda: home.memory.unprotect(note, actor="robot"),
                lambda: home.memory.forget(note, actor="robot"),
            ]
            for attempt in attempts:
                with pytest.raises(MooredError):
                    attempt()
            self.settle(who)

    def pin(self, who: int, pick: int) -> None:
        home, text = self.homes[who], self.text(pick)
        home.memory.pin(text)
        home.pins.append(text)
        home.forget_what_was_before()  # a pin is no operation, and stays when one is undone
        self.settle(who)

    def forget_for_a_while(self, who: int, pick: int) -> None:
        if note := self.pick(who, pick, standing=pick % 4 > 0):
            home = self.homes[who]
            operation = home.memory.forget(note).operation
            self.done(who, "forget", [home.change(note, "withdrawn", operation)])

    def forget_for_good(self, who: int, pick: int) -> None:
        if note := self.pick(who, pick, standing=False):
            home = self.homes[who]
            done = home.memory.forget(note, hard=True)
            assert done.plan.notes == (note,)
            assert done.proof is not None
            assert done.proof.found == ()
            home.erase(note)
            home.forget_what_was_before()
            with pytest.raises(InvalidInput, match="gone for good"):
                home.memory.undo(done.operation)
            self.settle(who)
            self.look_for(home.forgotten[-1:])

    def undo(self, who: int, pick: int) -> None:
        """Undo any operation, an undo as well; of the latest deed, every answer comes back."""
        home = self.homes[who]
        standing = [id_ for id_, deed in home.deeds.items() if not deed.undone]
        deeds = [id_ for id_ in standing if not home.deeds[id_].undoes]
        if not deeds:
            return
        # Mostly the latest one, of which it is known what was answered before.
        chosen = deeds[-1] if pick % 3 else standing[pick % len(standing)]
        if self.take_back(who, chosen) and chosen == deeds[-1]:
            assert home.deeds[chosen].before in (None, home.known)

    def undo_the_last(self, who: int, pick: int) -> None:
        """Undo what was just undone or redone, whoever is to act; where nothing was, undo something first."""
        if not self.redo:
            self.undo(who, pick)
        if self.redo:
            who, operation, before = self.redo
            if self.take_back(who, operation):
                assert self.homes[who].known == before

    def take_back(self, who: int, chosen: str) -> bool:
        """Undo an operation, if that can be, and keep what was answered before; whether it was."""
        home, now = self.homes[who], self.homes[who].known
        chain = [home.deeds[id_] for id_ in home.chain(chosen)]
        refused = ""
        if any(deed.undone for deed in chain[2::2]):
            refused = "cannot be undone alone"
        elif len(chain) > 1 and chain[-1].kind == "forget":
            refused = "`forget` it again"
        # The oracle does not know yet how the undo will be called, and is told afterwards.
        changes = None if refused else home.take_back(chain[0], PENDING)
        if changes is None:
            with pytest.raises(InvalidInput, match=refused or "cannot be undone alone"):
                home.memory.undo(chosen)
            self.settle(who)
            assert home.known == now
            return False
        done = home.memory.undo(chosen).operation
        for place, deed in enumerate(chain):
            deed.undone = place % 2 == 0
        if chosen != list(home.deeds)[-1]:
            home.forget_what_was_before()
        home.deeds[done] = Deed("undo", home.call_pending(changes, done), undoes=chosen)
        self.settle(who, redo=(who, done, now))
        return True

    @invariant()
    def the_notes_are_those_of_the_oracle(self) -> None:
        for home in self.homes:
            listed = {one.judged.note.id: one.judged.note for one in home.memory.notes()}
            assert sorted(listed) == sorted(home.standing())
            for id_, told in home.notes.items():
                note = home.memory.note(id_)
                assert (note.head.text, note.protected) == (told.texts[told.head], told.protected)
                assert note.withdrawn == (told.withdrawn or "")
                assert bool(note.superseded_by) == home.replaced(id_)
                revisions = [one for one in home.memory.history(id_) if isinstance(one, Revision)]
                assert [one.text for one in revisions] == told.texts
                assert all(one.cause and one.actor for one in revisions)
            names = {home.notes[id_].called for id_ in home.in_force()} - {""}
            assert {one.alias for one in home.memory.aliases()} == names
            stands = {one.id: one.undone_at is None for one in home.memory.operations()}
            assert {id_: stands[id_] for id_ in home.deeds} == {id_: not one.undone for id_, one in home.deeds.items()}
            assert [pin.text for pin in home.memory.pins()] == home.pins
            assert all(
                one.actor == "agent" or one.actor == "person" or not one.asked for one in home.memory.operations()
            )

    def look_for(self, texts: list[str]) -> None:
        """Find no word of what was forgotten in any file."""
        self.homes[0].memory.store.truncate_log()
        held = b"".join(file.read_bytes() for file in self.store.parent.iterdir() if file.is_file())
        for text in texts:
            for word in text.split()[-3:]:
                assert word.rstrip(".").encode() not in held

    def teardown(self) -> None:
        assert self.homes[0].memory.store.check(deep=True) == []
        for home in self.homes:
            told = repr(answers(home.memory))
            assert not any(word in told for text in home.forgotten for word in text.rstrip(".").split()[-3:])
            assert home.memory.doctor(deep=True).healthy
        self.look_for([text for home in self.homes for text in home.forgotten])
        for home in self.homes:
            home.memory.close()
        self.folder.cleanup()


TestNoteLife = pytest.mark.invariant("I-06", "I-07", "I-08", "I-09", "I-10")(NoteLife.TestCase)
TestNoteLife.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)
