"""Reading one transcript: from its lines, its document or its rows to the events that it tells."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from moored.errors import InvalidInput
from moored.importers.event import TranscriptEvent
from moored.importers.lines import CHUNK, MAX_LINE, Line, decoded, lines, prefix_hash
from moored.importers.transcript import Format, Parser, Record, Source, Tally
from moored.model.hashing import digest
from moored.record.tool_text import is_object
from moored.store.rows import ReadTranscript

PEEK = 64 * 1024
"""Bytes that are read at a time to see to which project a transcript belongs."""

PEEKED = 1_000
"""Events that are looked at for that."""

SNIFFED = 20
"""Lines by which it is told of which format a transcript is."""

NAMED = 5
"""Bad lines of a transcript that are named; the others are counted."""

_SQLITE = b"SQLite format 3\0"
_DOCUMENTS = (".json", ".traj")


class Reading:
    """One transcript, read once. `read` says how far when `events` has come to its end.

    `bad_lines` counts the lines that could not be read, `bad` says of the first ones, by number, what is wrong with
    them. `done` is the number of bytes that were read of a file so far.
    """

    def __init__(self, source: Source, form: Format, before: ReadTranscript | None = None) -> None:
        self.tally = Tally()
        self.bad_lines = 0
        self.bad: dict[int, str] = {}
        self.done = 0
        self.read = ReadTranscript(source.stamp, 0, 0, "", "{}")
        self._source = source
        self._form = form
        self._before = before
        self._copies: Counter[str] = Counter()
        self._modified: int | None = None

    def events(self, *, chunk: int = CHUNK) -> Iterator[TranscriptEvent]:
        """The events of the transcript, of one that was read before only those behind what was read.

        Raises `OSError` and `InvalidInput` when it cannot be read at all.
        """
        with self._source.path.open("rb") as file:
            self._modified = os.fstat(file.fileno()).st_mtime_ns // 1_000_000
            head = file.read(len(_SQLITE))
            if self._form.rows is not None and head == _SQLITE:
                yield from self._rows()
            elif self._form.unpack is not None and self._source.path.suffix in _DOCUMENTS:
                yield from self._document(file)
            else:
                yield from self._lines(file, chunk)

    def _lines(self, file: BinaryIO, chunk: int) -> Iterator[TranscriptEvent]:
        start, number, carried = self._beginning(file)
        parser = self._form.parser(self._source, self.tally, carried)
        for line in lines(file, start, number, longest=MAX_LINE, chunk=chunk):
            record = self._record(line)
            if record is None and not line.ended:
                break
            parser.calls.mark = (line.start, line.number - 1)
            if record is not None:
                yield from self._named(parser.read(record))
            start, number = line.end, line.number if line.ended else line.number - 1
            self.done = line.end
        carried = parser.carried()
        next_, before = parser.calls.first_mark or (start, number)
        yield from self._named(parser.finish())
        # What has neither an id nor a time is told from its copies by their number: it is counted from the beginning.
        prefix = "" if self._copies or parser.calls.counted else prefix_hash(file, next_)
        self.read = ReadTranscript(
            self._source.stamp, next_, before, prefix, json.dumps(dict(carried), ensure_ascii=False)
        )

    def _record(self, line: Line) -> Record | None:
        """What a line holds, None for a bad one. A last line that is not whole yet is read the next time."""
        if line.content is not None and not line.content.strip():
            return None
        try:
            value = decoded(line.content)
        except ValueError as error:
            if line.ended:
                self._fault(line.number, str(error))
            return None
        if not is_object(value):
            self._fault(line.number, "no JSON object")
            return None
        return value

    def _fault(self, number: int, fault: str) -> None:
        self.bad_lines += 1
        if len(self.bad) < NAMED:
            self.bad[number] = fault

    def _beginning(self, file: BinaryIO) -> tuple[int, int, Mapping[str, str]]:
        """Where to begin: behind what was read, if that still stands there, else at the beginning."""
        before = self._before
        if before and self._form.resumes and prefix_hash(file, before.next) == before.prefix_hash:
            return before.next, before.lines, json.loads(before.carried)
        return 0, 0, {}

    def _document(self, file: BinaryIO) -> Iterator[TranscriptEvent]:
        file.seek(0)
        content = file.read(MAX_LINE + 1)
        self.done = len(content)
        try:
            document = decoded(content)
        except ValueError as error:
            self._fault(1, str(error))
            return
        if self._form.unpack is not None:
            yield from self._all(self._form.unpack(document))

    def _rows(self) -> Iterator[TranscriptEvent]:
        if self._form.rows is not None:
            yield from self._all(self._form.rows(self._source))

    def _all(self, records: Iterator[Record]) -> Iterator[TranscriptEvent]:
        parser: Parser = self._form.parser(self._source, self.tally, {})
        for record in records:
            yield from self._named(parser.read(record))
        yield from self._named(parser.finish())

    def _named(self, events: Iterator[TranscriptEvent]) -> Iterator[TranscriptEvent]:
        """The events, each with a name and a time.

        The name without an id is the digest of what was said, and when if that is known. What has no time gets that of
        the file's last change: it did not happen later.
        """
        for event in events:
            at = self._modified if event.at is None else event.at
            if event.name:
                yield event if event.at is not None else event._replace(at=at)
                continue
            key = digest(event.text if event.at is None else f"{event.at}\0{event.text}")
            if event.at is None:
                self._copies[key] += 1
            copy = f".{self._copies[key]}" if self._copies[key] > 1 else ""
            yield event._replace(name=f"{event.role}:{key}{copy}", at=at)


def folder_of(source: Source, form: Format) -> str:
    """The folder that a transcript names as its own, empty when it names none."""
    if Path(source.folder).is_absolute():
        return source.folder
    events = Reading(source, form).events(chunk=PEEK)
    named = next((event.cwd for event, _ in zip(events, range(PEEKED), strict=False) if event.cwd), "")
    return named or source.folder


def is_of(source: Source, form: Format) -> bool:
    """Whether a transcript that was found by its place and ending is of a format by what stands in it."""
    with source.path.open("rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            return form.rows is not None and _has_rows(form.rows(source))
        file.seek(0)
        if source.path.suffix in _DOCUMENTS:
            contents = [file.read(MAX_LINE + 1)]
        else:
            contents = [line.content for line, _ in zip(lines(file, chunk=PEEK), range(SNIFFED), strict=False)]
    return any(form.fits(record) for record in _objects(contents))


def _has_rows(rows: Iterator[Record]) -> bool:
    with suppress(InvalidInput):
        return next(rows, None) is not None
    return False


def _objects(contents: Iterable[bytes | None]) -> Iterator[Record]:
    for content in contents:
        with suppress(ValueError):
            value = decoded(content)
            if is_object(value):
                yield value
