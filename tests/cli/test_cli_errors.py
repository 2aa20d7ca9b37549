"""How the command line says what went wrong, and how it explains itself."""

from __future__ import annotations

import click
import pytest

from moored.cli.main import cli
from moored.cli.output import printable
from moored.cli.shapes import plain


def _commands() -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": one for sub, one in command.commands.items()}
    return found


@pytest.mark.parametrize("name", list(_commands()))
def test_the_help_of_every_command_has_a_purpose_and_an_example(call, name: str) -> None:
    done = call(*name.split(), "--help")
    assert done.code == 0
    assert "Example" in done.out
    assert f"moored {name}" in done.out or "| moored " in done.out
    purpose = (_commands()[name].help or "").split("\n")[0]
    assert purpose.endswith(".")
    assert len(purpose) <= 62


def test_the_list_of_commands_cuts_no_purpose_off(call) -> None:
    assert "..." not in call("--help").out.partition("Commands:")[2]


def test_every_required_command_is_there() -> None:
    required = (
        "init index watch record remember revise recall show history stale affected symbol impact map pin pins unpin "
        "status doctor export demo import undo operations bench completion"
    )
    assert set(required.split()) <= set(_commands())
    assert {"import git", "bench longmemcode"} <= set(_commands())


def test_an_unknown_command_is_a_usage_error(call) -> None:
    done = call("reminisce")
    assert done.code == 2
    assert done.err.startswith("moored: No such command 'reminisce'")


def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(call) -> None:
    assert "Did you mean: recall?" in call("recal", "x").err
    assert "Did you mean" not in call("zzz").err


def test_a_call_without_a_command_is_answered_with_help_alone(call) -> None:
    done = call("import")
    assert done.code == 2
    assert done.err.startswith("Usage: moored")
    assert not done.out


@pytest.mark.parametrize("error", [RuntimeError("no such luck"), OSError(5, "Input/output error", "/there")])
def test_an_error_that_nobody_foresaw_is_a_sentence_as_well(
    call, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("moored.memory.open_memory", fail)
    done = call("init", "--json")
    assert done.code == 1
    assert done.err.startswith("moored: ")
    assert len(done.err.splitlines()) == 1
    assert done.json["error"]["type"] == type(error).__name__
    monkeypatch.setenv("MOORED_TRACEBACK", "1")
    with pytest.raises(type(error)):
        cli(["init"])


def test_what_other_commands_list_is_not_shown_as_a_missing_symbol(call) -> None:
    call("init")
    done = call("show", "pi_01jz6k2m3n4p5q6r7s")
    assert done.code == 2
    assert "`moored pins`" in done.err


def test_a_fact_has_no_difference_between_revisions(call) -> None:
    call("init")
    done = call("history", "Session.send", "--diff")
    assert done.code == 2
    assert "is a fact" in done.err


def test_a_usage_error_is_json_when_json_was_asked_for(call) -> None:
    done = call("recall", "--json")
    assert done.code == 2
    assert done.json["error"]["type"] == "MissingParameter"
    assert "QUERY" in done.json["error"]["message"]


def test_an_error_is_one_sentence_on_stderr_and_nothing_on_stdout(call) -> None:
    call("init", "--no-index")
    done = call("record", "  ")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("moored: The event has no content.")
    assert done.err.count("\n") == 1


def test_an_unknown_name_carries_the_near_ones(call) -> None:
    call("init")
    done = call("remember", "It sends", "--about", "Session.sent", "--json")
    assert done.code == 3
    assert done.json["error"]["type"] == "NotFound"
    assert any("send" in name for name in done.json["error"]["near"])
    assert done.err.startswith("moored: ")


def test_a_name_that_fits_several_things_carries_the_candidates(call, project) -> None:
    (project / "net" / "twin.py").write_text("class Session:\n    def send(self):\n        return [1, 2, 3]\n")
    call("init")
    done = call("remember", "It sends", "--about", "Session.send", "--json")
    assert done.code == 3
    assert done.json["error"]["type"] == "Ambiguous"
    assert len(done.json["error"]["candidates"]) == 2


def test_a_folder_that_is_not_there_is_not_found(call) -> None:
    assert call("--project", "/nowhere/at/all", "init").code == 3


def test_a_settings_file_that_cannot_be_understood_is_bad_input(call, project) -> None:
    (project / ".moored.toml").write_text("colour = 3\n")
    done = call("init")
    assert done.code == 2
    assert "colour" in done.err


@pytest.mark.invariant("I-21")
def test_control_characters_do_not_reach_a_terminal() -> None:
    assert printable("a\x1b[2Jb\x9bc\r\td\n") == "a\\x1b[2Jb\\x9bc\\x0d\td\n"


def test_a_value_without_a_shape_is_refused() -> None:
    with pytest.raises(TypeError):
        plain(object())
