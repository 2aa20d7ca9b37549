"""The demo: it keeps its promises on any repository, notices a broken one, and leaves nothing behind."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from moored.cli.main import cli
from moored.demo.transcript import END, normalised, transcript, with_transcript, written_in
from moored.errors import InvalidInput
from moored.memory import Memory
from moored.model.notes import CURRENT

CHECKOUT = Path(__file__).parent.parent

SCRIPT = """\
export function parse(text, limit) {
  const parts = text.split(",");
  if (parts.length > 10) {
    throw new RangeError(text);
  }
  return parts.map((part) => part.trim());
}

export function render(parts, between) {
  const shown = [];
  for (const part of parts) {
    const first = part.slice(0, 1).toUpperCase();
    const rest = part.slice(1).toLowerCase();
    shown.push(first + rest);
  }
  return shown.join(between);
}
"""


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "widgets"
    (root / "src").mkdir(parents=True)
    (root / "src" / "parse.js").write_text(SCRIPT)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Parse and render")
    return root


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def demo(project: Path, *arguments: str) -> Any:
    return CliRunner().invoke(cli, ["--project", str(project), "demo", *arguments])


def test_every_promise_is_kept_on_a_repository_in_another_language(repository: Path, temporary: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in repository.rglob("*") if ".git" not in path.parts}
    done = demo(repository)
    assert done.exit_code == 0, done.output
    assert "[stale: body]" in done.stdout
    assert "[stale: renamed]" in done.stdout
    for outcome in (
        "new: no_",
        "reinforced: no_",
        "revised: no_",
        "disputed: no_",
        "resolve di_",
        "accept po_",
        "undo op_",
    ):
        assert f"   {outcome}" in done.stdout
    assert re.search(r"--hard: proven: [1-9]\d* pieces? of it looked for, none is left", done.stdout)
    assert "promises kept" in done.stdout
    assert list(temporary.iterdir()) == []
    assert {path: path.stat().st_mtime_ns for path in repository.rglob("*") if ".git" not in path.parts} == before


def test_the_copy_can_be_kept(repository: Path, temporary: Path) -> None:
    done = demo(repository, "--keep")
    assert done.exit_code == 0
    kept = next(temporary.iterdir())
    assert str(kept) in done.stdout
    assert (kept / "copy" / "src" / "parse.js").read_text() == SCRIPT
    assert (kept / "demo.db").exists()


def test_a_broken_promise_ends_the_demo_and_is_named(
    repository: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Memory.recall

    def credulous(self: Memory, *arguments: Any, **options: Any) -> Any:
        answer = real(self, *arguments, **options)
        return answer._replace(hits=tuple(hit._replace(verdict=CURRENT) for hit in answer.hits))

    monkeypatch.setattr(Memory, "recall", credulous)
    done = demo(repository)
    assert done.exit_code == 6
    assert "This promise was broken: the note is stale at once" in done.stderr
    assert list(temporary.iterdir()) == []


def test_a_note_that_is_not_found_is_a_broken_promise(
    repository: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Memory.recall

    def forgetful(self: Memory, *arguments: Any, **options: Any) -> Any:
        return real(self, *arguments, **options)._replace(hits=())

    monkeypatch.setattr(Memory, "recall", forgetful)
    done = demo(repository)
    assert done.exit_code == 6
    assert "is found by asking" in done.stderr


def test_an_update_that_is_lost_is_a_broken_promise(
    repository: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Memory.remember

    def stubborn(self: Memory, *arguments: Any, **options: Any) -> Any:
        return real(self, *arguments, **options | {"insist": True})

    monkeypatch.setattr(Memory, "remember", stubborn)
    done = demo(repository)
    assert done.exit_code == 6
    assert "what is known already becomes no second note" in done.stderr


def test_outside_of_a_repository_it_says_what_it_needs(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert done.exit_code == 2
    assert "git repository" in done.stderr


def test_a_repository_without_functions_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "README.md").write_text("# Words\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Words")
    done = demo(tmp_path)
    assert done.exit_code == 2
    assert "two functions" in done.stderr


def test_the_readme_shows_what_the_demo_says() -> None:
    if not (CHECKOUT / ".git").exists():
        pytest.skip("the sources are not in a repository")
    shown = written_in((CHECKOUT / "README.md").read_text(encoding="utf-8"))
    assert normalised(shown) == normalised(transcript(CHECKOUT)), "write it anew: python -m moored.demo README.md"


def test_a_transcript_replaces_the_one_that_stands_there() -> None:
    text = with_transcript("before\n" + _marked("old") + "\nafter\n", "new")
    assert written_in(text) == "new"
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    with pytest.raises(InvalidInput):
        written_in("no marks " + END)


def test_what_differs_from_run_to_run_is_made_alike() -> None:
    first = "no_01m8pf31nf23ns0nt8 12 files in 1.5 s"
    second = "no_01m8pf31nf23ns0zz9 1,204 files in 22.0 s"
    assert normalised(first) == normalised(second) == "no_ID N files in N s"
    assert normalised("1 commit") == normalised("85 commits")
    assert normalised("stale") != normalised("current")


def _marked(text: str) -> str:
    from moored.demo.transcript import BEGIN

    return BEGIN + text + END
