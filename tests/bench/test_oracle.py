"""The yardstick for Python is right about the cases that can be told by hand."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from bench.oracle import Expected, Fate, compare, read

LONG = """
    first = [one for one in values if one > 3]
    second = sorted(first, key=lambda one: -one)
    return first + second + [len(values)]
"""


@pytest.fixture
def fates(tmp_path: Path):
    """Compare two states of a tree, given as texts by path."""

    def run(old: dict[str, str], new: dict[str, str]) -> dict[tuple[str, str], Expected]:
        releases = []
        for name, files in (("old", old), ("new", new)):
            for path, text in files.items():
                file = tmp_path / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(textwrap.dedent(text))
            releases.append(read(tmp_path / name))
        return compare(*releases)

    return run


def test_layout_comments_and_the_prefix_u_do_not_count(fates) -> None:
    found = fates({"a.py": "def f(x):\n    return 'a' + x\n"}, {"a.py": "def f( x ):\n    # why\n    return u'a'+x\n"})
    assert found["a.py", "f"] == Expected(Fate.CURRENT)


@pytest.mark.parametrize(
    ("new", "signature", "body"),
    [
        ("def f(x, y=1):\n    return x\n", True, False),
        ("@cache\ndef f(x):\n    return x\n", True, False),
        ("async def f(x):\n    return x\n", True, False),
        ("def f(x):\n    return -x\n", False, True),
        ("def f(x) -> int:\n    return -x\n", True, True),
    ],
)
def test_signature_and_body_are_told_apart(fates, new: str, signature: bool, body: bool) -> None:
    found = fates({"a.py": "def f(x):\n    return x\n"}, {"a.py": new})
    assert found["a.py", "f"] == Expected(Fate.CHANGED, signature, body)


def test_a_method_changes_its_class(fates) -> None:
    old = {"a.py": "class C:\n    def m(self):\n        return 1\n    def n(self):\n        return 2\n"}
    found = fates(old, {"a.py": old["a.py"].replace("2", "3")})
    assert [found["a.py", name].fate for name in ("C", "C.m", "C.n")] == [Fate.CHANGED, Fate.CURRENT, Fate.CHANGED]


def test_an_overload_before_another_leaves_the_other_as_it_was(fates) -> None:
    one, two = "def f(x: int):\n    return x\n", "def f(x: str):\n    return x\n"
    assert fates({"a.py": two}, {"a.py": one + two})["a.py", "f"].fate is Fate.CURRENT


def test_a_body_in_exactly_one_new_place_has_moved(fates) -> None:
    found = fates({"a.py": f"def f(values):{LONG}"}, {"b.py": f"def g(values):{LONG}"})
    assert found["a.py", "f"] == Expected(Fate.MOVED, places=frozenset({("b.py", "g")}))


def test_a_body_in_two_new_places_is_ambiguous(fates) -> None:
    found = fates({"a.py": f"def f(values):{LONG}"}, {"b.py": f"def g(values):{LONG}\ndef h(values):{LONG}"})
    assert found["a.py", "f"].fate is Fate.AMBIGUOUS


def test_a_copy_that_was_there_before_is_no_move(fates) -> None:
    kept = f"def g(values):{LONG}"
    found = fates({"a.py": f"def f(values):{LONG}", "b.py": kept}, {"b.py": kept})
    assert found["a.py", "f"].fate is Fate.GONE


def test_a_small_method_goes_along_with_its_class(fates) -> None:
    text = (
        f"class C:\n    def small(self):\n        return 1\n    def long(self, values):{LONG.replace('    ', ' ' * 8)}"
    )
    found = fates({"a.py": text}, {"a.py": text.replace("class C", "class D")})
    assert found["a.py", "C.small"] == Expected(Fate.MOVED, places=frozenset({("a.py", "D.small")}))


def test_a_class_that_became_an_alias_has_changed(fates) -> None:
    found = fates({"a.py": "class C(Base):\n    pass\n"}, {"a.py": "C = Base\n"})
    assert found["a.py", "C"].fate is Fate.CHANGED


def test_a_file_that_does_not_parse_is_left_out(fates) -> None:
    assert not fates({"a.py": "def f(x):\n    return x\n"}, {"a.py": "def f(:\n"})
