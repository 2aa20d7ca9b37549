"""What is handed to the store to be written, where it is not a value of the domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from moored.model.episodes import Channel, Role, Trust
    from moored.model.facts import EdgeKind, ExtractedFact
    from moored.model.projects import Session


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """An admitted episode. `corrects` is the number of the episode that it corrects."""

    id: str
    session: Session
    role: Role
    channel: Channel
    trust: Trust
    host_event: str
    idempotency_key: str
    content: bytes
    content_hash: str
    tokens: int
    tool_name: str
    tool_input: str
    exit_status: int | None
    corrects: int | None
    occurred_at: int
    recorded_at: int


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact that the ledger has not seen before, with the id and ordinal it is to have."""

    id: str
    ordinal: int
    extracted: ExtractedFact
    extractor: str


class NewEdge(NamedTuple):
    """An edge by the numbers of its ends; `target` is 0 when nothing in the project has that name."""

    kind: EdgeKind
    source: int
    target: int
    target_name: str
    resolved: bool
    line: int
    source_hash: str


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """What the linker keeps of a file: `exports` and `lookups` are packed 32-bit numbers, the rest compressed JSON."""

    file: int
    path: str
    language: str
    generation: int
    exports: bytes
    interface: bytes
    uses: bytes


class SymbolRow(NamedTuple):
    """A live symbol of a file, as much of it as resolving a name needs."""

    row: int
    kind: str
    name: str
    line: int
    end_line: int
    body_hash: str
