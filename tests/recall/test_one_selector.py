"""One selector for every surface: nothing else looks for candidates, and surfaces differ in their policy alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import moored
from moored.recall import policy
from moored.recall.policy import Policy
from moored.recall.selector import rank

if TYPE_CHECKING:
    from conftest import Desk

pytestmark = pytest.mark.invariant("I-13")

SOURCE = Path(moored.__file__).parent
RETRIEVAL = re.compile(
    r"\.search\.(?:weighted|trigrams|said_in|about_facts|about_files)\(|\.nearest\("
    r"|moored\.recall\.(?:generate|fusion|mentions|select|verify|excerpt|query)\b"
)
PRESETS = {name: value for name, value in vars(policy).items() if isinstance(value, Policy)}


def test_only_the_selector_looks_for_candidates() -> None:
    users = {
        file.relative_to(SOURCE).parts[0]
        for file in SOURCE.rglob("*.py")
        if RETRIEVAL.search(file.read_text(encoding="utf-8"))
    }
    assert users <= {"recall", "store"}


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_every_surface_chooses_from_the_same_ranking(harbour: Desk, name: str) -> None:
    chosen = PRESETS[name]
    question = "Crane.lift_container winch slips in the rain"
    answer = harbour.recall(question, chosen)
    with harbour.store.read() as view:
        ranking = rank(
            view, harbour.project, harbour.tree, question, chosen, meaning=harbour.meaning, now=harbour.clock.now()
        )
    scores = {candidate.score for candidate in ranking.candidates}
    assert answer.hits
    assert {hit.kind for hit in answer.hits} <= set(chosen.kinds)
    assert {hit.score for hit in answer.hits} <= scores
