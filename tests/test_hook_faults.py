"""The fault matrix of the hooks: whatever is wrong, a hook exits with 0 in time, says one JSON object or nothing, and
keeps what could be kept (I-19)."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from lab import hooks
from moored.absorb import absorb
from moored.hook import SENDING
from moored.hosts import log
from moored.hosts.live import socket_path
from moored.memory import open_memory
from moored.model.clock import SystemClock
from moored.model.episodes import Episode
from moored.model.ids import RandomIds
from moored.record.inbox import Inbox
from moored.store.sqlite.store import Store

NOBODY = 65534
GIGABYTE = 1 << 30

pytestmark = pytest.mark.invariant("I-19")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "crane.py").write_text("def lift():\n    return [1, 2, 3]\n")
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Generator[Path]:
    """A store's place, at which no absorber starts by itself."""
    store = tmp_path / "data" / "moored.db"
    with Inbox(store).attending():
        yield store


def fill(path: Path, root: Path) -> None:
    with open_memory(root, store=path, dense=False) as memory:
        memory.index()
        memory.pin("Never lift above the mast.")
        memory.remember("`lift` swings north first", about=["crane.py::lift"], kind="decision")


def settled(path: Path, count: int) -> bool:
    """Whether so many entries wait, after a bounded wait: on a busy machine a child captures after its hook ended."""
    end = time.monotonic() + 30
    while len(Inbox(path).waiting()) < count and time.monotonic() < end:
        time.sleep(0.02)
    return len(Inbox(path).waiting()) == count


def recorded(path: Path, root: Path, waiting: int = 1) -> list[Episode]:
    """What is in the record when everything is absorbed that waits: so many entries."""
    assert settled(path, waiting)
    store = Store(path)
    absorb(store, clock=SystemClock(), ids=RandomIds(), patience=30.0, ledger=False)
    store.close()
    assert Inbox(path).waiting() == []
    with open_memory(root, store=path, create=False, dense=False) as memory, memory.store.read() as view:
        return [one for one in view.episodes.all(memory.project) if one.session]


@contextmanager
def locked(path: Path, root: Path) -> Generator[None]:
    fill(path, root)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def locked_for_readers(path: Path, root: Path) -> Generator[None]:
    fill(path, root)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("PRAGMA locking_mode = exclusive")
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def missing(path: Path, root: Path) -> Generator[None]:
    del path, root
    yield


@contextmanager
def empty(path: Path, root: Path) -> Generator[None]:
    del root
    path.write_bytes(b"")
    yield


@contextmanager
def corrupt(path: Path, root: Path) -> Generator[None]:
    fill(path, root)
    kept = path.read_bytes()
    path.write_bytes(kept[:100] + b"\xa5" * (len(kept) - 100))
    yield
    path.write_bytes(kept)


@contextmanager
def no_database(path: Path, root: Path) -> Generator[None]:
    del root
    path.write_bytes(b"no database at all " * 500)
    yield
    path.unlink()


@contextmanager
def newer(path: Path, root: Path) -> Generator[None]:
    fill(path, root)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("INSERT INTO migration (name, at) VALUES ('m9999_future', 1)")
        yield
        other.execute("DELETE FROM migration WHERE name = 'm9999_future'")


