"""Import of hosts' transcripts: found, read, and written into the record of the project that each belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from moored.errors import InvalidInput
from moored.importers.account import Account, BadLines, LeftTranscript, ProjectImport, TranscriptImport
from moored.importers.event import TranscriptEvent
from moored.importers.finding import kept_by_hosts, named, size_of, stamped, unreadable
from moored.importers.formats import NAMES, format_of
from moored.importers.reading import Reading, folder_of
from moored.importers.routing import Router
from moored.importers.transcript import Format, Source
from moored.importers.writing import Into
from moored.model.clock import Clock
from moored.model.ids import IdSource
from moored.model.projects import Project
from moored.store.durability import Durability
from moored.store.port import Store

AUTO = "auto"
"""Stands for all hosts."""

BATCH = 500
"""Events that one transaction takes."""

BATCH_SIZE = 4_000_000
"""Characters after which a transaction takes no more."""

Progress = Callable[[int, int], None]
"""Told how many kilobytes are read, and of how many."""


class _Import:
    """One import while it runs."""

    def __init__(
        self,
        store: Store,
        router: Router,
        into: Callable[[Project], Into],
        progress: Progress | None,
    ) -> None:
        self.account = Account()
        self.into: dict[str, Into] = {}
        self._store = store
        self._router = router
        self._new_into = into
        self._progress = progress
        self._done = self._total = 0

    def run(self, sources: Sequence[tuple[Format, Source]]) -> None:
        """Read all of these, one after the other. One that cannot be read keeps none of the others from it."""
        sizes = [size_of(source) for _, source in sources]
        self._total = sum(sizes)
        for (form, source), size in zip(sources, sizes, strict=True):
            try:
                self._source(form, source)
            except (OSError, InvalidInput) as error:
                self.account.left.append(LeftTranscript(source.key, source.folder, unreadable(error)))
            self._done += size
            self._tell(0)

    def _source(self, form: Format, source: Source) -> None:
        source = stamped(source)
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
    sources, strangers = named(forms, path, folders) if path else (kept_by_hosts(forms, folders), [])
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
