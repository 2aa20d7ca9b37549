"""`Memory`: the one object that every edge talks to, and `open_memory`, which makes it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from moored.errors import NotFound
from moored.ledger.keeper import Keeper
from moored.model.choices import chosen
from moored.model.clock import Clock, SystemClock, local_zone
from moored.model.episodes import Channel, Episode, Event, Recorded, Role, Trust
from moored.model.ids import EPISODE, FACT, NOTE, REVISION, IdSource, RandomIds
from moored.record.inbox import Inbox
from moored.scope import as_set, belonging, other_project, recognised
from moored.settings import Place, default_store, likely, locate
from moored.store.durability import Durability
from moored.store.sqlite.store import Store as SqliteStore

if TYPE_CHECKING:
    from moored.absorb import Absorbed
    from moored.atlas.affected import Affected
    from moored.atlas.stale import StaleReport
    from moored.context.brief import Brief
    from moored.doctor import Diagnosis
    from moored.embed.port import Embedder
    from moored.export import Exported
    from moored.importers.account import TranscriptImport
    from moored.importers.git_history import Imported
    from moored.ledger.graph.code_map import CodeMap
    from moored.ledger.graph.impact import Impact
    from moored.ledger.graph.query import SymbolReport
    from moored.ledger.refresh import Progress, Refreshed
    from moored.model.aliases import Alias
    from moored.model.facts import Fact, FactVersion
    from moored.model.notes import JudgedNote, Operation, Pin, Remembered, Revision
    from moored.model.projects import Project
    from moored.model.recall import HitKind, Recall
    from moored.recall.meaning import Meaning
    from moored.recall.policy import Policy
    from moored.status import Status
    from moored.store.port import Store

ABSORB_PATIENCE = 5.0
"""Seconds that `Memory.absorb` waits for another absorber and for another writer."""

FILLED_AT_ONCE = 64
"""Texts that get a vector right after a write; `upkeep` gives the others theirs."""


def open_memory(
    path: str | Path = ".",
    *,
    store: str | Path | None = None,
    create: bool = True,
    read_only: bool = False,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    embedder: Embedder | None = None,
    dense: bool = True,
) -> Memory:
    """Open the memory of the project that `path` belongs to.

    `store` is the file to keep it in, by default `$MOORED_STORE` or one file for all projects in the user's data
    folder. With `create` false a project that the store does not know is an error. `embedder` replaces the one that
    the settings name; `dense` false does without vectors.

    Raises `NotFound`, `InvalidInput` (settings), and the errors of the store.
    """
    path = Path(path)
    clock = clock or SystemClock()
    file = Path(store) if store else default_store()
    guess = likely(path) if file.exists() else None
    place = guess or locate(path)
    if not create and not file.exists():
        raise NotFound(f"There is no store {file} yet. Run `moored init` in the project to begin one.")
    opened = SqliteStore(file, clock=clock, read_only=read_only)
    try:
        if guess and recognised(opened, guess) is None:
            place = locate(path)
        if embedder is None and dense:
            from moored.embed.choice import embedder as configured

            embedder = configured(place.settings.embedding)
        return Memory(opened, place, clock=clock, ids=ids or RandomIds(clock), embedder=embedder, create=create)
    except BaseException:
        opened.close()
        raise


class Memory:
    """One project's memory, seen from one of its trees. Its methods may be called from any thread.

    Writing methods return when what they wrote is durable. Reading methods never change what a memory says; what
    they notice of changed files is handed to the ledger afterwards, where the store can be written.
    """

    def __init__(
        self, store: Store, place: Place, *, clock: Clock, ids: IdSource, embedder: Embedder | None, create: bool
    ) -> None:
        from moored.embed.filling import Filling
        from moored.recall.vectors import VectorCache

        self.store = store
        self.settings = place.settings
        self.project, tree = belonging(store, place, clock, ids, create)
        self.tree = as_set(tree, place.settings)
        self._clock = clock
        self._ids = ids
        self._embedder = embedder
        self._filling = Filling(store, self.project, embedder)
        self._vectors = VectorCache()
        self._keeper = Keeper(store, self.tree, clock=clock, ids=ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the connections to the store. It can be called again."""
        self.store.close()

    # The ledger

    def index(self, *, paths: Collection[str] | None = None, progress: Progress | None = None) -> Refreshed:
        """Bring the ledger up to what the tree holds now: only what changed is read. `paths` limits it to these."""
        return self._keeper.index(paths, progress)

    def watch(self, stop: threading.Event, on_refresh: Callable[[Refreshed], None] | None = None) -> None:
        """Keep the ledger current while files change, until `stop` is set."""
        from moored.watch import watch

        watch(self, stop, on_refresh)

    def symbol(self, name: str) -> SymbolReport:
        """What the ledger knows of a symbol. Raises `NotFound` with near names, `Ambiguous` with the candidates."""
        from moored.ledger.graph.query import symbol

        def ask() -> SymbolReport:
            with self.store.read() as view:
                return symbol(view, self.tree, name)

        return self._keeper.by_name(ask)

    def impact(self, name: str, *, depth: int = 4) -> Impact:
        """Everything that depends on a symbol, up to `depth` steps away. Raises as `symbol` does."""
        from moored.ledger.graph.impact import impact
        from moored.ledger.graph.query import symbol

        def ask() -> Impact:
            with self.store.read() as view:
                return impact(view, self.tree, symbol(view, self.tree, name).fact, depth=depth)

        return self._keeper.by_name(ask)

    def map(self, *, budget: int = 2_000, focus: Sequence[str] = ()) -> CodeMap:
        """A map of the code that fits into `budget` tokens, drawn around `focus` (folders, paths and symbols)."""
        from moored.ledger.graph.code_map import code_map

        self._keeper.look_around()
        with self.store.read() as view:
            return code_map(view, self.tree, budget=budget, focus=_listed(focus))

    # The record

    def record(
        self,
        content: str | bytes,
        *,
        role: Role | str = Role.USER,
        channel: Channel | str | None = None,
        trust: Trust | str | None = None,
        host: str = "",
        session: str = "",
        host_event: str = "",
        tool_name: str = "",
        tool_input: str = "",
        exit_status: int | None = None,
        corrects: str = "",
        occurred_at: int | None = None,
        durability: Durability = Durability.FULL,
    ) -> Recorded:
        """Keep one thing that happened, verbatim. See `Event` for the parameters.

        Raises `EmptyText`, `TooLarge`, `InvalidInput`, `NotFound` (`corrects`), and the errors of the store; then
        nothing was recorded.
        """
        from moored.record.admission import admit, write

        event = Event(
            content=content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"),
            role=chosen(Role, role, "role"),
            channel=chosen(Channel, channel, "channel") if channel else None,
            trust=chosen(Trust, trust, "trust") if trust else None,
            host=host,
            session=session,
            host_event=host_event,
            tool_name=tool_name,
            tool_input=tool_input,
            exit_status=exit_status,
            corrects=corrects,
            occurred_at=occurred_at,
        )
        self._absorb_first()
        admitted = admit(event)
        with self.store.write(durability) as transaction:
            recorded = write(transaction, self.project, admitted, self._clock, self._ids)
        self._filling.at_once(FILLED_AT_ONCE)
        return recorded

    def import_git(
        self, *, since: str | None = None, limit: int | None = None, progress: Callable[[int], None] | None = None
    ) -> Imported:
        """Bring the history of the tree's repository into the record, as an operation that can be undone."""
        from moored.importers.git_history import import_git_history

        self._absorb_first()
        imported = import_git_history(
            self.store,
            self.project,
            Path(self.tree.root),
            clock=self._clock,
            ids=self._ids,
            since=since,
            limit=limit,
            progress=progress,
        )
        self._filling.at_once()
        return imported

    def import_transcripts(
        self,
        host: str = "auto",
        path: Path | None = None,
        *,
        every_project: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> TranscriptImport:
        """Bring the transcripts of a host, or of all, into the record: those at `path`, else those on this machine.

        Each goes to the project of the folder that it names; without `path`, those of other projects are left where
        they are unless `every_project` asks for them. Raises as `moored.importers.importing.import_transcripts`.
        """
        from moored.absorb import absorb, place_of
        from moored.importers.importing import Router, import_transcripts

        store, clock, ids = self.store, self._clock, self._ids
        absorb(store, clock=clock, ids=ids, patience=ABSORB_PATIENCE)
        found = partial(belonging, store, clock=clock, ids=ids, create=True)
        router = Router(self.project, place_of, found, every=every_project, named=path is not None)
        return import_transcripts(store, router, host, path, clock=clock, ids=ids, progress=progress)

    def operations(self) -> tuple[Operation, ...]:
        """What machines did in this project that can be undone, oldest first."""
        with self.store.read() as view:
            return tuple(view.projects.operations(self.project))

    def undo(self, operation_id: str) -> int:
        """Take what an operation brought in out of every answer; return how many episodes that hid.

        The episodes stay in the record, and doing the import again shows them again. Raises `NotFound`.
        """
        with self.store.write() as transaction:
            if transaction.projects.operation(self.project, operation_id) is None:
                known = tuple(item.id for item in transaction.projects.operations(self.project))[-3:]
                raise NotFound(f"There is no operation {operation_id} in this project.", near=known)
            return transaction.projects.undo(self.project, operation_id, self._clock.now())

    # The atlas

    def remember(
        self,
        text: str,
        *,
        about: Sequence[str] = (),
        kind: str = "note",
        tags: Sequence[str] = (),
        proof: str = "",
        actor: str = "agent",
        supersedes: str = "",
        aliases: Sequence[str] = (),
    ) -> Remembered:
        """Write a note about things that exist: symbols, paths, `path:line`, keys, `$ commands`, episodes.

        What the text itself names is found as well. `aliases` is what its subject is called, the proper name first:
        that becomes a tag, the others are aliases of it. Raises `EmptyText`, `TooLarge`, `InvalidInput`, `NotFound` and
        `Ambiguous` (`about`); then nothing was written.
        """
        from moored.atlas.drafts import Draft
        from moored.atlas.notes import remember

        self._absorb_first()
        draft = Draft(
            text, _listed(about), kind, _listed(tags), actor, proof=proof, supersedes=supersedes, names=_listed(aliases)
        )

        def write() -> Remembered:
            return remember(self.store, self.tree, draft, clock=self._clock, ids=self._ids)

        remembered = self._keeper.by_name(write)
        self._filling.at_once(FILLED_AT_ONCE)
        return remembered

    def revise(
        self,
        note_id: str,
        text: str | None = None,
        *,
        about: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        proof: str | None = None,
        cause: str = "revised",
        actor: str = "agent",
    ) -> Remembered:
        """Write the next revision of a note. What is None stays, with the hashes of its targets as they are now.

        Raises `NotFound` for an unknown note, and what `remember` raises.
        """
        from moored.atlas.drafts import Amendment
        from moored.atlas.notes import revise

        self._absorb_first()
        named = None if about is None else _listed(about)
        amendment = Amendment(text, named, None if tags is None else _listed(tags), proof, cause, actor)

        def write() -> Remembered:
            return revise(self.store, self.tree, note_id, amendment, clock=self._clock, ids=self._ids)

        revised = self._keeper.by_name(write)
        self._filling.at_once(FILLED_AT_ONCE)
        return revised

    def history(self, id_or_address: str) -> tuple[Revision, ...] | tuple[FactVersion, ...]:
        """Every revision of a note, or every version of a fact, oldest first. Raises `NotFound`."""
        from moored.atlas.history import history

        self._absorb_first()
        if id_or_address.startswith((f"{NOTE}_", f"{REVISION}_")):
            with self.store.read() as view:
                return history(view, self.project, id_or_address)
        fact = self._fact(id_or_address)
        with self.store.read() as view:
            return tuple(view.facts.history(self.project, fact.id))

    def difference(self, note_id: str, first: int | None = None, second: int | None = None) -> str:
        """What changed between two revisions of a note, by default the last two. Raises `NotFound`."""
        from moored.atlas.history import compared

        with self.store.read() as view:
            return compared(view, self.project, note_id, first, second)

    def alias(self, name: str, other: str, *, actor: str = "person") -> Alias:
        """Give a thing another name, by which questions find it too. Raises `InvalidInput`."""
        from moored.atlas.aliases import alias

        return alias(self.store, self.project, name, other, actor=actor, clock=self._clock)

    def aliases(self) -> tuple[Alias, ...]:
        """Every other name of a thing, oldest first: given by somebody, or read in what was said."""
        with self.store.read() as view:
            return tuple(view.aliases.all(self.project))

    def unalias(self, name: str, other: str) -> None:
        """Take another name from a thing. Raises `NotFound` with the names that it has."""
        from moored.atlas.aliases import unalias

        unalias(self.store, self.project, name, other)

    def stale(self) -> StaleReport:
        """Which notes do not hold any more, judged now against the disk."""
        from moored.atlas.stale import stale
        from moored.ledger.sight import Sight

        self._absorb_first()
        with self.store.read() as view:
            sight = Sight(view, self.tree)
            report = stale(sight, view, self.project)
        self._keeper.hand_over(sight.changed)
        return report

    def affected(self, base: str | None = None) -> Affected:
        """Which notes and pins the uncommitted changes, or those since `base`, put at risk."""
        from moored.atlas.affected import affected
        from moored.ledger.sight import Sight

        with self.store.read() as view:
            sight = Sight(view, self.tree)
            report = affected(sight, view, self.tree, base)
        self._keeper.hand_over(sight.changed)
        return report

    # Recall and context

    def recall(
        self,
        query: str,
        *,
        budget: int = 1_500,
        kinds: Sequence[HitKind | str] | None = None,
        limit: int | None = None,
        tags: Sequence[str] = (),
        project: str | None = None,
    ) -> Recall:
        """What this memory knows about a question, with a verdict for each hit, computed now.

        With `tags`, only notes that have one of them are asked. `project` is the id of another project to ask
        instead; its verdicts are for its first tree that still exists. Raises `NotFound` for an unknown project,
        `InvalidInput` for a kind that is none and for numbers below 0.
        """
        from moored.recall.requested import requested

        policy = requested(budget, kinds if kinds is None else _listed(kinds), limit, _listed(tags))
        return self._ask(query, policy, project)

    def brief(self, query: str = "", *, budget: int = 1_200) -> Brief:
        """The pins whole, the notes that need attention, and what is known about `query`, within `budget` tokens.

        Raises `PinOverflow` when the pins alone do not fit.
        """
        from moored.context.asked import asked
        from moored.recall.policy import BRIEF

        attention = self.stale().notes
        recalled = self._ask(query, BRIEF._replace(budget=budget)) if query.strip() else None
        with self.store.read() as view:
            return asked(view, self.project, attention, recalled, budget)

    def start(self, *, host: str, session: str, source: str = "startup", budget: int = 1_200) -> Brief:
        """What a session is to know: when it begins (`startup`, `clear`, `fork`), at `resume`, and after `compact`.

        `resume` and `compact` tell the working state of the session, or, without a session, of the latest. Pins stand
        whole even where they are more than the budget.
        """
        from moored.context.start import start

        self._absorb_first()
        with self.store.read() as view:
            return start(view, self.project, self.tree, host=host, session=session, source=source, budget=budget)

    def before_prompt(self, prompt: str, *, host: str, session: str, budget: int = 600) -> Brief:
        """What is known that is plainly about a prompt and not in the session's context; empty when nothing is."""
        from moored.context.prompt import Asker, before_prompt

        asker = Asker(host, session, self._meaning(), self._clock.now(), local_zone())
        with self.store.read() as view:
            return before_prompt(view, self.project, self.tree, prompt, asker, budget)

    def before_edit(
        self, paths: Sequence[str], *, names: Sequence[str] = (), text: str = "", budget: int = 400
    ) -> Brief:
        """What was noted about files, first about the symbols named or touched by `text`, the input of the tool."""
        from moored.context.edit import Edited, before_edit

        edited = Edited(_listed(paths), _listed(names), text)
        with self.store.read() as view:
            return before_edit(view, self.project, self.tree, edited, budget, self._vectors, self._clock.now())

    def show(self, id_or_address: str) -> Episode | JudgedNote | Fact:
        """One thing whole: an episode, a note with its verdict, or a fact. Raises `NotFound` with near ids."""
        from moored.atlas.notes import get
        from moored.atlas.verdict import judge
        from moored.ledger.sight import Sight

        self._absorb_first()
        if id_or_address.startswith((f"{NOTE}_", f"{REVISION}_")):
            with self.store.read() as view:
                sight = Sight(view, self.tree)
                judged = judge(sight, view, self.project, get(view, self.project, id_or_address))
            self._keeper.hand_over(sight.changed)
            return judged
        if id_or_address.startswith(f"{EPISODE}_"):
            with self.store.read() as view:
                episode = view.episodes.get(self.project, id_or_address)
                near = view.episodes.near(self.project, id_or_address)
            if episode is None:
                raise NotFound(f"There is no episode {id_or_address} in this project.", near=near)
            return episode
        return self._fact(id_or_address)

    def pin(self, text: str, *, actor: str = "person") -> Pin:
        """Keep a constraint that every brief shows verbatim. Raises `EmptyText`, `TooLarge`, `InvalidInput`."""
        from moored.context.pins import pin

        return pin(self.store, self.project, text, actor=actor, clock=self._clock, ids=self._ids)

    def pins(self) -> tuple[Pin, ...]:
        """The pins that stand, oldest first."""
        with self.store.read() as view:
            return tuple(view.pins.all(self.project))

    def unpin(self, pin_id: str) -> None:
        """Take a pin out of every brief. Raises `NotFound`."""
        from moored.context.pins import unpin

        unpin(self.store, self.project, pin_id, clock=self._clock)

    # Care

    def absorb(self) -> Absorbed:
        """Take what hooks captured, in any project of the store, into the record and the ledger.

        Raises the errors of the store, and `OSError` for an inbox that cannot be locked; what is not taken waits on.
        """
        from moored.absorb import absorb

        absorbed = absorb(self.store, clock=self._clock, ids=self._ids, patience=ABSORB_PATIENCE)
        self._filling.at_once()
        return absorbed

    def upkeep(self, *, limit: int = sys.maxsize) -> int:
        """Give waiting texts the vectors of the configured model, at most `limit` of them; return how many got one.

        All that have none yet get one of the first pass before. Where the model is another than before, every text
        without a vector of its own waits again.
        """
        return self._filling.upkeep(limit)

    def projects(self) -> tuple[Project, ...]:
        """All projects of the store."""
        with self.store.read() as view:
            return tuple(view.projects.all())

    def status(self) -> Status:
        """What this memory holds, in numbers."""
        from moored.status import status

        self._absorb_first()
        with self.store.read() as view:
            return status(self.store, view, self.tree)

    def doctor(self, *, deep: bool = False) -> Diagnosis:
        """Whether everything is sound, and what to do where it is not. `deep` compares every index with its rows."""
        from moored.doctor import diagnose

        return diagnose(self.store, self.tree, self._embedder, deep=deep)

    def export(self, target: Path | IO[bytes], *, facts: bool = False) -> Exported:
        """Write all of this project to a file of JSON Lines, on request with its facts and their history."""
        from moored.export import export

        self._absorb_first()
        with self.store.read() as view:
            return export(view, self.tree, target, self._clock, facts=facts)

    def _ask(self, query: str, policy: Policy, project: str | None = None) -> Recall:
        from moored.recall.selector import recall

        self._absorb_first()
        with self.store.read() as view:
            asked, tree = self.project, self.tree
            if project is not None and project != self.project.id:
                asked, tree = other_project(view, project)
            now, zone = self._clock.now(), local_zone()
            answer, changed = recall(view, asked, tree, query, policy, meaning=self._meaning(), now=now, zone=zone)
        if tree == self.tree:
            self._keeper.hand_over(changed)
        return answer

    def _meaning(self) -> Meaning:
        from moored.recall.meaning import Meaning

        return Meaning(self._embedder, self._filling.first, self._vectors)

    def _fact(self, id_or_address: str) -> Fact:
        from moored.model.text import fold

        command = id_or_address.removeprefix("$ ")
        if command != id_or_address or id_or_address.startswith(f"{FACT}_"):
            with self.store.read() as view:
                by_id, project = command == id_or_address, self.project
                fact = view.facts.get(project, command) if by_id else view.facts.command(project, fold(command))
            if fact is None:
                raise NotFound(f"There is no {'fact' if by_id else 'run of'} {id_or_address} in this project.")
            return fact
        return self.symbol(id_or_address).fact

    def _absorb_first(self) -> None:
        """Take in what hooks captured, as far as it is quickly done. `status` counts what waits on."""
        if self.store.read_only or not Inbox(self.store.path).waiting():
            return
        from moored.absorb import absorb_shortly

        if absorb_shortly(self.store, self._clock, self._ids).recorded:
            self._filling.at_once(FILLED_AT_ONCE)


def _listed(names: Sequence[str]) -> Sequence[str]:
    """Several names; a string is one name and not its letters."""
    return (names,) if isinstance(names, str) else names
