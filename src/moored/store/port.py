"""The port of the store: what the layers above may ask of it, and all that a second store has to provide.

Every method that reads or writes memory names the project (or the tree of one) that it is about, and a store applies
that scope inside its query, before any limit (I-06). Ranking, verdicts and the life cycle of notes are above the port.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from moored.store.durability import Durability

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from moored.model.episodes import Episode, Standing
    from moored.model.facts import Edge, ExtractedFact, Fact, FactVersion
    from moored.model.files import IndexedFile
    from moored.model.notes import Note, Pin, Revision
    from moored.model.operations import Change
    from moored.model.projects import Project, Session, Tree
    from moored.model.promises import Finding
    from moored.store.port_aliases import Aliases
    from moored.store.port_bundle import Bundle, Taking
    from moored.store.port_erasure import Erasure
    from moored.store.port_kin import Kin
    from moored.store.port_operations import Operations
    from moored.store.port_profiles import Profiles
    from moored.store.port_proposals import Proposals
    from moored.store.port_reminders import Reminders
    from moored.store.port_rules import Rules
    from moored.store.port_search import Search
    from moored.store.port_seeds import Seeds
    from moored.store.port_sessions import Sessions
    from moored.store.port_states import States
    from moored.store.port_transcripts import Transcripts
    from moored.store.port_vectors import Vectors
    from moored.store.rows import NewEdge, NewEpisode, NewFact, OutlineRow, SymbolRow


class Projects(Protocol):
    """Reads and writes projects, their trees and sessions."""

    def by_key(self, key: str) -> Project | None: ...

    def by_id(self, project_id: str) -> Project | None: ...

    def all(self) -> list[Project]: ...

    def add(self, project_id: str, key: str, name: str, at: int) -> Project: ...

    def tree(self, project: Project, root: str) -> Tree | None: ...

    def trees(self, project: Project) -> list[Tree]: ...

    def add_tree(self, tree_id: str, project: Project, root: str, at: int) -> Tree: ...

    def session(self, project: Project, host: str, name: str) -> Session | None: ...

    def called(self, project: Project, name: str) -> list[Session]:
        """The sessions of this name, whatever their host, and the one of this id."""
        ...

    def add_session(self, session_id: str, project: Project, host: str, name: str, at: int) -> Session: ...

    def count_sessions(self, project: Project) -> int: ...


class Episodes(Protocol):
    """Reads and writes the record."""

    def known(self, project: Project, idempotency_key: str) -> tuple[int, str] | None:
        """The number and id of the episode that was recorded under this key, or None."""
        ...

    def seq(self, project: Project, episode_id: str) -> int | None:
        """The number of a visible episode, or None."""
        ...

    def add(self, project: Project, new: NewEpisode) -> int:
        """Write an episode and return its number."""
        ...

    def add_windows(
        self, project: Project, seq: int, spans: Sequence[tuple[int, int]], traits: Sequence[int] = ()
    ) -> list[int]:
        """Write the windows of an episode (characters of its text), with their traits; return their numbers."""
        ...

    def get(self, project: Project, episode_id: str) -> Episode | None:
        """A visible episode, or None."""
        ...

    def standing(self, project: Project, episode_id: str) -> Standing | None:
        """How far a visible episode is trusted, and what corrected it, without its content."""
        ...

    def by_seqs(self, project: Project, seqs: Sequence[int]) -> dict[int, Episode]:
        """The visible episodes among these numbers."""
        ...

    def recent(self, project: Project, limit: int, *, session: str | None = None) -> list[Episode]:
        """The newest visible episodes, newest first."""
        ...

    def all(self, project: Project) -> Iterator[Episode]:
        """Every episode of the project, hidden ones too, oldest first, one at a time."""
        ...

    def count(self, project: Project) -> int: ...

    def count_hidden(self, project: Project) -> int: ...

    def is_hidden(self, project: Project, episode_id: str) -> bool:
        """Whether an episode is out of every answer because the operation that brought it in was undone."""
        ...

    def hash_of(self, project: Project, episode_id: str) -> str | None:
        """The content hash that was taken when the episode was recorded."""
        ...

    def near(self, project: Project, episode_id: str, limit: int = 3) -> tuple[str, ...]:
        """Ids of visible episodes that begin as this one does."""
        ...


class Facts(Protocol):
    """Reads the ledger. Every question names the project or the tree that it is asked of."""

    def file(self, tree: Tree, path: str) -> IndexedFile | None: ...

    def files(self, tree: Tree) -> dict[str, IndexedFile]: ...

    def count_files(self, tree: Tree) -> tuple[int, int, int | None]:
        """How many files were read, how many of them in part, and when the last was, in nanoseconds, or None."""
        ...

    def has_files(self, tree: Tree) -> bool:
        """Whether anything of the tree was ever read."""
        ...

    def files_named(self, tree: Tree, name: str) -> list[str]:
        """Paths that are `name` or end in `/name`, in order."""
        ...

    def get(self, project: Project, fact_id: str) -> Fact | None: ...

    def in_file(self, tree: Tree, path: str, *, gone: bool = False) -> list[Fact]:
        """The facts of a file in order of appearance; with `gone`, those that it held once as well."""
        ...

    def named(self, tree: Tree, name: str, *, path: str | None = None) -> list[Fact]:
        """Live facts of this qualified name, in one file or in any."""
        ...

    def ending(self, tree: Tree, name: str, limit: int = 200) -> list[Fact]:
        """Live facts whose qualified name is `name` or ends in `.name`."""
        ...

    def with_body(self, tree: Tree, body_hash: str) -> list[Fact]:
        """Live facts whose body is this one and is not trivial."""
        ...

    def at_line(self, tree: Tree, path: str, line: int) -> Fact | None:
        """The innermost symbol or key of a file that covers a line, or None."""
        ...

    def of_episode(self, project: Project, episode_id: str) -> list[Fact]: ...

    def command(self, project: Project, command: str, *, hidden: bool = False) -> Fact | None:
        """The latest outcome of a command, of runs that are visible or, on request, of all."""
        ...

    def by_rows(self, project: Project, rows: Sequence[int]) -> dict[int, Fact]: ...

    def rows(self, project: Project, fact_ids: Iterable[str]) -> dict[str, int]:
        """The store's own numbers of those of these facts that the project has."""
        ...

    def history(self, project: Project, fact_id: str) -> list[FactVersion]:
        """All versions of a fact, oldest first; the last is the present one or says that it is gone."""
        ...

    def near(self, tree: Tree, match: str, limit: int = 60) -> list[str]:
        """Distinct names of live facts that share trigrams with a full-text expression, best first."""
        ...

    def counts(self, tree: Tree) -> dict[str, int]:
        """How many live facts of each kind the tree has."""
        ...

    def count_commands(self, project: Project) -> int: ...


