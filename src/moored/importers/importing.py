"""Import of hosts' transcripts: found, read, and written into the record of the project that each belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from moored.errors import InvalidInput, NotFound
from moored.importers.formats import NAMES, format_of
from moored.importers.reading import Reading, folder_of, is_of
from moored.importers.routing import Router
from moored.importers.transcript import Format, Source, TranscriptEvent
from moored.importers.writing import Into
from moored.model.clock import Clock
from moored.model.episodes import Role
from moored.model.ids import IdSource
from moored.model.projects import Project
from moored.store.durability import Durability
from moored.store.port import Store

AUTO = "auto"
"""Stands for all hosts."""

UNKNOWN = "of no known format"

BATCH = 500
"""Events that one transaction takes."""

BATCH_SIZE = 4_000_000
"""Characters after which a transaction takes no more."""

Progress = Callable[[int, int], None]
"""Told how many kilobytes are read, and of how many."""


@dataclass(frozen=True, slots=True)
class ProjectImport:
    """What an import brought into one project. `operation` takes it back; it is empty when nothing was new."""

    project: str
    name: str
    operation: str
    recorded: int
    known: int


@dataclass(frozen=True, slots=True)
class BadLines:
    """The lines of a transcript that could not be read: how many, and of the first ones the number and the fault."""

    path: str
    count: int
    first: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftTranscript:
    """A transcript that was not read: where it is, which folder it names, and why."""

    path: str
    folder: str
    reason: str


@dataclass(frozen=True, slots=True)
class TranscriptImport:
    """The account of an import of transcripts.

    `transcripts` were read, `unchanged` had been read before. `turns`, `tool_calls` and `results` are what they tell,
    new or known. `skipped` counts by kind what is left out on purpose, `unknown` what no parser knows.
    """

    projects: tuple[ProjectImport, ...]
    transcripts: int
    unchanged: int
    sessions: int
    turns: int
    tool_calls: int
    results: int
    skipped: dict[str, int]
    unknown: dict[str, int]
    bad: tuple[BadLines, ...]
    left: tuple[LeftTranscript, ...]


@dataclass(slots=True)
class _Account:
    transcripts: int = 0
    unchanged: int = 0
    sessions: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])
    turns: int = 0
    tool_calls: int = 0
    results: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])
    unknown: Counter[str] = field(default_factory=Counter[str])
    bad: list[BadLines] = field(default_factory=list[BadLines])
    left: list[LeftTranscript] = field(default_factory=list[LeftTranscript])

    def count(self, host: str, event: TranscriptEvent) -> None:
        self.sessions.add((host, event.session, event.agent))
        if event.role is Role.TOOL:
            self.tool_calls += bool(event.tool)
            self.results += event.answered
        elif not event.summary:
            self.turns += 1


class _Import:
    """One import while it runs."""

    def __init__(
        self,
        store: Store,
        router: Router,
        into: Callable[[Project], Into],
        progress: Progress | None,
    ) -> None:
        self.account = _Account()
        self.into: dict[str, Into] = {}
        self._store = store
        self._router = router
        self._new_into = into
        self._progress = progress
        self._done = self._total = 0

    def run(self, sources: Sequence[tuple[Format, Source]]) -> None:
        """Read all of these, one after the other. One that cannot be read keeps none of the others from it."""
        sizes = [_size(source) for _, source in sources]
        self._total = sum(sizes)
        for (form, source), size in zip(sources, sizes, strict=True):
            try:
                self._source(form, source)
            except (OSError, InvalidInput) as error:
                self.account.left.append(LeftTranscript(source.key, source.folder, _unreadable(error)))
            self._done += size
            self._tell(0)

    def _source(self, form: Format, source: Source) -> None:
        source = _stamped(source)
        folder = folder_of(source, form)
        project = self._router.project(folder)
        if isinstance(project, str):
            self.account.left.append(LeftTranscript(source.key, folder, project))
            return
        with self._store.read() as view:
            before = view.transcripts.read(project, source.key)
        if before and before.stamp == source.stamp:
            self.account.unchanged += 1
            return
        reading = Reading(source, form, before)
        into = self._project(project)
        for batch in _batches(self._counted(form, reading)):
            into.write(form, batch)
            self._tell(reading.done)
        with self._store.write(Durability.GROUP) as transaction:
            transaction.transcripts.keep(project, source.key, reading.read)
        self._account_of(source, reading)

    def _project(self, project: Project) -> Into:
        if project.id not in self.into:
            self.into[project.id] = self._new_into(project)
        return self.into[project.id]

    def _counted(self, form: Format, reading: Reading) -> Iterator[TranscriptEvent]:
        for event in reading.events():
            self.account.count(form.host, event)
            yield event

    def _account_of(self, source: Source, reading: Reading) -> None:
        self.account.transcripts += 1
        self.account.skipped.update(reading.tally.skipped)
        self.account.unknown.update(reading.tally.unknown)
        if reading.bad_lines:
            first = tuple(f"line {number}: {fault}" for number, fault in reading.bad.items())
            self.account.bad.append(BadLines(source.key, reading.bad_lines, first))

    def _tell(self, done: int) -> None:
        if self._progress:
            self._progress((self._done + done) // 1000, self._total // 1000)


def import_transcripts(
    store: Store,
    router: Router,
    host: str,
    path: Path | None,
    *,
    clock: Clock,
    ids: IdSource,
    progress: Progress | None = None,
) -> TranscriptImport:
    """Bring the transcripts of a host (`auto` for all hosts) into the record: those in a file or folder, or without
    one those that the hosts keep on this machine.

    What was brought in before, or captured by hooks, is known and changes nothing (I-17). Each project's part is an
    operation that `moored undo` takes back (I-09). Vectors are left to upkeep.

    Raises `InvalidInput` for an unknown host, `NotFound` for a path that does not exist, and the errors of the store.
    """
    if host != AUTO and host not in NAMES:
        raise InvalidInput(f"There are no transcripts of '{host}' to import. Name one of {', '.join((*NAMES, AUTO))}.")
    with store.read() as view:
        folders = [Path(tree.root) for tree in view.projects.trees(router.asked)]
    forms = [format_of(name) for name in ([host] if host != AUTO else NAMES)]
    sources, strangers = _named(forms, path, folders) if path else (_kept_by_hosts(forms, folders), [])
    detail = f"transcripts of {host}" if host != AUTO else "transcripts"
    work = _Import(store, router, lambda project: Into(store, project, detail, clock=clock, ids=ids), progress)
    work.run(sources)
    account = work.account
    account.left.extend(strangers)
    for one in work.into.values():
        account.skipped.update(one.left_out)
    return TranscriptImport(
        tuple(
            ProjectImport(one.project.id, one.project.name, one.operation, one.recorded, one.known)
            for one in work.into.values()
        ),
        account.transcripts,
        account.unchanged,
        len(account.sessions),
        account.turns,
        account.tool_calls,
        account.results,
        dict(sorted(account.skipped.items())),
        dict(sorted(account.unknown.items())),
        tuple(account.bad),
        tuple(account.left),
    )


def _kept_by_hosts(forms: Sequence[Format], folders: Sequence[Path]) -> list[tuple[Format, Source]]:
    """The transcripts in the folders where the hosts keep them."""
    homes = ((form, home) for form in forms for home in form.homes() if home.exists())
    return [(form, source) for form, home in homes for source in form.find(home, folders)]


def _named(
    forms: Sequence[Format], path: Path, folders: Sequence[Path]
) -> tuple[list[tuple[Format, Source]], list[LeftTranscript]]:
    """The transcripts in a file or folder, and what in it is of none of several formats."""
    if not path.exists():
        raise NotFound(f"There is no transcript at {path}. Name a file, or a folder that holds some.")
    found = [(form, source) for form in forms for source in form.find(path.absolute(), folders)]
    if len(forms) == 1:
        return found, []
    fitting: list[tuple[Format, Source]] = []
    strangers: dict[str, LeftTranscript] = {}
    for form, source in found:
        try:
            if is_of(source, form):
                fitting.append((form, source))
            strangers.setdefault(source.key, LeftTranscript(source.key, "", UNKNOWN))
        except OSError as error:
            strangers[source.key] = LeftTranscript(source.key, "", _unreadable(error))
    for _, source in fitting:
        strangers.pop(source.key, None)
    return fitting, list(strangers.values())


def _unreadable(error: Exception) -> str:
    return f"it cannot be read: {error}"


def _batches(events: Iterator[TranscriptEvent]) -> Iterator[list[TranscriptEvent]]:
    batch: list[TranscriptEvent] = []
    size = 0
    for event in events:
        batch.append(event)
        size += len(event.text) + len(event.tool_input)
        if len(batch) >= BATCH or size >= BATCH_SIZE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _stamped(source: Source) -> Source:
    """A source with the stamp of its file, if it has none of its own."""
    if source.stamp:
        return source
    state = source.path.stat()
    log = source.path.with_name(source.path.name + "-wal")
    more = log.stat() if log.exists() else None
    stamp = f"{state.st_size} {state.st_mtime_ns}" + (f" {more.st_size} {more.st_mtime_ns}" if more else "")
    return replace(source, stamp=stamp)


def _size(source: Source) -> int:
    try:
        return 0 if source.part else source.path.stat().st_size
    except OSError:
        return 0
