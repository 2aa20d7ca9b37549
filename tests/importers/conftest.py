from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.importing import Desk
from moored.memory import open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A project in an empty home, in which no variable moves the folders of the hosts."""
    home, root = tmp_path / "home", tmp_path / "courier"
    home.mkdir()
    root.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_DB", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    clock = ManualClock()
    with open_memory(root, store=tmp_path / "moored.db", clock=clock, ids=SequentialIds(), dense=False) as memory:
        yield Desk(memory, root.resolve(), home)
