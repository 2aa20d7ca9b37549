from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_DB", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


def _write(file: Path, *records: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))


def _said(uuid: str, text: str, cwd: Path) -> dict[str, object]:
    envelope = {"type": "user", "uuid": uuid, "sessionId": "s", "cwd": str(cwd), "timestamp": "2026-03-02T09:00:00Z"}
    return {**envelope, "message": {"role": "user", "content": text}}


def test_an_import_says_what_came_in_what_did_not_and_how_to_take_it_back(call, project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".claude" / "projects"
    _write(folder / "a" / "s.jsonl", _said("a", "hello", project), {"type": "mode", "mode": "x"}, {"type": "moon"})
    with (folder / "a" / "s.jsonl").open("a") as file:
        file.write("{\n")
    _write(folder / "b" / "t.jsonl", _said("b", "there", tmp_path / "gone"))
    done = call("import", "auto")
    operation = call("operations", "--json").json["operations"][0]["id"]
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "1 transcript read, 0 unchanged since the last import",
            "1 session: 1 turn, 0 tool calls, 0 results",
            f"courier: 1 event recorded, 0 known already; `moored undo {operation}` takes them out again",
            "left out: 1 mode",
            "unknown: 1 moon",
            f"bad lines: 1 in {folder / 'a' / 's.jsonl'} (line 4: no JSON)",
            "not read: 1 transcript, its folder is gone",
            f"  {tmp_path / 'gone'}",
            "  name the file or folder to bring them into this project",
        ],
    )
    assert call("undo", operation).out.splitlines()[-1] == "1 episode hidden, 0 shown again"


def test_a_machine_without_transcripts_is_no_error(call) -> None:
    done = call("import", "auto")
    assert (done.code, done.out) == (0, "no transcripts found\n")


def test_a_path_that_is_not_there_says_what_to_name(call, tmp_path: Path) -> None:
    done = call("import", "codex", str(tmp_path / "nothing"))
    assert done.code == 3
    assert "Name a file, or a folder that holds some." in done.err
