"""The command as a process: what it loads, how it ends, and what a closed pipe or Ctrl-C does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TIMEOUT = 60
HEAVY = {"numpy", "tokenizers", "tree_sitter", "rich", "watchfiles", "yaml", "pathspec"}

LOADED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from moored.cli.main import main
main()
"""


def run(project: Path, *arguments: str, stdin: str = "", program: list[str] | None = None):
    command = [sys.executable, *(program or ["-m", "moored"]), "--project", str(project), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=TIMEOUT)


@pytest.fixture
def begun(project: Path, call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("MOORED_STORE", str(tmp_path / "store" / "moored.db"))
    assert call("init").code == 0
    return project


def test_status_loads_nothing_heavy(begun: Path) -> None:
    done = run(begun, "status", program=["-c", LOADED])
    assert done.returncode == 0
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}
    assert loaded & HEAVY == set()
    assert "moored" in loaded


def test_exit_codes_are_those_of_the_documentation(begun: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database, and it has been longer than one page of it " * 100)
    assert run(begun, "status").returncode == 0
    assert run(begun, "record", stdin=" \n").returncode == 2
    assert run(begun, "remind").returncode == 2
    assert run(begun, "show", "no_0").returncode == 3
    assert run(begun, "--store", str(broken), "status").returncode == 4
    assert run(begun, "--store", str(broken), "doctor").returncode == 5


def test_a_closed_pipe_is_quiet(begun: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(
        [sys.executable, "-m", "moored", "--project", str(begun), "status"], stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert errors == b""
    assert process.returncode == 141


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_an_interrupt_ends_a_watch_with_130(begun: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "moored", "--project", str(begun), "watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert b"looked at" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_what_cannot_be_written_in_the_encoding_of_the_terminal_is_escaped(begun: Path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    assert run(begun, "pin", "日本").returncode == 0
    done = run(begun, "pins")
    assert done.returncode == 0
    assert "\\u65e5\\u672c" in done.stdout
    assert json.loads(run(begun, "pins", "--json").stdout)["pins"][0]["text"] == "日本"


def test_the_version_is_told(project: Path) -> None:
    done = run(project, "--version")
    assert done.returncode == 0
    assert done.stdout.startswith("moored ")
