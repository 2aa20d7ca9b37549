"""Transcripts of other people's sessions, where the environment names a folder of them: they are not kept here."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from lab.importing import Desk, recorded

VARIABLE = "MOORED_TRANSCRIPT_SAMPLES"
SAMPLES = os.environ.get(VARIABLE, "")
FOLDERS = {
    "claude_code": "claude-code",
    "codex": "codex",
    "cursor": "cursor",
    "gemini_cli": "gemini",
    "copilot_cli": "copilot",
    "qwen_code": "qwen",
    "kimi_code": "kimi",
    "swe_agent": "swe-agent",
}


@pytest.mark.skipif(not SAMPLES, reason=f"${VARIABLE} names no folder of samples")
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_sample_comes_in_and_again_adds_nothing(desk: Desk, folder: str) -> None:
    host, path = FOLDERS[folder], Path(SAMPLES, folder)
    done = desk.bring(host, path)
    print(folder, done)  # noqa: T201 - the counts are what the run is for
    assert done.turns > 0
    assert done.left == ()
    copy = desk.home / folder
    shutil.copytree(path, copy)
    # Elsewhere nothing is known of what was read before: every event is looked up.
    assert recorded(desk.bring(host, copy)) == 0
