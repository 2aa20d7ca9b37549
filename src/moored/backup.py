"""Backups of a whole store: made while others write, proven, rotated, and put back ([docs/backup.md])."""

from __future__ import annotations

import glob
import os
import re
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from moored.absorb import absorb_shortly
from moored.errors import InvalidInput, MooredError, NotFound, StoreCorrupt, StoreEncrypted, StoreReadOnly
from moored.forgetting.care import kept_in
from moored.model.clock import Clock, SystemClock, iso
from moored.model.ids import IdSource, RandomIds
from moored.store.keys import keys_of, looks_encrypted, looks_plain
from moored.store.removal import blot
from moored.store.sqlite.copying import put_back
from moored.store.sqlite.faults import translated
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "MOORED_BACKUP"
"""The variable of the environment that asks for backups which servers make. A project's settings cannot: its store is
shared, and a repository may come from anybody."""

KEPT = 7
"""Backups that are kept where the user names no number."""

HOURS = {"h": 1, "d": 24, "w": 168}

STAMP = r"\d{4}-\d{2}-\d{2}T\d{9}Z"
"""What a time looks like in the name of a file."""

_DAMAGE = ("", "I-01")
"""What a deep look finds in a file that is not what it was: damage, and episodes that are not what was said."""


class Schedule(NamedTuple):
    """Make a backup every so many milliseconds in the folder beside the store, and keep the newest."""

    every: int
    keep: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What a store holds, in all its projects."""

    projects: int
    episodes: int
    notes: int


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A backup that was made. `size` is in bytes; `removed` are older ones that made room for it."""

    file: str
    size: int
    contents: Contents
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup that was put back. `kept` is where what the store held before is, empty when there was no store.

    `contents` is None of a backup of an older moored, which is upgraded when it is opened.
    """

    store: str
    file: str
    kept: str
    contents: Contents | None


def back_up(
    store: Path, target: Path | None = None, *, keep: int = 0, clock: Clock | None = None, ids: IdSource | None = None
) -> BackedUp:
    """Copy a store to a file, or to one named by the time in a folder, by default in the folder beside the store.

    What hooks captured is taken in before. The file appears when it was opened and found equal. Of the backups of this
    store in that folder the newest `keep` stay; 0 keeps all. Raises `NotFound` when there is no store, `InvalidInput`
    when the file is there or `keep` is for no folder, `MooredError` when it cannot be written, and errors of the store.
    """
    clock = clock or SystemClock()
    _refuse_without(store, "store")
    folder = kept_in(store) if target is None else target
    named = target is not None and not target.is_dir()
    if named and keep:
        raise InvalidInput(f"--keep is for a folder of backups, and {target} is not one. Make it, or leave --keep out.")
    file = folder if named else folder / f"{store.stem}-{_stamp(clock.now())}{store.suffix}"
    if file.exists():
        raise InvalidInput(f"{file} is there already. Name another file. Nothing was written.")
    try:
        if target is None:
            folder.mkdir(mode=0o700, exist_ok=True)
        with closing(Store(store, clock=clock)) as opened:
            if not opened.read_only:
                absorb_shortly(opened, clock, ids or RandomIds())
            opened.backup(file)
        contents = _contents(file, store)
        removed = _rotate(folder, store, keep) if keep else ()
    except OSError as error:
        raise MooredError(
            f"The backup {file} cannot be written ({error.strerror}). Choose another place, or free some space."
        ) from error
    return BackedUp(str(file), file.stat().st_size, contents, removed)


def restore(store: Path, file: Path, *, clock: Clock | None = None) -> Restored:
    """Put a backup in the place of a store, and keep what is there under another name beside it.

    The backup is read through before. Raises `NotFound` when there is none, `StoreCorrupt` when it is damaged,
    `StoreEncrypted` when it is under another key than the store, `StoreTooNew`, and `StoreLocked` while another process
    has the store open. Whatever is raised, the store is as it was.
    """
    _refuse_without(file, "backup")
    keys = keys_of(store)
    if None not in keys and looks_plain(file):
        raise StoreEncrypted(
            f"The store {store} is encrypted, and the backup {file} is not. Nothing was changed. Run `moored decrypt`, "
            "restore it, and run `moored encrypt` again."
        )
    if keys == (None,) and looks_encrypted(file):
        raise StoreEncrypted(
            f"The backup {file} is encrypted, and the store {store} is not. Nothing was changed. Put the file "
            f"{store.name}.key beside the store that says where the key of the backup is, and restore into a folder "
            "without a store."
        )
    found: list[Contents | None] = []
    kept = store.with_name(f"{store.name}.before-restore-{_stamp((clock or SystemClock()).now())}")
    store.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with translated(store):
            put_back(store, keys, file, kept, lambda copy: found.append(_proven(copy, store, file)))
    except StoreEncrypted as error:
        raise StoreEncrypted(
            f"The backup {file} is under another key than the store {store}. Nothing was changed. Restore it into a "
            f"folder without a store, with a file {store.name}.key that says where the key of the backup is."
        ) from error
    except OSError as error:
        raise MooredError(
            f"{file} cannot be put in the place of {store} ({error.strerror}). Nothing was changed."
        ) from error
    return Restored(str(store), str(file), str(kept) if kept.exists() else "", found[0])


def scheduled() -> Schedule | None:
    """What the user's environment asks for, None for nothing. Raises `InvalidInput` when that cannot be understood."""
    asked = os.environ.get(VARIABLE, "").strip()
    if not asked:
        return None
    said = re.fullmatch(r"([1-9]\d{0,3})([hdw])(?: keep ([1-9]\d{0,3}))?", asked)
    if not said:
        raise InvalidInput(
            f"{VARIABLE} is {asked!r}, and no backup is made by itself. Set it to a number of hours, days or weeks, "
            "and how many to keep, such as '1d keep 7'."
        )
    return Schedule(int(said[1]) * HOURS[said[2]] * 3_600_000, int(said[3] or KEPT))


