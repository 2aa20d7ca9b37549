"""Every hand-made edit gets the verdict that is written down for it, at once, once indexed, and once taken back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from bench.edits.edit import languages, load
from bench.edits.run import run_all

CODE = {
    "bash", "c", "c_sharp", "cpp", "go", "java", "javascript", "kotlin", "lua", "php", "python", "ruby", "rust",
    "scala", "sql", "swift", "tsx", "typescript",
}  # fmt: skip
CONFIGURATION = {"dockerfile", "ini", "json", "requirements", "toml", "yaml"}


@pytest.mark.parametrize("language", languages())
@pytest.mark.invariant("I-04")
def test_every_edit_gets_its_verdict(language: str, tmp_path: Path) -> None:
    wrong = [f"{outcome.edit.name}: {outcome.problem}" for outcome in run_all(tmp_path, [language]) if outcome.problem]
    assert not wrong, "\n".join(wrong)


def test_every_language_has_edits_that_must_and_must_not_be_noticed() -> None:
    assert set(languages()) == CODE | CONFIGURATION
    for language in languages():
        edits = load(language)
        assert len({edit.name for edit in edits}) == len(edits)
        assert {bool(edit.expected) for edit in edits} == {True, False}
        kinds = Counter(edit.kind for edit in edits)
        assert {"layout", "style", "add", "delete", "revert"} & set(kinds) >= {"add", "delete", "revert"}
        if language in CODE:
            assert {"layout", "comment", "rename", "move", "body"} <= set(kinds)
