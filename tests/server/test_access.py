"""The memory behind a server: opened late, once, and again when the file of the store is another or can be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.serving import opener, project, store_of
from moored.errors import StoreError
from moored.server.access import Access


@pytest.fixture
def access(tmp_path: Path) -> Access:
    return Access(opener(project(tmp_path)))


def test_a_memory_is_opened_once(access: Access) -> None:
    assert access.memory() is access.memory()
    access.close()


def test_a_store_that_can_be_written_again_is_opened_again(
    access: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, writable, allowed = store_of(tmp_path / "courier"), [False], os.access
    monkeypatch.setattr(os, "access", lambda path, mode: writable[0] if path == store else allowed(path, mode))
    before = access.memory()
    assert access.memory() is before
    writable[0] = True
    assert access.memory() is not before
    access.close()


def test_nothing_is_opened_behind_the_end(access: Access) -> None:
    access.memory()
    access.close()
    with pytest.raises(StoreError, match="is ending"):
        access.memory()


def test_who_asks_for_it_is_told_of_each_opening_and_of_one_that_was(access: Access, tmp_path: Path) -> None:
    early: list[object] = []
    late: list[object] = []
    access.when_open(early.append)
    first = access.memory()
    access.when_open(late.append)
    store_of(tmp_path / "courier").unlink()
    second = access.memory()
    assert (early, late) == ([first, second], [first, second])
    access.close()
