"""Import of git history: every commit becomes an episode with its message and the files that it touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from moored.ledger.git_changes import FileChange
from moored.ledger.git_log import Commit, commits
from moored.model.batching import batches
from moored.model.clock import Clock, iso
from moored.model.episodes import Channel, Event, Role
from moored.model.ids import IdSource
from moored.model.projects import Project
from moored.record.admission import admit, write
from moored.record.operations import under_way
from moored.store.port import Store

HOST = "git"
SESSION = "history"
BATCH = 100
MAX_FILES = 200
"""Files of one commit that are listed in its episode; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The account of an import: its operation (empty when nothing was new), and how many events were new or known."""

    operation: str
    recorded: int
    known: int


def import_git_history(
    store: Store,
    project: Project,
    root: Path,
    *,
    clock: Clock,
    ids: IdSource,
    since: str | None = None,
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Bring the commits that HEAD reaches into the record, oldest first.

    Doing it again brings in only what is new (I-17); `moored undo` takes it out of every answer again (I-09).
    `since` leaves out what a commit reaches, `limit` keeps the newest so many. Raises `NotFound` outside a
    repository and `InvalidInput` for an unknown commit.
    """
    operation = ""
    recorded = known = 0
    for batch in batches(commits(root, since, limit), BATCH):
        admitted = [admit(event_of(commit)) for commit in batch]
        with store.write() as transaction:
            outcomes = [write(transaction, project, item, clock, ids) for item in admitted]
            new = [
                outcome.episode
                for outcome in outcomes
                if outcome.outcome == "recorded" or transaction.episodes.is_hidden(project, outcome.episode)
            ]
            if new and not operation:
                detail = f"git history of {root.name}"
                with under_way(
                    transaction, project, "import git", actor="import", clock=clock, ids=ids, detail=detail
                ) as operation:
                    transaction.operations.attribute(project, operation, new)
            elif new:
                transaction.operations.attribute(project, operation, new)
        recorded += len(new)
        known += len(batch) - len(new)
        if progress:
            progress(recorded + known)
    return Imported(operation, recorded, known)


def event_of(commit: Commit) -> Event:
    """What a commit says, as an event: its message, then the files with the lines added and removed."""
    lines = [f"commit {commit.sha}", f"Author: {commit.author}", f"Date: {iso(commit.authored_at)}", "", commit.subject]
    if commit.body.strip():
        lines += ["", commit.body.strip()]
    if commit.files:
        lines += ["", *(_file_line(change) for change in commit.files[:MAX_FILES])]
    if len(commit.files) > MAX_FILES:
        lines.append(f"and {len(commit.files) - MAX_FILES} more files")
    return Event(
        content="\n".join(lines).encode("utf-8", "replace"),
        role=Role.SYSTEM,
        channel=Channel.IMPORT,
        host=HOST,
        session=SESSION,
        host_event=commit.sha,
        occurred_at=commit.committed_at,
        author=commit.author,
    )


def _file_line(change: FileChange) -> str:
    counts = "" if change.added is None else f" (+{change.added} -{change.deleted})"
    old = f"{change.old_path} -> " if change.old_path else ""
    return f"{change.status} {old}{change.path}{counts}"
