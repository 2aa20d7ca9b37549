"""A project with a memory and a home of its own, into which the transcripts of the fixtures are brought."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moored.importers.account import TranscriptImport
from moored.memory import Memory
from moored.model.episodes import Episode

FIXTURES = Path(__file__).parents[1] / "importers" / "fixtures"


@dataclass(frozen=True)
class Desk:
    """Where transcripts lie and what they are brought into."""

    memory: Memory
    root: Path
    home: Path

    def lay(self, name: str, at: str, **names: str) -> Path:
        """Put a fixture at a place in the home, with the project's folder (and `names`) written into it."""
        text = (FIXTURES / name).read_text(encoding="utf-8").replace("@ROOT@", str(self.root))
        for old, new in names.items():
            text = text.replace(f"@{old}@", new)
        file = self.home / at
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def write(self, at: str, *records: Mapping[str, Any]) -> Path:
        """Write records as the lines of a file in the home."""
        file = self.home / at
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return file

    def bring(self, host: str, path: Path | None = None, **options: bool) -> TranscriptImport:
        return self.memory.import_transcripts(host, path, **options)

    def episodes(self) -> list[Episode]:
        """The visible episodes of the project, in the order of the record."""
        with self.memory.store.read() as view:
            return list(reversed(view.episodes.recent(self.memory.project, 10_000)))

    def texts(self) -> list[str]:
        return [episode.text for episode in self.episodes()]

    def calls(self) -> list[tuple[str, str, int | None]]:
        """Tool, result and exit status of the tool calls."""
        return [(one.tool_name, one.text, one.exit_status) for one in self.episodes() if one.role == "tool"]


def counts(done: TranscriptImport) -> tuple[int, int, int]:
    """Turns, tool calls and results."""
    return done.turns, done.tool_calls, done.results


def recorded(done: TranscriptImport) -> int:
    return sum(project.recorded for project in done.projects)


def known(done: TranscriptImport) -> int:
    return sum(project.known for project in done.projects)
