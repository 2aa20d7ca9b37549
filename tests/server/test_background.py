"""What a server does beside its requests, and that it can be left alone."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.subscriptions import ResourceUpdated
from mcp_types import CallToolResult

from lab.serving import SOON, opener, project, said, spawned, store_of, until
from moored.backup import VARIABLE, Schedule
from moored.embed import Encoded, HashingEmbedder, Passage, choice
from moored.errors import MooredError
from moored.forgetting.care import kept_in
from moored.hosts.live import ask
from moored.memory import Memory, open_memory
from moored.record.inbox import Entry, Inbox
from moored.record.locks import locked
from moored.server import background
from moored.server.app import MemoryServer, build
from moored.server.background import Background, is_watched, load_model


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


def folder(tmp_path: Path, name: str) -> Path:
    made = tmp_path / name
    made.mkdir()
    (made / "one.py").write_text("def one():\n    return 1\n")
    return made


# Which trees are read without being asked


def test_a_work_tree_of_git_is_watched(tmp_path: Path) -> None:
    root = folder(tmp_path, "cloned")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    with opener(root)() as memory:
        assert is_watched(memory)


def test_a_folder_with_settings_is_watched(root: Path) -> None:
    with opener(root)() as memory:
        assert is_watched(memory)


def test_any_other_folder_is_watched_only_when_it_was_read_before(tmp_path: Path) -> None:
    root = folder(tmp_path, "downloads")
    with opener(root)() as memory:
        assert not is_watched(memory)
        memory.index()
        assert is_watched(memory)


def test_the_home_folder_is_never_watched(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opener(root)() as memory:
        for home in (root, root / "below"):
            monkeypatch.setattr(Path, "home", lambda home=home: home)
            assert not is_watched(memory)


# The model


def test_the_model_is_loaded_before_a_question_has_to_wait_for_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    class Watched(HashingEmbedder):
        def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
            asked.append(list(passages))
            return super().passages(passages)

    monkeypatch.setattr(choice, "embedder", lambda _: Watched())
    with opener(root, embedder=HashingEmbedder())() as memory:
        load_model(memory)
        assert asked == []  # there is nothing yet to compare it with
        memory.record("The crane lifts boxes.")
        load_model(memory)
        assert asked == [[]]


# What goes on while a server runs


def test_a_name_that_is_only_just_being_read_is_waited_for(tmp_path: Path) -> None:
    root = folder(tmp_path, "fresh")
    (root / ".moored.toml").write_text("")
    server = build(opener(root))
    with Background(server, store_of(root)):
        result = anyio.run(server.call_tool, "symbol", {"name": "one"})
        assert "one.py::one" in said(result)
    server.access.close()


def test_what_is_asked_of_a_tree_that_is_still_being_read_is_said_to_be_not_all(root: Path) -> None:
    server = build(opener(root))
    with opener(root)() as memory:
        memory.remember("Sending is tried three times.")
    server.access.reading.clear()
    for tool, arguments in {"recall": {"query": "xylophone"}, "map": {}, "impact": {"name": "greet"}}.items():
        result = anyio.run(server.call_tool, tool, arguments)
        assert said(result).endswith(
            "(degraded: the tree is still being read, so not all of its code may be known yet)"
        )
    found = anyio.run(server.call_tool, "recall", {"query": "xylophone"})
    assert isinstance(found, CallToolResult)
    assert found.structured_content
    assert "still being read" in found.structured_content["degraded"][-1]
    assert "degraded" not in said(anyio.run(server.call_tool, "status", {}))
    server.access.close()


def test_a_file_that_changes_is_read_again_and_clients_are_told(root: Path) -> None:
    server = build(opener(root))

    async def run() -> None:
        async with Client(server) as client:
            await client.call_tool("status", {})
            await anyio.to_thread.run_sync(server.access.reading.wait, SOON)
            async with client.listen(resource_subscriptions=["moored://map"]) as changes:
                (root / "later.py").write_text("def later():\n    return 2\n")
                async for change in changes:
                    assert change == ResourceUpdated("moored://map")
                    break
            assert "later" in said(await client.call_tool("map", {}))

    async def bounded() -> None:
        with anyio.fail_after(SOON):
            await run()

    with Background(server, store_of(root)):
        anyio.run(bounded)
    server.access.close()


def waiting(server: MemoryServer) -> int:
    return server.access.memory().status().waiting


def test_a_store_in_the_place_of_another_is_opened_and_looked_after(root: Path) -> None:
    watched: list[tuple[Memory, threading.Event]] = []

    def opened() -> Memory:
        memory = opener(root)()

        def watch(ended: threading.Event, _: object) -> None:
            watched.append((memory, ended))
            ended.wait(SOON)

        memory.watch = watch
        return memory

    server = build(opened)
    with Background(server, store_of(root)):
        assert not pinned(server, "Written to the old one.").is_error
        old = server.access.memory()
        for file in ("moored.db", "moored.db-wal", "moored.db-shm"):
            root.with_name(file).unlink(missing_ok=True)
        assert not pinned(server, "Written to the new one.").is_error
        new = server.access.memory()
        assert new is not old
        until(lambda: len(watched) == 2)
        assert [memory for memory, _ in watched] == [old, new]
        assert [ended.is_set() for _, ended in watched] == [True, False]
    server.access.close()
    with opener(root)() as memory:
        assert [pin.text for pin in memory.pins()] == ["Written to the new one."]


def pinned(server: MemoryServer, text: str) -> CallToolResult:
    result = anyio.run(server.call_tool, "pin", {"text": text})
    assert isinstance(result, CallToolResult)
    return result


def test_a_folder_that_was_away_is_watched_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = build(opener(root))
    memory = server.access.memory()
    there, is_dir = [True, False, False], Path.is_dir
    watches: list[threading.Event] = []

    def watch(ended: threading.Event, _: object) -> None:
        watches.append(ended)
        if len(watches) > 1:
            ended.wait(SOON)

    memory.watch = watch  # type: ignore[method-assign]
    monkeypatch.setattr(background, "EVERY_S", 0.0)
    monkeypatch.setattr(Path, "is_dir", lambda self: there.pop() if self == root and there else is_dir(self))
    with Background(server, store_of(root)):
        until(lambda: len(watches) == 2)
    server.access.close()


def test_texts_that_wait_get_their_vectors(root: Path) -> None:
    with opener(root)() as memory:
        for number in range(3):
            memory.record(f"What was said, {number}.")
        assert memory.status().waiting == 3
    server = build(opener(root, dense=True, embedder=HashingEmbedder()))
    with Background(server, store_of(root)):
        until(lambda: not waiting(server))
    server.access.close()


def test_what_a_hook_captures_is_taken_in_when_it_says_so(root: Path) -> None:
    store = store_of(root)
    inbox = Inbox(store)
    with spawned(root) as client:
        client.handshake()
        until(lambda: ask(store, {"do": "ping"}, 1.0))
        inbox.put(Entry(b"Please never push to main.", "user", "user", host="test", session="s", cwd=str(root)))
        assert ask(store, {"do": "absorb"}, 1.0)
        until(lambda: not inbox.waiting())
        client.write(client.call("recall", query="push to main"))
        assert "never push to main" in said(client.read())


def test_an_error_in_the_background_ends_no_server(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    server = build(opener(root))
    tried = threading.Event()

    def broken(*_: object) -> None:
        tried.set()
        raise RuntimeError("the disk is upside down")

    memory = server.access.memory()
    memory.watch = broken  # type: ignore[method-assign]
    with Background(server, store_of(root)):
        assert tried.wait(SOON)
        until(server.access.reading.is_set)
        assert "courier" in said(anyio.run(server.call_tool, "status", {}))
    server.access.close()
    assert "upside down" in capfd.readouterr().err


def test_a_backup_is_made_when_one_is_due_and_no_second_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1d keep 2")
    monkeypatch.setattr(background, "BACKUP_S", 0.01)
    server, store = build(opener(root)), store_of(root)
    with Background(server, store):
        server.access.memory()
        until(lambda: list(kept_in(store).glob("*Z.db")))
        with locked(Inbox(store).folder, background.BACKING_UP):
            (made,) = kept_in(store).iterdir()
    server.access.close()
    with open_memory(root, store=made, create=False, read_only=True, dense=False) as copy:
        assert copy.status().name == "courier"


def test_without_being_asked_no_backup_is_made(root: Path) -> None:
    server = build(opener(root))
    with Background(server, store_of(root)):
        server.access.memory()
        until(server.access.reading.is_set)
    server.access.close()
    assert not kept_in(store_of(root)).exists()


def test_a_backup_that_fails_is_told(root: Path) -> None:
    with pytest.raises(MooredError, match="No backup was made"):
        background.back_up_if_due(root / "nothing.db", Schedule(1, 1))
