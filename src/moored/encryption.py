"""Encryption at rest: putting a store, and every copy of it in our care, under a key, another key, or none.

It can be ended at any moment and begun again. First it is said beside the store which key it gets and which it had, and
until all is done either opens it. Then the store changes in one step, and after it the copies of upgrades and what
hooks captured, one by one. At last it is said that all is under the new key, and the one before is taken away.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from moored.errors import InvalidInput, NotFound, StoreCorrupt, StoreEncrypted, StoreLocked
from moored.forgetting.care import backups
from moored.hosts import log
from moored.record.inbox import Inbox
from moored.record.locks import locked
from moored.store.key_places import put_key, take_key
from moored.store.keys import (
    PLAIN,
    Keeping,
    Kept,
    fetch,
    keeping,
    keys_of,
    looks_encrypted,
    say,
    sidecar,
)
from moored.store.removal import blot
from moored.store.sqlite.faults import translated
from moored.store.sqlite.switching import alone, switch

CHANGING = "changing"
"""The file in the inbox's folder that is locked by the one process which changes the key of a store."""

PATIENCE = 5.0
"""Seconds that an absorber, which takes captured events, is waited for."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What was done. `key` says in words where the key is now, empty for a store without one, and `before` was.

    `backups` are the copies of upgrades that were put under the new key, `left` those that could not be read with any
    and were left as they are, `entries` counts what hooks captured and was put under it. `resumed` says that this was
    the rest of a change that had been interrupted, `taken` that the key before was taken out of the keyring.
    """

    store: str
    key: str
    check: str
    before: str
    backups: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    entries: int = 0
    resumed: bool = False
    taken: bool = False


def encrypt(store: Path, place: str, name: str) -> Changed:
    """Put a plain store under a key that is kept in a place, as `put_key` has it, or finish doing so.

    Of an encrypted store without what says where its key is, that is written anew, when the key fits. Raises
    `NotFound` when there is no store, `InvalidInput` when it is encrypted already, and as `put_key` and `switch`.
    """
    with _changing(store):
        if (said := keeping(store)).changing and said.now:
            return _finish(store, said)
        _finish(store, said)
        if said.now and not said.changing:
            raise InvalidInput(
                f"The store {store} is encrypted already; its key is in {said.now.where}. `moored rekey` gives it "
                "another key, or keeps the key in another place. Nothing was changed."
            )
        if looks_encrypted(store):
            return _find_again(store, place, name)
        return _begin(store, put_key(place, name)[0])


def rekey(store: Path, place: str = "", name: str = "") -> Changed:
    """Put an encrypted store under another key, kept in the place that is named, or in the keyring that has it now.

    Raises as `encrypt`, and `InvalidInput` for a store that is not encrypted.
    """
    with _changing(store):
        said = keeping(store)
        if said.changing and said.now:
            return _finish(store, said)
        if said.now is None:
            raise InvalidInput(f"The store {store} is not encrypted. `moored encrypt` does that. Nothing was changed.")
        if not place and said.now.place != "keyring":
            raise InvalidInput(
                f"The key of {store} is in {said.now.where}, where the other one cannot be put before this one is of "
                "no use. Name another file or variable, or --keyring. Nothing was changed."
            )
        kept, _ = put_key(place or "keyring", name)
        if kept.check == said.now.check:
            if kept == said.now:
                raise InvalidInput(f"The key in {kept.where} is that of the store already. Nothing was changed.")
            say(store, Keeping(kept))
            return Changed(str(store), kept.where, kept.check, said.now.where, taken=take_key(said.now))
        return _begin(store, kept)


def decrypt(store: Path) -> Changed:
    """Take the key from an encrypted store, or finish doing so. Raises as `rekey`."""
    with _changing(store):
        said = keeping(store)
        if said.changing and said.now is None:
            return _finish(store, said)
        _finish(store, said)
        if said.now is None:
            raise InvalidInput(f"The store {store} is not encrypted. Nothing was changed.")
        return _begin(store, None)


