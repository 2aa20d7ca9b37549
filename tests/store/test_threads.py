"""One store used by many threads, and what closing it means."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lab.author import Author
from moored.errors import StoreError, StoreLocked
from moored.store.durability import Durability
from moored.store.sqlite.store import IDLE_VIEWS, Store


def _count(store: Store) -> int:
    with store.read() as view:
        return view.connection.value("SELECT count(*) FROM episode")


def test_eight_threads_write_and_read_at_once_without_losing_an_update(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        tx.connection.execute("INSERT INTO meta (key, value) VALUES ('counter', '0')")

    def work(number: int) -> list[int]:
        seen: list[int] = []
        for _ in range(10):
            with store.write(Durability.GROUP) as tx:
                value = int(tx.connection.value("SELECT value FROM meta WHERE key = 'counter'"))
                tx.connection.execute("UPDATE meta SET value = ? WHERE key = 'counter'", (str(value + 1),))
                author.record(tx, project, author.episode(session, f"thread {number} at {value}".encode()))
            with store.read() as view:
                seen.append(view.episodes.count(project))
                assert view.episodes.count(project) == seen[-1], "a view is unmoved by what others write"
        return seen

    with ThreadPoolExecutor(8) as pool:
        for seen in pool.map(work, range(8)):
            assert seen == sorted(seen)
    with store.read() as view:
        assert view.connection.value("SELECT value FROM meta WHERE key = 'counter'") == "80"
    assert _count(store) == 80
    assert store.check(deep=True) == []


def test_a_view_sees_the_store_as_it_was_when_it_began(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
    with store.read() as view:
        assert view.episodes.count(project) == 0
        with store.write() as tx:
            author.record(tx, project, author.episode(session, b"later"))
        assert view.episodes.count(project) == 0
    assert _count(store) == 1


def test_an_iterator_left_half_read_does_not_keep_the_next_reader_in_the_past(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        for number in range(3):
            author.record(tx, project, author.episode(session, b"%d" % number))
    with store.read() as view:
        half_read = view.episodes.all(project)
        next(half_read)
    with store.write() as tx:
        author.record(tx, project, author.episode(session, b"new"))
    assert _count(store) == 4


def test_a_thread_that_waits_too_long_for_another_is_told_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "moored.db", busy_timeout_ms=20)
    holding, release = threading.Event(), threading.Event()

    def hold() -> None:
        with store.write():
            holding.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert holding.wait(30)
    with pytest.raises(StoreLocked, match="another thread of this process"), store.write():
        pass
    release.set()
    thread.join(30)
    with store.write():
        pass
    store.close()


def test_a_transaction_inside_a_transaction_is_refused_and_both_leave_nothing(store: Store) -> None:
    def nested() -> None:
        with store.write() as tx:
            Author().begin(tx)
            with store.write():
                pass

    with pytest.raises(StoreError):
        nested()
    with store.read() as view:
        assert view.projects.all() == []


def test_a_block_that_raises_leaves_nothing(store: Store) -> None:
    class Surprise(Exception):
        pass

    def fail() -> None:
        with store.write() as tx:
            Author().begin(tx)
            raise Surprise

    with pytest.raises(Surprise):
        fail()
    with store.read() as view:
        assert view.projects.all() == []


@pytest.mark.parametrize("use", [lambda store: store.read(), lambda store: store.write()], ids=["read", "write"])
def test_a_closed_store_says_that_it_is_closed(store: Store, use: Callable[[Store], object]) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="was closed"), use(store):  # type: ignore[attr-defined] - a context manager
        pass


def test_a_reader_finishes_when_another_thread_closes_the_store(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, _, _ = author.begin(tx)
    with store.read() as view:
        closer = threading.Thread(target=store.close)
        closer.start()
        closer.join(30)
        assert view.episodes.count(project) == 0
    assert _open_files(store.path) == []


def _open_files(path: Path) -> list[str]:
    targets = [Path(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]  # noqa: PTH208 - closed at once
    return [str(target.readlink()) for target in targets if target.is_symlink() and str(path) in str(target.readlink())]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files by /proc")
def test_two_hundred_opened_and_closed_stores_leave_no_file_open(tmp_path: Path) -> None:
    path = tmp_path / "moored.db"
    for _ in range(200):
        store = Store(path)
        with store.read() as view:
            view.projects.all()
        with store.write():
            pass
        store.close()
    assert _open_files(path) == []


def test_connections_for_reading_are_kept_up_to_a_limit(store: Store) -> None:
    barrier = threading.Barrier(IDLE_VIEWS + 4)

    def read(_: int) -> int:
        with store.read() as view:
            barrier.wait(30)
            return len(view.projects.all())

    with ThreadPoolExecutor(IDLE_VIEWS + 4) as pool:
        assert sum(pool.map(read, range(IDLE_VIEWS + 4))) == 0
    assert len(store._idle_views) == IDLE_VIEWS