@contextmanager
def huge(path: Path, root: Path) -> Generator[None]:
    """A gigabyte of which most is a hole in the file: pages that nothing uses."""
    fill(path, root)
    with path.open("r+b") as file:
        page = struct.unpack(">H", file.read(18)[16:])[0] or 65_536
        file.truncate(GIGABYTE)
        file.seek(28)
        file.write(struct.pack(">I", GIGABYTE // page))
    yield


@contextmanager
def a_folder(path: Path, root: Path) -> Generator[None]:
    del root
    path.mkdir()
    yield
    path.rmdir()


FAULTS = [missing, empty, locked, locked_for_readers, corrupt, no_database, newer, huge, a_folder]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_whatever_state_the_store_is_in_nothing_is_lost_and_nobody_waits(
    path: Path, root: Path, fault: Callable[[Path, Path], object]
) -> None:
    with fault(path, root):  # pyright: ignore[reportGeneralTypeIssues]
        hooks.call(path, "SessionStart", hooks.session_start(root))
        hooks.call(path, "UserPromptSubmit", hooks.prompt(root))
        hooks.call(path, "PreToolUse", hooks.edit(root, "crane.py"))
        hooks.call(path, "PostToolUse", hooks.bash(root))
        assert settled(path, 2)
        if fault in (locked, huge):
            # Reading goes on.
            started = hooks.ask(path, "SessionStart", hooks.session_start(root) | {"session_id": "another"})
            assert "Never lift above the mast." in started.text
    contents = [episode.content for episode in recorded(path, root, 0 if fault is huge else 2)]
    assert contents == [b"Where does the crane lift?", b"3 passed"]


BECOME_NOBODY = f"""
import os, fcntl, json, apsw, select, socket, moored.absorb, moored.memory, moored.hosts.claude_code, moored.hosts.live
import moored.hosts.capture, moored.record.ignored, moored.hosts.log, moored.store.sqlite.store, platformdirs.unix
import moored.recall.selector, moored.context.brief, _thread, encodings.ascii, moored.recall.policy, moored.recall.query
if os.geteuid() == 0:
    os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
"""


def test_where_neither_store_nor_folder_can_be_written_the_event_is_kept_in_the_users_state_folder(root: Path) -> None:
    # Not in tmp_path, which only its owner can enter.
    with tempfile.TemporaryDirectory() as folder:
        place, state = Path(folder) / "data", Path(folder) / "state"
        path = place / "moored.db"
        fill(path, root)
        state.mkdir()
        for one in (Path(folder), place):
            one.chmod(0o755)
        state.chmod(0o777)
        for file in place.iterdir():
            file.chmod(0o444)
        place.chmod(0o555)
        try:
            env = {"XDG_STATE_HOME": str(state)}
            payload = hooks.prompt(Path(folder))
            hooks.call(path, "UserPromptSubmit", payload, first=BECOME_NOBODY, env=env)
            hooks.call(path, "SessionStart", hooks.session_start(Path(folder)), first=BECOME_NOBODY, env=env)
            (kept,) = state.glob("moored/*/inbox/*.entry")
            assert Inbox(path).read(kept).content == b"Where does the crane lift?"
        finally:
            place.chmod(0o755)


def test_when_the_disk_is_full_nobody_waits_and_nothing_half_written_stays(path: Path, root: Path) -> None:
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))"
    hooks.call(path, "PostToolUse", hooks.bash(root, "x" * 100_000), first=full)
    hooks.call(path, "PostToolUse", hooks.bash(root, "short", "toolu_9"), first=full)
    assert settled(path, 1)
    assert [Inbox(path).read(file).content for file in Inbox(path).waiting()] == [b"short"]
    assert not list(Inbox(path).folder.glob("*.part"))
    assert any("OSError: File too large" in line for line in log.lines(path))


