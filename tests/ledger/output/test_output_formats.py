"""JSON, tables, HTTP, diffs and exit statuses in tool output."""

from __future__ import annotations

import difflib
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moored.ledger.output import extract
from moored.ledger.output.json_fields import MAX_FIELDS
from moored.model.facts import Extraction, FactKind

TEXT = st.text(max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=25
)
LINES = st.lists(st.sampled_from(["a", "b", "-- c", "++ d", "", "@@ -1 +1 @@"]), max_size=20)
NOISE = st.binary(max_size=300) | st.lists(
    st.sampled_from(
        [b"\n", b"\x1b[31m", b"\x1b]0;", b"{", b"}", b"[", b'"a":', b"1", b",", b"HTTP/1.1 200 OK\r\n",
         b"A: b\r\n", b"< ",
         b"@@ -1,2 +3,4 @@\n", b"@@@ -1 -1 +1 @@@\n", b"--- a\n+++ b\n", b"diff --git a/x b/y\n", b"+", b"-", b" ",
         b"ok 1\n",
         b"1..2\n", b"not ok 2 - x # TODO\n", b"# pass 1\n", b"duration_ms ", b"---\n", b"<testsuite tests='1'>",
         b"<testcase>", b"<failure/>", b"1 passed in 0.10s\n", b"FAILED a.py::b - c\n",
         b"Ran 1 test in 0.001s\n", b"OK\n",
         b"--- FAIL: T (0.1s)\n", b"a,b\n", b"a\tb\n", b"\x00", b"\xff",
         b'{"Action":"fail","Package":"p","Test":"t"}\n']
    ),
    max_size=40,
).map(b"".join)  # fmt: skip


def shown(found: Extraction) -> list[tuple[str, str]]:
    return [(fact.name, fact.value) for fact in found.facts]


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict) and value:
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list) and value:
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


@settings(deadline=None)
@given(st.dictionaries(TEXT, TREES, min_size=1, max_size=4) | st.lists(TREES, min_size=1, max_size=4))
def test_every_field_of_a_document_is_found_and_its_bytes_decode_to_it(document: Any) -> None:
    for content in (json.dumps(document).encode(), json.dumps(document, indent=1, ensure_ascii=False).encode()):
        found = extract(content)
        decoded = [json.loads(content[fact.span.start : fact.span.end]) for fact in found.facts]
        assert decoded == leaves(document)
        for fact, value in zip(found.facts, decoded, strict=True):
            if isinstance(value, str):
                assert fact.value == value
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                assert fact.value.encode() == content[fact.span.start : fact.span.end]


def test_json_fields_are_named_by_path_and_keep_written_numbers() -> None:
    assert shown(extract(b'{"a": {"b": [1.50, "x", {}]}, "a.b": null}')) == [
        ("a.b[0]", "1.50"),
        ("a.b[1]", "x"),
        ("a.b[2]", "{}"),
        ('"a.b"', "null"),
    ]


def test_json_lines_and_a_document_below_a_header_are_found() -> None:
    assert shown(extract(b'{"a": 1}\n\n{"a": 2}\n')) == [("[0].a", "1"), ("[1].a", "2")]
    content = 'Résultat :\n```json\n{\n "a": "é"\n}\n```\n'.encode()
    found = extract(content)
    assert shown(found) == [("a", "é")]
    assert content[found.facts[0].span.start : found.facts[0].span.end] == '"é"'.encode()


@pytest.mark.parametrize("text", ["see [1]\n[1]\n", '{"a": 1} and so on\n', "[INFO] started\n[INFO] done\n", "{a: 1}"])
def test_text_with_brackets_is_no_json(text: str) -> None:
    assert not extract(text.encode()).found


def test_fields_over_the_cap_are_counted() -> None:
    found = extract(json.dumps(list(range(MAX_FIELDS + 9))).encode())
    assert (len(found.facts), found.omitted) == (MAX_FIELDS, 9)


def test_json_over_the_size_limit_is_said_to_be_left_out() -> None:
    found = extract(b"[" + b" " * (17 * 1024 * 1024) + b"]")
    assert (found.found, found.omitted) == (False, 1)


def test_a_table_gives_its_columns() -> None:
    content = b'id,name,score\n1,Ada,2.5\n2,"Bob, Jr",3\n'
    found = extract(content)
    assert shown(found) == [
        ("id", "2 values, e.g. 1, 2"),
        ("name", "2 values, e.g. Ada, Bob, Jr"),
        ("score", "2 values, e.g. 2.5, 3"),
    ]
    assert [content[f.span.start : f.span.end] for f in found.facts] == [b"id", b"name", b"score"]
    assert [f.name for f in extract(b"a\tb\n1\t2\n3\t4\n").facts] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Hello, world\nfoo, bar\nbaz, q\n", ""),
        ("id,name\n1,a\n", ""),
        ("id,name\n1,a\n2\n", ""),
        ("1,2\n3,4\n5,6\n", ""),
        ("id,id\n1,2\n3,4\n", ""),
        ("id,name\n1,a\n2,b\n", "grep a x.csv"),
    ],
)
def test_what_might_not_be_a_table_is_none(text: str, command: str) -> None:
    assert not extract(text.encode(), command=command).found


