"""How fast transcripts come in, and in how much memory: a session of Claude Code, written like its own.

The texts are made of the docstrings of Django by a seeded generator (`bench.texts`), the files that are read and edited
are its sources. Each import runs in a process of its own: `python -m bench.imports <transcript> <folder>` prints how
long it took, what came in and the most memory it had.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import peak
from bench.report import Section, table
from bench.sources import unpacked
from bench.texts import Writer, words_of

DJANGO = ("Django", "5.2")
MEGABYTE = 1_000_000
USUAL, LARGE = 20, 500
"""Megabytes of the transcripts that are imported."""

ROUNDS = 3
GOALS = {"records a second": 2_000, "MB a second": 10}


_USAGE = {
    "input_tokens": 12,
    "cache_creation_input_tokens": 5_137,
    "cache_read_input_tokens": 48_300,
    "cache_creation": {"ephemeral_5m_input_tokens": 5_137, "ephemeral_1h_input_tokens": 0},
    "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
    "service_tier": "standard",
}
"""What Claude Code notes with every message."""


@dataclass(slots=True)
class Session:
    """Writes the lines of one session, each as Claude Code 2.1 writes it."""

    cwd: Path
    texts: Writer
    files: list[Path]
    chance: random.Random
    _number: int = 0
    _at: int = 1_780_000_000_000
    _parent: str | None = None

    def turn(self) -> Iterator[dict[str, Any]]:
        """A prompt, what the assistant thinks, says and calls for it, and what the tools give back."""
        yield self._line("user", {"role": "user", "content": self._said("user")}, promptId=self._id("p"))
        for _ in range(self.chance.randint(1, 6)):
            yield from self._step()
        yield self._says({"type": "text", "text": self._said("assistant")})
        yield {"type": "file-history-snapshot", "messageId": self._parent, "snapshot": {"trackedFileBackups": {}}}

    def _step(self) -> Iterator[dict[str, Any]]:
        yield self._says({"type": "thinking", "thinking": self._said("assistant"), "signature": "A" * 1_200})
        tool, arguments, shown, structured = self.chance.choice((self._read, self._bash, self._edit))()
        call = self._id("toolu_")
        yield self._says({"type": "tool_use", "id": call, "name": tool, "input": arguments})
        result = {"type": "tool_result", "tool_use_id": call, "content": shown}
        yield self._line("user", {"role": "user", "content": [result]}, toolUseResult=structured)

    def _read(self) -> tuple[str, dict[str, Any], str, object]:
        path, text = self._file()
        lines = text.splitlines()
        start = self.chance.randrange(max(len(lines) - 150, 1))
        part = lines[start : start + 150]
        numbered = "\n".join(f"{number:>6}\u2192{line}" for number, line in enumerate(part, start + 1))
        content = {"filePath": path, "content": "\n".join(part), "numLines": len(part), "startLine": start + 1}
        return "Read", {"file_path": path, "offset": start}, numbered, {"type": "text", "file": content}

    def _bash(self) -> tuple[str, dict[str, Any], str, object]:
        path, _ = self._file()
        printed = "\n".join(self._said("tool") for _ in range(self.chance.randint(1, 12)))
        result = {"stdout": printed, "stderr": "", "interrupted": False, "isImage": False}
        return "Bash", {"command": f"pytest -q {path}", "description": "Run the tests"}, printed, result

    def _edit(self) -> tuple[str, dict[str, Any], str, object]:
        path, text = self._file()
        lines = text.splitlines()
        at = self.chance.randrange(max(len(lines) - 8, 1))
        old = "\n".join(lines[at : at + 8])
        new = old.replace("self", "this")
        hunk = {"oldStart": at + 1, "oldLines": 8, "newStart": at + 1, "newLines": 8, "lines": [f"-{old}", f"+{new}"]}
        result = {
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": text,
            "structuredPatch": [hunk],
            "userModified": False,
        }
        return "Edit", {"file_path": path, "old_string": old, "new_string": new}, f"{path} has been updated.", result

    def _says(self, block: dict[str, Any]) -> dict[str, Any]:
        usage = {**_USAGE, "output_tokens": self.chance.randint(20, 900)}
        message = {"id": self._id("msg_"), "type": "message", "role": "assistant", "model": "m", "content": [block]}
        return self._line("assistant", message | {"stop_reason": None, "usage": usage}, requestId=self._id("req_"))

    def _line(self, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        self._at += 1_234
        uuid = self._id("00000000-0000-4000-8000-")
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self._at / 1000)) + f".{self._at % 1000:03}Z"
        envelope = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": str(self.cwd),
            "sessionId": "bench",
            "version": "2.1.300",
            "gitBranch": "main",
            "type": kind,
            "uuid": uuid,
            "timestamp": at,
        }
        self._parent = uuid
        return {**envelope, "message": message, **more}

    def _file(self) -> tuple[str, str]:
        path = self.chance.choice(self.files)
        return str(path), path.read_text(encoding="utf-8")

    def _said(self, role: str) -> str:
        while True:
            spoken, text = self.texts.episode()
            if spoken == role:
                return text

    def _id(self, prefix: str) -> str:
        self._number += 1
        return f"{prefix}{self._number:012}"


def transcript(path: Path, megabytes: int, tree: Path, cwd: Path) -> int:
    """Write a session of about this size, and return how many lines it has."""
    files = sorted(file for file in (tree / "django").rglob("*.py") if 2_000 < file.stat().st_size < 40_000)
    session = Session(cwd, Writer(words_of(tree, "django"), 7), files, random.Random(7))  # noqa: S311 - texts, not secrets
    count = size = 0
    with path.open("w", encoding="utf-8") as out:
        while size < megabytes * MEGABYTE:
            for line in session.turn():
                size += out.write(json.dumps(line, ensure_ascii=False) + "\n")
                count += 1
    return count


def run(*, large: bool = True) -> Section:
    """Import a usual transcript three times, and one of 500 MB once if `large`."""
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "project").mkdir()
        tree = unpacked(*DJANGO)
        for megabytes, rounds in ((USUAL, ROUNDS), (LARGE, 1))[: 1 + large]:
            path = folder / f"{megabytes}.jsonl"
            records = transcript(path, megabytes, tree, folder / "project")
            rows += _rows(path, records, folder, rounds)
            path.unlink()
    return Section("imports", "Import of transcripts", [*_ABOUT, "", *table(_HEAD, rows)])


_HEAD = ("transcript", "what", "goal", "median", "met")
_ABOUT = (
    "A session of Claude Code through the whole admission into a new store, vectors left to upkeep. Records are lines.",
)


def _rows(path: Path, records: int, folder: Path, rounds: int) -> Iterator[list[object]]:
    size = path.stat().st_size / MEGABYTE
    samples = [_measure(path, folder) for _ in range(rounds)]
    seconds = statistics.median(sample["seconds"] for sample in samples)
    name = f"{size:.0f} MB, {records:,} records"
    for what, value in (("records a second", records / seconds), ("MB a second", size / seconds)):
        goal = GOALS[what]
        yield [name, what, f"{goal:,}", f"{value:,.1f}", "yes" if value >= goal else "**no**"]
    processor = statistics.median(sample["processor"] for sample in samples)
    yield [name, "MB a second of the processor", "", f"{size / processor:,.1f}", ""]
    kept = statistics.median(sample["kept"] for sample in samples) / MEGABYTE
    yield [name, "text kept of it, MB", "", f"{kept:,.1f}", ""]
    memory = statistics.median(sample["memory"] for sample in samples)
    yield [name, "resident memory, MB", "", f"{memory:,.0f}", ""]
    again = statistics.median(sample["again"] for sample in samples)
    yield [name, "import again, unchanged, seconds", "", f"{again:.2f}", ""]


def _measure(path: Path, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.imports", str(path), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def _peak() -> float:
    """The most memory that this process has had resident, in MB (10^6 bytes), not counting what its parent had."""
    status = Path("/proc/self/status")
    if not status.exists():
        return peak()
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / MEGABYTE


def _import(path: Path, folder: Path) -> dict[str, float]:
    import moored

    for old in folder.glob("moored.db*"):
        old.unlink()
    with moored.open(folder / "project", store=folder / "moored.db", dense=False) as memory:
        begin, worked = time.perf_counter(), time.process_time()
        done = memory.import_transcripts("claude-code", path)
        seconds, processor = time.perf_counter() - begin, time.process_time() - worked
        begin = time.perf_counter()
        memory.import_transcripts("claude-code", path)
        again = time.perf_counter() - begin
        with memory.store.read() as view:
            kept = sum(len(one.content) + len(one.tool_input) for one in view.episodes.all(memory.project))
    recorded = sum(project.recorded for project in done.projects)
    return {
        "seconds": seconds,
        "again": again,
        "processor": processor,
        "recorded": recorded,
        "kept": kept,
        "memory": _peak(),
    }


if __name__ == "__main__":
    print(json.dumps(_import(Path(sys.argv[1]), Path(sys.argv[2]))))
