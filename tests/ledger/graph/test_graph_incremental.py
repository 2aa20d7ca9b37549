"""Linking again what changed gives the graph that linking everything gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.errors import StoreError

NAMES = ("f", "g", "A", "B")
PATHS = ("a.py", "b.py", "p/__init__.py", "p/c.py", "p/d.py", "x.ts", "y.ts")
PYTHON = (
    "def {0}(): pass\n",
    "def {0}(x: {1}):\n    x.run()\n    {1}()\n",
    "def {0}() -> {1}: ...\n",
    "class {0}:\n    def run(self):\n        self.stop()\n    def stop(self): pass\n",
    "class {0}({1}):\n    def go(self):\n        self.run()\n        self.other.stop()\n",
    "class {0}:\n    def __init__(self, {1}):\n        self.other = {1}\n",
    "{0} = {1}()\n",
    "{0}().stop()\n",
    "from a import {0}\n",
    "from b import {0} as {1}\n",
    "from p import {0}\n",
    "from p.c import *\n",
    "from .d import {0}\n",
    "import p.d\np.d.{0}()\n",
    "from . import {1}\n",
)
TYPESCRIPT = (
    "export function {0}() {{ {1}(); }}\n",
    "export class {0} {{ run() {{ this.stop(); }} stop() {{}} }}\n",
    'import {{ {0} }} from "./x";\n',
    'export * from "./y";\n',
    "export default function {0}() {{}}\n",
    'import {0} from "./y";\n{0}();\n',
    "class {0}Child extends {0} {{ go() {{ this.run(); }} }}\n",
)


@st.composite
def contents(draw: st.DrawFn, path: str) -> str:
    lines = draw(st.lists(st.sampled_from(TYPESCRIPT if path.endswith(".ts") else PYTHON), max_size=4))
    return "".join(line.format(draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))) for line in lines)


@st.composite
def edits(draw: st.DrawFn) -> list[dict[str, str | None]]:
    """What each step writes (a text) or removes (None)."""
    steps: list[dict[str, str | None]] = []
    for size in (5, 1, 2):
        paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=size, unique=True))
        steps.append({path: draw(st.none() | contents(path)) for path in paths})
    return steps


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=edits())
def test_linking_what_changed_equals_linking_everything(
    new_code: Callable[[], Any], steps: list[dict[str, str | None]]
) -> None:
    grown, files = new_code(), dict[str, str]()
    for step in steps:
        for path, text in step.items():
            if text is None:
                files.pop(path, None)
                (grown.root / path).unlink(missing_ok=True)
            else:
                files[path] = text
        grown.index({path: text for path, text in step.items() if text is not None})
    fresh = new_code()
    fresh.index(files)
    assert grown.edges() == fresh.edges()


def test_renaming_a_symbol_that_nobody_refers_to_links_one_file(code: Any) -> None:
    code.index(
        {
            "a.py": "def used(): pass\ndef alone(): pass\n",
            "b.py": "from a import used\nused()\n",
            "c.py": "from b import used\ndef f():\n    used()\n",
        }
    )
    before = code.edges()
    report = code.index({"a.py": "def used(): pass\ndef lonely(): pass\n"})
    assert (report.files, report.affected) == (1, 0)
    assert code.edges() == before


def test_a_symbol_that_is_renamed_takes_the_edges_of_its_users_away(code: Any) -> None:
    code.index({"a.py": "def old(): return 1\n", "b.py": "from a import old\ndef f():\n    old()\n"})
    report = code.index({"a.py": "def new(): return 1\n"})
    assert report.affected == 1
    assert code.edges("call") == set()


def test_a_new_file_is_found_by_imports_that_waited_for_it(code: Any) -> None:
    code.index({"b.py": "from a import f\ndef g():\n    f()\n"})
    assert code.edges("call") == {"call b.py::g -> (a.f)"}
    code.index({"a.py": "def f(): pass\n"})
    assert code.edges("call") == {"call b.py::g -> a.py::f"}


def test_a_removed_file_leaves_no_edge_to_it(code: Any) -> None:
    code.index({"a.py": "def f(): pass\n", "b.py": "from a import f\ndef g():\n    f()\n"})
    (code.root / "a.py").unlink()
    code.index()
    assert code.edges("call") == {"call b.py::g -> (a.f)"}


def test_linking_again_does_nothing(code: Any) -> None:
    code.index({"a.py": "def f(): pass\n"})
    assert code.index().files == 0


def test_a_change_inside_a_body_links_its_file_alone(code: Any) -> None:
    code.index({"a.py": "def f():\n    return 1\n", "b.py": "from a import f\nf()\n"})
    report = code.index({"a.py": "def f():\n    return 2\n"})
    assert (report.files, report.affected) == (1, 0)


@pytest.mark.invariant("I-02")
def test_edges_and_outlines_are_written_by_the_ledger_writer_alone(code: Any) -> None:
    code.index({"a.py": "def f(): pass\nf()\n"})
    for statement in ("DELETE FROM edge", "UPDATE edge SET resolved = 0", "UPDATE outline SET linked = 0"):
        with pytest.raises(StoreError), code.store.write() as transaction:
            transaction.connection.execute(statement)
    assert code.edges("call") == {"call a.py -> a.py::f"}
