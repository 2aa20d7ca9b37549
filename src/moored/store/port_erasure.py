"""The port of erasure: what forgetting asks of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from moored.model.forgetting import Selection
    from moored.model.notes import Revision
    from moored.model.projects import Project
    from moored.model.windowing import Window


class ErasableEpisode(NamedTuple):
    """An episode, hidden or not, with all by which it could come in again. `stored` is its content as the file has it.

    `events` are the names that transcripts have for it.
    """

    seq: int
    id: str
    host: str
    session: str
    role: str
    channel: str
    trust: str
    author: str
    host_event: str
    idempotency_key: str
    content: bytes
    stored: bytes
    content_hash: str
    tool_name: str
    tool_input: str
    exit_status: int | None
    occurred_at: int
    events: tuple[str, ...]


class ReplacedEpisode(NamedTuple):
    """What an episode says from now on."""

    id: str
    content: bytes
    content_hash: str
    tokens: int
    tool_name: str
    tool_input: str
    author: str


class Erasure(Protocol):
    """Chooses what is to be forgotten, finds what rests on it, and hides, erases or replaces it.

    What is asked for by ids is looked up in the named project only; ids of another one are left out.
    """

    def chosen(self, project: Project, selection: Selection) -> list[str]:
        """The episodes that a selection narrows the record down to, hidden ones too, oldest first."""
        ...

    def notes_of(self, project: Project) -> list[str]:
        """The ids of all notes, in force or not, oldest first."""
        ...

    def pins_of(self, project: Project) -> list[str]:
        """The ids of all pins, also of those that were taken out of the briefs."""
        ...

    def kinds(self, project: Project, ids: Sequence[str]) -> dict[str, str]:
        """Which of these ids there are: `episode`, `note`, `pin` or `reminder`."""
        ...

    def episodes(self, project: Project, ids: Sequence[str]) -> list[ErasableEpisode]:
        """These episodes, oldest first."""
        ...

    def facts_of(self, project: Project, episodes: Sequence[str]) -> list[str]:
        """The facts that go with these episodes: those read from them, and commands that only they ran."""
        ...

    def resting_on(self, project: Project, episodes: Sequence[str], facts: Sequence[str]) -> list[str]:
        """The notes with a revision whose words or anchors are of these episodes and facts."""
        ...

    def words_of(self, project: Project, notes: Sequence[str], reminders: Sequence[str] = ()) -> list[str]:
        """The episodes that were recorded for the words of these notes and reminders alone."""
        ...

    def revisions(self, project: Project, note: str) -> list[Revision]:
        """All revisions of a note, in force or not, oldest first."""
        ...

    def texts(self, project: Project, kind: str, ids: Sequence[str]) -> dict[str, str]:
        """What these notes (newest revision), pins or reminders say."""
        ...

    def count(self, project: Project, episodes: Sequence[str], notes: Sequence[str]) -> dict[str, int]:
        """What hangs on these episodes and notes, by its name in the plural."""
        ...

    def reminders_of(self, project: Project, episodes: Sequence[str], notes: Sequence[str]) -> list[str]:
        """The reminders that rest on these."""
        ...

    def buried(self, project: Project, hashes: Sequence[str]) -> dict[str, int]:
        """Those of these tombstones that stand, with the times at which they were set."""
        ...

    def has_buried(self, project: Project) -> bool:
        """Whether the project has tombstones."""
        ...

    def salt(self) -> str:
        """What tombstones of this store are hashed with, empty before the first."""
        ...

    def set_salt(self, salt: str) -> None:
        """Keep what tombstones are hashed with, when there is nothing yet."""
        ...

    def bury(self, project: Project, operation: str, hashes: Iterable[str], at: int, salt: str) -> None:
        """Set tombstones. `salt` is kept when there is none yet."""
        ...

    def hidden_by(self, project: Project, operation: str) -> tuple[list[str], list[str]]:
        """The episodes and the notes that an operation took out of every answer."""
        ...

    def erase_notes(
        self, project: Project, operation: str, notes: Sequence[str], revisions: Sequence[str], facts: Sequence[str]
    ) -> None:
        """Delete notes with all that hangs on them, revisions of other notes, and the anchors to these facts."""
        ...

    def erase_episodes(self, project: Project, operation: str, episodes: Sequence[str], at: int) -> None:
        """Delete episodes with all that was read from them."""
        ...

    def erase_rows(self, project: Project, operation: str, pins: Sequence[str], reminders: Sequence[str]) -> None:
        """Delete pins and reminders."""
        ...

    def replace_episode(
        self,
        project: Project,
        operation: str,
        new: ReplacedEpisode,
        windows: Sequence[Window],
        at: int,
        *,
        commands: bool,
    ) -> None:
        """Put other words under the id, the number and the key of an episode, and index them in its place.

        The facts that were read from it go, and with `commands` the outcome of the command that it ran.
        """
        ...

    def holding(self, project: Project, needles: Sequence[str]) -> list[str]:
        """The episodes of which the content, the tool's input or a name holds one of these texts."""
        ...

    def redact_rows(self, project: Project, operation: str, replaced: Mapping[str, str]) -> dict[str, int]:
        """Replace texts in everything but episodes; return how many rows were changed, by their names in the plural."""
        ...

    def redact_said(self, project: Project, operation: str, replaced: Mapping[str, str]) -> None:
        """Replace texts in what was said about notes, in rules and in operations: in what has no episode of its own."""
        ...

    def unfinished(self) -> str:
        """What is still to be done to the files of the store after an erasure, empty when nothing is."""
        ...

    def set_unfinished(self, what: str) -> None:
        """Keep what is still to be done; empty when it is done."""
        ...

    def every_text(self) -> Iterator[bytes]:
        """Every text of every project as bytes, also those kept compressed; the contents of episodes come last."""
        ...
