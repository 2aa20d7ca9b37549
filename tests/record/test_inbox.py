"""The inbox: an entry is there whole or not at all, in order, and one process at a time takes entries out."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moored.record.inbox import Entry, Inbox, state_folder

ENTRY = Entry(
    content=b"\xff\x00 three\nlines\n",
    role="tool",
    channel="tool",
    host="claude-code",
    session="s/agent",
    host_event="tool:1",
    tool_name="Bash",
    tool_input='{"command": "make"}',
    exit_status=-1,
    occurred_at=1_750_000_000_000,
    cwd="/somewhere/ \u00e9",
    paths=("a.py", "b/\udcff.py"),
)


@pytest.fixture
def inbox(tmp_path: Path) -> Inbox:
    return Inbox(tmp_path / "data" / "moored.db")


def test_an_entry_comes_out_as_it_was_put_in(inbox: Inbox) -> None:
    assert inbox.read(inbox.put(ENTRY)) == ENTRY


@settings(max_examples=50, deadline=None)
@given(
    st.binary(max_size=300),
    st.text(st.characters(), max_size=40),
    st.lists(st.text(st.characters(), max_size=20), max_size=3),
)
def test_any_bytes_and_any_texts_come_out_as_they_were_put_in(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, text: str, paths: list[str]
) -> None:
    entry = Entry(content, "user", "user", session=text, tool_input=text, paths=tuple(paths))
    inbox = Inbox(tmp_path_factory.getbasetemp() / "any.db")
    file = inbox.put(entry)
    assert inbox.read(file) == entry
    inbox.remove(file)


def test_entries_wait_in_the_order_in_which_they_were_put(inbox: Inbox) -> None:
    files = [inbox.put(Entry(str(number).encode(), "user", "user")) for number in range(20)]
    assert inbox.waiting() == files
    assert [inbox.read(file).content for file in inbox.waiting()] == [str(number).encode() for number in range(20)]


def test_only_its_owner_can_read_what_was_captured(inbox: Inbox) -> None:
    file = inbox.put(ENTRY)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(inbox.folder.stat().st_mode) == 0o700


def test_an_inbox_that_was_never_used_is_empty_and_creates_nothing(inbox: Inbox) -> None:
    assert inbox.waiting() == []
    assert inbox.failed() == []
    assert not inbox.folder.parent.exists()


def test_where_the_stores_folder_cannot_be_written_the_users_state_folder_takes_the_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "blocked").write_text("a file where a folder would have to be")
    inbox = Inbox(tmp_path / "blocked" / "moored.db")
    file = inbox.put(ENTRY)
    assert file.is_relative_to(tmp_path / "state" / "moored")
    assert inbox.waiting() == [file]
    assert inbox.read(file) == ENTRY


def test_the_state_folders_of_two_stores_differ(tmp_path: Path) -> None:
    assert state_folder(tmp_path / "one.db") != state_folder(tmp_path / "two.db")


def test_entries_of_both_folders_are_in_one_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    inbox = Inbox(tmp_path / "moored.db")
    inbox.folder.write_text("in the way")
    first = inbox.put(ENTRY)
    inbox.folder.unlink()
    second = inbox.put(ENTRY)
    inbox.folder.rename(tmp_path / "aside")
    inbox.folder.write_text("in the way")
    third = inbox.put(ENTRY)
    inbox.folder.unlink()
    (tmp_path / "aside").rename(inbox.folder)
    assert inbox.waiting() == [first, second, third]


def test_when_neither_folder_takes_an_entry_that_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "blocked").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "blocked"))
    with pytest.raises(OSError, match="blocked"):
        Inbox(tmp_path / "blocked" / "moored.db").put(ENTRY)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = Inbox(tmp_path / "moored.db")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        inbox.put(ENTRY)
    assert [file.name for file in inbox.folder.iterdir()] == ["keys"]
    assert [file.name for file in inbox.fallback.iterdir()] == ["keys"]


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{", b"null\nx", b'{"size": 5, "role": "user", "channel": "user"}\nfour', b'{"size": 0, "colour": 1}\n'],
)
def test_a_file_that_is_no_whole_entry_is_told_apart(inbox: Inbox, damaged: bytes) -> None:
    file = inbox.put(ENTRY)
    file.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"entry|Expecting"):
        inbox.read(file)


def test_what_is_set_aside_waits_no_more_and_is_kept(inbox: Inbox) -> None:
    file = inbox.put(ENTRY)
    other = inbox.put(ENTRY)
    inbox.set_aside(file)
    assert inbox.waiting() == [other]
    assert [inbox.read(one) for one in inbox.failed()] == [ENTRY]


def test_half_written_files_are_removed_when_they_are_old_and_never_wait(inbox: Inbox) -> None:
    inbox.put(ENTRY)
    old, new = inbox.folder / "1.part", inbox.folder / "2.part"
    for file in (old, new):
        file.write_bytes(b"{")
    os.utime(old, (1, 1))
    inbox.sweep()
    assert not old.exists()
    assert new.exists()
    assert len(inbox.waiting()) == 1


def test_one_at_a_time_takes_entries_out(inbox: Inbox) -> None:
    with inbox.taking() as first, inbox.taking() as second, inbox.attending() as other:
        assert (first, second, other) == (True, False, True)
        assert inbox.attended()
    with inbox.taking() as again:
        assert again
    assert not inbox.attended()


def test_the_right_to_take_ends_with_the_process_that_holds_it(inbox: Inbox) -> None:
    hold = (
        "import sys, pathlib; from moored.record.inbox import Inbox\n"
        "with Inbox(pathlib.Path(sys.argv[1])).taking() as free:\n"
        "    print(free, flush=True); sys.stdin.read()"
    )
    store = inbox.folder.with_name("moored.db")
    process = subprocess.Popen(
        [sys.executable, "-c", hold, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    with process, process.stdin, process.stdout:
        assert process.stdout.readline() == "True\n"
        with inbox.taking() as free:
            assert not free
        process.kill()
        process.wait(timeout=10)
    with inbox.taking() as free:
        assert free


def test_many_writers_at_once_lose_nothing(inbox: Inbox) -> None:
    def put(start: int) -> None:
        for number in range(start, start + 25):
            inbox.put(Entry(str(number).encode(), "user", "user"))

    threads = [threading.Thread(target=put, args=(start,)) for start in range(0, 100, 25)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert {int(inbox.read(file).content) for file in inbox.waiting()} == set(range(100))
