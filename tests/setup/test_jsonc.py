"""Reading JSON with comments, and changing one place of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.written import VALUES, documents
from moored.errors import InvalidInput
from moored.setup import json_edit, jsonc


@given(VALUES)
def test_what_the_standard_library_writes_is_read(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value, ensure_ascii=False)):
        root = jsonc.parse(text)
        assert root is not None
        assert root.value == value


@given(documents())
def test_a_node_stands_where_it_says(text: str) -> None:
    root = jsonc.parse(text)
    assert root is not None
    for child in root.children:
        assert text[child.start] == '"'
        again = jsonc.parse(text[child.node.start : child.node.end])
        assert again is not None
        assert again.value == child.node.value


@given(documents(), VALUES)
def test_a_member_is_put_in_and_taken_out_without_a_trace(text: str, value: Any) -> None:
    before = jsonc.parse(text)
    assert before is not None
    changed = json_edit.put(text, ("moored servers", "moored"), value)
    after = jsonc.parse(changed)
    assert after is not None
    assert after.value == {**before.value, "moored servers": {"moored": value}}
    back = json_edit.take(changed, ("moored servers",))
    if before.children:
        assert back == text
    else:
        restored = jsonc.parse(back)
        assert restored is not None
        assert restored.value == {}


@given(documents(), VALUES, VALUES)
def test_a_value_is_replaced_and_nothing_else(text: str, first: Any, second: Any) -> None:
    changed = json_edit.put(json_edit.put(text, ("ours",), first), ("ours",), second)
    root = jsonc.parse(changed)
    assert root is not None
    assert root.value == {**jsonc.parse(text).value, "ours": second}
    assert json_edit.put(changed, ("ours",), second) == changed


@given(st.lists(VALUES, min_size=1, max_size=4), VALUES, st.data())
def test_an_element_is_taken_out_wherever_it_stands(values: list[Any], value: Any, data: st.DataObject) -> None:
    text = json.dumps({"list": values}, indent=data.draw(st.sampled_from([None, 2, "\t"])))
    changed = json_edit.append(text, ("list",), value)
    root = jsonc.parse(changed)
    assert root is not None
    assert root.value == {"list": [*values, value]}
    assert json_edit.take(changed, ("list", len(values))) == text
    index = data.draw(st.integers(0, len(values) - 1))
    fewer = jsonc.parse(json_edit.take(text, ("list", index)))
    assert fewer is not None
    assert fewer.value == {"list": values[:index] + values[index + 1 :]}


def test_the_layout_around_is_taken_over() -> None:
    text = '{\r\n\t"a": 1, // one\r\n\t"b": {"c": 2} // two\r\n}\r\n'
    assert json_edit.put(text, ("d", "e"), [True]) == (
        '{\r\n\t"a": 1, // one\r\n\t"b": {"c": 2}, // two\r\n'
        '\t"d": {\r\n\t\t"e": [\r\n\t\t\ttrue\r\n\t\t]\r\n\t}\r\n}\r\n'
    )
    assert json_edit.put(text, ("b", "d"), 3) == text.replace('{"c": 2}', '{"c": 2, "d": 3}')
    assert json_edit.put('{\n    "a": 1,\n}\n', ("b",), 2) == '{\n    "a": 1,\n    "b": 2,\n}\n'


def test_comments_of_others_stay_when_a_member_goes() -> None:
    text = '{\n  // above a\n  "a": 1,\n  // above ours\n  "ours": 2, // behind ours\n  "b": 3 // behind b\n}\n'
    assert json_edit.take(text, ("ours",)) == (
        '{\n  // above a\n  "a": 1,\n  // above ours\n  // behind ours\n  "b": 3 // behind b\n}\n'
    )


def test_a_member_that_shares_its_line_does_not_slip_into_a_comment() -> None:
    text = '{\n  "a": 1, // one\n  "ours": 2, "b": 3\n}'
    root = jsonc.parse(json_edit.take(text, ("ours",)))
    assert root is not None
    assert root.value == {"a": 1, "b": 3}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ('{"a": 1', "line 1, column 8"),
        ('{"a": 01}', "line 1, column 8"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a" 1}', "line 1, column 6"),
        ('{"a": "x\ny"}', "line 1, column 7"),
        ('{"a": "\\q"}', "line 1, column 7"),
        ("{}\n}", "line 2, column 1"),
        ("[1,,2]", "line 1, column 4"),
        ("[" * 300, "more than 200"),
        ("{ /* no end", "line 1, column 3"),
        ("<html>", "line 1, column 1"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(InvalidInput, match=place):
        jsonc.parse(text)


def test_something_else_than_an_object_on_the_way_is_refused() -> None:
    for text, what in (("[]", "a list"), ('{"a": 3}', "a plain value"), ('{"a": []}', "a list")):
        with pytest.raises(InvalidInput, match=what):
            json_edit.put(text, ("a", "b"), 1)


def test_a_text_of_blanks_and_comments_gets_a_document() -> None:
    assert json_edit.put("", ("a",), 1) == '{\n  "a": 1\n}\n'
    assert json_edit.put("// mine\n", ("a",), 1) == '// mine\n{\n  "a": 1\n}\n'