class Graph(Protocol):
    """Reads the edges between facts, and what the linker keeps to make them."""

    def into(self, project: Project, facts: Sequence[str]) -> list[Edge]:
        """The edges that end in these facts (ids), by fact, path and line of their source."""
        ...

    def out_of(self, project: Project, facts: Sequence[str]) -> list[Edge]:
        """The edges that begin in these facts (ids), by fact and line."""
        ...

    def count(self, tree: Tree) -> tuple[int, int]:
        """How many edges begin in the files of a tree, and how many of them are resolved."""
        ...

    def counts(self, fact: Fact) -> tuple[int, int]:
        """How many facts a fact is the target of, and how many it is the source of, itself not counted."""
        ...

    def unreferenced(self, tree: Tree, kinds: Sequence[str], limit: int) -> list[str]:
        """Ids of the live facts of these kinds that nothing elsewhere calls, uses or inherits, by path and place.

        At most `limit` are told.
        """
        ...

    def resolved_pairs(self, tree: Tree) -> list[tuple[int, int]]:
        """Source and target of every resolved edge of a tree, by their numbers."""
        ...

    def map_symbols(self, tree: Tree) -> list[tuple[int, str, str, str, int]]:
        """Number, path, kind, name and line of the files and symbols of a tree that are no data, by path and place."""
        ...

    def values(self, tree: Tree, rows: Sequence[int]) -> dict[int, str]:
        """What is shown of those of these facts, by their numbers, that are of the tree."""
        ...

    def numbers(self, project: Project, facts: Sequence[str]) -> list[int]:
        """The numbers of facts, by their ids; ids of another project have none."""
        ...

    def symbols(self, tree: Tree, path: str) -> list[SymbolRow]:
        """The file fact and the symbols of a file, in order of appearance."""
        ...

    def ending(self, tree: Tree, leaf: str, limit: int) -> list[tuple[str, SymbolRow]]:
        """Path and symbol of live symbols with this last name, by path and place, at most `limit`."""
        ...

    def languages(self, tree: Tree) -> dict[str, str]:
        """The language of every file of a tree that has an outline, by path."""
        ...

    def outline(self, tree: Tree, path: str) -> OutlineRow | None:
        """What is kept of a file for the linker, None when it is not a code file that was read."""
        ...

    def waiting(self, tree: Tree) -> list[str]:
        """Paths of the files that were read since they were linked last, in order."""
        ...

    def relinks(self, tree: Tree) -> list[tuple[int, str, bytes]]:
        """Removed files that other files' lookups have not been compared with yet: row, path, exports."""
        ...

    def lookups(self, tree: Tree) -> list[tuple[str, bytes]]:
        """Path and lookups of every linked file of a tree, by path."""
        ...


