"""Changing one table of a TOML text."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from moored.errors import InvalidInput
from moored.setup import toml_edit

PATH = ("mcp_servers", "moored")
OURS = {"command": "/home/J. O'Brien ü/bin/moored", "args": ["serve"]}
RICH = '''\
# My settings
model = "large"   # do not change

[features]
hooks = true

[mcp_servers.other]  # keep
command = "other"
args = [
  "--deep",
  "[mcp_servers.moored]",
]

[[profiles]]
name = """
several
lines"""
'''

LINES = st.sampled_from(
    ["", "# note", "a = 1", 'b = "x # y"', "[t]", "c = [1, 2]", "[t.u]", "d = 1979-05-27T07:32:00Z", "e = nan", "[[l]]"]
)


def documents(newline: str) -> st.SearchStrategy[str]:
    return st.lists(LINES, max_size=10).map(newline.join)


@given(st.sampled_from(["\n", "\r\n"]).flatmap(documents), st.booleans(), st.sampled_from(["", "\ufeff"]))
def test_a_table_is_put_in_and_taken_out_without_a_trace(text: str, ended: bool, mark: str) -> None:
    text = mark + text + ("\n" if ended and "\r" not in text else "")
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        assume(False)
    changed = toml_edit.put(text, PATH, OURS)
    assert tomllib.loads(changed.removeprefix("\ufeff"))["mcp_servers"]["moored"] == OURS
    assert changed.startswith(text)
    assert toml_edit.put(changed, PATH, OURS) == changed
    back = toml_edit.take(changed, PATH)
    assert back == text or back in (text + "\n", text + "\r\n")


def test_every_byte_around_stays() -> None:
    changed = toml_edit.put(RICH, PATH, OURS)
    assert changed.startswith(RICH)
    assert toml_edit.take(changed, PATH) == RICH


def test_keys_of_others_in_our_table_are_kept() -> None:
    text = RICH + '\n[mcp_servers.moored]\ncommand = "/old/moored"\nstartup_timeout_sec = 20.50\n\n# last\n[z]\n'
    changed = toml_edit.put(text, PATH, OURS)
    table = tomllib.loads(changed)["mcp_servers"]["moored"]
    assert table == {**OURS, "startup_timeout_sec": 20.5}
    assert "startup_timeout_sec = 20.50" in changed
    assert changed.startswith(RICH)
    assert changed.endswith("\n\n# last\n[z]\n")


def test_tables_below_ours_stay_on_a_change_and_go_with_it() -> None:
    text = '[mcp_servers.moored]\ncommand = "old"\n\n[mcp_servers.moored.env]\nA = "1"\n\n[other]\nx = 1\n'
    changed = toml_edit.put(text, PATH, OURS)
    assert tomllib.loads(changed)["mcp_servers"]["moored"] == {**OURS, "env": {"A": "1"}}
    assert toml_edit.take(changed, PATH) == "\n[other]\nx = 1\n"


def test_another_tool_may_write_behind_our_table() -> None:
    changed = toml_edit.put(RICH, PATH, OURS) + '\n# theirs\n[mcp_servers.late]\ncommand = "late"\n'
    assert toml_edit.take(changed, PATH) == RICH + '\n# theirs\n[mcp_servers.late]\ncommand = "late"\n'


def test_an_empty_table_above_ours_stays() -> None:
    text = "[mcp_servers]\n"
    assert toml_edit.take(toml_edit.put(text, PATH, OURS), PATH) == text


@pytest.mark.parametrize(
    "text",
    ['mcp_servers = { other = { command = "x" } }\n', 'mcp_servers.moored.command = "x"\n', "mcp_servers = 3\n"],
)
def test_a_layout_that_cannot_be_extended_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="mcp_servers"):
        toml_edit.put(text, PATH, OURS)


def test_what_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidInput, match="line 2"):
        toml_edit.put("a = 1\nb = \n", PATH, OURS)


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8) | st.datetimes() | st.dates(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
            max_leaves=6,
        ),
        max_size=4,
    )
)
def test_every_value_is_written_so_that_it_is_read_again(value: dict[str, Any]) -> None:
    assert toml_edit.find(toml_edit.put("", PATH, value), PATH) == value
