"""The part of the store's port by which texts are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.store.rows import Columns, Posting, WindowRow


class Search(Protocol):
    """Writes and reads the full-text tables. Every search is scoped to a project before its limit.

    `unless` leaves out the windows of a session (its number) in episodes after one (its number). With `tags`, only
    notes are found that have one of them.
    """

    def put(self, owner_kind: str, owner: int, text: str, fragments: str) -> None:
        """Index what a window or a revision says: `text` by words, `fragments` by trigrams."""
        ...

    def remove(self, owner_kind: str, owner: int) -> None: ...

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
    ) -> Columns:
        """The rows of a project that an expression over code fragments matches, newest first, unranked."""
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

    def columns(
        self,
        owner_kind: str,
        project: Project,
        match: str,
        limit: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> Columns:
        """What `postings` gives, in columns."""
        ...

    def places(self, project: Project, places: Sequence[int]) -> list[Posting]:
        """The visible windows at these places (see `rows.SESSION`)."""
        ...

    def window_rows(self, project: Project, rows: Sequence[int]) -> dict[int, WindowRow]:
        """Those of these windows of a project that are visible, by their numbers."""
        ...

    def told(self, project: Project, limit: int, *, unless: tuple[int, int] | None = None) -> list[int]:
        """The newest windows that instruct or prefer, newest first."""
        ...

    def between(
        self, project: Project, from_ms: int, to_ms: int, limit: int, *, unless: tuple[int, int] | None = None
    ) -> list[int]:
        """The windows of what happened from `from_ms` until before `to_ms`, the latest first."""
        ...

    def authors(self, project: Project) -> list[str]:
        """Who said anything that is visible, as far as hosts name people, in order."""
        ...

    def frequencies(
        self,
        owner_kind: str,
        project: Project,
        matches: Sequence[str],
        at_most: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> list[int]:
        """In how many rows of a project each of these expressions occurs, counted up to `at_most`."""
        ...

    def size(self, owner_kind: str, project: Project, at_most: int) -> int:
        """How many windows, notes or facts that are not hidden a project has, counted up to `at_most`."""
        ...

    def said_in(self, project: Project, episodes: Sequence[int]) -> dict[int, tuple[int, bool]]:
        """For the episodes in which a note was written or said again: its newest revision, and whether that says it.

        What was said again before the note was revised says what an older revision says. Several revisions may have one
        episode, where only what they are about changed: it says the newest of them.
        """
        ...

    def untold(self, project: Project, episodes: Sequence[int]) -> set[int]:
        """Those of these episodes that only hold the words of notes that were withdrawn."""
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

    def tags(self, project: Project, heads: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The tags of those of these newest revisions that have any."""
        ...

    def ids(self, owner_kind: str, project: Project, rows: Sequence[int]) -> dict[int, str]:
        """The ids of these episodes, facts, or notes (by their newest revisions) of a project."""
        ...