@contextmanager
def _changing(store: Path) -> Generator[None]:
    """Be the one process that changes the key of a store."""
    if not store.exists():
        raise NotFound(f"There is no store {store} yet. Run `moored init` in the project to begin one.")
    with locked(Inbox(store).folder, CHANGING) as free:
        if not free:
            raise StoreLocked(f"Another process changes the key of {store}. Wait until it has finished.")
        yield


def _begin(store: Path, now: Kept | None) -> Changed:
    """Say what key the store gets, and put it under that key."""
    before = keeping(store)
    keys = keys_of(store)
    with translated(store), alone(store, keys[0]), Inbox(store).keys_changing():
        say(store, Keeping(now, before.now, changing=True))
    return _finish(store, keeping(store), resumed=False)


def _finish(store: Path, said: Keeping, *, resumed: bool = True) -> Changed:
    """Do what is left of a change of the key: all of it, or nothing when there was none."""
    where = Changed(
        str(store),
        said.now.where if said.now else "",
        said.now.check if said.now else "",
        said.before.where if said.before else "",
        resumed=resumed,
    )
    if not said.changing:
        return where
    key = said.now and fetch(said.now)
    keys = keys_of(store)
    with translated(store):
        switch(store, keys, key)
    done, left = _put_copies(store, keys, key)
    entries = _put_entries(store)
    with Inbox(store).keys_changing():
        say(store, Keeping(said.now) if said.now else PLAIN)
    taken = said.before is not None and take_key(said.before)
    return Changed(where.store, where.key, where.check, where.before, done, left, entries, resumed, taken)


def _put_copies(store: Path, keys: tuple[str | None, ...], key: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Put the copies that upgrades left under the key; return them, and those that none of the keys opens."""
    done: list[str] = []
    left: list[str] = []
    for copy in backups(store):
        if copy.suffix == ".partial":
            # Nobody had the store open when it was said that its key changes: an older one is never finished.
            if copy.stat().st_mtime_ns < sidecar(store).stat().st_mtime_ns:
                blot(copy)
            continue
        try:
            with translated(copy):
                if switch(copy, keys, key):
                    done.append(str(copy))
        except (StoreEncrypted, StoreCorrupt):
            left.append(str(copy))
    return tuple(done), tuple(left)


def _put_entries(store: Path) -> int:
    """Put what hooks captured, waiting or refused, under the key; return how many."""
    inbox, end = Inbox(store), time.monotonic() + PATIENCE
    while True:
        with inbox.taking() as free:
            if free:
                inbox.sweep()
                return sum(_renewed(store, inbox, file) for file in (*inbox.waiting(), *inbox.failed()))
        if time.monotonic() >= end:
            raise StoreLocked(
                f"Another process takes what hooks captured out of {inbox.folder}. The store has its key; run the same "
                "command again for the rest."
            )
        time.sleep(0.05)


def _renewed(store: Path, inbox: Inbox, file: Path) -> bool:
    try:
        inbox.renew(file)
    except ValueError as error:
        # Under a key that the store never had: it stays as unreadable as it was.
        log.note(store, f"{file.name} was left under another key: {log.describe(error)}")
        return False
    return True


def _find_again(store: Path, place: str, name: str) -> Changed:
    """Say anew where the key of an encrypted store is."""
    if place == "keyring" or (place == "file" and not Path(name).expanduser().exists()):
        raise InvalidInput(
            f"The store {store} is encrypted, and what said where its key is was lost. Name the file or the variable "
            "of the environment in which that key is, for it to be said again. Nothing was changed."
        )
    kept, key = put_key(place, name)
    try:
        with translated(store), alone(store, key):
            say(store, Keeping(kept))
    except (StoreCorrupt, StoreEncrypted) as error:
        raise InvalidInput(f"The key in {kept.where} does not open the store {store}. Nothing was changed.") from error
    return Changed(str(store), kept.where, kept.check, kept.where)