def is_due(store: Path, schedule: Schedule, clock: Clock) -> bool:
    """Whether the newest backup in the folder beside the store is older than it may be."""
    newest = max((one.name for one in _backups(kept_in(store), store)), default="")
    return newest <= f"{store.stem}-{_stamp(clock.now() - schedule.every)}{store.suffix}"


def _refuse_without(file: Path, what: str) -> None:
    if not file.is_file():
        raise NotFound(f"There is no {what} {file}. Name the file of one.")


def _stamp(at: int) -> str:
    return iso(at).replace(":", "").replace(".", "")


def _rotate(folder: Path, store: Path, keep: int) -> tuple[str, ...]:
    """Remove all but the newest backups of a store in a folder, and what was not finished of others; return which."""
    old = [*_backups(folder, store)[:-keep], *_backups(folder, store, ".partial")]
    for one in old:
        blot(one)
    return tuple(map(str, old))


def _backups(folder: Path, store: Path, end: str = "") -> list[Path]:
    """The backups of a store in a folder that are named by the time, oldest first."""
    name = re.compile(re.escape(store.stem) + "-" + STAMP + re.escape(store.suffix + end))
    return sorted(one for one in folder.glob(f"{glob.escape(store.stem)}-*") if name.fullmatch(one.name))


def _proven(copy: Path, store: Path, file: Path) -> Contents | None:
    """What a copy of a backup holds; raises `StoreCorrupt` when it is not what was once acknowledged."""
    try:
        with closing(Store(copy, read_only=True, key_of=store)) as opened:
            damage = [finding.words for finding in opened.check(deep=True) if finding.promise in _DAMAGE]
    except StoreReadOnly:
        return None  # of an older moored: that the file is sound was seen when it was copied
    if damage:
        raise StoreCorrupt(f"The backup {file} is damaged: {damage[0]}. Nothing was changed; restore another one.")
    return _contents(copy, store)


def _contents(copy: Path, store: Path) -> Contents:
    with closing(Store(copy, read_only=True, key_of=store)) as opened, opened.read() as view:
        projects = view.projects.all()
        episodes = sum(view.episodes.count(one) for one in projects)
        return Contents(len(projects), episodes, sum(view.notes.count(one) for one in projects))
