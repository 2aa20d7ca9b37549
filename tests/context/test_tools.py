"""What tool calls of the hosts say of themselves."""

from __future__ import annotations

import json

import pytest

from moored.context.todo import Step, open_steps, stated_steps
from moored.context.tools import deed
from moored.store.rows import Call

PATCH = """*** Begin Patch
*** Update File: net/session.py
*** Move to: net/link.py
@@
-a
+b
*** Add File: docs/new page.md
+x
*** End Patch"""


def call(tool: str, given: object, status: int | None = None, begins: str = "", seq: int = 1) -> Call:
    return Call(seq, f"ep_{seq}", tool, given if isinstance(given, str) else json.dumps(given), status, begins)


@pytest.mark.parametrize(
    ("tool", "given", "writes", "reads", "command"),
    [
        ("Edit", {"file_path": "/q/a.py", "old_string": "x"}, ("/q/a.py",), (), ""),
        ("Write", {"file_path": "a b.py", "content": "x"}, ("a b.py",), (), ""),
        ("NotebookEdit", {"notebook_path": "n.ipynb"}, ("n.ipynb",), (), ""),
        ("Read", {"file_path": "/q/a.py"}, (), ("/q/a.py",), ""),
        ("read_file", {"absolute_path": "/q/a.py"}, (), ("/q/a.py",), ""),
        ("replace", {"file_path": "a.py"}, ("a.py",), (), ""),
        ("edit_file", {"target_file": "a.py"}, ("a.py",), (), ""),
        ("mcp__files__write_file", {"path": "a.py"}, ("a.py",), (), ""),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}, (), ("a.py",), ""),
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "a.py"}, ("a.py",), (), ""),
        ("apply_patch", {"input": PATCH}, ("net/session.py", "net/link.py", "docs/new page.md"), (), ""),
        ("apply_patch", PATCH, ("net/session.py", "net/link.py", "docs/new page.md"), (), ""),
        ("shell", {"command": ["apply_patch", PATCH]}, ("net/session.py", "net/link.py", "docs/new page.md"), (), ""),
        ("Bash", {"command": "pytest  -q\n", "description": "Run"}, (), (), "pytest -q"),
        ("shell", {"command": ["bash", "-lc", "pytest -q"]}, (), (), "pytest -q"),
        ("shell", {"command": ["git", "status"]}, (), (), "git status"),
        ("exec_command", {"cmd": "ls"}, (), (), "ls"),
        ("Grep", {"pattern": "x", "path": "src"}, (), (), ""),
        ("TodoWrite", {"todos": []}, (), (), ""),
        ("Edit", "{not json", (), (), ""),
        ("Edit", [1, 2], (), (), ""),
        ("Edit", {"file_path": 3}, (), (), ""),
        ("Edit", "", (), (), ""),
    ],
)
def test_a_call_says_which_files_and_which_command(
    tool: str, given: object, writes: tuple[str, ...], reads: tuple[str, ...], command: str
) -> None:
    read = deed(call(tool, given))
    assert (read.writes, read.reads, read.command) == (writes, reads, command)


def test_a_plain_input_is_a_command_only_where_there_is_an_exit_status() -> None:
    assert deed(call("bash", "$ make  test", 2)).command == "make test"
    assert deed(call("search", "how to make tests")).command == ""


@pytest.mark.parametrize(
    ("status", "begins", "failed"),
    [
        (0, "Error: nothing", False),
        (1, "", True),
        (-9, "", True),
        (None, "<tool_use_error>No such file", True),
        (None, "Error: cannot", True),
        (None, "errors: none", False),
        (None, "Exit code 2\n", True),
        (None, "Exit code 0\n", False),
        (None, "All is well", False),
        (None, "", False),
    ],
)
def test_a_failure_is_told_by_its_status_or_else_by_an_error(status: int | None, begins: str, failed: bool) -> None:
    assert deed(call("Tool", {"a": 1}, status, begins)).failed is failed


@pytest.mark.parametrize(
    ("tool", "name", "text", "done"),
    [
        ("TodoWrite", "todos", "content", "completed"),
        ("todowrite", "todos", "content", "cancelled"),
        ("update_plan", "plan", "step", "completed"),
        ("write_todos", "todos", "description", "cancelled"),
    ],
)
def test_the_open_steps_of_every_hosts_list_are_read(tool: str, name: str, text: str, done: str) -> None:
    items = [
        {text: "A", "status": done},
        {text: "B  b", "status": "in_progress"},
        {text: "C", "status": "pending"},
        {text: 4},
        3,
    ]
    assert open_steps([call(tool, {name: items})], []) == (Step("B b", True), Step("C", False))


def test_tasks_are_followed_from_their_creation_to_their_end() -> None:
    newest_first = [
        call("TaskUpdate", {"taskId": "2", "status": "in_progress"}, seq=6),
        call("TaskUpdate", {"taskId": "1", "status": "completed"}, seq=5),
        call("TaskUpdate", {"taskId": "9", "status": "completed"}, seq=4),
        call("TaskCreate", {"subject": "Third"}, seq=3),
        call("TaskCreate", {"subject": "Second"}, seq=2),
        call("TaskCreate", {"subject": "First"}, seq=1),
    ]
    assert open_steps([], newest_first) == (Step("Second", True), Step("Third", False))
    assert open_steps([call("TodoWrite", {"todos": [{"content": "Later"}]}, seq=7)], newest_first) == (
        Step("Later", False),
    )
    assert open_steps([], []) == ()


@pytest.mark.parametrize(
    ("message", "steps"),
    [
        ("All done.", ()),
        ("Fixed.\n\n## Next steps\n\n1. Run it\n2. Ship it\n\nThanks.", ("Run it", "Ship it")),
        ("Fixed. Next steps:\n- run it\n* ship it", ("run it", "ship it")),
        ("**Remaining work:** the changelog", ("**Remaining work:** the changelog",)),
        ("- [x] a\n- [ ] b\n- [ ] c", ("b", "c")),
        ("Fixed.\nNext, I'll run the tests.", ("Next, I'll run the tests.",)),
        ("To-do:\nship it\nand more", ("ship it",)),
        ("", ()),
    ],
)
def test_the_steps_that_a_message_states_are_read(message: str, steps: tuple[str, ...]) -> None:
    assert stated_steps(message) == steps
