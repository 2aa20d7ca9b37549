"""The log of the hooks: one line for each trouble, in a small file beside the store.

It never holds anything of what was said or printed: only the host, the event, and what kind of trouble it was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from moored.errors import NotFound, StoreError
from moored.record.inbox import state_folder

SUFFIX = ".hook.log"
"""What the name of the log adds to that of the store."""

OLDER = ".1"
LARGEST = 256 * 1024
"""Bytes at which a log becomes the older one; the one before it goes."""

NOT_KEPT = "not kept"
"""What a line says of an event that was not kept: it may not be in plain, and the key of the store was not there."""

LONGEST = 400
"""Characters of a line."""


def note(store: Path, what: str) -> None:
    """Add a line without secrets, beside the store or else in the user's state folder. Never raises."""
    from moored.model.redaction import redact

    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {redact(' '.join(what.split())).text[:LONGEST]}\n"
    data = line.encode("utf-8", "replace")
    for file in _places(store):
        try:
            _append(file, data)
        except OSError:
            continue
        return


def files(store: Path) -> list[Path]:
    """The logs of a store, the older ones too, as far as there are any."""
    named = [file for place in _places(store) for file in (place, place.with_name(place.name + OLDER))]
    return [file for file in named if file.is_file()]


def lines(store: Path) -> list[str]:
    """The lines that are kept, oldest first."""
    found: list[str] = []
    for file in _places(store):
        for one in (file.with_name(file.name + OLDER), file):
            with suppress(OSError):
                found += one.read_text(encoding="utf-8", errors="replace").splitlines()
    return sorted(found)


def not_kept(store: Path) -> int:
    """How many events the lines that are kept say were not kept."""
    told = (line.partition(f" {NOT_KEPT}: ")[0].rpartition(": ")[2] for line in lines(store) if NOT_KEPT in line)
    return sum(int(number) for number in told if number.isdecimal())


def describe(error: BaseException) -> str:
    """What an error says where that cannot hold anything of what was said; else its kind and place."""
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error.strerror or 'no reason given'}"
    if isinstance(error, StoreError | NotFound):
        return f"{type(error).__name__}: {error}"
    place = ""
    traced = error.__traceback__
    while traced is not None:
        place = f" in {traced.tb_frame.f_globals.get('__name__', '?')}, line {traced.tb_lineno}"
        traced = traced.tb_next
    return type(error).__name__ + place


def _places(store: Path) -> Iterator[Path]:
    yield store.with_name(store.name + SUFFIX)
    yield state_folder(store) / "hook.log"


def _append(file: Path, data: bytes) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if file.stat().st_size + len(data) > LARGEST:
            file.replace(file.with_name(file.name + OLDER))
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
