"""What is promised of a memory holds over an encrypted store: its tests run once more, in a run of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

AGAIN = ("test_memory.py", "store/test_threads.py", "store/test_kill.py")
"""What is run: writing and reading through the facade, from many threads, and by processes that are killed."""

OF_PLAIN_FILES = (
    "test_a_disk_that_fails_while_reading_gives_an_error_and_never_another_answer",
    "test_every_method_that_returns_hits_asks_the_selector_and_no_other_does",
    "test_an_answer_does_not_wait_for_another_writer_to_tell_the_ledger_of_a_change",
    "test_everything_can_be_read_where_nothing_can_be_written",
    "test_a_root_that_is_not_there_makes_nothing_gone",
    "test_reading_goes_on_while_another_holds_the_store",
)
"""Tests that open the file without a key themselves, put a file system of their own beneath it, export unasked, or need
the folder in which the key is kept to be empty."""


@pytest.mark.timeout(900)
def test_what_holds_of_a_plain_store_holds_of_an_encrypted_one(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "lab.keyed_plugin", "-p", "no:cacheprovider"),
            *(f"--basetemp={tmp_path / 'run'}", "-k", " and ".join(f"not {name}" for name in OF_PLAIN_FILES)),
            *(str(TESTS / name) for name in AGAIN),
        ],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3_000:]
    assert " passed" in done.stdout
