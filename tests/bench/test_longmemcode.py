"""LongMemCode: the arithmetic of its scores, the translation of names, and a run over a small package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moored.bench.longmemcode import run, scored
from moored.errors import InvalidInput

PACKAGE = {
    "__init__.py": "",
    "shapes.py": (
        "class Shape:\n    def area(self):\n        return side()\n"
        "class Square(Shape):\n    def area(self):\n        def inner():\n            pass\n        return inner()\n"
        "def side():\n    def deep():\n        pass\n    deep()\n"
    ),
}
QUESTIONS = [
    ("lookup", {"name": "kit `kit.shapes`/Shape#area()."}, ["kit `kit.shapes`/Shape#area()."]),
    ("lookup", {"name": "kit `kit.shapes`/side().deep()."}, ["kit `kit.shapes`/side().deep()."]),
    ("lookup", {"name": "Square#inner"}, ["kit `kit.shapes`/Square#inner()."]),
    ("lookup", {"name": "Shape", "kind": "struct"}, ["kit `kit.shapes`/Shape#"]),
    ("lookup", {"name": "kit `kit.shapes`/Shape()."}, []),
    ("lookup", {"name": "Sahpe"}, []),
    ("callers", {"sym_stable_id": "kit `kit.shapes`/side()."}, ["kit `kit.shapes`/Shape#area()."]),
    ("callees", {"sym_stable_id": "kit `kit.shapes`/side()."}, ["kit `kit.shapes`/side().deep()."]),
    ("implementors", {"sym_stable_id": "kit `kit.shapes`/Shape#"}, ["kit `kit.shapes`/Square#"]),
    ("contained_by", {"sym_stable_id": "kit `kit.shapes`/Shape#"}, ["kit `kit.shapes`/Shape#area()."]),
    ("file_symbols", {"file_path": "__init__.py"}, ["file:__init__.py"]),
    ("orphans", {"kind": "struct"}, ["kit `kit.shapes`/Square#"]),
]


def questions(path: Path) -> Path:
    items = [
        {
            "id": f"q-{number}",
            "category": "BugFix",
            "sub_type": "",
            "query": {"op": operation, **query},
            "expected": {"kind": "exact_set", "stable_ids": expected},
        }
        for number, (operation, query, expected) in enumerate(QUESTIONS)
    ]
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


def test_every_operation_is_answered_in_the_names_of_the_benchmark(tmp_path: Path) -> None:
    package = tmp_path / "kit"
    package.mkdir()
    for name, text in PACKAGE.items():
        (package / name).write_text(text, encoding="utf-8")
    report = run(questions(tmp_path / "q.json"), package, tmp_path / "store.db")
    assert report.misses == ()
    assert (report.weighted, report.absent, report.questions) == (1.0, 1.0, len(QUESTIONS))
    assert "12 questions, weighted accuracy 1.0000" in report.text()


@pytest.mark.parametrize(
    ("answer", "expected", "score"),
    [
        (["a", "b"], {"kind": "exact_symbol", "stable_id": "a"}, 1.0),
        (["b", "a"], {"kind": "exact_symbol", "stable_id": "a"}, 0.0),
        (["b", "a"], {"kind": "in_top_k", "stable_id": "a", "k": 2}, 1.0),
        (["b", "a"], {"kind": "in_top_k", "stable_id": "a", "k": 1}, 0.0),
        (["a", "x"], {"kind": "contains", "required": ["a", "b"]}, 0.5),
        ([], {"kind": "exact_set", "stable_ids": []}, 1.0),
        (["x"], {"kind": "exact_set", "stable_ids": []}, 0.0),
        (["a", "x"], {"kind": "exact_set", "stable_ids": ["a"]}, 2 / 3),
    ],
)
def test_scores_follow_the_arithmetic_of_the_benchmark(
    answer: list[str], expected: dict[str, Any], score: float
) -> None:
    assert scored(answer, expected)[0] == pytest.approx(score)


def test_data_that_holds_no_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(InvalidInput, match="does not hold LongMemCode questions"):
        run(tmp_path / "q.json", tmp_path, tmp_path / "store.db")


def test_a_folder_that_is_no_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no __init__\.py"):
        run(questions(tmp_path / "q.json"), tmp_path, tmp_path / "store.db")
