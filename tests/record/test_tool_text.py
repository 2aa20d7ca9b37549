"""The results of tools as text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.ledger.output import extract
from moored.record.tool_text import exit_status, input_text, output_text, stated_exit_status


def test_output_and_errors_of_a_command_are_kept_byte_for_byte() -> None:
    result = {"stdout": "\x1b[31mred\x1b[0m\r\n  \n", "stderr": "\ttab ", "interrupted": False}
    assert output_text(result, "Bash") == "\x1b[31mred\x1b[0m\r\n  \n\ttab "


@given(st.text())
def test_a_text_is_kept_as_it_is(text: str) -> None:
    assert output_text(text) == text
    assert input_text(text) == text


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"stdout": "", "stderr": "", "interrupted": False}, 0),
        ({"stdout": "", "stderr": "", "interrupted": True}, None),
        ({"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"}, None),
        ({"stdout": "", "stderr": ""}, None),
        ({"exitCode": 3}, 3),
        ({"exitCode": True}, None),
        ({"output": "x", "metadata": {"exit_code": 127}}, 127),
        ({"metadata": []}, None),
        ("Exit code 1", None),
        (None, None),
    ],
)
def test_a_status_is_given_only_where_the_result_tells_it(result: Any, status: int | None) -> None:
    assert exit_status(result) == status


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ("Exit code 1\nFAILED", 1),
        ("Exit code: 130", 130),
        ("Error: Exit code 2 while building", 2),
        ("Exit code -9\n", -9),
        ("Exit code many", None),
        ("Exit code", None),
        ("the Exit code 1", None),
        ("Exit code 99999999999", None),
        ("Exit code ٣", None),
        ("", None),
    ],
)
def test_a_stated_status_is_read_from_the_first_line_only(error: str, status: int | None) -> None:
    assert stated_exit_status(error) == status


def test_the_hunks_of_an_edit_are_a_diff_that_the_ledger_reads() -> None:
    hunk = {"oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 2, "lines": [" a", "-b", "+c"]}
    result = {"filePath": "/p/a.py", "structuredPatch": [hunk], "originalFile": "secret\n" * 1_000}
    text = output_text(result, "Edit")
    assert text == "--- /p/a.py\n+++ /p/a.py\n@@ -3,2 +3,2 @@\n a\n-b\n+c"
    names = [fact.name for fact in extract(text.encode(), tool="Edit").facts]
    assert names == ["/p/a.py@@-3,2+3,2"]


@pytest.mark.parametrize("hunks", [[], [{"lines": ["+a"]}], ["x"], [{"oldStart": "1", "lines": []}], "x"])
def test_an_edit_without_readable_hunks_is_json_without_what_the_call_repeats(hunks: Any) -> None:
    result = {"filePath": "a", "structuredPatch": hunks, "originalFile": "old", "oldString": "o", "newString": "n"}
    assert json.loads(output_text(result, "Edit")) == {"filePath": "a", "structuredPatch": hunks}


def test_an_edit_that_was_only_put_forward_is_not_shown_as_a_diff() -> None:
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-b", "+c"]}
    text = output_text({"filePath": "a", "structuredPatch": [hunk], "staged": True}, "Write")
    assert json.loads(text)["staged"] is True


def test_content_blocks_are_their_texts_and_a_word_about_the_rest() -> None:
    blocks = [
        {"type": "text", "text": "one"},
        {"type": "image", "data": "QUJD", "mimeType": "image/jpeg"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "two"}},
        {"type": "resource", "resource": {"uri": "file:///b", "blob": "QUJDRA==", "mimeType": "application/pdf"}},
        {"type": "resource_link", "uri": "file:///c"},
    ]
    assert output_text({"content": blocks}).split("\n") == [
        "one",
        "[image/jpeg: 4 characters of base64 not kept]",
        "two",
        "[application/pdf: 8 characters of base64 not kept]",
        '{"type": "resource_link", "uri": "file:///c"}',
    ]


@pytest.mark.parametrize(
    ("tool", "result", "text"),
    [
        ("Grep", {"mode": "content", "content": "a.py:1:x", "filenames": []}, "a.py:1:x"),
        ("Glob", {"filenames": ["a.py", "b.py"], "numFiles": 2}, "a.py\nb.py"),
        ("Glob", {"filenames": [], "numFiles": 0}, '{"filenames": [], "numFiles": 0}'),
        ("WebFetch", {"url": "u", "code": 200, "result": "It rains."}, "It rains."),
        ("Read", {"type": "image", "file": {"base64": "QUJD", "type": "image/png"}},
         "[image/png: 4 characters of base64 not kept]"),
        ("mcp__x__y", {"result": "r", "filenames": ["f"]}, '{"filenames": ["f"], "result": "r"}'),
        ("TodoWrite", {"newTodos": [], "oldTodos": []}, '{"newTodos": [], "oldTodos": []}'),
        ("Bash", None, ""),
        ("Bash", 7, "7"),
        ("Bash", [1, 2], "[1, 2]"),
    ],
)  # fmt: skip
def test_results_of_other_tools_are_the_text_in_them_or_json(tool: str, result: Any, text: str) -> None:
    assert output_text(result, tool) == text
