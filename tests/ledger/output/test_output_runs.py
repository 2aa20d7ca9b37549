"""Summaries and failures of test runners in tool output."""

from __future__ import annotations

import pytest

from moored.ledger.output import extract
from moored.model.facts import FactKind

PYTEST = """\
.F.s                                                                     [100%]
=========================== short test summary info ============================
FAILED tests/test_a.py::test_x[a - b] - assert 1 == 2
ERROR tests/test_b.py - ModuleNotFoundError: No module named 'z'
"""
PYTEST_LONG = PYTEST + "=========== 1 failed, 2 passed, 1 skipped, 1 error in 61.12s (0:01:01) ===========\n"
PYTEST_QUIET = PYTEST + "1 failed, 2 passed, 1 skipped, 1 error in 61.12s (0:01:01)\n"
PYTEST_COLOUR = PYTEST + (
    "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m, \x1b[33m1 skipped\x1b[0m, "
    "\x1b[31m\x1b[1m1 error\x1b[0m\x1b[31m in 61.12s (0:01:01)\x1b[0m\n"
)
PYTEST_COUNTS = {
    "pytest.failed": "1",
    "pytest.passed": "2",
    "pytest.skipped": "1",
    "pytest.errors": "1",
    "pytest.duration": "61.12s (0:01:01)",
}
PYTEST_FAILURES = {
    "tests/test_a.py::test_x[a - b]": "assert 1 == 2",
    "tests/test_b.py": "ModuleNotFoundError: No module named 'z'",
}
UNITTEST = """\
F.
======================================================================
FAIL: test_a (m.T.test_a)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "m.py", line 3, in test_a
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1, expected failures=2)
"""
JEST = """\
FAIL src/a.test.js
  ● adds › one and one

    expect(received).toBe(expected)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 2 passed, 3 total
Snapshots:   0 total
Time:        0.512 s, estimated 1 s
"""
VITEST = """\
 FAIL  src/a.test.ts > math > adds
AssertionError: expected 1 to be 2

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 5 passed (6)
   Start at  10:00:00
   Duration  312ms (transform 30ms)
"""
MOCHA = """
  math
    1) adds

  3 passing (12ms)
  1 pending
  1 failing

  1) math
       adds:

      AssertionError: 1 == 2
      at x
"""
GO = """\
--- FAIL: TestA (0.00s)
    a_test.go:9: got 1
--- PASS: TestB (0.01s)
--- PASS: TestC (0.01s)
FAIL
FAIL\tex.com/a\t0.012s
ok  \tex.com/b\t(cached)
"""
GO_JSON = """\
{"Time":"t","Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:9: boom\\n"}
{"Action":"fail","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"fail","Package":"p","Elapsed":0.1}
"""
CARGO = """\
test a::x ... ok
test a::y ... FAILED

---- a::y stdout ----

thread 'a::y' (12) panicked at src/lib.rs:3:5:
assertion failed: false

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
NEXTEST = """\
        FAIL [   0.005s] (2/2) demo a::y
     Summary [   0.321s] 2 tests run: 1 passed, 1 failed, 0 skipped
        FAIL [   0.005s] (2/2) demo a::y
"""
TAP = """\
TAP version 13
1..3
ok 1 - a
not ok 2 - b
  ---
  message: 'boom'
  ...
ok 3 - c # SKIP no
"""
NODE = """\
TAP version 13
not ok 1 - b
  ---
  duration_ms: 1.2
  error: |-
    Expected x
  ...
