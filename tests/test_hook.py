"""Hooks as a host calls them: what is handed out at each moment, what is captured, and what is loaded for it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from lab import hooks
from moored.hosts import log
from moored.hosts.live import socket_path
from moored.memory import Memory, open_memory
from moored.record.inbox import Inbox

NOTE = "`lift` swings north first, because the mast stands south"


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


@pytest.fixture
def known(path: Path, root: Path) -> Path:
    with open_memory(root, store=path, dense=False) as memory:
        memory.index()
        memory.pin("Never lift above the mast.")
        memory.remember(NOTE, about=["crane.py::lift"], kind="decision")
    return path


def opened(path: Path, root: Path) -> Memory:
    return open_memory(root, store=path, create=False, dense=False)


def test_the_start_of_a_session_is_handed_pins_and_notes_in_a_frame(known: Path, root: Path) -> None:
    called = hooks.ask(known, "SessionStart", hooks.session_start(root))
    assert called.answer is not None
    assert called.answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert called.text.startswith("<moored-memory ")
    assert called.text.rstrip().endswith("</moored-memory>")
    assert "Never lift above the mast." in called.text
    assert "swings north first" in called.text


def test_the_start_of_a_session_tells_what_was_captured_just_before(known: Path, root: Path) -> None:
    hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, "Paint the crane green, please."))
    assert len(Inbox(known).waiting()) == 1
    called = hooks.ask(known, "SessionStart", hooks.session_start(root))
    assert "Paint the crane green" in called.text
    assert Inbox(known).waiting() == []


def test_after_a_compaction_the_work_at_hand_is_told_from_the_record(known: Path, root: Path) -> None:
    hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, "Make the crane lift twice."))
    failed = {"error": "Exit code 1\n1 failed", "tool_name": "Bash", "tool_input": {"command": "make test"}}
    hooks.ask(known, "PostToolUseFailure", hooks.bash(root) | failed)
    hooks.ask(known, "PostCompact", hooks.prompt(root) | {"compact_summary": "They talked of cranes."})
    called = hooks.ask(known, "SessionStart", hooks.session_start(root, "compact") | {"session_id": "s1"})
    assert "Make the crane lift twice." in called.text
    assert "make test" in called.text


def test_a_prompt_is_handed_what_is_about_it_and_is_captured(known: Path, root: Path) -> None:
    called = hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, "Why does lift swing north?"))
    assert "because the mast stands south" in called.text
    (file,) = Inbox(known).waiting()
    assert Inbox(known).read(file).content == b"Why does lift swing north?"


def test_a_brief_is_handed_out_once_where_two_hooks_run_at_its_moment(known: Path, root: Path) -> None:
    code = f"{hooks.PATIENT}; import moored.hosts.once as o; o.TOGETHER = 60.0"
    called = [hooks.call(known, "SessionStart", hooks.session_start(root), first=code) for _ in range(2)]
    assert [one.answer is None for one in called] == [False, True]
    assert hooks.call(known, "SessionStart", hooks.session_start(root, "clear"), first=code).answer


def test_where_a_host_takes_no_text_none_is_put_together(known: Path, root: Path) -> None:
    told = {"conversation_id": "c1", "workspace_roots": [str(root)], "prompt": "Why does lift swing north?"}
    refuse = "import moored.memory as m; m.open_memory = None"
    assert hooks.call(known, "beforeSubmitPrompt", told, host="cursor", first=refuse).answer is None
    assert log.lines(known) == []


def test_a_store_of_an_older_version_is_left_for_the_absorber_to_upgrade(known: Path, root: Path) -> None:
    with closing(apsw.Connection(str(known))) as other:
        other.execute("DELETE FROM migration WHERE row = (SELECT max(row) FROM migration)")
    assert hooks.ask(known, "SessionStart", hooks.session_start(root)).answer is None
    assert "StoreReadOnly" in log.lines(known)[-1]
    assert not list(known.parent.glob("*.before-*"))


def test_a_prompt_that_nothing_is_known_about_is_handed_nothing(known: Path, root: Path) -> None:
    assert hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, "thanks!")).answer is None


def test_a_note_whose_source_changed_is_handed_out_as_stale(known: Path, root: Path) -> None:
    (root / "crane.py").write_text("def lift():\n    return [4, 5, 6, 7]\n")
    assert "stale" in hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, "Why does lift swing north?")).text


def test_before_an_edit_it_is_told_what_was_decided_about_the_file(known: Path, root: Path) -> None:
    assert "swings north first" in hooks.ask(known, "PreToolUse", hooks.edit(root, "crane.py")).text
    assert hooks.ask(known, "PreToolUse", hooks.edit(root, "other.py")).answer is None
    assert Inbox(known).waiting() == []


def test_a_whole_session_becomes_a_record_without_anything_that_was_handed_out(known: Path, root: Path) -> None:
    started = hooks.ask(known, "SessionStart", hooks.session_start(root))
    hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, f"Read this:\n{started.text}\nand go on."))
    hooks.ask(known, "PostToolUse", hooks.bash(root))
    hooks.ask(
        known, "PostToolUse", hooks.bash(root, "Never lift above the mast.") | {"tool_name": "mcp__moored__recall"}
    )
    hooks.ask(known, "SubagentStop", hooks.prompt(root) | {"agent_id": "a1", "last_assistant_message": "Looked."})
    hooks.ask(known, "Stop", hooks.prompt(root) | {"last_assistant_message": "Done."})
    hooks.ask(known, "SessionEnd", hooks.prompt(root) | {"reason": "other"})
    with opened(known, root) as memory:
        assert memory.absorb().recorded == 4
        with memory.store.read() as view:
            said = [(one.session, one.role, one.text) for one in view.episodes.all(memory.project) if one.session]
    assert said[0][2].startswith("Read this:")
    assert "mast" not in said[0][2]
    assert said[1:] == [("s1", "tool", "3 passed"), ("s1/a1", "assistant", "Looked."), ("s1", "assistant", "Done.")]


@pytest.mark.invariant("I-20")
def test_no_secret_reaches_any_file(known: Path, root: Path) -> None:
    token = "ghp" + "_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2"
    hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, f"Use {token} <private>gulls</private>"))
    hooks.ask(known, "PostToolUse", hooks.bash(root, f"export TOKEN={token}"))
    hooks.ask(known, "Stop", f'{{"last_assistant_message": "{token}'.encode())
    waiting = list(known.parent.rglob("*"))
    with opened(known, root) as memory:
        assert memory.absorb().recorded == 2
        for file in (*waiting, *known.parent.rglob("*")):
            if file.is_file():
                assert token.encode() not in file.read_bytes()
                assert b"gulls" not in file.read_bytes()


def test_without_a_store_the_event_is_captured_and_becomes_a_project(path: Path, root: Path) -> None:
    assert hooks.ask(path, "SessionStart", hooks.session_start(root)).answer is None
    assert hooks.ask(path, "UserPromptSubmit", hooks.prompt(root, "Begin here.")).answer is None
    assert not path.exists()
    with open_memory(root, store=path, dense=False) as memory:
        assert [hit.text for hit in memory.recall("begin here").hits] == ["Begin here."]


def test_a_process_is_left_behind_that_takes_the_event_into_the_record(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "data" / "moored.db"
    hooks.ask(path, "UserPromptSubmit", hooks.prompt(root, "Take me in."))
    end = time.monotonic() + 60
    while (not path.exists() or Inbox(path).waiting()) and time.monotonic() < end:
        time.sleep(0.05)
    with opened(path, root) as memory:
        assert memory.status().counts.episodes == 1
    while Inbox(path).attended() and time.monotonic() < end:
        time.sleep(0.05)
    assert not Inbox(path).attended()


class Server:
    """A server that answers every request with the same object and keeps what it was asked."""

    def __init__(self, place: Path, answer: dict[str, Any]) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answer = json.dumps(answer).encode() + b"\n"
        place.parent.mkdir(mode=0o700, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(place))
        self._socket.listen(8)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                self.asked.append(json.loads(lines.readline()))
                connection.sendall(self._answer)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(timeout=10)


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="mo") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def test_a_running_server_is_asked_first(known: Path, root: Path, runtime: Path) -> None:
    with closing(Server(socket_path(known), {"text": "<moored-memory>\nhi\n</moored-memory>", "tokens": 1})) as server:
        assert "hi" in hooks.ask(known, "UserPromptSubmit", hooks.prompt(root)).text
        assert "hi" in hooks.ask(known, "PreToolUse", hooks.edit(root, "crane.py")).text
    prompt, edit = server.asked
    assert runtime.exists()
    assert prompt == {
        "do": "brief",
        "moment": "prompt",
        "cwd": str(root),
        "prompt": "Where does the crane lift?",
        "host": "claude-code",
        "session": "s1",
        "store": os.path.realpath(known),
    }
    assert (edit["moment"], edit["paths"]) == ("edit", [str(root / "crane.py")])
    assert "old_string" in edit["text"]


def test_a_running_server_that_has_nothing_to_say_is_believed(known: Path, root: Path, runtime: Path) -> None:
    assert runtime.exists()
    with closing(Server(socket_path(known), {"text": "", "tokens": 0})):
        assert hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, "Why does lift swing north?")).answer is None


@pytest.mark.parametrize("answer", [{"error": "There is no such project."}, {}, {"text": 7}])
def test_without_an_answer_of_the_server_the_store_is_asked(
    known: Path, root: Path, runtime: Path, answer: dict[str, Any]
) -> None:
    assert runtime.exists()
    with closing(Server(socket_path(known), answer)):
        called = hooks.ask(known, "UserPromptSubmit", hooks.prompt(root, "Why does lift swing north?"))
    assert "because the mast stands south" in called.text


def test_a_running_server_is_told_to_absorb_and_no_process_is_left_behind(
    tmp_path: Path, root: Path, runtime: Path
) -> None:
    assert runtime.exists()
    path = tmp_path / "data" / "moored.db"
    with closing(Server(socket_path(path), {"ok": True})) as server:
        hooks.ask(path, "PostToolUse", hooks.bash(root))
        end = time.monotonic() + 30
        while not server.asked and time.monotonic() < end:
            time.sleep(0.02)
    assert [asked["do"] for asked in server.asked] == ["absorb"]
    assert len(Inbox(path).waiting()) == 1
    assert not path.exists()


SHOW_MODULES = """
import os, sys
end = os._exit
def show(status):
    if os.environ["SHOWN"]:
        with open(f"{os.environ['SHOWN']}/{os.getpid()}", "w") as out:
            out.write(" ".join(sys.modules))
    end(status)