class Notes(Protocol):
    """Reads and writes the atlas."""

    def get(self, project: Project, note_id: str, *, withdrawn: bool = False) -> Note | None:
        """The note of this id, or the note that a revision of this id belongs to; on request also one withdrawn."""
        ...

    def by_heads(self, project: Project, revisions: Sequence[int]) -> dict[int, Note]:
        """The notes whose newest revision is among these numbers, by that number."""
        ...

    def all(self, project: Project) -> list[Note]:
        """The notes that are in force or were replaced, oldest first."""
        ...

    def withdrawn(self, project: Project) -> list[Note]:
        """The notes that an operation took out of every answer."""
        ...

    def about_paths(self, project: Project, paths: Iterable[str]) -> list[Note]:
        """The notes whose newest revision has an anchor in one of these files."""
        ...

    def newest(self, project: Project, limit: int) -> list[Note]:
        """The notes that were written or revised last, newest first, without those that were replaced."""
        ...

    def suspects(self, tree: Tree) -> dict[int, int]:
        """Notes that the ledger of a tree, or the record, does not bear out as it stands, without those replaced.

        By the number of their newest revision: when what they rest on changed last (milliseconds, 0 when that is not
        known). The disk is not looked at, so only a verdict says whether they hold.
        """
        ...

    def files(self, tree: Tree) -> list[IndexedFile]:
        """The indexed files of a tree that notes are about, without those of replaced notes."""
        ...

    def count(self, project: Project) -> int: ...

    def count_revisions(self, project: Project) -> int: ...

    def revisions(self, project: Project, note_id: str) -> list[Revision]:
        """All revisions of a note, oldest first."""
        ...

    def near(self, project: Project, note_id: str, limit: int = 3) -> tuple[str, ...]:
        """Ids of notes that begin as this one does."""
        ...

    def add(
        self, project: Project, note_id: str, kind: str, revision: Revision, operation: str, protected: str = ""
    ) -> int:
        """Write a new note with its first revision and that one's anchors; return the number of the revision."""
        ...

    def revise(self, project: Project, note: Note, revision: Revision, operation: str) -> int:
        """Write the next revision of a note and make it the newest; return its number."""
        ...

    def supersede(self, project: Project, note_id: str, by: str, operation: str) -> None:
        """Say that a note was replaced by another."""
        ...

    def withdraw(self, project: Project, note_id: str, operation: str) -> None:
        """Take a note out of every answer until that is undone. Its index entries are the caller's to remove."""
        ...

    def protect(self, project: Project, note_id: str, reason: str, operation: str) -> None:
        """Protect a note for a reason, or with an empty one no more."""
        ...

    def restore(self, project: Project, change: Change, operation: str) -> str:
        """Give a note back what it was before a change.

        A note that was begun by the change is withdrawn. Where that cannot be, the note that stands in the way is
        returned: this one when it is not any more what the change made of it, or the one that would replace it, when
        that was replaced by it meanwhile.
        """
        ...


class Pins(Protocol):
    """Reads and writes the user's pins."""

    def all(self, project: Project) -> list[Pin]:
        """The pins that stand, oldest first."""
        ...

    def count(self, project: Project) -> int:
        """How many pins stand."""
        ...

    def add(self, project: Project, pin: Pin) -> None: ...

    def remove(self, project: Project, pin_id: str, at: int) -> bool:
        """Take a pin out of every brief; False when no such pin stands. Its row stays as history."""
        ...


