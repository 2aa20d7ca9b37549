"""What set-up remembers, so that it can be taken back byte for byte: a folder in the user's data folder.

`journal.json` has an entry for each file that was changed: the digest of what it held before (whose bytes are kept in
`originals/`, once for each content), the digest of what we left in it, and for each host our parts of it. It is written
before the files are, so that whatever happens, no file is changed of which the journal does not know. One process at a
time changes it, under the lock `setup.lock` beside the folder.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from moored.errors import InvalidInput
from moored.record.locks import locked
from moored.setup import files
from moored.setup.edits import Entry, as_data, from_data

FORMAT = 1

LOCK = "setup.lock"
PATIENCE = 10.0
"""Seconds that a set-up waits for another one to finish."""

PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Claim:
    """What a host has in a file, and the root of the project for which it was set up, empty for the user."""

    project: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that was changed.

    `original` is the digest of what it would hold without us, None when it would not be there; `left` is the digest of
    what we wrote. `claims` are by host.
    """

    original: str | None
    left: str
    claims: Mapping[str, Claim]

    def without(self, host: str) -> Kept:
        return replace(self, claims={name: claim for name, claim in self.claims.items() if name != host})


@dataclass(frozen=True, slots=True)
class Journal:
    """All files that were changed, by their real path, and the folders that were made for them.

    `fresh` are originals that were not written down yet, by their digest.
    """

    folder: Path
    files: Mapping[str, Kept] = field(default_factory=dict[str, Kept])
    made: tuple[str, ...] = ()
    fresh: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def original(self, name: str) -> bytes:
        """The bytes of a digest. Raises `InvalidInput` when they are not kept any more."""
        held = self.fresh.get(name) or files.content(self.folder / "originals" / name)
        if held is None or digest(held) != name:
            raise InvalidInput(f"The original {name} is not in {self.folder / 'originals'} as it was kept there.")
        return held

    def save(self) -> None:
        """Write the originals, then the journal; a journal of nothing is removed."""
        for name, held in self.fresh.items():
            if not (place := self.folder / "originals" / name).exists():
                _private(place.parent)
                files.write(place, held, private=True)
        place = self.folder / "journal.json"
        if not self.files and not self.made:
            files.remove(place)
        else:
            _private(self.folder)
            files.write(place, json.dumps(self._data(), indent=2).encode(), private=True)

    def sweep(self) -> None:
        """Remove the originals that no file of the journal needs any more, and the folders of an empty journal."""
        needed = {kept.original for kept in self.files.values()}
        originals = self.folder / "originals"
        for place in originals.glob("*"):
            if place.name not in needed:
                files.remove(place)
        files.remove_empty([originals, self.folder])

    def _data(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "files": {
                path: {
                    "original": kept.original,
                    "left": kept.left,
                    "claims": {
                        host: {"project": claim.project, "entries": [as_data(entry) for entry in claim.entries]}
                        for host, claim in kept.claims.items()
                    },
                }
                for path, kept in self.files.items()
            },
            "made": list(self.made),
        }


def digest(held: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal digits."""
    return sha256(held).hexdigest()


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Keep other set-ups with this journal out for the length of the block, and wait for one that is at work.

    Raises `InvalidInput` when that takes longer than `PATIENCE`, and when the folder cannot be written.
    """
    end = time.monotonic() + PATIENCE
    with ExitStack() as held:
        try:
            while not held.enter_context(locked(folder.parent, LOCK)):
                held.close()
                if time.monotonic() > end:
                    raise InvalidInput("Something else is setting hosts up just now. Nothing was changed. Try again.")
                time.sleep(PAUSE)
        except OSError as error:
            raise InvalidInput(f"{folder.parent / LOCK} cannot be written: {error.strerror}.") from error
        yield


def load(folder: Path) -> Journal:
    """The journal in a folder, an empty one when there is none. Raises `InvalidInput` when it cannot be read."""
    place = folder / "journal.json"
    held = files.content(place)
    if held is None:
        return Journal(folder)
    try:
        data = cast(dict[str, Any], json.loads(held))
        if data["format"] > FORMAT:
            raise InvalidInput(f"{place} was written by a newer moored. Use that one.")
        changed = {path: _kept(kept) for path, kept in data["files"].items()}
        return Journal(folder, changed, tuple(data["made"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"{place} cannot be read ({error}). It says what set-up changed; move it away to begin a new one, after "
            "which files are no longer put back byte for byte."
        ) from error


def _kept(data: dict[str, Any]) -> Kept:
    claims = {
        host: Claim(claim["project"], tuple(from_data(entry) for entry in claim["entries"]))
        for host, claim in data["claims"].items()
    }
    return Kept(data["original"], data["left"], claims)


def _private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