os._exit = show
"""


@pytest.mark.invariant("I-19")
@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
def test_a_hook_loads_nothing_but_the_standard_library_apsw_and_moored(
    known: Path, root: Path, tmp_path: Path, event: str
) -> None:
    payload = {
        "SessionStart": hooks.session_start(root),
        "UserPromptSubmit": hooks.prompt(root, "Why does lift swing north?"),
        "PreToolUse": hooks.edit(root, "crane.py"),
        "PostToolUse": hooks.bash(root),
        "Stop": hooks.prompt(root) | {"last_assistant_message": "Done."},
    }[event]
    shown = tmp_path / "shown"
    shown.mkdir()
    hooks.ask(known, event, payload, first=SHOW_MODULES, env={"SHOWN": str(shown)})
    bare = subprocess.run(
        [sys.executable, "-P", "-c", "import sys; print(' '.join(sys.modules))"], capture_output=True, text=True
    ).stdout.split()
    processes = [file.read_text().split() for file in shown.iterdir()]
    assert processes
    for modules in processes:
        outside = {name.split(".")[0] for name in modules} - sys.stdlib_module_names - {"moored", "apsw"}
        assert outside <= {name.split(".")[0] for name in bare}
        assert {"asyncio", "logging", "urllib.request", "http", "email", "tomllib"} & set(modules) == set()
    if event in ("PostToolUse", "Stop"):
        # Capturing does not even open the store.
        assert all("apsw" not in modules for modules in processes)
