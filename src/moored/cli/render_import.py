"""The account of an import of transcripts as short lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from moored.cli.render_care import counted

if TYPE_CHECKING:
    from pathlib import Path

    from moored.importers.account import LeftTranscript, TranscriptImport
    from moored.unbundle import Unbundled

SHOWN = 8
"""Kinds, folders and files that are named; the others are counted."""

_REMEDIES = {
    "of another project": "`--all` brings them in, each into the memory of its project",
    "its folder is gone": "name the file or folder to bring them into this project",
    "it names no folder": "name the file or folder to bring them into this project",
}


def transcripts(done: TranscriptImport) -> Iterator[str]:
    """What was read, what came in, and what did not."""
    if not (done.transcripts or done.unchanged or done.left):
        yield "no transcripts found"
        return
    yield f"{counted(done.transcripts, 'transcript')} read, {done.unchanged:,} unchanged since the last import"
    if done.transcripts:
        told = ((done.turns, "turn"), (done.tool_calls, "tool call"), (done.results, "result"))
        yield f"{counted(done.sessions, 'session')}: {', '.join(counted(number, one) for number, one in told)}"
    for project in done.projects:
        line = f"{project.name}: {counted(project.recorded, 'event')} recorded, {project.known:,} known already"
        if project.operation:
            line += f"; `moored undo {project.operation}` takes them out again"
        yield line
    if done.skipped:
        yield f"left out: {_kinds(done.skipped)}"
    if done.unknown:
        yield f"unknown: {_kinds(done.unknown)}"
    for bad in done.bad[:SHOWN]:
        first = ", ".join(bad.first) + (", ..." if bad.count > len(bad.first) else "")
        yield f"bad lines: {bad.count:,} in {bad.path} ({first})"
    if len(done.bad) > SHOWN:
        yield f"bad lines in {counted(len(done.bad) - SHOWN, 'more transcript')}"
    yield from _left(done.left)


def _kinds(counts: Mapping[str, int]) -> str:
    """The kinds of which there are most."""
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    more = f", and {counted(len(top) - SHOWN, 'more kind')}" if len(top) > SHOWN else ""
    return ", ".join(f"{number:,} {kind}" for kind, number in top[:SHOWN]) + more


def _left(left: Sequence[LeftTranscript]) -> Iterator[str]:
    """The transcripts that were not read, by reason, with the folders that they name."""
    reasons: dict[str, list[LeftTranscript]] = {}
    for one in left:
        reasons.setdefault(one.reason, []).append(one)
    for reason, them in reasons.items():
        yield f"not read: {counted(len(them), 'transcript')}, {reason}"
        names = list(dict.fromkeys(one.folder or one.path for one in them))
        yield from (f"  {name}" for name in names[:SHOWN])
        if len(names) > SHOWN:
            yield f"  and {len(names) - SHOWN:,} more"
        if reason in _REMEDIES:
            yield f"  {_REMEDIES[reason]}"


def bundle(file: Path, done: Unbundled) -> list[str]:
    """What came of a bundle."""
    lines = [f"{file}: {counted(len(done.projects), 'project', 'projects')}"]
    for counts, words in (
        (done.new, "new"),
        (done.known, "known already"),
        (done.left_out, "left out: forgotten here, or of something that is here in another state"),
        (done.others, "here in another state, which stays"),
    ):
        if counts:
            lines.append(f"  {words}: " + ", ".join(f"{number:,} {part}" for part, number in counts.items()))
    return [*lines, *(f"  not as in the bundle: {one}" for one in done.conflicts)]
