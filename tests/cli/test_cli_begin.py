"""Beginning a memory, keeping its ledger current, and looking after it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", "anything"],
        ["show", "net/session.py::Session.send"],
        ["history", "no_x"],
        ["stale"],
        ["affected"],
        ["symbol", "Session"],
        ["impact", "Session"],
        ["map"],
        ["pins"],
        ["unpin", "pi_x"],
        ["status"],
        ["export", "out.jsonl"],
        ["operations"],
        ["undo", "op_x"],
        ["revise", "no_x"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_that_reads_does_not_begin_a_memory(call, tmp_path: Path, arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.code == 3
    assert "moored init" in done.err
    assert not (tmp_path / "store").exists()


def test_a_project_that_the_store_does_not_know_is_not_found(call, tmp_path: Path, project: Path) -> None:
    assert call("init", "--no-index").code == 0
    other = tmp_path / "other"
    other.mkdir()
    done = call("--project", str(other), "status")
    assert done.code == 3
    assert "moored init" in done.err


def test_init_begins_a_memory_and_reads_the_files(call) -> None:
    done = call("init", "--json")
    assert done.code == 0
    assert done.json["name"] == "courier"
    assert done.json["index"]["files"] == 1
    assert done.json["index"]["born"] > 3


def test_init_again_finds_the_same_project(call) -> None:
    first, second = call("init", "--json").json, call("init", "--json").json
    assert first["project"] == second["project"]
    assert second["index"]["parsed"] == 0


def test_init_can_leave_the_files_alone(call) -> None:
    done = call("init", "--no-index", "--json")
    assert done.json["index"] is None
    assert call("status", "--json").json["counts"]["files"] == 0


def test_index_reads_only_what_changed(call, project: Path) -> None:
    call("init")
    (project / "net" / "other.py").write_text("def other():\n    return 1\n")
    done = call("index", "--json").json
    assert (done["files"], done["parsed"]) == (2, 1)


def test_the_account_of_an_index_is_readable(call) -> None:
    assert "1 file looked at, 1 read" in call("index").out


def test_status_tells_what_is_there_and_where(call, tmp_path: Path) -> None:
    call("init")
    call("pin", "Keep it small")
    done = call("status", "--json").json
    assert done["name"] == "courier"
    assert done["store"] == str(tmp_path / "store" / "moored.db")
    assert done["counts"]["pins"] == 1
    assert done["other_projects"] == 0
    assert "1 pin" in call("status").out


def test_doctor_of_a_sound_store_ends_well(call) -> None:
    call("init")
    done = call("doctor", "--deep", "--json")
    assert done.code == 0
    assert done.json["healthy"] is True
    assert all(check["state"] == "ok" or check["remedy"] for check in done.json["checks"])


@pytest.mark.invariant("I-22")
def test_doctor_answers_for_a_store_that_cannot_be_opened(call, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database, and it has been longer than one page of it " * 100)
    done = call("doctor", "--json", store=broken)
    assert done.code == 5
    assert done.json["healthy"] is False
    assert done.json["checks"][0]["state"] == "problem"
    assert str(broken) in done.json["checks"][0]["detail"]
    assert broken.read_bytes().startswith(b"this is no database")


def test_doctor_explains_that_there_is_no_store(call) -> None:
    done = call("doctor")
    assert done.code == 5
    assert "moored init" in done.out


def test_other_commands_fail_on_a_broken_store_with_its_own_exit_code(call, tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database, and it has been longer than one page of it " * 100)
    done = call("status", "--json", store=broken)
    assert done.code == 4
    assert done.json["error"]["type"] == "StoreCorrupt"


def test_export_writes_a_file_and_does_not_replace_one(call, tmp_path: Path) -> None:
    call("init")
    call("record", "Said once")
    target = tmp_path / "memory.jsonl"
    assert call("export", str(target), "--json").json["counts"]["episodes"] == 1
    again = call("export", str(target))
    assert again.code == 2
    assert "--force" in again.err
    assert call("export", str(target), "--force").code == 0


def test_export_writes_to_stdout(call) -> None:
    call("init")
    lines = [json.loads(line) for line in call("export", "-", "--facts").out.splitlines()]
    assert [lines[0]["type"], lines[-1]["type"]] == ["manifest", "end"]
    assert lines[-1]["counts"]["facts"] > 3


def test_a_benchmark_says_what_is_wrong_with_its_data(call, tmp_path: Path) -> None:
    (tmp_path / "questions.json").write_text("{}")
    done = call("bench", "longmemcode", str(tmp_path / "questions.json"), str(tmp_path))
    assert done.code == 2
    assert "questions" in done.err or "__init__.py" in done.err


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_prints_a_script(call, shell: str) -> None:
    done = call("completion", shell)
    assert done.code == 0
    assert "_MOORED_COMPLETE" in done.out