class LedgerWriter(Protocol):
    """Writes facts. Only `Transaction.ledger_writer` makes one, with the connection's two locks open."""

    def put_file(self, tree: Tree, file: IndexedFile) -> int:
        """Write what is known of a file (its `row` is ignored) and return its number."""
        ...

    def remove_file(self, tree: Tree, path: str) -> None:
        """Forget the file itself; its facts are closed with `close`."""
        ...

    def add(
        self,
        project: Project,
        facts: Sequence[NewFact],
        at: int,
        *,
        tree: Tree | None = None,
        path: str = "",
        episode: int = 0,
    ) -> None:
        """Write facts of one file (`tree` and `path`) or of one episode (its number)."""
        ...

    def release(self, facts: Iterable[Fact]) -> None:
        """Give up the identity of facts that are about to get another, so that two can exchange theirs."""
        ...

    def move_position(self, updates: Iterable[tuple[Fact, ExtractedFact, int]]) -> None:
        """Note where unchanged facts stand now and what is shown of them; their version stays the same."""
        ...

    def change(
        self, fact: Fact, extracted: ExtractedFact, ordinal: int, change: str, at: int, *, path: str, episode: int = 0
    ) -> None:
        """Close the present version of a fact into its history and begin the next.

        `path` and `extracted.name` are what it is called from now on; `change` says what happened in words.
        """
        ...

    def close(self, facts: Iterable[Fact], at: int) -> None:
        """Say that the source does not hold these facts any more. They stay, with their history."""
        ...

    def revive(self, fact: Fact, extracted: ExtractedFact, ordinal: int, at: int, *, path: str) -> None:
        """Reopen a fact that had gone: its absence becomes part of its history."""
        ...

    def put_outline(self, tree: Tree, file: int, interface: bytes, uses: bytes) -> None:
        """Keep what the linker needs of a file that was just read; its edges wait to be made again."""
        ...

    def put_links(self, file: int, generation: int, exports: bytes, lookups: bytes, edges: Iterable[NewEdge]) -> bool:
        """Replace the edges that begin in a file, unless it was read again since `generation`: then False."""
        ...

    def clear_relinks(self, tree: Tree, last: int) -> None:
        """Forget the removed files that have been compared with the lookups of all others, up to row `last`."""
        ...

    def add_edges(self, file: int, edges: Iterable[NewEdge]) -> None:
        """Write the edges that begin in a file."""
        ...

    def remove_edges(self, file: int) -> None:
        """Remove the edges that begin in a file."""
        ...


class View(Protocol):
    """The tables as one transaction sees them."""

    @property
    def projects(self) -> Projects: ...
    @property
    def episodes(self) -> Episodes: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def graph(self) -> Graph: ...
    @property
    def notes(self) -> Notes: ...
    @property
    def pins(self) -> Pins: ...
    @property
    def search(self) -> Search: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def transcripts(self) -> Transcripts: ...
    @property
    def aliases(self) -> Aliases: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def seeds(self) -> Seeds: ...
    @property
    def profiles(self) -> Profiles: ...
    @property
    def kin(self) -> Kin: ...
    @property
    def proposals(self) -> Proposals: ...
    @property
    def erasure(self) -> Erasure: ...
    @property
    def bundle(self) -> Bundle: ...
    @property
    def operations(self) -> Operations: ...
    @property
    def states(self) -> States: ...
    @property
    def reminders(self) -> Reminders: ...


class Transaction(View, Protocol):
    """A view that can be written. Facts are written only through `ledger_writer` (I-02)."""

    def taking(self) -> AbstractContextManager[Taking]:
        """Take in a bundle. The guards of notes are away inside, until its `end`."""
        ...

    def problems(self) -> list[Finding]:
        """What a deep look finds in the store as this transaction leaves it."""
        ...

    def ledger_writer(self) -> AbstractContextManager[LedgerWriter]: ...


class Store(Protocol):
    """A place that keeps any number of projects, for any number of threads and processes."""

    @property
    def path(self) -> Path: ...
    @property
    def read_only(self) -> bool: ...
    def read(self) -> AbstractContextManager[View]:
        """One consistent view, unmoved by what others write meanwhile. It cannot write (I-11)."""
        ...

    def write(
        self, durability: Durability = Durability.FULL, *, patience_ms: int | None = None
    ) -> AbstractContextManager[Transaction]:
        """One transaction: all of the block is kept, or, when it raises, nothing.

        Keep it short: nothing is parsed, embedded or asked of a model inside. Raises `StoreLocked` after a bounded
        wait (`patience_ms` for what is not worth a long one), `StoreReadOnly`, `StoreFull`.
        """
        ...

    def backup(self, target: Path) -> None:
        """Copy the store as it is now to a new file, while others go on writing."""
        ...

    def truncate_log(self) -> bool:
        """Write all of the log into the file and empty it; False when a reader holds on to some of it."""
        ...

    def rewrite(self) -> None:
        """Write the whole file anew, without the bytes that no row uses."""
        ...

    def check(self, *, deep: bool = False) -> list[Finding]:
        """What is wrong with the store; empty when it is sound. `deep` also looks for what breaks a promise."""
        ...

    def close(self) -> None: ...
