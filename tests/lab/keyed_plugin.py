"""A plugin of pytest under which every store that a test makes is encrypted: `pytest -p lab.keyed_plugin ...`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.keyed import keep
from moored.store.keys import sidecar
from moored.store.sqlite.store import Store


@pytest.fixture(autouse=True)
def every_store_is_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say of each store, before it is made, that it is encrypted."""
    made = Store.__init__

    def make(store: Store, path: Path, **more: Any) -> None:
        if not path.exists() and not sidecar(path).exists() and not more.get("read_only") and not more.get("vfs"):
            keep(path)
        made(store, path, **more)

    monkeypatch.setattr(Store, "__init__", make)
