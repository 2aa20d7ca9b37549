"""Finding the files of transcripts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path


def files_below(path: Path, endings: Sequence[str], *, without: Sequence[str] = ()) -> Iterator[Path]:
    """A file itself, or the files of a folder with these endings at any depth, those that were changed long ago first.

    Folders of the names `without` and links to folders are passed over.
    """
    if path.is_file():
        yield path
        return
    found: list[tuple[int, Path]] = []
    for folder, names, files in os.walk(path):
        names[:] = [name for name in names if name not in without]
        for name in files:
            if name.endswith(tuple(endings)):
                file = Path(folder, name)
                found.append((_changed_at(file), file))
    yield from (file for _, file in sorted(found))


def _changed_at(file: Path) -> int:
    """When a file was changed last, 0 for one that cannot be reached: that is said when it is read."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
