"""The private socket between hooks and a running server: nobody waits for it, and one server at a time holds it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import moored.hosts.live as client
from moored.hosts.live import LONGEST, ask, is_own, is_private, socket_path
from moored.server import live
from moored.server.live import Live

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")

SOON = 10.0
"""Seconds after which a test gives up waiting for what takes milliseconds."""

LATE = 5.0
"""Seconds that nobody waits who was told to wait for a tenth of one, on however busy a machine."""

PAUSE = 0.02


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store's path, with a runtime folder whose name is short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="m", dir="/tmp"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    yield folder / "moored.db"
    shutil.rmtree(folder)


def service(
    store: Path,
    brief: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
    absorb: Callable[[], object] = lambda: None,
) -> Live:
    return Live(store, brief=brief, absorb=absorb, pause=PAUSE)


def pings(store: Path) -> bool:
    return ask(store, {"do": "ping"}, SOON) == {"ok": True}


def until(condition: Callable[[], bool]) -> None:
    end = monotonic() + SOON
    while not condition():
        assert monotonic() < end, "it did not come about"
        threading.Event().wait(PAUSE)


@contextmanager
def answering(store: Path, answer: Callable[[socket.socket], None]) -> Iterator[None]:
    """A process of the same user that took the socket and does there as it likes."""
    path = socket_path(store)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen(1)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                answer(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield
        finally:
            thread.join(SOON)
    path.unlink()


def test_a_running_server_answers(store: Path) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
        assert pings(store)


def test_without_a_server_there_is_no_answer(store: Path) -> None:
    assert ask(store, {"do": "ping"}, SOON) is None


def test_a_server_that_has_ended_leaves_no_socket(store: Path) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
    assert not socket_path(store).exists()
    assert ask(store, {"do": "ping"}, SOON) is None


def test_a_request_for_another_store_is_refused(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
        monkeypatch.setattr(client, "socket_path", lambda _: socket_path(store))
        answer = ask(store.with_name("other.db"), {"do": "ping"}, SOON)
    assert answer is not None
    assert str(store) in answer["error"]


def test_a_link_to_a_store_leads_to_the_same_server(store: Path) -> None:
    store.touch()
    link = store.with_name("link.db")
    link.symlink_to(store)
    with service(store) as running:
        assert running.listening.wait(SOON)
        assert pings(link)


def test_a_brief_is_what_the_server_computes(store: Path) -> None:
    asked: list[Mapping[str, Any]] = []

    def brief(request: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(request)
        return {"text": "Pinned: ports are above 1024 ⚓", "tokens": 9}

    with service(store, brief) as running:
        assert running.listening.wait(SOON)
        answer = ask(store, {"do": "brief", "moment": "prompt", "prompt": "which port?"}, SOON)
    assert answer == {"text": "Pinned: ports are above 1024 ⚓", "tokens": 9}
    assert asked[0]["prompt"] == "which port?"


def test_a_brief_that_fails_is_an_error_and_the_server_goes_on(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    def brief(request: Mapping[str, Any]) -> Mapping[str, Any]:
        raise ZeroDivisionError

    with service(store, brief) as running:
        assert running.listening.wait(SOON)
        answer = ask(store, {"do": "brief"}, SOON)
        assert answer is not None
        assert answer.keys() == {"error"}
        assert "ZeroDivisionError" in caplog.text
        assert pings(store)


def test_an_absorb_is_acknowledged_before_it_is_done(store: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def absorb() -> None:
        begun.set()
        assert go_on.wait(SOON)

    with service(store, absorb=absorb) as running:
        assert running.listening.wait(SOON)
        assert ask(store, {"do": "absorb"}, SOON) == {"ok": True}
        assert begun.wait(SOON)
        assert pings(store)
        go_on.set()


def test_what_comes_while_absorbing_is_absorbed_next(store: Path) -> None:
    times: list[int] = []
    begun, go_on, again = threading.Event(), threading.Event(), threading.Event()

    def absorb() -> None:
        times.append(1)
        if len(times) == 1:
            begun.set()
            assert go_on.wait(SOON)
        else:
            again.set()

    with service(store, absorb=absorb) as running:
        assert running.listening.wait(SOON)
        assert ask(store, {"do": "absorb"}, SOON)
        assert begun.wait(SOON)
        for _ in range(5):
            assert ask(store, {"do": "absorb"}, SOON)
        go_on.set()
        assert again.wait(SOON)
    assert len(times) == 2


def test_an_absorb_that_fails_does_not_end_absorbing(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    done = threading.Event()

    def absorb() -> None:
        if not caplog.records:
            raise ZeroDivisionError
        done.set()

    with service(store, absorb=absorb) as running:
        assert running.listening.wait(SOON)
        assert ask(store, {"do": "absorb"}, SOON)
        until(lambda: bool(caplog.records))
        assert ask(store, {"do": "absorb"}, SOON)
        assert done.wait(SOON)


def test_another_server_takes_over_when_the_holder_ends(store: Path) -> None:
    first, second = service(store), service(store)
    first.start()
    assert first.listening.wait(SOON)
    second.start()
    assert not second.listening.wait(PAUSE * 5)
    first.stop()
    assert second.listening.wait(SOON)
    assert pings(store)
    second.stop()


HOLDER = """
import sys
from pathlib import Path
from moored.server.live import Live
Live(Path(sys.argv[1]), brief=dict, absorb=lambda: None).start()
sys.stdin.read()
"""


def test_the_socket_of_a_killed_server_is_replaced(store: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(store)], stdin=subprocess.PIPE) as holder:
        until(lambda: pings(store) if socket_path(store).exists() else False)
        with service(store) as running:
            assert not running.listening.is_set()
            holder.send_signal(signal.SIGKILL)
            holder.wait(SOON)
            assert running.listening.wait(SOON)
            assert pings(store)


def test_a_swept_folder_is_listened_in_again(store: Path) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
        shutil.rmtree(socket_path(store).parent)
        until(lambda: socket_path(store).exists())
        until(lambda: pings(store))


def test_folder_and_socket_are_private(store: Path) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
        assert socket_path(store).stat().st_mode & 0o777 == 0o600
        assert socket_path(store).parent.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_enter_is_used_by_neither_side(store: Path) -> None:
    with answering(store, lambda connection: connection.sendall(b'{"ok": true}\n')):
        socket_path(store).parent.chmod(0o755)
        assert ask(store, {"do": "ping"}, SOON) is None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(socket_path(store)))
            assert connection.recv(100)
    with service(store) as running:
        assert not running.listening.wait(PAUSE * 5)


def test_a_link_is_no_private_folder(store: Path) -> None:
    (store.parent / "real").mkdir(mode=0o700)
    (store.parent / "link").symlink_to(store.parent / "real")
    assert is_private(store.parent / "real")
    assert not is_private(store.parent / "link")


def test_a_process_of_another_user_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert is_own(ours)
        if hasattr(socket, "SO_PEERCRED"):
            monkeypatch.setattr(client, "_user", lambda: os.geteuid() + 1)
            assert not is_own(ours)


def test_without_a_runtime_folder_the_socket_is_below_the_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert socket_path(tmp_path / "moored.db").parent == tmp_path / f"moored-{os.geteuid()}"


@pytest.mark.parametrize("said", [b"", b'{"text": ', b" "], ids=["nothing", "half an answer", "a space"])
def test_a_server_that_hangs_is_left_in_time(store: Path, said: bytes) -> None:
    left = threading.Event()

    def hang(connection: socket.socket) -> None:
        connection.sendall(said)
        assert left.wait(SOON)

    with answering(store, hang):
        began = monotonic()
        assert ask(store, {"do": "ping"}, 0.1) is None
        assert monotonic() - began < LATE
        left.set()


def test_a_server_that_drips_is_left_in_time(store: Path) -> None:
    def drip(connection: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection.sendall(b" ")
                threading.Event().wait(0.02)

    with answering(store, drip):
        began = monotonic()
        assert ask(store, {"do": "ping"}, 0.2) is None
        assert monotonic() - began < LATE


def test_a_server_that_accepts_nobody_is_left_in_time(store: Path) -> None:
    path = socket_path(store)
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen(0)
        for _ in range(3):
            began = monotonic()
            assert ask(store, {"do": "ping"}, 0.1) is None
            assert monotonic() - began < LATE


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    said=st.binary(max_size=200) | st.sampled_from([b"[]\n", b"null\n", b"1e999\n", b"[" * 5000 + b"\n", b"{}\n{}\n"])
)
def test_whatever_a_server_says_asking_never_raises(store: Path, said: bytes) -> None:
    def say(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(said)

    with answering(store, say):
        answer = ask(store, {"do": "ping"}, SOON)
    assert answer is None or isinstance(answer, dict)


def test_an_answer_without_end_is_not_read_to_its_end(store: Path) -> None:
    sent = 0

    def flood(connection: socket.socket) -> None:
        nonlocal sent
        with suppress(OSError):
            while sent < 50 * LONGEST:
                sent += connection.send(b" " * 65_536)

    with answering(store, flood):
        assert ask(store, {"do": "ping"}, SOON) is None
    assert sent < 4 * LONGEST


def test_a_request_that_is_too_large_is_not_sent(store: Path) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
        assert ask(store, {"do": "brief", "text": "x" * LONGEST}, SOON) is None
        assert pings(store)


@pytest.mark.parametrize(
    "line", [b"nonsense\n", b"[]\n", b'{"do": "ping"}\n', b"\xff\n", b"x" * (LONGEST + 1), b"[" * 100_000 + b"\n"]
)
def test_what_is_no_request_is_no_harm(store: Path, line: bytes) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(SOON)
            connection.connect(str(socket_path(store)))
            try:
                connection.sendall(line)
                answer = connection.recv(65_536)
            except (BrokenPipeError, ConnectionResetError):
                answer = b""
        assert not answer or "error" in json.loads(answer)
        assert pings(store)


def test_an_unknown_request_is_told_what_there_is(store: Path) -> None:
    with service(store) as running:
        assert running.listening.wait(SOON)
        answer = ask(store, {"do": "dance"}, SOON)
    assert answer is not None
    assert "absorb" in answer["error"]


def test_clients_that_say_nothing_do_not_keep_the_server(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "REQUEST_SECONDS", 0.2)
    with service(store) as running:
        assert running.listening.wait(SOON)
        silent = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(live.AT_ONCE * 2)]
        for connection in silent:
            connection.settimeout(SOON)
            connection.connect(str(socket_path(store)))
        until(lambda: pings(store))
        for connection in silent:
            assert connection.recv(1) == b""
            connection.close()
