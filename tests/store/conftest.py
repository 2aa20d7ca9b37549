"""The store's tests use the fault laboratory beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from moored.model.clock import ManualClock
from moored.store.sqlite.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new, empty store."""
    opened = Store(tmp_path / "data" / "moored.db", clock=ManualClock())
    yield opened
    opened.close()
