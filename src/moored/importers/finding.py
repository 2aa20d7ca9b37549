"""Which transcripts an import reads: those that hosts keep on this machine, or those in a file or folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from moored.errors import NotFound
from moored.importers.account import LeftTranscript
from moored.importers.reading import is_of
from moored.importers.transcript import Format, Source

UNKNOWN = "of no known format"


def kept_by_hosts(forms: Sequence[Format], folders: Sequence[Path]) -> list[tuple[Format, Source]]:
    """The transcripts in the folders where the hosts keep them."""
    homes = ((form, home) for form in forms for home in form.homes() if home.exists())
    return [(form, source) for form, home in homes for source in form.find(home, folders)]


def named(
    forms: Sequence[Format], path: Path, folders: Sequence[Path]
) -> tuple[list[tuple[Format, Source]], list[LeftTranscript]]:
    """The transcripts in a file or folder, and what in it is of none of several formats."""
    if not path.exists():
        raise NotFound(f"There is no transcript at {path}. Name a file, or a folder that holds some.")
    found = [(form, source) for form in forms for source in form.find(path.absolute(), folders)]
    if len(forms) == 1:
        return found, []
    fitting: list[tuple[Format, Source]] = []
    strangers: dict[str, LeftTranscript] = {}
    for form, source in found:
        try:
            if is_of(source, form):
                fitting.append((form, source))
            strangers.setdefault(source.key, LeftTranscript(source.key, "", UNKNOWN))
        except OSError as error:
            strangers[source.key] = LeftTranscript(source.key, "", unreadable(error))
    for _, source in fitting:
        strangers.pop(source.key, None)
    return fitting, list(strangers.values())


def unreadable(error: Exception) -> str:
    return f"it cannot be read: {error}"


def stamped(source: Source) -> Source:
    """A source with the stamp of its file, if it has none of its own."""
    if source.stamp:
        return source
    state = source.path.stat()
    log = source.path.with_name(source.path.name + "-wal")
    more = log.stat() if log.exists() else None
    stamp = f"{state.st_size} {state.st_mtime_ns}" + (f" {more.st_size} {more.st_mtime_ns}" if more else "")
    return replace(source, stamp=stamp)


def size_of(source: Source) -> int:
    try:
        return 0 if source.part else source.path.stat().st_size
    except OSError:
        return 0
