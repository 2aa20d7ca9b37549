"""What is handed to the store to be written, where it is not a value of the domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from moored.model.episodes import Channel, Role, Trust
    from moored.model.facts import EdgeKind, ExtractedFact
    from moored.model.projects import Session


class NewEpisode(NamedTuple):
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
    author: str = ""


class NewFact(NamedTuple):
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


class OutlineRow(NamedTuple):
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


class SessionSpan(NamedTuple):
    """A session, and when its first and its last event happened, in milliseconds since the epoch."""

    session: Session
    started_at: int
    ended_at: int


class Call(NamedTuple):
    """A tool call of the record, with the beginning of what it gave back where that is short, else nothing of it."""

    seq: int
    id: str
    tool: str
    input: str
    exit_status: int | None
    begins: str


class Neighbour(NamedTuple):
    """A turn that stands near the episode `of` in its session, with the beginning of what it says.

    `whole` says whether that is all of it.
    """

    of: str
    before: bool
    seq: int
    id: str
    role: str
    author: str
    at: int
    trust: str
    tool: str
    input: str
    exit_status: int | None
    begins: str
    whole: bool
    corrected_by: str


class ReadTranscript(NamedTuple):
    """How far a transcript was read.

    `stamp` tells whether it changed since. Reading goes on at the byte `next`, before which there are `lines` lines
    whose bytes have the hash `prefix_hash`; `carried` is what its parser has to know there, as JSON.
    """

    stamp: str
    next: int
    lines: int
    prefix_hash: str
    carried: str


class KnownEvent(NamedTuple):
    """An event of a transcript that the record holds: in which session, as which episode, and whether it is hidden."""

    event: str
    session: str
    episode: str
    content_hash: str
    hidden: bool


class CapturedRow(NamedTuple):
    """An episode of a session that belongs to no event of a transcript."""

    episode: str
    role: str
    channel: str
    host_event: str
    content_hash: str
    tool_name: str
    tool_input: str


SESSION = 2**32
"""Windows that a session may have. The place of a window is the number of its session times this, plus its ordinal."""


class Posting(NamedTuple):
    """A row that an expression matches, and its length in characters.

    A window comes with its place (see `SESSION`), its traits (see `moored.model.traits`) and the number of its episode;
    of others these are 0.
    """

    row: int
    place: int
    length: int
    traits: int
    episode: int


class Columns(NamedTuple):
    """The fields of postings (see `Posting`), each by itself; what stands at one index belongs together."""

    rows: list[int]
    places: list[int]
    lengths: list[int]
    traits: list[int]


class WindowRow(NamedTuple):
    """A window (`[start, end)` in characters of its episode's text) and what tells of who said it and when.

    `episode` and `session` are numbers of the store. The windows of a session have places (see `SESSION`) that follow
    one another as they were recorded. `occurred_at` is in milliseconds since the epoch; `traits` are those of
    `moored.model.traits`; `windows` is how many its episode has.
    """

    row: int
    episode: int
    session: int
    place: int
    start: int
    end: int
    role: str
    author: str
    occurred_at: int
    traits: int
    windows: int


class Queued(NamedTuple):
    """The place of a text in the queue for vectors (`queued`), and which text of which project it is."""

    queued: int
    project: int
    owner_kind: str
    owner: int


class QueuedText(NamedTuple):
    """What a text is embedded with: its author, empty when unknown, and what was said right before it.

    `before` holds author and beginning of up to two texts, the older one first.
    """

    text: str
    author: str = ""
    before: tuple[tuple[str, str], ...] = ()


class NewVector(NamedTuple):
    """A vector for a text that waits: eight-bit components, each `scale` times its integer.

    `signs` are the packed signs of the rotated vector, `codes` those of each of its pieces; empty where the embedder
    gives none.
    """

    queued: int
    project: int
    owner_kind: str
    owner: int
    model: str
    dimension: int
    scale: float
    bytes: bytes
    signs: bytes = b""
    codes: bytes = b""


class Signs(NamedTuple):
    """The signs of texts that may be answered: their owners, and all signs joined, since something was `seen`.

    What was read before of the owners that are `gone` counts no more. To go on from here, `seen` is handed in.
    """

    seen: tuple[int, int]
    gone: list[int]
    owners: list[int]
    bits: bytes
