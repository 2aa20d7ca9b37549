"""Hooks of an encrypted store: what they capture is sealed; without the key nothing is written, and that is told."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from lab import hooks
from lab.keyed import holding, keep
from moored.hosts import log
from moored.memory import open_memory
from moored.record.inbox import Inbox
from moored.store.keys import sidecar
from moored.store.sqlite.store import Store

CANARY = "the heron nests under the east pier"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "moored.db"


@pytest.fixture
def key_file(path: Path) -> Path:
    file = keep(path)
    Store(path).close()
    return file


def said(path: Path, root: Path) -> list[bytes]:
    """What is in the record once what waits is in it, after a bounded wait for it."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with open_memory(root, store=path, dense=False) as memory:
            memory.absorb()
            with memory.store.read() as view:
                found = [one.content for one in view.episodes.all(memory.project)]
        if found:
            return found
        time.sleep(0.05)
    return []


@pytest.mark.usefixtures("key_file")
def test_what_a_hook_captures_for_an_encrypted_store_lies_open_nowhere(path: Path, root: Path) -> None:
    hooks.ask(path, "UserPromptSubmit", hooks.prompt(root, CANARY))
    assert said(path, root) == [CANARY.encode()]
    assert holding(path.parent, CANARY.encode()) == []


@pytest.mark.usefixtures("key_file")
def test_a_hook_answers_from_an_encrypted_store(path: Path, root: Path) -> None:
    with open_memory(root, store=path, dense=False) as memory:
        memory.remember(f"{CANARY}, because the mast stands south")
    called = hooks.ask(path, "UserPromptSubmit", hooks.prompt(root, "Where does the heron nest?"))
    assert "because the mast stands south" in called.text


@pytest.mark.invariant("I-19", "I-22")
@pytest.mark.parametrize("lost", ["key", "place"])
def test_without_the_key_nothing_is_captured_in_plain_and_that_is_told(
    path: Path, root: Path, key_file: Path, lost: str
) -> None:
    file = key_file if lost == "key" else sidecar(path)
    data = file.read_bytes()
    file.unlink()
    for event in ("p1", "p2"):
        called = hooks.ask(path, "UserPromptSubmit", hooks.prompt(root, CANARY) | {"prompt_id": event})
        assert called.answer is None
    end = time.monotonic() + 30
    while log.not_kept(path) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    assert Inbox(path).waiting() == []
    assert holding(path.parent, CANARY.encode()) == []
    assert any("1 not kept: StoreEncrypted" in line for line in log.lines(path))
    file.write_bytes(data)
    with open_memory(root, store=path, dense=False) as memory:
        assert memory.status().not_kept == 2
    with closing(Store(path)) as store, store.read() as view:
        assert len(view.projects.all()) == 1
