"""A brief is handed out once, however many hooks run at its moment."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from moored.hosts import once
from moored.hosts.port import Happening, Moment

PROMPT = Happening(Moment.PROMPT, "claude-code", "s1", text="Why north?", source="user")


def test_of_hooks_that_run_together_one_is_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: once.is_first(tmp_path / "moored.db", PROMPT), range(8)))
    assert sorted(told) == [False] * 7 + [True]


@pytest.mark.parametrize(
    "other",
    [
        {"session": "s2"},
        {"agent": "a1"},
        {"host": "cursor"},
        {"moment": Moment.START},
        {"source": "compact"},
        {"text": "Why south?"},
        {"paths": ("a.py",)},
        {"tool_input": "{}"},
    ],
)
def test_another_moment_has_a_first_one_of_its_own(tmp_path: Path, other: dict[str, object]) -> None:
    store = tmp_path / "moored.db"
    assert once.is_first(store, PROMPT)
    assert once.is_first(store, PROMPT._replace(**other))
    assert not once.is_first(store, PROMPT)


def test_what_happens_again_later_is_another_moment_and_nothing_piles_up(tmp_path: Path) -> None:
    store = tmp_path / "moored.db"
    assert once.is_first(store, PROMPT)
    (file,) = (tmp_path / "moored.db.inbox" / once.ANSWERED).iterdir()
    for shift in (-60, 60):
        moved = file.stat().st_mtime + shift
        os.utime(file, (moved, moved))
        assert once.is_first(store, PROMPT)
        assert len(list(file.parent.iterdir())) == 1


def test_nothing_of_what_was_said_is_written(tmp_path: Path) -> None:
    once.is_first(tmp_path / "moored.db", PROMPT)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file.stat().st_size for file in files] == [0]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_where_nothing_can_be_remembered_every_hook_is_first(tmp_path: Path) -> None:
    (tmp_path / "moored.db.inbox").write_text("in the way")
    assert once.is_first(tmp_path / "moored.db", PROMPT)
    assert once.is_first(tmp_path / "moored.db", PROMPT)
