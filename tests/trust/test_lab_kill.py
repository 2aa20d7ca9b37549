"""That the attack by `kill -9` (lab/attacks/kill.py) would notice what it looks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab import victims
from lab.attacks.kill import HOLDS, examined

LOST = {
    "raised": {"error": "StoreLocked()"},
    "said": {"text": "The winch was never here."},
    "protected": {"note": "@NOTE@"},
    "recorded": {"sha": "00"},
    "hidden": {},
    "gone": {"secret": "winch"},
    "imported": {"text": "The winch was never here."},
    "captured": {"text": "The winch was never here."},
    "rule": {},
    "no rule": {},
    "reminder": {},
}
"""For each thing that is promised, a promise that does not hold."""


@pytest.mark.parametrize("holds", sorted(set(HOLDS) - {"nothing"}))
def test_a_promise_that_does_not_hold_is_a_flaw(tmp_path: Path, holds: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / ".moored.toml").write_text("")
    with victims.open_victim(tmp_path / "notes", tmp_path / "moored.db") as memory:
        note = memory.remember("The winch is new.").id
        rule = memory.add_rule("damp", "text~winch").rule.id
    about = {"no rule": rule, "rule": "ru_none", "reminder": "rm_none", "recorded": "ep_none"}.get(holds, note)
    promise = json.dumps({"about": about, "holds": holds, **LOST[holds]}).replace("@NOTE@", note)
    (tmp_path / "notes.promises").write_text(promise + "\n")
    assert [flaw for flaw in examined(tmp_path, ["notes"]) if f"'{holds}'" in flaw]
