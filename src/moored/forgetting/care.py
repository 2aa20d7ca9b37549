"""The files in our care: where something of what is forgotten may lie, beside the rows of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.forgetting.scanning import look
from moored.hosts import log
from moored.model.hashing import digest
from moored.record.inbox import FAILED, Inbox
from moored.store.keys import keys_of
from moored.store.sqlite.switching import NEW, OLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from moored.model.forgetting import Selection
    from moored.store.port_erasure import ErasableEpisode

BESIDE = ("-wal", "-shm", "-journal", NEW, NEW + ".partial", OLD)
"""What is added to the name of a database: by SQLite, and while its key changes."""


BACKUPS = ".backups"
"""What is added to the name of a store for the folder of the backups that moored keeps of it."""


def backups(store: Path) -> list[Path]:
    """The copies of a store that upgrades and restoring left beside it, and its backups in our care, whole or not."""
    beside, kept = store.parent.glob(f"{store.name}.before-*"), kept_in(store).glob(f"{store.stem}-*{store.suffix}*")
    found = [*sorted(beside), *sorted(kept)]
    return [file for file in found if not file.name.endswith(BESIDE)]


def kept_in(store: Path) -> Path:
    """The folder of the backups that moored keeps of a store."""
    return store.with_name(store.name + BACKUPS)


def files(store: Path) -> list[Path]:
    """Every file in our care that is there: the database with its log, backups, captured events, logs of hooks."""
    inbox = Inbox(store)
    folders = [folder / part for folder in (inbox.folder, inbox.fallback) for part in ("", FAILED) if folder.is_dir()]
    captured = [file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir()) if file.is_file()]
    databases = [file.with_name(file.name + one) for file in (store, *backups(store)) for one in ("", *BESIDE)]
    found = [*databases, *captured, *log.files(store)]
    return list(dict.fromkeys(file for file in found if file.is_file()))


def backups_with(store: Path, ids: Iterable[str]) -> list[Path]:
    """The backups that hold rows of these ids."""
    pieces = [one.encode() for one in ids]
    keys = [key for key in keys_of(store) if key]
    return [file for file in backups(store) if pieces and look(file, pieces, keys).places]


def entries_of(store: Path, episodes: Sequence[ErasableEpisode], selection: Selection) -> list[Path]:
    """Captured events, waiting or refused, that are the events of these episodes, or of a session that goes whole."""
    inbox = Inbox(store)
    words = {(one.host, one.session, one.content_hash) for one in episodes}
    names = {(one.host, one.session, one.host_event) for one in episodes if one.host_event}
    found: list[Path] = []
    for file in (*inbox.waiting(), *inbox.failed()):
        try:
            entry = inbox.read(file)
        except (OSError, ValueError):
            continue
        place = (entry.host, entry.session)
        if (
            (*place, digest(entry.content)) in words
            or (*place, entry.host_event) in names
            or (selection.session != "" and selection.session == entry.session)
        ):
            found.append(file)
    return found
