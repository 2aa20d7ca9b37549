"""What every format of transcripts comes down to: sources, the events that they tell, and a tally of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent

Record = Mapping[str, Any]
"""One record of a transcript: a line, an element of a document, or what the rows of a database make up."""


@dataclass(frozen=True, slots=True)
class Source:
    """A transcript: a file, or one session (`part`) of a database. `folder` is the project's, if its place tells it.

    `stamp` changes when the source does.
    """

    path: Path
    part: str = ""
    folder: str = ""
    stamp: str = ""

    @property
    def key(self) -> str:
        """The name under which a store remembers how far it was read."""
        return f"{self.path}#{self.part}" if self.part else str(self.path)


@dataclass(slots=True)
class Tally:
    """What a transcript holds that becomes no event: by kind, what is left out on purpose and what is not known."""

    skipped: Counter[str] = field(default_factory=Counter[str])
    unknown: Counter[str] = field(default_factory=Counter[str])

    def sort(self, kind: str, left_out: Iterable[str]) -> None:
        """Count a kind of record as left out on purpose if it is among these, else as unknown."""
        (self.skipped if kind in left_out else self.unknown)[kind or "without a type"] += 1


class Parser(Protocol):
    """Reads one transcript, record after record."""

    calls: Calls

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        """The events that a record completes."""
        ...

    def finish(self) -> Iterator[TranscriptEvent]:
        """What was held back until the end."""
        ...

    def carried(self) -> Mapping[str, str]:
        """What a parser must know that goes on reading where this one stopped."""
        ...


NewParser = Callable[[Source, Tally, Mapping[str, str]], Parser]


@dataclass(frozen=True, slots=True)
class Format:
    """How the transcripts of one host are found and read.

    `host` is the name under which hooks record it. `homes` are the folders where the host keeps them, `find` the
    sources in a file or folder, given the folders of the project asked for. `fits` tells whether a line or a document
    is of this format. `unpack` gives the records of a document, `rows` those of a database.

    `resumes` says that lines can be read on from where the last import stopped: their events have ids or times of
    their own. `ids_are_unique` says that an event has the same id in whatever session it is repeated, as in one that
    was resumed. Without `calls_have_ids` a call that hooks captured is known by its tool and input.
    """

    name: str
    host: str
    parser: NewParser
    homes: Callable[[], Sequence[Path]]
    find: Callable[[Path, Sequence[Path]], Iterable[Source]]
    fits: Callable[[Record], bool]
    unpack: Callable[[Any], Iterator[Record]] | None = None
    rows: Callable[[Source], Iterator[Record]] | None = None
    resumes: bool = False
    ids_are_unique: bool = False
    calls_have_ids: bool = True


def milliseconds(value: object) -> int | None:
    """A time as hosts write it: RFC 3339 (UTC where it names no zone), or a number of seconds or milliseconds."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
        except (ValueError, OverflowError):
            return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 250_000_000_000_000:
        return round(value if value > 100_000_000_000 else value * 1000)
    return None
