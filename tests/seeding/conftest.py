"""A place to seed: a project on disk with a memory of its own, and what a person would ask of it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import Note
from moored.model.seeding import Seeded, SeededNote, SeedOutcome

README = """\
# Ferry

Ferry carries parcels between the islands, on time and dry.

## Use

```sh
pip install ferry
ferry sail --to north
```
"""
PYPROJECT = """\
[project]
name = "ferry"
description = "Parcels between islands"
requires-python = ">=3.11"
dependencies = ["anchorlib>=2", "tides"]

[project.scripts]
ferry = "ferry.deck:main"

[tool.ruff]
line-length = 100
"""
MAKEFILE = """\
test:
\tpytest -q

lint:
\truff check .
"""


class Quay:
    """One project with its memory."""

    def __init__(self, root: Path, memory: Memory) -> None:
        self.root = root
        self.memory = memory

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, message: str, author: str = "A Tester") -> None:
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, "--author", f"{author} <someone@example.com>")

    def seed(self, **limits: int | bool) -> Seeded:
        return self.memory.seed(**limits)  # type: ignore[arg-type]

    def texts(self, **limits: int) -> dict[str, str]:
        """What a dry run would write, by key."""
        return {one.key: one.text for one in self.seed(dry_run=True, **limits).notes}

    def of(self, key: str, seeded: Seeded | None = None) -> SeededNote:
        """The note of a key, as a run tells of it."""
        return next(one for one in (seeded or self.seed(dry_run=True)).notes if one.key == key)

    def note(self, key: str) -> Note:
        """The note of a key as the atlas holds it, withdrawn or not."""
        with self.memory.store.read() as view:
            found = view.notes.get(self.memory.project, view.seeds.all(self.memory.project)[key], withdrawn=True)
        assert found is not None
        return found

    def answer(self, question: str) -> list[tuple[str, str, str]]:
        """What comes back on a question: id, text and state."""
        return [(hit.id, hit.text, hit.verdict.state) for hit in self.memory.recall(question).hits]

    def counts(self, seeded: Seeded) -> dict[str, int]:
        return {str(one): seeded.count(one) for one in SeedOutcome if seeded.count(one)}


@pytest.fixture
def quay(tmp_path: Path) -> Iterator[Quay]:
    """An empty folder with a memory."""
    root = tmp_path / "quay"
    root.mkdir()
    (root / ".moored.toml").write_text("")
    with open_memory(
        root, store=tmp_path / "moored.db", clock=ManualClock(), ids=SequentialIds(), dense=False
    ) as memory:
        yield Quay(root, memory)


@pytest.fixture
def ferry(quay: Quay) -> Quay:
    """A small Python project."""
    quay.write("README.md", README)
    quay.write("pyproject.toml", PYPROJECT)
    quay.write("Makefile", MAKEFILE)
    quay.write("ferry/__init__.py", '"""Carries parcels."""\n')
    quay.write("ferry/deck.py", "def main():\n    return 0\n")
    return quay
