"""Every writer of the store outside of it passes admission (I-12): the code itself is walked, call by call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import moored

SOURCE = Path(moored.__file__).parent
WRITERS = {
    ("episodes", "add"): {"record/admission.py:_write", "record/admission.py:write_kept"},
    ("episodes", "add_windows"): {"record/admission.py:_put_windows"},
    ("notes", "add"): {"atlas/writing.py:write_new", "atlas/writing.py:write_derived"},
    ("notes", "revise"): {"atlas/writing.py:write_next", "forgetting/erasing.py:rebuild"},
    ("erasure", "replace_episode"): {"forgetting/redacting.py:redact"},
    ("pins", "add"): {"context/pins.py:pin"},
    ("reminders", "add"): {
        *("atlas/reminding.py:remind", "atlas/reminding.py:accept", "record/admission.py:_propose"),
    },
}
"""Every function outside of `store/` that may call what writes words to the store."""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def calls(function: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def port_call(call: ast.Call) -> tuple[str, str] | None:
    """`(table, method)` of a call such as `transaction.episodes.add(...)`."""
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Attribute):
        return call.func.value.attr, call.func.attr
    return None


def callers(wanted: tuple[str, str], source: Path = SOURCE) -> set[str]:
    """The functions outside of `store/` that call a method of the port, or hand it on."""
    found: set[str] = set()
    for file in sorted(source.rglob("*.py")):
        path = file.relative_to(source).as_posix()
        if path.startswith("store/"):
            continue
        for function in functions(ast.parse(file.read_text(encoding="utf-8"))):
            named = (
                node
                for node in ast.walk(function)
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Attribute)
                and (node.value.attr, node.attr) == wanted
            )
            if any(True for _ in named):
                found.add(f"{path}:{function.name}")
    return found


def function(path: str, name: str) -> ast.FunctionDef:
    tree = ast.parse((SOURCE / path).read_text(encoding="utf-8"))
    return next(one for one in functions(tree) if one.name == name)


@pytest.mark.invariant("I-12")
@pytest.mark.parametrize("writer", WRITERS, ids=".".join)
def test_what_writes_words_is_called_from_one_place(writer: tuple[str, str]) -> None:
    assert callers(writer) == WRITERS[writer]


@pytest.mark.invariant("I-12")
def test_what_is_written_to_the_record_was_admitted_and_what_is_admitted_was_cleaned() -> None:
    written = function("record/admission.py", "write")
    assert [argument.arg for argument in written.args.args] == ["transaction", "project", "admitted", "clock", "ids"]
    makers = {
        f"{file.relative_to(SOURCE).as_posix()}:{one.name}"
        for file in SOURCE.rglob("*.py")
        for one in functions(ast.parse(file.read_text(encoding="utf-8")))
        for call in calls(one)
        if name_of(call) == "Admitted"
    }
    assert makers == {"record/admission.py:admit"}
    admit = function("record/admission.py", "admit")
    cleaning = [call.lineno for call in calls(admit) if name_of(call) == "cleaned"]
    reading = [call.lineno for call in calls(admit) if name_of(call) in ("digest", "count_tokens", "extract", "cut")]
    assert len(cleaning) == 1
    assert len(reading) == 4
    assert cleaning[0] < min(reading)


@pytest.mark.invariant("I-12")
def test_the_words_of_a_note_are_those_that_admission_let_through() -> None:
    for name in ("remember", "revise"):
        called = {name_of(call) for call in calls(function("atlas/notes.py", name))}
        assert {"_admitted", "_words", "checked_tags", "checked_proof", "checked_cause", "checked_actor"} <= called
    assert {name_of(call) for call in calls(function("atlas/notes.py", "_admitted"))} == {"admit", "require_left"}
    words = ast.unparse(function("atlas/notes.py", "_words").body[-1])
    assert words == "return admitted.event.content.decode()"
    for name in ("checked_tags", "_checked_word"):
        assert "cleaned_text" in {name_of(call) for call in calls(function("atlas/drafts.py", name))}


@pytest.mark.invariant("I-12")
def test_the_words_of_a_seed_are_those_that_admission_let_through() -> None:
    ready = function("seeding/seed.py", "_made_ready")
    assert {"admit", "checked_text", "checked_tags"} <= {name_of(call) for call in calls(ready)}
    texts = {ast.unparse(call.args[0]) for call in calls(ready) if name_of(call) == "Prepared"}
    assert texts == {"text"}
    assert "text = admitted.event.content.decode()" in ast.unparse(ready)


@pytest.mark.invariant("I-12")
def test_what_forgetting_leaves_of_an_episode_is_admitted_again_and_a_rebuilt_note_says_nothing_new() -> None:
    redact = function("forgetting/redacting.py", "redact")
    admitted = next(call for call in calls(redact) if name_of(call) == "ReplacedEpisode")
    assert "admit" in {name_of(call) for call in calls(redact)}
    assert {ast.unparse(one).split(".")[0] for one in admitted.args} == {"old", "kept", "admitted"}
    left = function("forgetting/lineage.py", "without")
    texts = {ast.unparse(call.args[2]) for call in calls(left) if name_of(call) == "Rebuilt" and len(call.args) > 2}
    assert texts == {"left[-1].text", "'\\n'.join((words_of[source] for source in sources))"}


@pytest.mark.invariant("I-12")
def test_a_pin_is_cleaned_before_anything_else_is_done_with_it() -> None:
    first = function("context/pins.py", "pin").body[1]  # after the docstring
    assert ast.unparse(first) == "kept, _, withheld = cleaned_text(well_formed(text))"
    assert "text" not in {
        node.id
        for statement in function("context/pins.py", "pin").body[2:]
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
    }


@pytest.mark.invariant("I-12")
def test_the_words_of_a_reminder_and_what_it_waits_for_are_cleaned() -> None:
    assert {"admit", "require_left"} <= {name_of(call) for call in calls(function("atlas/reminding.py", "_admitted"))}
    assert "_admitted" in {name_of(call) for call in calls(function("atlas/reminding.py", "remind"))}
    assert "cleaned_text" in {name_of(call) for call in calls(function("atlas/reminding.py", "occasion"))}


def test_a_second_way_in_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "sneaky.py").write_text("def put(transaction):\n    add = transaction.episodes.add\n    add(1)\n")
    assert callers(("episodes", "add"), tmp_path) == {"sneaky.py:put"}


@pytest.mark.invariant("I-12", "I-20")
def test_what_waits_in_the_inbox_was_made_by_capture_which_cleans_it() -> None:
    files = {file.relative_to(SOURCE).as_posix(): file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")}
    knowing = {path: ast.parse(text) for path, text in files.items() if "moored.record.inbox" in text}

    def calling(*names: str) -> set[str]:
        return {
            f"{path}:{one.name}"
            for path, tree in knowing.items()
            for one in functions(tree)
            if set(names) <= {name_of(call) for call in calls(one)}
        }

    assert calling("Entry") == {"hosts/capture.py:_entry"}
    assert calling("_entry") == calling("_entry", "_clean") != set()
    assert calling("put") == {"hook.py:_keep"}
