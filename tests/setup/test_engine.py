"""Setting a host up is all or nothing, and is taken back byte for byte whatever happened in between."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lab.machine import RICH_TOML, Machine
from lab.written import documents
from moored.errors import InvalidInput
from moored.hosts.edits import Block, Edit, Given, Hooks, Member, Setup, Table, Target, Whole
from moored.setup import engine, files, journal, jsonc
from moored.setup.json_edit import put
from moored.setup.runs import Outcome

OURS = Member(("mcpServers", "moored"), {"command": "/opt/moored", "args": ["serve"]})


def hooks(folder: str = "/opt", *events: str, nested: bool = True) -> Hooks:
    def element(event: str) -> dict[str, Any]:
        call = {"command": f"{folder}/moored-hook host {event}", "timeout": 5}
        return {"hooks": [{"type": "command", **call}]} if nested else call

    return Hooks(("hooks",), {event: element(event) for event in events or ("Start", "Stop")}, nested)


def host(*targets: tuple[Path, Edit]) -> Setup:
    return Setup("A host", (), (), tuple(Target(file, (edit,)) for file, edit in targets))


def read(file: Path) -> Any:
    root = jsonc.parse(file.read_text())
    assert root is not None
    return root.value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(text=documents(), nested=st.booleans())
def test_setting_up_and_taking_back_is_nothing_for_any_json(machine: Machine, text: str, nested: bool) -> None:
    file = machine.home / "settings.json"
    file.write_bytes(text.encode())
    before = read(file)
    setup = Setup("A host", (), (), (Target(file, (OURS, hooks(nested=nested), Given(("version",), 1))),))
    done = machine.set_up("host", setup=setup)
    if {"hooks", "mcpServers"} & before.keys():
        assume(not done.refused)
    assert not done.refused
    assert read(file)["hooks"].keys() >= {"Start", "Stop"}
    assert not machine.set_up("host", setup=setup).changed
    machine.take_back("host")
    assert file.read_bytes() == text.encode()
    assert not machine.folder.exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(text=documents(), value=st.integers() | st.lists(st.text(max_size=3), max_size=2))
def test_what_anybody_adds_to_any_json_meanwhile_is_all_that_stays(machine: Machine, text: str, value: Any) -> None:
    file = machine.home / "settings.json"
    file.write_bytes(text.encode())
    before = read(file)
    assume(not {"hooks", "mcpServers", "added since"} & before.keys())
    machine.set_up("host", setup=Setup("A host", (), (), (Target(file, (OURS, hooks())),)))
    file.write_bytes(put(file.read_bytes().decode(), ("added since",), value).encode())
    machine.take_back("host")
    assert read(file) == {**before, "added since": value}


TOML = st.lists(
    st.sampled_from(["", "# note", "a = 1", "[t]", "b = [\n 1,\n]", "[mcp_servers.x]", 'c = """\n[d]\n"""']), max_size=8
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(lines=TOML, newline=st.sampled_from(["\n", "\r\n"]), mark=st.sampled_from(["", "\ufeff"]))
def test_setting_up_and_taking_back_is_nothing_for_any_toml(
    machine: Machine, lines: list[str], newline: str, mark: str
) -> None:
    file = machine.home / "config.toml"
    text = mark + "\n".join(lines).replace("\n", newline)
    file.write_bytes(text.encode())
    done = machine.set_up("host", setup=host((file, Table(("mcp_servers", "moored"), {"command": "x"}))))
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        assert done.refused
    else:
        assert done.changed
    machine.take_back("host")
    assert file.read_bytes() == text.encode()


def test_an_older_set_up_is_replaced_and_what_others_put_beside_it_stays(machine: Machine) -> None:
    file = machine.home / "settings.json"
    machine.set_up("host", setup=host((file, hooks("/old", "Start", "Gone"))))
    theirs = {"type": "command", "command": "theirs"}
    document = read(file)
    document["hooks"]["Start"][0]["hooks"].append(theirs)
    file.write_text(json.dumps(document))
    assert machine.set_up("host", setup=host((file, hooks("/new")))).changed
    groups = read(file)["hooks"]
    assert groups.keys() == {"Start", "Stop"}
    assert groups["Start"] == [{"hooks": [theirs]}, hooks("/new").elements["Start"]]
    assert "/old" not in file.read_text()
    machine.take_back("host")
    assert read(file) == {"hooks": {"Start": [{"hooks": [theirs]}]}}


def test_a_server_that_moved_keeps_what_the_user_wrote_about_it(machine: Machine) -> None:
    file = machine.home / "mcp.json"
    machine.set_up("host", setup=host((file, OURS)))
    file.write_text(file.read_text().replace('"command"', '"disabled": true, // for now\n      "command"'))
    moved = Member(OURS.path, {**OURS.value, "command": "/new/moored"})
    machine.set_up("host", setup=host((file, moved)))
    assert read(file)["mcpServers"]["moored"] == {"disabled": True, "command": "/new/moored", "args": ["serve"]}
    assert "// for now" in file.read_text()


def test_two_hosts_share_a_file_until_the_last_one_goes(machine: Machine) -> None:
    file = machine.home / "shared" / "SKILL.md"
    config = machine.home / "config.json"
    config.write_text('{"a": 1}')
    setup = host((file, Whole("how\n")), (config, OURS))
    machine.set_up("one", setup=setup)
    assert not machine.set_up("two", setup=setup).changed
    machine.take_back("one")
    assert file.read_text() == "how\n"
    assert "moored" in config.read_text()
    machine.take_back("two")
    assert not file.parent.exists()
    assert config.read_text() == '{"a": 1}'


def test_a_file_of_ours_that_was_edited_is_the_users_from_then_on(machine: Machine) -> None:
    file = machine.home / "SKILL.md"
    machine.set_up("host", setup=host((file, Whole("first\n"))))
    machine.set_up("host", setup=host((file, Whole("second\n"))))
    assert file.read_text() == "second\n"
    file.write_text("mine\n")
    done = machine.set_up("host", setup=host((file, Whole("third\n"))))
    assert (done.changed, done.changes[0].note) == (False, engine.EDITED)
    [taken] = machine.take_back("host")
    assert taken.changes[0].note == engine.EDITED
    assert file.read_text() == "mine\n"


def test_a_file_of_somebody_else_is_never_taken_over(machine: Machine) -> None:
    file = machine.home / "SKILL.md"
    file.write_text("theirs\n")
    assert "is not from moored" in machine.set_up("host", setup=host((file, Whole("ours\n")))).refused
    assert file.read_text() == "theirs\n"


def test_a_block_in_a_text_is_renewed_where_it_stands(machine: Machine) -> None:
    file = machine.home / "RULES.md"
    file.write_text("Mine.\n")
    machine.set_up("host", setup=host((file, Block("one\ntwo\n"))))
    file.write_text(file.read_text() + "\nMine too.\n")
    machine.set_up("host", setup=host((file, Block("three"))))
    assert file.read_text() == "Mine.\n\n<!-- moored: begin -->\nthree\n<!-- moored: end -->\n\nMine too.\n"
    machine.take_back("host")
    assert file.read_text() == "Mine.\n\nMine too.\n"


def test_a_block_that_does_not_end_is_refused(machine: Machine) -> None:
    file = machine.home / "RULES.md"
    file.write_text("a\n<!-- moored: begin -->\n")
    assert f"{file}, line 2" in machine.set_up("host", setup=host((file, Block("x")))).refused


def test_when_a_file_cannot_be_written_those_before_it_are_put_back(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = machine.home / "new" / "first.json", machine.home / "second.json"
    second.write_text("{}")
    before = machine.picture()
    write = files.write

    def full(file: Path, held: bytes, *, private: bool = False) -> None:
        if file == second:
            raise OSError(28, "No space left on device", str(file))
        write(file, held, private=private)

    monkeypatch.setattr(files, "write", full)
    done = machine.set_up("host", setup=host((first, OURS), (second, OURS)))
    assert "No space left on device" in done.refused
    assert machine.picture() == before
    monkeypatch.undo()
    assert machine.take_back("host") == [Outcome("host")]


def test_a_file_that_changes_under_our_hands_is_not_overwritten(machine: Machine) -> None:
    file = machine.home / "settings.json"
    file.write_text("{}")
    known = journal.load(machine.folder)
    plan = engine.plan_setup("host", host((file, OURS)), known, None)
    file.write_text('{"theirs": 1}')
    with pytest.raises(InvalidInput, match="changed while it was to be written"):
        engine.carry_out(plan, known)
    assert file.read_text() == '{"theirs": 1}'


def test_what_several_set_up_at_once_is_all_taken_back(machine: Machine) -> None:
    names = [f"host {number}" for number in range(6)]
    setups = {name: host((machine.home / f"{name}.json", OURS)) for name in names}
    before = machine.picture()
    with ThreadPoolExecutor(len(names)) as pool:
        done = list(pool.map(lambda name: machine.set_up(name, setup=setups[name]), names))
    assert all(one.changed for one in done)
    machine.take_back(*names)
    assert machine.picture() == before


def test_a_set_up_that_waited_long_enough_is_told_to_try_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "PATIENCE", 0.0)
    file = machine.home / "settings.json"
    with journal.alone(machine.folder), pytest.raises(InvalidInput, match="just now"):
        machine.set_up("late", setup=host((file, OURS)))
    assert not file.exists()
    assert machine.set_up("late", setup=host((file, OURS))).changed


def test_where_no_journal_can_be_kept_nothing_is_changed(machine: Machine) -> None:
    machine.folder.parent.parent.mkdir(parents=True, exist_ok=True)
    machine.folder.parent.write_text("a file")
    file = machine.home / "settings.json"
    with pytest.raises(InvalidInput, match="cannot be written"):
        machine.set_up("host", setup=host((file, OURS)))
    assert not file.exists()


def test_a_path_that_is_no_utf_8_is_remembered(machine: Machine) -> None:
    file = machine.home / os.fsdecode(b"caf\xe9") / "settings.json"
    machine.set_up("host", setup=host((file, OURS)))
    machine.take_back("host")
    assert not file.parent.exists()


def test_what_a_lost_journal_knew_is_known_again_when_a_host_is_set_up(machine: Machine) -> None:
    files_ = [machine.home / name for name in ("settings.json", "mcp.json", "ours.js", "RULES.md", "mcp.toml")]
    settings, mcp, whole, rules, toml = files_
    settings.write_text('{"a": 1}\n')
    rules.write_text("Mine.\n")

    def setup(folder: str) -> Setup:
        command = {"command": f"{folder}/moored", "args": ["serve"]}
        return host(
            (settings, hooks(folder)),
            (mcp, Member(OURS.path, command)),
            (whole, Whole(f"// ours\n{folder}/moored-hook")),
            (rules, Block(folder)),
            (toml, Table(("mcp_servers", "moored"), command)),
        )

    before = machine.picture()
    machine.set_up("host", setup=setup("/old"))
    shutil.rmtree(machine.folder)
    assert not machine.set_up("host", setup=setup("/old"), dry_run=True).changed
    done = machine.set_up("host", setup=setup("/new"))
    assert [change.file for change in done.changes if change.changes] == files_
    machine.take_back("host")
    assert machine.picture() == before
    assert not machine.folder.exists()


def test_a_file_that_only_speaks_of_our_hook_is_not_taken_for_ours(machine: Machine) -> None:
    file = machine.home / "moored.js"
    file.write_text("// mine, calls moored-hook\n")
    assert "is not from moored" in machine.set_up("host", setup=host((file, Whole("// ours\nmoored-hook\n")))).refused
    assert file.read_text() == "// mine, calls moored-hook\n"


def test_a_server_alone_is_not_taken_for_ours(machine: Machine) -> None:
    mcp, settings = machine.home / "mcp.json", machine.home / "settings.json"
    mcp.write_text(json.dumps({"mcpServers": {"moored": {"command": "moored", "args": ["serve"]}}}))
    before = machine.picture()
    machine.set_up("host", setup=host((mcp, OURS), (settings, hooks())))
    machine.take_back("host")
    assert machine.picture() == before


def test_what_the_journal_announced_and_nobody_wrote_is_left_as_it_is(machine: Machine) -> None:
    file = machine.home / "settings.json"
    file.write_text("{}")
    machine.set_up("host", setup=host((file, OURS)))
    file.write_text("{}")
    machine.take_back("host")
    assert file.read_text() == "{}"


def test_a_file_that_is_gone_is_said_to_be_gone(machine: Machine) -> None:
    file = machine.home / "settings.json"
    machine.set_up("host", setup=host((file, OURS)))
    file.unlink()
    [done] = machine.take_back("host")
    assert (done.changed, done.changes[0].note) == (False, engine.GONE)
    assert not machine.folder.exists()


def test_a_file_that_got_broken_since_is_named_and_stays_known(machine: Machine) -> None:
    file = machine.home / "settings.json"
    machine.set_up("host", setup=host((file, OURS)))
    whole = file.read_text()
    file.write_text(whole + "}")
    assert f"{file}, line " in machine.take_back("host")[0].refused
    file.write_text(whole + " ")
    machine.take_back("host")
    assert not file.exists()


def test_one_project_is_taken_back_without_the_user_and_the_other_way_round(machine: Machine) -> None:
    mine, ours = machine.home / "settings.json", machine.project / "settings.json"
    machine.set_up("host", setup=host((mine, OURS)))
    machine.set_up("host", "project", setup=host((ours, OURS)))
    machine.take_back("host", projects=(str(machine.project),))
    assert mine.exists()
    assert not ours.exists()
    machine.take_back("host", projects=("",))
    assert not mine.exists()


def test_new_files_of_the_user_are_the_users_alone_and_those_of_a_project_are_not(machine: Machine) -> None:
    mine, ours = machine.home / "settings.json", machine.project / "settings.json"
    machine.set_up("host", setup=host((mine, OURS)))
    machine.set_up("host", "project", setup=host((ours, OURS)))
    plain = machine.home / "plain"
    plain.touch()
    assert mine.stat().st_mode & 0o777 == 0o600
    assert ours.stat().st_mode == plain.stat().st_mode


def test_originals_are_kept_for_their_owner_alone(machine: Machine) -> None:
    file = machine.home / "settings.json"
    file.write_text('{"token": "a secret"}')
    machine.set_up("host", setup=host((file, OURS)))
    kept = [path for path in machine.folder.rglob("*") if path.is_file()]
    assert len(kept) == 2
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert machine.folder.stat().st_mode & 0o777 == 0o700


def test_folders_that_others_use_meanwhile_stay_until_they_are_empty(machine: Machine) -> None:
    one, two = machine.home / "deep" / "er" / "a.json", machine.home / "deep" / "b.json"
    machine.set_up("one", setup=host((one, OURS)))
    machine.set_up("two", setup=host((two, OURS)))
    machine.take_back("one")
    assert two.exists()
    assert not one.parent.exists()
    machine.take_back("two")
    assert not (machine.home / "deep").exists()


@pytest.mark.parametrize("held", [b"{", b"[]", b'{"format": 1}', b'{"format": 2, "files": {}, "made": []}'])
def test_a_journal_that_cannot_be_read_stops_everything(machine: Machine, held: bytes) -> None:
    machine.folder.mkdir(parents=True)
    (machine.folder / "journal.json").write_bytes(held)
    file = machine.home / "settings.json"
    with pytest.raises(InvalidInput, match=r"journal\.json"):
        machine.set_up("host", setup=host((file, OURS)))
    assert not file.exists()


def test_bytes_that_are_no_text_are_refused_with_their_line(machine: Machine) -> None:
    file = machine.home / "settings.json"
    file.write_bytes(b"{\n\xff\xfe}")
    assert f"{file}, line 2" in machine.set_up("host", setup=host((file, OURS))).refused


def test_a_folder_in_the_place_of_a_file_is_refused(machine: Machine) -> None:
    file = machine.home / "settings.json"
    file.mkdir()
    assert str(file) in machine.set_up("host", setup=host((file, OURS))).refused
    (machine.home / "plain").write_text("")
    below = machine.home / "plain" / "settings.json"
    assert "plain" in machine.set_up("host", setup=host((below, OURS))).refused


def test_a_table_goes_without_what_another_tool_wrote_behind_it(machine: Machine) -> None:
    file = machine.home / "config.toml"
    file.write_text(RICH_TOML)
    machine.set_up("host", setup=host((file, Table(("mcp_servers", "moored"), {"command": "x"}))))
    file.write_text(file.read_text() + "\n[late]\nx = 1\n")
    machine.take_back("host")
    assert file.read_text() == RICH_TOML + "\n[late]\nx = 1\n"
