"""Encrypted stores for tests: a key in a file of its own, and looking for texts in whatever lies in a folder."""

from __future__ import annotations

from pathlib import Path

from moored.store.keys import Keeping, Kept, check_of, say

KEY = "00112233445566778899aabbccddeeff" * 2
OTHER = "ffeeddccbbaa99887766554433221100" * 2


def keep(store: Path, key: str = KEY) -> Path:
    """Say of a store, which is not there yet, that it is encrypted; return the file with its key."""
    file = store.parent / "elsewhere" / "store.key"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(key)
    say(store, Keeping(Kept("file", str(file), check_of(key))))
    return file


def holding(folder: Path, text: bytes) -> list[str]:
    """The files below a folder that hold a text as it is."""
    return sorted(
        str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file() and text in file.read_bytes()
    )
