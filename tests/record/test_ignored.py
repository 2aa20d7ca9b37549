from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from moored.record.ignored import NOT_KEPT, is_ignored, withheld, without_content


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = tmp_path / "my tree"
    tree.mkdir()
    (tree / ".mooredignore").write_text("private/\n*.secret\n!open.secret\n")
    return tree


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "a/.env.local",
        ".envrc",
        "tls/server.key",
        "cert.pem",
        "id_rsa",
        ".npmrc",
        "~/.netrc",
        "~/.ssh/work",
        "~/.aws/credentials",
        "~/.aws/config",
        "~/.kube/config",
        "~/.docker/config.json",
        "/etc/ssl/private/x.key",
        "private/notes/a.md",
        "a/b.secret",
        "file:///home/ada/.pgpass",
    ],
)
def test_files_that_hold_secrets_and_those_that_are_named_are_ignored(path: str, root: Path) -> None:
    assert is_ignored(path, root)
    if not path.startswith(("~", "/", "file:")):
        assert is_ignored(str(root / path), root)


@pytest.mark.parametrize(
    "path",
    [
        *("src/a.py", ".env.example", "open.secret", "~/.ssh/id_rsa.pub", "~/.ssh/known_hosts", "privates.md", ""),
        *("a\0b", "/elsewhere/private/a.md", "docs/../README.md", "."),
    ],
)
def test_other_files_are_not(path: str, root: Path) -> None:
    assert not is_ignored(path, root)


def test_a_link_is_judged_by_what_it_leads_to(root: Path) -> None:
    (root / ".env").write_text("A=1\n")
    (root / "settings.txt").symlink_to(root / ".env")
    assert is_ignored("settings.txt", root)
    assert is_ignored("src/../settings.txt", root)


def test_without_mooredignore_only_names_decide(tmp_path: Path) -> None:
    assert not is_ignored("private/a.md", tmp_path)
    assert is_ignored("private/.env", tmp_path)


def test_while_mooredignore_cannot_be_read_all_of_the_tree_is_ignored(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    assert is_ignored("src/a.py", root)


CALLS: list[tuple[dict[str, Any], str]] = [
    ({"file_path": ".env"}, ".env"),
    ({"arguments": {"target_file": "private/a.md"}}, "private/a.md"),
    ({"paths": ["src/a.py", "x.secret"]}, "x.secret"),
    ({"glob": "*.pem"}, "*.pem"),
    ({"command": "cat .env"}, ".env"),
    ({"command": "cd x && FOO=1 sudo head -5 ./config/.env.local | sort"}, "./config/.env.local"),
    ({"command": ["bash", "-lc", "cat .env"]}, ".env"),
    ({"command": "git show HEAD:.env"}, ".env"),
    ({"command": "export X=$(cat .env)"}, ".env"),
    ({"command": "sort < .env"}, ".env"),
    ({"command": "cat .env*"}, ".env*"),
    ({"command": "grep -r x a.secret"}, "a.secret"),
    ({"command": "jq --from-file=q.secret ."}, "q.secret"),
    ({"command": "python -c \"print(open('.env').read())\""}, ".env"),
    ({"input": "*** Begin Patch\n*** Update File: .env\n@@\n+A=1\n*** End Patch"}, ".env"),
    ({"file_path": "src/a.py"}, ""),
    ({"command": "ls -la .env && test -f .env && rm .env"}, ""),
    ({"command": "ssh -i ~/.ssh/id_rsa host uptime"}, ""),
    ({"command": "docker compose --env-file .env up"}, ""),
    ({"command": "git commit -m 'read .env'"}, ""),
    ({"command": "grep -r x --exclude=.env ."}, ""),
    ({"command": "cat .env.example"}, ""),
    ({"command": "python manage.py --settings .env"}, ""),
    ({"content": ".env", "query": "private/a.md"}, ""),
]


@pytest.mark.parametrize(("call", "path"), CALLS, ids=[json.dumps(call) for call, _ in CALLS])
def test_a_call_is_withheld_when_it_shows_an_ignored_file(call: dict[str, Any], path: str, root: Path) -> None:
    assert withheld("tool", json.dumps(call), root) == path
    command = call.get("command")
    if isinstance(command, str):
        assert withheld("bash", command, root) == path


def test_no_input_makes_it_raise(root: Path) -> None:
    deep = '{"a": ' * 900 + "1" + "}" * 900
    for text in ("", "{", "[1]", "{}", '{"path": 3}', "\ud800", '{"file_path": "\\u0000"}', deep, deep * 2):
        assert withheld("tool", text, root) == ""
        without_content(text)


def test_what_is_written_to_an_ignored_file_is_taken_out_of_the_call() -> None:
    call = {"file_path": ".env", "content": "A=1", "edits": [{"old_string": "a"}], "replace_all": True}
    assert json.loads(without_content(json.dumps(call))) == {
        "file_path": ".env",
        "content": NOT_KEPT,
        "edits": NOT_KEPT,
        "replace_all": True,
    }
    assert json.loads(without_content(json.dumps({"command": "cat > .env <<E\nA=1\nE"}))) == {"command": NOT_KEPT}
    assert without_content("cat .env") == "cat .env"


def test_pathspec_is_loaded_only_where_there_is_a_mooredignore(root: Path, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from moored.record.ignored import is_ignored\n"
        "assert is_ignored('.env', sys.argv[1]) and not is_ignored('a.py', sys.argv[1])\n"
        "assert not {'pathspec', 'numpy', 'pydantic', 'apsw'} & set(sys.modules)\n"
        "assert is_ignored('private/a', sys.argv[2])\n"
        "assert 'pathspec' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path), str(root)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
