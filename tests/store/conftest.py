"""What the store's tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.model.clock import ManualClock
from moored.store.sqlite.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new, empty store."""
    opened = Store(tmp_path / "data" / "moored.db", clock=ManualClock())
    yield opened
    opened.close()
