"""A small project, and a way to call the command line on it in this process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from moored.cli.main import cli

SESSION = '''\
"""Sessions."""

LIMIT = 3


class Session:
    """A connection that sends."""

    def send(self, packet, attempts=LIMIT):
        """Send a packet, trying again when the line is down."""
        for attempt in range(attempts):
            try:
                return self.line.put(packet, attempt)
            except ConnectionError:
                continue
        raise TimeoutError(packet)

    def close(self):
        return self.line.close()


def open_session(line):
    session = Session()
    session.line = line
    session.send(b"hello")
    return session
'''


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Outcome]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one Python file, outside of git."""
    root = tmp_path / "courier"
    (root / "net").mkdir(parents=True)
    (root / "net" / "session.py").write_text(SESSION)
    return root


@pytest.fixture
def repository(project: Path) -> Path:
    """The same project with two commits."""
    git(project, "init", "-q", "-b", "main")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "Send with retries")
    (project / "README.md").write_text("# Courier\n")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "Say what courier is")
    return project


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


@pytest.fixture
def call(project: Path, tmp_path: Path) -> Call:
    """Call the command line on the project, with a store of its own."""

    def run(*arguments: str, stdin: str | bytes | None = None, store: Path | None = None) -> Outcome:
        where = ["--project", str(project), "--store", str(store or tmp_path / "store" / "moored.db")]
        done = CliRunner().invoke(cli, [*where, *arguments], input=stdin)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Outcome(done.exit_code, done.stdout, done.stderr, done.stdout_bytes)

    return run