1..1
# tests 1
# pass 0
# fail 1
# duration_ms 44.123
"""
JUNIT = (
    '<?xml version="1.0"?>\n<testsuites><testsuite name="p" tests="2" failures="1" errors="0" skipped="0" time="0.1">'
    '<testcase classname="t.A" name="x"><failure message="bad &amp; worse">trace</failure></testcase>'
    '<testcase name="y"/></testsuite></testsuites>'
)

RUNS = [
    (PYTEST_LONG, PYTEST_COUNTS, PYTEST_FAILURES),
    (PYTEST_QUIET, PYTEST_COUNTS, PYTEST_FAILURES),
    (PYTEST_COLOUR, PYTEST_COUNTS, PYTEST_FAILURES),
    (
        UNITTEST,
        {
            "unittest.total": "2",
            "unittest.duration": "0.001s",
            "unittest.result": "FAILED",
            "unittest.failed": "1",
            "unittest.xfailed": "2",
        },
        {"test_a (m.T.test_a)": "AssertionError: 1 != 2"},
    ),
    (
        JEST,
        {
            "jest.suites.failed": "1",
            "jest.suites.total": "1",
            "jest.failed": "1",
            "jest.passed": "2",
            "jest.total": "3",
            "jest.snapshots.total": "0",
            "jest.duration": "0.512 s",
        },
        {"adds › one and one": "expect(received).toBe(expected)"},
    ),
    (
        VITEST,
        {
            "vitest.files.failed": "1",
            "vitest.files.passed": "1",
            "vitest.files.total": "2",
            "vitest.failed": "1",
            "vitest.passed": "5",
            "vitest.total": "6",
            "vitest.duration": "312ms",
        },
        {"src/a.test.ts > math > adds": "AssertionError: expected 1 to be 2"},
    ),
    (
        MOCHA,
        {"mocha.passed": "3", "mocha.duration": "12ms", "mocha.skipped": "1", "mocha.failed": "1"},
        {"math > adds": "AssertionError: 1 == 2"},
    ),
    (
        GO,
        {"go.failed": "1", "go.passed": "2", "go.package.ex.com/a": "FAIL", "go.package.ex.com/b": "ok"},
        {"TestA": "a_test.go:9: got 1"},
    ),
    (GO_JSON, {"go.failed": "1", "go.package.p": "fail"}, {"p.TestA": "a_test.go:9: boom"}),
    (
        CARGO,
        {
            "cargo.result": "FAILED",
            "cargo.passed": "1",
            "cargo.failed": "1",
            "cargo.skipped": "0",
            "cargo.duration": "0.00s",
        },
        {"a::y": "assertion failed: false"},
    ),
    (
        NEXTEST,
        {
            "nextest.total": "2",
            "nextest.passed": "1",
            "nextest.failed": "1",
            "nextest.skipped": "0",
            "nextest.duration": "0.321s",
        },
        {"demo a::y": ""},
    ),
    (TAP, {"tap.total": "3", "tap.passed": "1", "tap.failed": "1", "tap.skipped": "1"}, {"b": "boom"}),
    (
        NODE,
        {"node.total": "1", "node.passed": "0", "node.failed": "1", "node.duration_ms": "44.123"},
        {"b": "Expected x"},
    ),
    (
        JUNIT,
        {"junit.total": "2", "junit.failed": "1", "junit.errors": "0", "junit.skipped": "0", "junit.duration": "0.1"},
        {"t.A::x": "bad & worse"},
    ),
]
COUNTED = ("go.", "tap.passed", "tap.failed", "tap.skipped")


@pytest.mark.parametrize(("text", "counts", "failures"), RUNS)
def test_a_run_is_read_with_its_counts_and_failures(
    text: str, counts: dict[str, str], failures: dict[str, str]
) -> None:
    facts = extract(text.encode()).facts
    assert {f.name: f.value for f in facts if f.kind == FactKind.TEST_SUMMARY} == counts
    assert {f.name: f.value for f in facts if f.kind == FactKind.TEST_FAILURE} == failures
    assert {f.kind for f in facts} == {FactKind.TEST_SUMMARY, FactKind.TEST_FAILURE}


@pytest.mark.parametrize("text", [text for text, _, _ in RUNS])
def test_the_bytes_of_a_printed_count_are_the_value(text: str) -> None:
    content = text.encode()
    for fact in extract(content).facts:
        if fact.kind == FactKind.TEST_SUMMARY and not fact.name.startswith(COUNTED):
            assert content[fact.span.start : fact.span.end].decode() == fact.value
            assert fact.span.line == content[: fact.span.start].count(b"\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        "All 3 passed and none failed, it took 3 passed in total.\nexit code 0\n",
        "ERROR: could not connect\nFAILED tests to start\nRan 3 tests quickly\n",
        "Tests: we wrote 5 passed things\nok then\nFAIL fast\n",
    ],
)
def test_nothing_is_guessed_from_prose(text: str) -> None:
    assert not extract(text.encode(), tool="Read").found


def test_a_report_that_declares_entities_is_refused() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE testsuite [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><testsuite tests="&b;"/>'
    found = extract(bomb.encode())
    assert (found.found, found.omitted) == (False, 1)


def test_failures_over_the_cap_are_counted() -> None:
    lines = "".join(f"FAILED tests/test_a.py::test_{n} - x\n" for n in range(1_200))
    found = extract((lines + "1200 failed in 0.12s\n").encode())
    assert found.omitted == 200
