"""The machine that hosts are set up on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home = tmp_path / "J. O'Brien ü"
    project = home / "my projects" / "courier \\u0041"
    project.mkdir(parents=True)
    return Machine(home, project, tmp_path / "data" / "setup")