def test_where_nothing_at_all_can_be_written_the_host_does_not_notice(path: Path, root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = {"MOORED_STORE": str(tmp_path / "file" / "moored.db"), "XDG_STATE_HOME": str(tmp_path / "file")}
    for event, payload in (
        ("UserPromptSubmit", hooks.prompt(root)),
        ("SessionStart", hooks.session_start(root)),
    ):
        assert hooks.call(path, event, payload, env=env).answer is None


PAYLOADS = {
    "nothing": b"",
    "null": b"null",
    "list": b"[]",
    "number": b"1e999",
    "text": b'"prompt"',
    "truncated": b'{"session_id": "s1", "prompt": "Whe',
    "no JSON": b"\x00\xff\xfe",
    "empty object": b"{}",
    "deep": b'{"a":' * 100_000,
    "types": b'{"session_id": 7, "cwd": [], "prompt": {"a": 1}, "tool_name": null, "tool_input": 3, "source": {}}',
}


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_whatever_the_host_sends_is_answered_with_nothing(path: Path, root: Path, event: str, payload: bytes) -> None:
    assert hooks.call(path, event, payload).answer is None
    store = Store(path)
    done = absorb(store, clock=SystemClock(), ids=RandomIds(), ledger=False)
    store.close()
    assert (done.failed, done.left) == (0, 0)


@pytest.mark.parametrize("folder", ["/nowhere/\\udc80", "/a\\u0000b"], ids=["not UTF-8", "NUL"])
def test_what_happened_in_a_folder_of_which_no_store_can_speak_is_set_aside(path: Path, folder: str) -> None:
    hooks.call(path, "UserPromptSubmit", f'{{"prompt": "Half \\ud83d", "cwd": "{folder}"}}'.encode())
    store = Store(path)
    done = absorb(store, clock=SystemClock(), ids=RandomIds(), ledger=False)
    store.close()
    assert (done.failed, done.left) == (1, 0)
    (file,) = Inbox(path).failed()
    assert Inbox(path).read(file).content == b"Half \xed\xa0\xbd"


@pytest.mark.parametrize("arguments", [("claude-code", "NoSuchEvent"), ("no-such-host", "Stop"), ("../x", "Stop")])
def test_an_unknown_host_or_event_is_answered_with_nothing_and_logged(path: Path, arguments: tuple[str, str]) -> None:
    host, event = arguments
    assert hooks.call(path, event, {"prompt": "x"}, host=host).answer is None
    assert "no such host or event" in log.lines(path)[-1]


def test_fields_that_are_missing_do_not_keep_what_is_there_from_being_kept(path: Path, root: Path) -> None:
    hooks.call(path, "UserPromptSubmit", {"prompt": "Only this."})
    assert settled(path, 1)
    (file,) = Inbox(path).waiting()
    assert Inbox(path).read(file).content == b"Only this."
    assert Path(Inbox(path).read(file).cwd) == Path.cwd()
    assert root


def test_bytes_that_are_not_utf8_are_kept_as_they_came(path: Path, root: Path) -> None:
    payload = json.dumps(hooks.bash(root, "HERE")).encode().replace(b"HERE", b"caf\xe9 \xff\xc3")
    hooks.call(path, "PostToolUse", payload)
    assert [episode.content for episode in recorded(path, root)] == [b"caf\xe9 \xff\xc3"]


def test_fifty_megabytes_of_output_keep_nobody_waiting_and_are_kept_whole(path: Path, root: Path) -> None:
    line = "the crane lifts, and the winch winds, and so on, and so forth, until it is evening\n"
    output = line * (50_000_000 // len(line))
    hooks.call(path, "PostToolUse", hooks.bash(root, output))
    inbox = Inbox(path)
    assert settled(path, 2)
    entries = [inbox.read(file) for file in inbox.waiting()]
    assert b"".join(entry.content for entry in entries) == output.encode()
    assert [entry.host_event for entry in entries] == ["tool:toolu_1", "tool:toolu_1:part 2"]


@pytest.mark.parametrize(
    "now", [0, 1_000_000_000, 32_503_680_000, 400_000_000_000], ids=["1970", "2001", "3000", "far"]
)
def test_a_clock_that_jumps_loses_nothing(path: Path, root: Path, now: int) -> None:
    hooks.call(path, "UserPromptSubmit", hooks.prompt(root, "Before."))
    jump = f"import time; time.time = lambda: {now}.0; time.time_ns = lambda: {now} * 10**9"
    hooks.call(path, "UserPromptSubmit", hooks.prompt(root, "After the jump.", prompt_id="p2"), first=jump)
    contents = {episode.content: episode for episode in recorded(path, root, 2)}
    assert set(contents) == {b"Before.", b"After the jump."}


@pytest.mark.invariant("I-17")
def test_one_event_that_two_hooks_report_is_one_episode(path: Path, root: Path) -> None:
    # Cursor runs its own hooks and those that were set up for Claude Code.
    told = {
        "conversation_id": "c1",
        "generation_id": "g1",
        "cursor_version": "3.7",
        "workspace_roots": [str(root)],
        "prompt": "Where does the crane lift?",
    }
    hooks.call(path, "beforeSubmitPrompt", {**told, "hook_event_name": "beforeSubmitPrompt"}, host="cursor")
    hooks.call(path, "UserPromptSubmit", {**told, "hook_event_name": "UserPromptSubmit"}, host="claude-code")
    (episode,) = recorded(path, root, 2)
    assert (episode.host, episode.session) == ("cursor", "c1")


@pytest.mark.invariant("I-17")
def test_one_event_that_is_reported_three_times_at_once_is_one_episode(path: Path, root: Path) -> None:
    payload = json.dumps(hooks.bash(root)).encode()
    processes = [hooks.start(path, "PostToolUse") for _ in range(3)]
    for process in processes:
        assert process.stdin
        process.stdin.write(payload)
        process.stdin.close()
    for process in processes:
        with process:
            assert process.wait(timeout=30) == 0
    assert [episode.content for episode in recorded(path, root, 3)] == [b"3 passed"]


@pytest.mark.invariant("I-17")
def test_a_session_that_is_replayed_three_times_side_by_side_is_recorded_once(path: Path, root: Path) -> None:
    session = [
        ("UserPromptSubmit", hooks.prompt(root, "Make it lift twice.")),
        ("PostToolUse", hooks.edit(root, "crane.py", "toolu_1")),
        ("PostToolUse", hooks.bash(root, "1 failed", "toolu_2")),
        ("PostToolUse", hooks.bash(root, "1 failed", "toolu_3")),
        ("Stop", hooks.prompt(root, last_assistant_message="It lifts twice.")),
    ]

    def replay() -> None:
        for event, payload in session:
            hooks.ask(path, event, payload)

    threads = [threading.Thread(target=replay) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    once = recorded(path, root, 15)
    assert [episode.text for episode in once if episode.tool_name != "Edit"] == [
        "Make it lift twice.",
        "1 failed",
        "1 failed",
        "It lifts twice.",
    ]
    assert len(once) == len(session)
    replay()
    assert [episode.id for episode in recorded(path, root, 5)] == [episode.id for episode in once]


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A runtime folder with a short name: that of a socket may have about a hundred characters."""
    with tempfile.TemporaryDirectory(prefix="mo") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


@pytest.mark.parametrize("moment", ["UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionStart"])
def test_a_server_that_never_answers_keeps_nobody_waiting(path: Path, root: Path, runtime: Path, moment: str) -> None:
    fill(path, root)
    place = socket_path(path)
    assert place.is_relative_to(runtime)
    place.parent.mkdir(mode=0o700, exist_ok=True)
    payloads = {
        "UserPromptSubmit": hooks.prompt(root),
        "PreToolUse": hooks.edit(root, "crane.py"),
        "PostToolUse": hooks.bash(root),
        "SessionStart": hooks.session_start(root),
    }
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as server:
        server.bind(str(place))
        server.listen(8)
        hooks.call(path, moment, payloads[moment])
    expected = moment in ("UserPromptSubmit", "PostToolUse")
    assert settled(path, int(expected))


@pytest.mark.parametrize("sent", [b"", b'{"prompt": "'])
def test_a_host_that_never_finishes_sending_is_not_waited_for(path: Path, sent: bytes) -> None:
    began = time.monotonic()
    with hooks.start(path, "UserPromptSubmit") as process:
        assert process.stdin
        process.stdin.write(sent)
        process.stdin.flush()
        assert process.wait(timeout=30) == 0
        assert time.monotonic() - began < SENDING + hooks.ALLOWANCE
        assert process.stdout
        assert process.stdout.read() == b""


def test_a_host_without_stdin_or_stdout_is_served_all_the_same(path: Path, root: Path) -> None:
    fill(path, root)
    code = "from moored.hook import main; main()"
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" -P -c "{code}" claude-code SessionStart {closed}', sys.executable],
            input=json.dumps(hooks.session_start(root)).encode(),
            stdout=subprocess.DEVNULL,
            env={**os.environ, "MOORED_STORE": str(path)},
            timeout=30,
        )
        assert done.returncode == 0


def test_a_host_that_is_gone_before_the_answer_is_served_all_the_same(path: Path, root: Path) -> None:
    fill(path, root)
    with hooks.start(path, "SessionStart") as process:
        assert process.stdout
        process.stdout.close()
        assert process.stdin
        process.stdin.write(json.dumps(hooks.session_start(root)).encode())
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_a_disk_that_is_slower_than_the_deadline_loses_nothing(path: Path, root: Path) -> None:
    slow = "import os, time; real = os.fsync; os.fsync = lambda file: (time.sleep(1.5), real(file))[1]"
    called = hooks.call(path, "PostToolUse", hooks.bash(root), first=slow)
    assert called.seconds < 1.5
    assert [episode.content for episode in recorded(path, root)] == [b"3 passed"]


def test_reading_that_is_slower_than_the_deadline_is_given_up_without_an_answer(path: Path, root: Path) -> None:
    fill(path, root)
    slow = "import time, moored.memory; moored.memory.open_memory = lambda *_, **__: time.sleep(20)"
    assert hooks.call(path, "UserPromptSubmit", hooks.prompt(root), first=slow).answer is None
    assert any("the deadline passed" in line for line in log.lines(path))
    assert [episode.content for episode in recorded(path, root)] == [b"Where does the crane lift?"]


def test_the_log_says_nothing_of_what_was_said(path: Path, root: Path) -> None:
    path.write_bytes(b"no database at all " * 500)
    hooks.call(path, "UserPromptSubmit", hooks.prompt(root, "a very private matter"))
    hooks.call(path, "Stop", b'{"last_assistant_message": "a very private matter')
    lines = log.lines(path)
    assert lines
    assert not any("private" in line for line in lines)
    assert log.SUFFIX in (file := path.with_name(path.name + log.SUFFIX)).name
    assert file.stat().st_mode & 0o077 == 0


def test_the_log_stays_small(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    for number in range(2_000):
        log.note(path, f"{number} " + "trouble " * 100)
    sizes = [file.stat().st_size for file in path.parent.glob("*.hook.log*")]
    assert len(sizes) == 2
    assert max(sizes) <= log.LARGEST
    assert log.lines(path)[-1].split()[1] == "1999"
