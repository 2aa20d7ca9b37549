"""The part of the store's port by which texts are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.store.rows import Posting, WindowRow


class Search(Protocol):
    """Writes and reads the full-text tables. Every search is scoped to a project before its limit.

    `unless` leaves out the windows of a session (its number) in episodes after one (its number). With `tags`, only
    notes are found that have one of them.
    """

    def put(self, owner_kind: str, owner: int, text: str, fragments: str) -> None:
        """Index what a window or a revision says: `text` by words, `fragments` by trigrams."""
        ...

    def remove(self, owner_kind: str, owner: int) -> None: ...

    def words(
        self, owner_kind: str, project: Project, match: str, limit: int, *, tree: int = 0
    ) -> list[tuple[int, float]]:
        """The best owners for a full-text expression: number and BM25, a larger one being better."""
        ...

    def weighted(
        self,
        owner_kind: str,
        project: Project,
        terms: Sequence[tuple[str, float, float]],
        limit: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
    ) -> list[tuple[int, float, float]]:
        """The best owners for terms, each an expression, its weight and its part of the question.

        An owner comes with its score, the sum of weight times saturation over the terms that it has, and with the sum
        of their parts. BM25 is such a score with the inverse document frequency as weight. FTS5 takes that from all
        rows of its table, so from other projects too: here it is divided out, and the caller's stands in its place.
        """
        ...

    def trigrams(
        self,
        owner_kind: str,
        project: Project,
        match: str,
        limit: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """The best owners for an expression over code fragments."""
        ...

    def postings(
        self,
        owner_kind: str,
        project: Project,
        match: str,
        limit: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> list[Posting]:
        """The rows of a project that an expression matches, newest first, unranked."""
        ...

    def places(self, project: Project, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
        """The visible windows at these places, each a session and an ordinal in it."""
        ...

    def window_rows(self, project: Project, rows: Sequence[int]) -> dict[int, WindowRow]:
        """Those of these windows of a project that are visible, by their numbers."""
        ...

    def by_trait(
        self, project: Project, traits: int, limit: int, *, unless: tuple[int, int] | None = None
    ) -> list[int]:
        """The newest windows that have any of these traits, newest first."""
        ...

    def between(
        self, project: Project, from_ms: int, to_ms: int, limit: int, *, unless: tuple[int, int] | None = None
    ) -> list[int]:
        """The windows of what happened from `from_ms` until before `to_ms`, the latest first."""
        ...

    def authors(self, project: Project) -> list[str]:
        """Who said anything that is visible, as far as hosts name people, in order."""
        ...

    def document_frequency(
        self,
        owner_kind: str,
        project: Project,
        match: str,
        at_most: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> int:
        """In how many rows of a project an expression occurs, counted up to `at_most`."""
        ...

    def size(self, owner_kind: str, project: Project, at_most: int) -> int:
        """How many windows, notes or facts a project has, counted up to `at_most`."""
        ...

    def windows(self, project: Project, rows: Sequence[int]) -> dict[int, tuple[int, int, int]]:
        """Episode number, start and end (characters) of each of these windows of a project."""
        ...

    def said_in(self, project: Project, episodes: Sequence[int]) -> dict[int, tuple[int, bool]]:
        """For those of these episodes in which a note was written: its newest revision, and whether it is that one."""
        ...

    def about_facts(self, project: Project, facts: Sequence[int], limit: int, *, tags: Sequence[str] = ()) -> list[int]:
        """Newest revisions with an anchor to one of these facts, by its number or by its path and name."""
        ...

    def about_files(self, project: Project, paths: Sequence[str], limit: int, *, tags: Sequence[str] = ()) -> list[int]:
        """Newest revisions with an anchor in one of these files."""
        ...

    def tagged(self, project: Project, tags: Sequence[str], limit: int, *, among: Sequence[str] = ()) -> list[int]:
        """Newest revisions that have one of these tags and, if any are given, one of `among` too, newest first."""
        ...

    def ids(self, owner_kind: str, project: Project, rows: Sequence[int]) -> dict[int, str]:
        """The ids of these episodes, facts, or notes (by their newest revisions) of a project."""
        ...
