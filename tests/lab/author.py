"""Writes sample memory into a store: projects, episodes with their indexes, files with facts, notes, pins."""

from __future__ import annotations

from contextlib import AbstractContextManager

from moored.model.clock import ManualClock
from moored.model.condition_text import parse
from moored.model.episodes import Channel, Role, Trust
from moored.model.facts import ExtractedFact, FactKind, Span
from moored.model.files import IndexedFile
from moored.model.hashing import digest
from moored.model.ids import IdSource
from moored.model.notes import Anchor, AnchorRole, Note, Pin, Revision
from moored.model.projects import Project, Session, Tree
from moored.model.proposals import Ground, GroundKind, Proposal, Remedy
from moored.model.reminders import Reminder, ReminderKind
from moored.model.rules import Action, Rule, ScopeKind
from moored.model.state import Rating, Use
from moored.record.operations import under_way
from moored.store.port import Transaction
from moored.store.rows import NewEpisode, NewFact, NewVector, Queued

MODEL = "lab-4"


class NamedIds:
    """Ids that are the same at every run and differ between authors."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0

    def new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._name}{self._count:06}"


class Author:
    """Writes on behalf of one project. Ids and times are the same at every run, unless `ids` says otherwise."""

    def __init__(self, name: str = "harbour", ids: IdSource | None = None) -> None:
        self.name = name
        self.ids = ids or NamedIds(name)
        self.clock = ManualClock()
        self._hashes: dict[str, str] = {}

    def begin(self, tx: Transaction) -> tuple[Project, Session, Tree]:
        """Write the project with a session and a tree, or find what was written before."""
        root = f"/srv/{self.name}"
        project = tx.projects.by_key(f"dir:{root}")
        if project is None:
            project = tx.projects.add(self.ids.new("pr"), f"dir:{root}", self.name, self.clock.now())
        session = tx.projects.session(project, "lab", "first")
        if session is None:
            session = tx.projects.add_session(self.ids.new("se"), project, "lab", "first", self.clock.now())
        tree = tx.projects.tree(project, root)
        if tree is None:
            tree = tx.projects.add_tree(self.ids.new("tr"), project, root, self.clock.now())
        return project, session, tree

    def episode(self, session: Session, content: bytes, *, key: str = "", corrects: int | None = None) -> NewEpisode:
        """A new episode that is not written yet."""
        episode_id = self.ids.new("ep")
        content_hash = self._hashes[episode_id] = digest(content)
        return NewEpisode(
            episode_id, session, Role.USER, Channel.USER, Trust.USER, "", key or episode_id, content, content_hash,
            1, "", "{}", None, corrects, self.clock.now(), self.clock.now(),
        )  # fmt: skip

    def record(self, tx: Transaction, project: Project, new: NewEpisode) -> int:
        """Write an episode, its only window, the index entries and the queue row; return its number."""
        seq = tx.episodes.add(project, new)
        text = new.content.decode("utf-8", "replace")
        (window,) = tx.episodes.add_windows(project, seq, [(0, max(len(text), 1))])
        tx.search.put("window", window, text, text)
        tx.vectors.enqueue(project, "window", [window])
        return seq

    def fact(self, name: str, body: str = "a body", *, kind: FactKind = FactKind.FUNCTION, doc: str = "") -> NewFact:
        """A fact that is not written yet, the only one of its name in its file."""
        extracted = ExtractedFact(kind, name, f"def {name}()", digest(body), Span(0, 9, 1, 3), digest(name), doc=doc)
        return NewFact(self.ids.new("fa"), 0, extracted, "code")

    def index(self, tx: Transaction, tree: Tree, path: str, *facts: NewFact) -> int:
        """Write a file of a tree with its facts; return the file's number."""
        file = IndexedFile(0, path, 1, 1, 1, 1, digest(path), "python", 0, 0, 1)
        with tx.ledger_writer() as ledger:
            row = ledger.put_file(tree, file)
            ledger.add(tree.project, facts, self.clock.now(), tree=tree, path=path)
        return row

    def remember(self, tx: Transaction, project: Project, text: str, *anchors: Anchor, episode: str) -> Note:
        """Write a note that rests on an episode and on what else is given."""
        note_id, revision = self.ids.new("no"), self.revision(text, episode, *anchors)
        with self._operation(tx, project, "remember") as operation:
            head = tx.notes.add(project, note_id, "note", revision, operation)
        self._index_revision(tx, project, head, text)
        note = tx.notes.get(project, note_id)
        assert note is not None
        return note

    def supersede(self, tx: Transaction, project: Project, note: str, by: str) -> None:
        """Say that a note was replaced by another."""
        with self._operation(tx, project, "remember") as operation:
            tx.notes.supersede(project, note, by, operation)

    def _operation(self, tx: Transaction, project: Project, kind: str) -> AbstractContextManager[str]:
        return under_way(tx, project, kind, actor="agent", clock=self.clock, ids=self.ids)

    def rate(self, tx: Transaction, project: Project, note: Note) -> None:
        """Let a note be used and found useful."""
        tx.states.put_uses(project, {note.id: Use(1, self.clock.now(), 1.0)})
        with self._operation(tx, project, "rate") as operation:
            tx.states.rate(project, note.id, Rating(True, "", "agent", self.clock.now(), operation))

    def contradict(self, tx: Transaction, project: Project, note: Note, text: str, episode: str) -> None:
        """Write a note that disputes another, is linked with it, and has an episode for evidence."""
        other = self.remember(tx, project, text, episode=episode)
        with self._operation(tx, project, "remember") as operation:
            at = self.clock.now()
            tx.kin.link(project, other.id, note.id, "related", "both speak of it", operation, at)
            tx.kin.reinforce(project, note.id, episode, "same", operation, at)
            tx.kin.dispute(project, self.ids.new("di"), other.id, note.id, "another value", operation, at)

    def propose(self, tx: Transaction, project: Project, note: Note) -> None:
        """Find a note useless, and propose that it be archived for that."""
        with self._operation(tx, project, "rate") as rated:
            tx.states.rate(project, note.id, Rating(False, "it misled", "agent", self.clock.now(), rated))
        with self._operation(tx, project, "review") as operation:
            grounds = (Ground(GroundKind.RATING, rated),)
            proposal = Proposal(
                self.ids.new("po"), note.id, note.head.row, Remedy.ARCHIVE, "", "it misled", grounds, operation,
                self.clock.now(),
            )  # fmt: skip
            tx.proposals.add(project, proposal)

    def learn(self, tx: Transaction, project: Project, session: Session, text: str) -> None:
        """Record a turn of the user's, and learn from it twice what it states: of the second nothing is left."""
        said = self.episode(session, text.encode())
        seq = self.record(tx, project, said)
        tx.profiles.set_read(project, seq)
        tx.profiles.set_compared(project, seq)
        with self._operation(tx, project, "learn") as operation:
            for _ in range(2):
                note_id, revision = self.ids.new("no"), self.revision(text, said.id)._replace(actor="profile")
                head = tx.notes.add(project, note_id, "preference", revision, operation)
                tx.kin.reinforce(project, note_id, said.id, "same", operation, self.clock.now())
                self._index_revision(tx, project, head, text)
            tx.notes.withdraw(project, note_id, operation)

    def seed(self, tx: Transaction, project: Project, session: Session, text: str) -> None:
        """Read a document into two notes, of which the second is withdrawn."""
        with self._operation(tx, project, "seed") as operation:
            for key in ("readme", "gone"):
                said = self.episode(session, f"{text} ({key})".encode())
                self.record(tx, project, said)
                note_id, revision = self.ids.new("no"), self.revision(text, said.id)._replace(actor="seed")
                head = tx.notes.add(project, note_id, "seed", revision, operation)
                tx.seeds.put(project, f"{key}:README.md", note_id)
                if key == "readme":
                    self._index_revision(tx, project, head, text)
            tx.notes.withdraw(project, note_id, operation)

    def remind(self, tx: Transaction, project: Project, episode: str, text: str) -> None:
        """Write a reminder on the words of an episode, and another that is only proposed."""
        with self._operation(tx, project, "remind") as operation:
            for said, proposed in ((text, False), (f"{text}, perhaps", True)):
                made = Reminder(
                    self.ids.new("rm"), ReminderKind.KEYWORD, "pier", said, episode, "", "person", proposed,
                    self.clock.now(), None, 3,
                )  # fmt: skip
                tx.reminders.add(project, made, operation)

    def rule(self, tx: Transaction, project: Project, condition: str) -> None:
        """Lay down a rule."""
        with self._operation(tx, project, "rule") as operation:
            made = Rule(
                self.ids.new("ru"), Action.BOOST, 2.0, parse(condition), ScopeKind.PROJECT, "", "", "person",
                operation, self.clock.now(),
            )  # fmt: skip
            tx.rules.add(project, made)

    def revise(self, tx: Transaction, project: Project, note: Note, text: str) -> int:
        """Write the next revision of a note, as the atlas does; return its number."""
        revision = self.revision(text, note.head.episode, number=note.head.number + 1)
        with self._operation(tx, project, "revise") as operation:
            head = tx.notes.revise(project, note, revision, operation)
        tx.search.remove("revision", note.head.row)
        tx.vectors.remove("revision", note.head.row)
        self._index_revision(tx, project, head, text)
        return head

    def revision(self, text: str, episode: str, *anchors: Anchor, number: int = 1) -> Revision:
        """A revision that is not written yet."""
        content_hash = self._hashes.get(episode) or digest(text)
        source = Anchor(AnchorRole.SOURCE, episode=episode, body_hash=content_hash, value=text)
        return Revision(
            0, self.ids.new("re"), "", number, text, ("tag",), "said", "person", episode, "", self.clock.now(),
            (source, *anchors),
        )  # fmt: skip

    def pin(self, tx: Transaction, project: Project, text: str) -> Pin:
        """Write a pin."""
        pin = Pin(self.ids.new("pi"), text, "person", 3, self.clock.now())
        tx.pins.add(project, pin)
        return pin

    def embed_waiting(
        self, tx: Transaction, limit: int = 1_000, *, model: str = MODEL, done: bool = True
    ) -> list[Queued]:
        """Give the texts of this author's project that wait a vector with signs and codes; return which."""
        row = self.begin(tx)[0].row
        waiting = [text for text in tx.vectors.waiting(limit, bare=not done) if text.project == row]
        entries = [NewVector(*text, model, 4, 0.5, b"\1\2\3\4", b"\xa0", b"\xa0\x50") for text in waiting]
        tx.vectors.put(entries, done=done)
        return waiting

    def _index_revision(self, tx: Transaction, project: Project, head: int, text: str) -> None:
        tx.search.put("revision", head, text, text)
        tx.vectors.enqueue(project, "revision", [head])
