"""Every `console` and `python` block of the documents runs, in order, in a project of its own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from moored.cli.main import cli

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
TIMEOUT = 60

SESSION = '''\
class Session:
    """A connection that sends."""

    def send(self, packet, attempts=3):
        """Send a packet, trying again when the line is down."""
        for attempt in range(attempts):
            try:
                return self.line.put(packet, attempt)
            except ConnectionError:
                continue
        raise TimeoutError(packet)

    def close(self):
        return self.line.close()
'''


def blocks(document: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(document.read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of which the documents speak, under git, with a store of its own."""
    root = tmp_path / "courier"
    (root / "net").mkdir(parents=True)
    (root / "net" / "session.py").write_text(SESSION)
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Send with retries"]):
        subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)
    monkeypatch.setenv("MOORED_STORE", str(tmp_path / "moored.db"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.chdir(root)
    return root


def run(command: list[str], project: Path) -> str:
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
    return done.stdout


def typed(line: str, project: Path) -> None:
    """Run a line as a shell would; a plain call of moored runs in this process, which is faster."""
    words = shlex.split(line)
    if words[0] != "moored" or {"|", ">", "<", ";", "&&"} & set(words):
        run(["bash", "-euo", "pipefail", "-c", line], project)
        return
    done = CliRunner().invoke(cli, words[1:])
    assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.parametrize(
    "document", [one for one in DOCUMENTS if blocks(one)], ids=lambda one: str(one.relative_to(ROOT))
)
def test_the_snippets_of_a_document_run(document: Path, project: Path) -> None:
    for language, block in blocks(document):
        if language == "python":
            run([sys.executable, "-W", "error", "-c", block], project)
            continue
        for line in block.splitlines():
            assert line.startswith("$ "), f"a console block holds commands only: {line}"
            typed(line[2:], project)


def test_the_documents_of_a_newcomer_have_snippets() -> None:
    for name in ("README.md", "docs/tutorial.md", "docs/cli.md"):
        assert blocks(ROOT / name), name
    assert {language for language, _ in blocks(ROOT / "README.md")} == {"console", "python"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: str(one.relative_to(ROOT)))
def test_the_links_of_a_document_lead_somewhere(document: Path) -> None:
    missing = [
        target
        for target in LINK.findall(document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]
    assert missing == []


def test_a_failing_snippet_is_noticed(project: Path) -> None:
    for line in ("moored status", "true | moored status"):
        with pytest.raises(AssertionError, match="moored init"):
            typed(line, project)
