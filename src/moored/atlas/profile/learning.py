"""Learning a profile: what users state becomes preferences, what they repeat becomes beliefs (A-13).

Each turn is read once, in order, and how far the record was read is kept. A preference is a note whose words are a
sentence of the turn itself; stated again it gains evidence, and a newer one that leaves no room for it replaces it.
Where both were stated in one session, or the older is protected or somebody's own words, it is a dispute that the user
settles. A belief is derived from pieces of evidence of different sessions or days. Evidence of a note that was taken
back, or reworded by somebody, counts for no other. All that one reading writes is one operation, which can be undone.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING

from moored.atlas.profile.evidence import Habit, habits, is_pasted, times_said
from moored.atlas.profile.standing import is_learned
from moored.atlas.profile.wording import belief_text, habit_text, key_of, stated
from moored.atlas.writing import Derived, write_derived
from moored.model.ids import DISPUTE, IdSource
from moored.model.notes import AnchorRole, Note
from moored.model.preferences import Preference, Subject, excludes, same
from moored.model.profiles import BELIEF, LEAST_PIECES, PREFERENCE, PROFILE, Learned, Turn
from moored.record.operations import under_way
from moored.record.preferences import preferences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.clock import Clock
    from moored.model.projects import Project
    from moored.store.port import Store, Transaction, View

TURNS = 500
"""Turns that are read in one go."""

MARKED = 20
"""Turns without a statement after which it is kept how far the record was read."""

_CHANGES = re.compile(
    r"\b(?:now|from here|instead|no longer|any ?more|actually|rather|switch\w*|chang\w*|moved|forward|future|"
    r"henceforth|sorry|correction|scratch|wait|never|ab jetzt|ab sofort|maintenant|ahora)\b|"
    r"\u4ece\u73b0\u5728|\u4eca\u5f8c",
    re.IGNORECASE,
)
"""Words by which a statement says that it takes the place of an earlier one."""


def learn(
    store: Store,
    project: Project,
    *,
    clock: Clock,
    ids: IdSource,
    turns: int = TURNS,
    runs: bool = True,
    patience_ms: int | None = None,
) -> Learned:
    """Read the turns that were not read yet, at most `turns` of them, and write what follows from them.

    With `runs` the commands that were run are looked at, too. Doing it again adds nothing. Raises the errors of the
    store; then nothing was written.
    """
    if store.read_only:
        return Learned(0)
    with store.read() as view:
        after = view.profiles.read_to(project)
        read = view.profiles.turns(project, after, turns)
        said = [
            (turn, one) for turn in read for one in preferences(turn.text) if not is_pasted(view, project, turn, one)
        ]
        known = view.profiles.notes(project)
        found = habits(view, project, _spent(view, project)) if runs else []
        done = [habit for habit in found if _is_new(known, habit)]
    if not said and not done and len(read) < min(MARKED, turns):
        return Learned(len(read))
    with store.write(patience_ms=patience_ms) as transaction:
        if transaction.profiles.read_to(project) != after:
            return Learned(0)  # Another process read them meanwhile.
        if read:
            transaction.profiles.set_read(project, read[-1].seq)
        with ExitStack() as ending:
            writing = _Writing(transaction, project, ending, clock, ids)
            for turn, one in said:
                writing.take(turn, one)
            for habit in done:
                writing.take_habit(habit)
    return writing.account._replace(turns=len(read))


def learn_all(store: Store, project: Project, *, clock: Clock, ids: IdSource, patience_ms: int | None = None) -> None:
    """Read everything that was not read yet. Raises as `learn`; what was written by then stands."""
    while learn(store, project, clock=clock, ids=ids, patience_ms=patience_ms).turns >= TURNS:
        pass


def _is_new(known: Sequence[Note], habit: Habit) -> bool:
    """Whether no belief in force says so already: more runs of the same command say nothing more."""
    text = habit_text(habit.key, habit.command)
    return not any(note.head.text == text and not note.superseded_by for note in known)


def _spent(view: View, project: Project) -> set[str]:
    """The episodes that count for nothing new: the evidence of what was withdrawn, replaced, or reworded."""
    notes = view.profiles.notes(project)
    gone = view.profiles.notes(project, withdrawn=True)
    reworded = [note for note in notes if not is_learned(note) and note.head.number > 1]
    replaced = [note for note in notes if note.superseded_by and note.kind == BELIEF]
    rejected = [*gone, *reworded, *replaced]
    spent = {
        piece.episode for pieces in view.profiles.pieces(project, [n.id for n in rejected]).values() for piece in pieces
    }
    for note in reworded:
        for revision in view.notes.revisions(project, note.id):
            spent.update(anchor.episode for anchor in revision.anchors if anchor.role is AnchorRole.SOURCE)
    return spent


class _Writing:
    """What one reading writes, in its transaction: under an operation, which begins with the first that is written."""

    def __init__(
        self, transaction: Transaction, project: Project, ending: ExitStack, clock: Clock, ids: IdSource
    ) -> None:
        self._transaction = transaction
        self._project = project
        self._ending = ending
        self._clock = clock
        self._ids = ids
        self._spent = _spent(transaction, project)
        self.account = Learned(0)

    @property
    def _operation(self) -> str:
        if not self.account.operation:
            begun = under_way(
                self._transaction, self._project, "learn", actor=PROFILE, clock=self._clock, ids=self._ids
            )
            self.account = self.account._replace(operation=self._ending.enter_context(begun))
        return self.account.operation

    def take(self, turn: Turn, said: Preference) -> None:
        """Take one statement: a new preference, more evidence for one, and, if repeated, for a belief."""
        if not said.correction:
            self._take_preference(turn, said)
        self._believe(turn, said)

    def _take_preference(self, turn: Turn, said: Preference) -> None:
        in_force = self._in_force(said.key)
        for note, known in in_force:
            if note.kind == PREFERENCE and same(known, said):
                self._support(note, [turn.episode])
                return
        note_id = self._add(PREFERENCE, said.text, said.key, [turn.episode], "stated by the user")
        self.account = self.account._replace(preferences=(*self.account.preferences, note_id))
        against = [(note, known) for note, known in in_force if excludes(said, known)]
        disputed = [note for note, _ in against if self._is_left_to_the_user(note, said, turn)]
        for note in disputed:
            dispute, reason = self._ids.new(DISPUTE), f"both say what is wanted as {said.key}"
            self._transaction.kin.dispute(
                self._project, dispute, note_id, note.id, reason, self._operation, self._clock.now()
            )
            self.account = self.account._replace(disputed=(*self.account.disputed, note.id))
        self._replace([pair for pair in against if pair[0] not in disputed], said, note_id, turn.at)

    def _is_left_to_the_user(self, note: Note, said: Preference, turn: Turn) -> bool:
        """Whether only the user can say which of two statements holds.

        So it is where the other is protected or somebody's own words, and where both were made in one session and the
        newer does not say that anything changes.
        """
        if note.protected or not is_learned(note):
            return True
        if said.over or note.kind != PREFERENCE or _CHANGES.search(said.text):
            return False
        pieces = self._transaction.profiles.pieces(self._project, [note.id])[note.id]
        left = [piece for piece in pieces if piece.stands]
        return bool(left) and max(left, key=lambda piece: piece.at).session == turn.session

    def _believe(self, turn: Turn, said: Preference) -> None:
        """Derive a belief from a statement that was made on enough occasions, or give the one there is its evidence."""
        since = self._denied(said)
        found = times_said(self._transaction, self._project, turn, said, self._spent)
        times = [one for one in found if one[0].at > since]
        if len(times) < LEAST_PIECES:
            return
        newest = times[0][1]
        self._hold(belief_text(newest), newest, [one.episode for one, _ in times], times[0][0].at)

    def _denied(self, said: Preference) -> int:
        """When something that leaves no room for a statement was stated last, -1 if never: what is older is history."""
        against = [note for note, known in self._in_force(said.key) if excludes(known, said)]
        pieces = self._transaction.profiles.pieces(self._project, [note.id for note in against])
        return max((piece.at for found in pieces.values() for piece in found if piece.stands), default=-1)

    def take_habit(self, habit: Habit) -> None:
        """Take a command that is run again and again."""
        text = habit_text(habit.key, habit.command)
        said = Preference(text, Subject.PROJECT, habit.key, habit.command, known=True)
        self._hold(text, said, [run.episode for run in habit.runs], habit.runs[0].at)

    def _hold(self, text: str, said: Preference, episodes: Sequence[str], at: int) -> None:
        in_force = self._in_force(said.key)
        for note, known in in_force:
            if note.kind == BELIEF and same(known, said):
                self._support(note, episodes)
                return
        cause = f"derived from {len(episodes)} pieces of evidence"
        note_id = self._add(BELIEF, text, said.key, episodes, cause)
        self.account = self.account._replace(beliefs=(*self.account.beliefs, note_id))
        self._replace([(note, known) for note, known in in_force if note.kind == BELIEF], said, note_id, at)

    def _in_force(self, key: str) -> list[tuple[Note, Preference]]:
        """The notes of a profile about a key that stand, with what they state."""
        notes = self._transaction.profiles.notes(self._project)
        return [
            (note, known)
            for note in notes
            if not note.superseded_by and key_of(note) == key and (known := stated(note)) is not None
        ]

    def _support(self, note: Note, episodes: Sequence[str]) -> None:
        """Count episodes as evidence of a note, without those that are."""
        pieces = self._transaction.profiles.pieces(self._project, [note.id])[note.id]
        known = {piece.episode for piece in pieces}
        fresh = [episode for episode in episodes if episode not in known]
        for episode in fresh:
            self._transaction.kin.reinforce(self._project, note.id, episode, "same", self._operation, self._clock.now())
        if fresh:
            self.account = self.account._replace(repeated=(*self.account.repeated, note.id))

    def _replace(self, others: Sequence[tuple[Note, Preference]], said: Preference, note_id: str, at: int) -> None:
        """Let a new note replace those it leaves no room for, or be replaced by one that was stated after it.

        What is protected stays, and so does what a person or an agent wrote.
        """
        pieces = self._transaction.profiles.pieces(self._project, [note.id for note, _ in others])
        for note, known in others:
            if note.protected or not is_learned(note) or not excludes(said, known):
                continue
            last = max((piece.at for piece in pieces[note.id] if piece.stands), default=0)
            older, newer = (note.id, note_id) if last <= at else (note_id, note.id)
            self._transaction.notes.supersede(self._project, older, newer, self._operation)
            if older == note.id and note.kind == BELIEF:
                self._spent.update(piece.episode for piece in pieces[note.id])
            self.account = self.account._replace(replaced=(*self.account.replaced, older))
            if older == note_id:
                return

    def _add(self, kind: str, text: str, key: str, episodes: Sequence[str], cause: str) -> str:
        derived = Derived(text, (key,), cause, PROFILE, tuple(episodes))
        return write_derived(self._transaction, self._project, kind, derived, self._operation, self._clock, self._ids)
