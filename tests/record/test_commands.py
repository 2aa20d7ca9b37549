"""Which command lines only look."""

from __future__ import annotations

import pytest

from moored.record.commands import only_looks


@pytest.mark.parametrize(
    "line",
    ["ls", "cat a.py", "cd src && grep -rn winch . 2>/dev/null | head -5", "git log --oneline | head", "sed -n 1,9p a",
     "git diff 2>&1", "pwd; git status"],
)  # fmt: skip
def test_what_prints_what_is_there_only_looks(line: str) -> None:
    assert only_looks(line)


@pytest.mark.parametrize(
    "line",
    ["", "  ", "|", "pytest -q", "cd src && make", "cat a > b", "sed -i s/a/b/ a", "find . -delete", "git commit -m x",
     "git", "echo 1 | tee a", "git branch -D x", "lsof"],
)  # fmt: skip
def test_what_does_something_does_not_only_look(line: str) -> None:
    assert not only_looks(line)
