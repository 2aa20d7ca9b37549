"""What holds for setting up every host, and for taking it back."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.machine import SPELLINGS, Machine, Spoil, rich
from moored.hosts.edits import Hooks, Setup, Target, Whole
from moored.setup import jsonc, known

HOSTS = [pytest.param(host, scope, id=f"{host}-{scope}") for host in known.HOSTS for scope in ("user", "project")]
NAMED_BY_EVENT = [host for host in known.HOSTS if host not in ("opencode", "omp")]


def shared(setup: Setup) -> list[Target]:
    """The files of a host that others write too."""
    return [target for target in setup.targets if not isinstance(target.edits[0], Whole)]


def write_rich(setup: Setup, spoil: Spoil) -> None:
    for target in shared(setup):
        target.file.parent.mkdir(parents=True, exist_ok=True)
        target.file.write_bytes(spoil(rich(target.file)))
        target.file.chmod(0o640)


def meaning(file: Path) -> Any:
    text = file.read_bytes().decode().removeprefix("\ufeff")
    if file.suffix == ".toml":
        return tomllib.loads(text)
    if file.suffix == ".md":
        return text
    root = jsonc.parse(text)
    assert root is not None
    return root.value


def calls(setup: Setup) -> Iterator[dict[str, Any]]:
    """The hook commands of a host, from its hooks or its own file of hooks."""
    for target in setup.targets:
        for edit in target.edits:
            if isinstance(edit, Hooks):
                for element in edit.elements.values():
                    yield from element["hooks"] if edit.nested else [element]
            elif isinstance(edit, Whole) and target.file.suffix == ".json":
                for elements in json.loads(edit.text)["hooks"].values():
                    yield from elements


@pytest.mark.parametrize(("host", "scope"), HOSTS)
def test_where_nothing_is_everything_comes_and_goes_again(machine: Machine, host: str, scope: str) -> None:
    before = machine.picture()
    done = machine.set_up(host, scope)
    assert not done.refused
    files = {str(target.file.relative_to(machine.home)) for target in machine.setup(host, scope).targets}
    assert {path for path, seen in machine.picture().items() if seen[0] == "file"} == files
    again = machine.set_up(host, scope)
    assert not again.changed
    assert not again.refused
    assert [one.refused for one in machine.take_back(host)] == [""]
    assert machine.picture() == before
    assert not machine.folder.exists()


@pytest.mark.parametrize("spoil", SPELLINGS, ids=lambda one: one.__name__)
@pytest.mark.parametrize(("host", "scope"), HOSTS)
def test_what_others_wrote_stays_and_is_given_back_byte_for_byte(
    machine: Machine, host: str, scope: str, spoil: Spoil
) -> None:
    setup = machine.setup(host, scope)
    write_rich(setup, spoil)
    before = machine.picture()
    done = machine.set_up(host, scope)
    assert not done.refused
    for target in shared(setup):
        after = target.file.read_bytes()
        assert after != before[str(target.file.relative_to(machine.home))][2]
        following = iter(after)
        missing = [byte for byte in spoil(rich(target.file)) if byte not in following]
        assert missing == [], "a byte is not there any more, or not in order"
        assert (b"\n" in after.replace(b"\r\n", b"")) is (spoil.__name__ != "carriage_returns")
        assert target.file.stat().st_mode & 0o777 == 0o640
    assert not machine.set_up(host, scope).changed
    machine.take_back(host)
    assert machine.picture() == before


@pytest.mark.parametrize(("host", "scope"), HOSTS)
def test_nothing_but_our_own_entries_is_added_and_no_memory_is_turned_off(
    machine: Machine, host: str, scope: str
) -> None:
    setup = machine.setup(host, scope)
    write_rich(setup, SPELLINGS[0])
    before = {target.file: meaning(target.file) for target in shared(setup)}
    machine.set_up(host, scope)
    for file, old in before.items():
        new = meaning(file)
        if isinstance(old, str):
            assert new.startswith(old)
            continue
        for path in paths_of(old):
            assert at(new, path) == at(old, path), path
        added = [path for path in paths_of(new) if path not in set(paths_of(old))]
        assert added
        for path in added:
            assert "moored" in path or "moored-hook" in str(at(new, path[:3])), path
            assert not any("memor" in step.lower() for step in path if isinstance(step, str)), path


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The ways to every plain value, and to every empty container, of a document."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for step, item in steps for way in paths_of(item, (*path, step))] or (
        [path] if not isinstance(value, dict | list) else []
    )


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize(("host", "scope"), HOSTS)
def test_what_was_edited_since_stays_when_set_up_is_taken_back(machine: Machine, host: str, scope: str) -> None:
    setup = machine.setup(host, scope)
    write_rich(setup, SPELLINGS[0])
    machine.set_up(host, scope)
    expected = {}
    for target in shared(setup):
        text = target.file.read_text()
        if target.file.suffix == ".toml":
            edit = ("[features]\n", "[features]\nlate = true\n")
            text += '\n[mcp_servers.late]\ncommand = "late"\n'
        elif target.file.suffix == ".md":
            edit = ("Short answers.", "Long answers.")
            text += "\nThe end.\n"
        else:
            edit = ('"allow": [', '"deny": ["Read(.env)"], "allow": [')
        target.file.write_text(text.replace(*edit))
        original = rich(target.file).replace(*edit)
        expected[target.file] = original + {
            ".toml": '\n[mcp_servers.late]\ncommand = "late"\n',
            ".md": "\nThe end.\n",
        }.get(target.file.suffix, "")
    machine.take_back(host)
    assert {file: file.read_text() for file in expected} == expected


@pytest.mark.parametrize(("host", "scope"), HOSTS)
def test_a_file_that_cannot_be_understood_is_named_and_nothing_changes(machine: Machine, host: str, scope: str) -> None:
    setup = machine.setup(host, scope)
    for target in shared(setup):
        if target.file.suffix == ".md":
            continue
        write_rich(setup, SPELLINGS[0])
        target.file.write_bytes(b'{\n  "a": 1\n  "b": 2\n}' if target.file.suffix != ".toml" else b"a = 1\nb = = 2\n")
        before = machine.picture()
        done = machine.set_up(host, scope)
        assert str(target.file) in done.refused
        assert "line " in done.refused
        assert machine.picture() == before
        assert not machine.folder.exists()


@pytest.mark.parametrize("host", known.HOSTS)
def test_links_are_followed_and_stay_links(machine: Machine, host: str) -> None:
    setup = machine.setup(host)
    write_rich(setup, SPELLINGS[0])
    dotfiles = machine.home / "dotfiles"
    dotfiles.mkdir()
    for number, target in enumerate(shared(setup)):
        moved = dotfiles / f"{number}{target.file.suffix}"
        target.file.rename(moved)
        target.file.symlink_to(moved)
    before = machine.picture()
    assert machine.set_up(host).changed
    assert all(target.file.is_symlink() for target in shared(setup))
    assert machine.picture() != before
    machine.take_back(host)
    assert machine.picture() == before


@pytest.mark.parametrize("host", known.HOSTS)
def test_a_file_that_its_owner_made_read_only_is_left_alone(machine: Machine, host: str) -> None:
    setup = machine.setup(host)
    write_rich(setup, SPELLINGS[0])
    locked = shared(setup)[-1].file
    locked.chmod(0o440)
    before = machine.picture()
    done = machine.set_up(host)
    assert f"{locked} is read only" in done.refused
    assert machine.picture() == before


@pytest.mark.parametrize("host", known.HOSTS)
def test_a_dry_run_writes_nothing(machine: Machine, host: str) -> None:
    write_rich(machine.setup(host), SPELLINGS[0])
    before = machine.picture()
    assert machine.set_up(host, dry_run=True).changed
    assert machine.picture() == before
    assert not machine.folder.exists()


@pytest.mark.parametrize("host", NAMED_BY_EVENT)
def test_hooks_are_set_up_for_the_events_that_the_host_is_read_for(machine: Machine, host: str) -> None:
    adapter = __import__(f"moored.hosts.{host.replace('-', '_')}", fromlist=["ADAPTER"]).ADAPTER
    commands = [shlex.split(call["command"]) for call in calls(machine.setup(host))]
    hook = str(machine.home / "my venv" / "bin" / "moored-hook")
    assert [words[:2] for words in commands] == [[hook, host]] * len(adapter.moments)
    assert [words[2] for words in commands] == list(adapter.moments)


@pytest.mark.parametrize("host", NAMED_BY_EVENT)
def test_a_shell_runs_the_command_of_a_hook_whatever_the_home_is_called(machine: Machine, host: str) -> None:
    hook = Path(machine.site().hook[0])
    hook.parent.mkdir(parents=True)
    hook.write_text('#!/bin/sh\nprintf "%s/%s" "$1" "$2"\n')
    hook.chmod(0o755)
    for call in calls(machine.setup(host)):
        done = subprocess.run(["sh", "-c", call["command"]], capture_output=True, text=True, timeout=20)
        assert done.stdout == "/".join(shlex.split(call["command"])[1:])


@pytest.mark.parametrize("host", NAMED_BY_EVENT)
def test_a_host_waits_seconds_for_a_hook_in_the_unit_that_it_reads(machine: Machine, host: str) -> None:
    unit = 1000 if host == "gemini" else 1
    for call in calls(machine.setup(host)):
        assert 3 <= call["timeout"] / unit <= 10
        if call["command"].endswith(("SessionEnd", "sessionEnd")):
            assert call["timeout"] / unit <= 3


@pytest.mark.parametrize("host", ["opencode", "omp"])
def test_the_file_for_a_host_of_plugins_calls_the_hook_by_its_path(machine: Machine, host: str, tmp_path: Path) -> None:
    machine.set_up(host)
    [shim] = [target.file for target in machine.setup(host).targets if target.file.suffix == ".js"]
    text = shim.read_text()
    assert f"const HOOK = {json.dumps(machine.site().hook[0], ensure_ascii=False)}" in text
    assert f'spawn(HOOK, ["{host}", event]' in text
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to read the program with")
    checked = tmp_path / "checked.mjs"
    checked.write_text(text)
    done = subprocess.run([node, "--check", str(checked)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("host", known.HOSTS)
def test_a_host_is_taken_back_without_its_journal(machine: Machine, host: str) -> None:
    setup = machine.setup(host)
    write_rich(setup, SPELLINGS[0])
    before = {file: held for file, held in machine.picture().items() if held[0] == "file"}
    machine.set_up(host)
    shutil.rmtree(machine.folder)
    [done] = machine.take_back(host)
    assert done.changed
    for file, (kind, mode, held) in machine.picture().items():
        if kind == "file":
            assert (kind, mode) == before[file][:2]
            assert b"moored" not in held
