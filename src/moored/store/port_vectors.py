"""The part of the store's port that keeps vectors, and the queue of texts that wait for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.projects import Project
    from moored.store.rows import NewVector, Queued, QueuedText, Signs


class Vectors(Protocol):
    """Writes and reads vectors, eight bits a dimension with one scale for each, and the queue of texts without one.

    A text leaves the queue when the configured model has given it a vector. A faster model may give it one meanwhile,
    in a first pass; a text that has none of that either is bare. No answer holds vectors of two models (I-16).
    """

    def enqueue(self, project: Project, owner_kind: str, owners: Iterable[int]) -> None:
        """Let these texts wait for a vector. A window that is never handed in here is found by its words alone."""
        ...

    def waiting(
        self, limit: int, *, bare: bool = False, newest: bool = False, project: Project | None = None
    ) -> list[Queued]:
        """The oldest, or newest, texts of a project or of all that wait for a vector; with `bare` those without any."""
        ...

    def passages(self, queued: Sequence[int]) -> dict[int, QueuedText]:
        """What the texts behind these queue numbers are embedded with; those that are gone are left out.

        The only window of what a person or an assistant said comes with what was said right before it in the session,
        up to two episodes of one window each; anything else there ends the walk back.
        """
        ...

    def count_waiting(self, project: Project, *, bare: bool = False, at_most: int = -1) -> int:
        """How many texts of a project wait, counted up to `at_most`; with `bare` those without any vector."""
        ...

    def count_missing(self, project: Project, model: str) -> int:
        """How many texts have neither a vector of this model nor a place in the queue; 0 where all is well."""
        ...

    def put(self, entries: Iterable[NewVector], *, done: bool = True) -> None:
        """Write vectors and, when they are `done`, take their texts off the queue; else they are bare no more.

        One whose text does not wait any more (another process was faster, or the text was removed) is dropped.
        """
        ...

    def remove(self, owner_kind: str, owner: int) -> None:
        """Remove the vectors of a text, of every model, and its place in the queue."""
        ...

    def drop(self, project: Project, model: str, limit: int) -> int:
        """Remove up to `limit` vectors of a model that is used no more; return how many.

        A text that is left without any waits again.
        """
        ...

    def requeue_missing(self, model: str, *, first: str = "", project: Project | None = None) -> int:
        """Queue every dense window and newest revision that lacks a vector of this model, or of that of the first pass.

        Those of a project or of all. Those that had waited stay. Returns how many were queued.
        """
        ...

    def signs(self, project: Project, model: str, owner_kind: str, seen: tuple[int, int] | None = None) -> Signs:
        """The signs of a project's texts that may be answered, by one model: those that are new since `seen`, or all.

        A text whose vector was removed, or that was hidden or shown since, is gone, and is told again if it may be.
        """
        ...

    def exact(
        self, project: Project, model: str, owner_kind: str, owners: Sequence[int]
    ) -> dict[int, tuple[float, bytes]]:
        """Scale and bytes of the vectors that these owners have of one model."""
        ...

    def codes(self, project: Project, model: str, owner_kind: str, owners: Sequence[int]) -> dict[int, bytes]:
        """The codes of the pieces of these owners, by one model; who has none is left out."""
        ...

    def live(self, project: Project, owner_kind: str, owners: Sequence[int], *, tags: Sequence[str] = ()) -> set[int]:
        """Those of these owners that may be answered: visible windows, newest revisions, of this project."""
        ...

    def models(self, project: Project) -> dict[str, int]:
        """How many vectors of each model the project has."""
        ...
