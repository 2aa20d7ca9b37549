"""Notes: interpretations that name their source, their revisions, anchors and verdicts."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from moored.model.facts import FactKind
from moored.model.kin import Related

if TYPE_CHECKING:
    from moored.model.reminders import Due


class State(StrEnum):
    """The answer to "does this still hold?"."""

    CURRENT = "current"
    STALE = "stale"
    SUPERSEDED = "superseded"
    DISPUTED = "disputed"
    UNVERIFIABLE = "unverifiable"


class Change(StrEnum):
    """What became of the target of an anchor."""

    NONE = ""
    SIGNATURE = "signature"
    BODY = "body"
    SIGNATURE_AND_BODY = "signature and body"
    VALUE = "value"
    MOVED = "moved"
    RENAMED = "renamed"
    GONE = "gone"
    PARTLY_GONE = "partly gone"  # of a note: some of what it is about is gone, not all
    AMBIGUOUS = "ambiguous"
    CORRECTED = "corrected"
    UNREADABLE = "unreadable"


class Verdict(NamedTuple):
    """Whether something still holds, computed at the moment of reading.

    `reason` says why in words; `current` is the value now, or `gone`, empty when nothing changed.
    """

    state: State
    change: Change = Change.NONE
    reason: str = ""
    current: str = ""


CURRENT = Verdict(State.CURRENT)


class AnchorRole(StrEnum):
    """What a note has to do with the target of an anchor."""

    SOURCE = "source"  # the episode in which the note was said
    ABOUT = "about"  # what the note speaks of
    PROOF = "proof"  # the command whose outcome proved it


class Anchor(NamedTuple):
    """The link from a revision to a fact or an episode, with what the target was when it was written.

    Exactly one of `fact` and `episode` is an id; the other is empty. A fact is named by its identity as well
    (`path`, `kind`, `name`), so that the same note is judged in each tree against that tree's files. `value`
    is what the target said then.
    """

    role: AnchorRole
    fact: str = ""
    episode: str = ""
    path: str = ""
    kind: FactKind | None = None
    name: str = ""
    signature_hash: str = ""
    body_hash: str = ""
    value: str = ""

    @property
    def address(self) -> str:
        if self.kind in (FactKind.FILE, FactKind.COMMAND):
            return self.name
        if not self.path:
            return self.name or self.episode
        return f"{self.path}::{self.name}"


class Revision(NamedTuple):
    """One immutable version of a note.

    `episode` is the episode that holds its text as it was said; `cause` why it came to be, `actor` who wrote
    it (`person`, `agent`, or the name of a rule); `proof` the command that proved it, or empty.
    """

    row: int
    id: str
    note: str
    number: int
    text: str
    tags: tuple[str, ...]
    cause: str
    actor: str
    episode: str
    proof: str
    created_at: int
    anchors: tuple[Anchor, ...]


class Note(NamedTuple):
    """A note and its newest revision.

    `superseded_by` is the id of the note that replaced it, `protected` why nothing but an explicit request changes it,
    `withdrawn` the id of the operation that took it out of every answer; each is empty where that is not so.
    """

    id: str
    kind: str
    superseded_by: str
    created_at: int
    head: Revision
    protected: str = ""
    withdrawn: str = ""


class JudgedAnchor(NamedTuple):
    """An anchor and what became of its target: the file and line where it stands now, line 0 when it has none."""

    anchor: Anchor
    verdict: Verdict
    path: str
    line: int


class JudgedNote(NamedTuple):
    """A note with its verdict and that of each of its anchors."""

    note: Note
    verdict: Verdict
    anchors: tuple[JudgedAnchor, ...]


class Unresolved(NamedTuple):
    """A name that was found in a text and did not become an anchor: why, and what it could be."""

    name: str
    reason: str
    candidates: tuple[str, ...] = ()


class Remembered(NamedTuple):
    """The account of one `remember` or `revise`.

    `outcome` is `new`, `revised`, `duplicate` (the note `id` says the very same about the same targets) or
    `unchanged` (the head of the note says so already); the last two wrote nothing. The gate adds `reinforced` (the note
    `id` says it in other words, and has one more piece of evidence), `refused` (it says this and more), `merged` (its
    next revision says what both said) and `disputed` (a new note, which another one contradicts). `revision` is the id
    of the revision that stands, `anchors` are its anchors, `unresolved` the names that became none. `receipt` says in
    words what was done and what was left out; `related` are notes to look at with it, `reminders` those that its words
    call up.
    """

    id: str
    revision: str
    outcome: str
    anchors: tuple[Anchor, ...]
    unresolved: tuple[Unresolved, ...]
    receipt: tuple[str, ...]
    related: tuple[Related, ...] = ()
    reminders: tuple[Due, ...] = ()


class Pin(NamedTuple):
    """A constraint of the user's, rendered verbatim into every brief."""

    id: str
    text: str
    actor: str
    tokens: int
    created_at: int