def test_http_responses_keep_repeated_headers_in_order() -> None:
    content = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\nX: body\n"
    found = extract(content)
    assert shown(found) == [
        ("http-status", "200 OK"),
        ("content-type", "text/plain"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
    ]
    assert all(content[f.span.start : f.span.end].decode() == f.value for f in found.facts)


def test_verbose_curl_gives_the_headers_of_the_response_only() -> None:
    content = b"* Trying\n> GET / HTTP/1.1\n> Host: x\n< HTTP/2 404 \n* note\n< server: n\n< \n{ [5 bytes data]\n"
    assert shown(extract(content)) == [("http-status", "404"), ("server", "n")]


GIT_DIFF = """\
diff --git a/x.py b/x.py
index 1..2 100644
--- a/x.py
+++ b/x.py
@@ -1,3 +1,4 @@ def f():
 a
--- b
+c
+d
 e
diff --git a/o b/n
rename from o
rename to n
diff --git a/i.png b/i.png
new file mode 100644
Binary files /dev/null and b/i.png differ
diff --git a/g b/g
deleted file mode 100644
--- a/g
+++ /dev/null
@@ -1 +0,0 @@
-z
\\ No newline at end of file
diff --cc m
--- a/m
+++ b/m
@@@ -1,2 -1,2 +1,3 @@@
  a
+ b
 +c
"""


@pytest.mark.parametrize("colour", [False, True])
def test_a_git_diff_gives_hunks_and_file_notes(colour: bool) -> None:
    text = re.sub(r"(?m)^(.+)$", "\x1b[1m\\1\x1b[m", GIT_DIFF) if colour else GIT_DIFF
    assert shown(extract(text.encode())) == [
        ("x.py@@-1,3+1,4", "@@ -1,3 +1,4 @@ def f(): (+2 -1)"),
        ("n@@renamed", "renamed from o"),
        ("i.png@@new", "new file"),
        ("i.png@@binary", "binary"),
        ("g@@deleted", "deleted file"),
        ("g@@-1+0,0", "@@ -1 +0,0 @@ (+0 -1)"),
        ("m@@@-1,2-1,2+1,3", "@@@ -1,2 -1,2 +1,3 @@@ (+2 -0)"),
    ]


@settings(deadline=None)
@given(LINES, LINES, st.integers(0, 3))
def test_a_diff_is_read_back_with_the_same_counts(old: list[str], new: list[str], context: int) -> None:
    lines = list(difflib.unified_diff(old, new, "a/f", "b/f", lineterm="", n=context))
    facts = extract(("\n".join(lines) + "\n").encode()).facts
    counts = [tuple(map(int, re.findall(r"\(\+(\d+) -(\d+)\)$", fact.value)[0])) for fact in facts]
    matcher = difflib.SequenceMatcher(None, old, new)
    changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    assert sum(added for added, _ in counts) == sum(j2 - j1 for _, _, _, j1, j2 in changed)
    assert sum(removed for _, removed in counts) == sum(i2 - i1 for _, i1, i2, _, _ in changed)
    assert len(counts) == len(list(matcher.get_grouped_opcodes(context)))


def test_the_exit_status_is_what_the_host_says_or_a_known_wrapper_writes() -> None:
    assert shown(extract(b"x", exit_status=3)) == [("exit-status", "3")]
    assert shown(extract(b"Exit code 2\nboom", tool="Bash")) == [("exit-status", "2")]
    wrapped = b"Wall time: 1s\nProcess exited with code 3\nOutput:\nExit code: 9\n"
    assert shown(extract(wrapped, tool="functions.exec_command")) == [("exit-status", "3")]
    assert not extract(b"Exit code 2\nboom", tool="Read").found
    assert not extract(b"it ended\nExit code 2\n", tool="Bash").found


@settings(deadline=None)
@given(NOISE)
def test_no_bytes_crash_the_extractors_and_spans_stay_inside(content: bytes) -> None:
    for fact in extract(content, tool="bash").facts:
        assert 0 <= fact.span.start <= fact.span.end <= len(content)
        assert 1 <= fact.span.line <= fact.span.end_line
        assert fact.kind != FactKind.CONFIG_KEY
        (fact.name + fact.value).encode()


@pytest.mark.parametrize("piece", [b"{", b"[", b'{"a":', b"<testsuite tests='1'>", b"\x1b[", b"@@ -1 +1 @@\n"])
def test_repeated_openings_end_soon(piece: bytes) -> None:
    extract(piece * 100_000)


def test_nothing_found_is_an_extraction_without_facts() -> None:
    found = extract(b"")
    assert (found.found, found.errors, found.omitted) == (False, 0, 0)
