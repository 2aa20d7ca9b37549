"""PrecisionMemBench on beliefs and cases of our own: how they become memory, and how cases are judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from moored.bench.precision import BELIEFS, CASES, CaseResult, PrecisionReport, run
from moored.embed.fake import HashingEmbedder
from moored.errors import InvalidInput

CODE, SAIL = "domain:code", "domain:sailing"


def belief(
    name: str, content: str, *aliases: str, scope: str = CODE, user: str = "test-user", **more: Any
) -> dict[str, Any]:
    return {
        "_id": f"b-{name}",
        "user_id": user,
        "type": "entity",
        "canonical_name": name,
        "aliases": list(aliases),
        "content": content,
        "why_it_matters": "zebra",
        "scope": [scope],
        "pinned": False,
        "superseded_by": None,
        "resolved_at": None,
        **more,
    }


SEED = [
    belief("old_queue", "Jobs ran on Beanstalk.", "Beanstalk", superseded_by="b-job_queue"),
    belief("job_queue", "Jobs run on Celery.", "Celery", "queue"),
    belief("mainsail", "The mainsail is reefed at 20 knots.", "main", scope=SAIL),
    belief("manners", "Answer directly.", scope="user:universal", pinned=True, type="preference"),
    belief("rule", "Never push to main.", "pushing", pinned=True, type="decision"),
    belief("open_one", "Celery or cron for the reports?", "reports", pinned=True, type="open_question"),
    belief("settled", "Cron or Celery?", "cron", resolved_at="2026-01-01T00:00:00Z", type="open_question"),
    belief("needs", "The reports need the queue.", "report queue", type="relation", participants=["b-job_queue"]),
    belief("secret", "Celery is forbidden.", "Celery", user="another"),
]


def case(name: str, query: str, *only: str, scope: tuple[str, ...] = (CODE,), **more: Any) -> dict[str, Any]:
    expect = {"relevantBeliefs": {"shouldOnlyInclude": list(only)}, **more.pop("expect", {})}
    return {"caseId": name, "category": "Made up", "query": query, "scope": list(scope), "expect": expect, **more}


def results(folder: Path, *cases: dict[str, Any]) -> tuple[CaseResult, ...]:
    (folder / BELIEFS).write_text(json.dumps(SEED))
    (folder / CASES).write_text(json.dumps(cases))
    return run(folder, embedder=HashingEmbedder()).cases


def test_what_belongs_is_recalled_and_nothing_else(tmp_path: Path) -> None:
    cases = results(
        tmp_path,
        case("by name", "what do we use Celery for?", "b-job_queue"),
        case("by another name", "the queue", "b-job_queue"),
        case("by a slip", "Celary", "b-job_queue"),
        case("replaced", "is Beanstalk still there?", "b-job_queue"),
        case("another scope", "main", "b-mainsail", scope=(SAIL,)),
        case("resolved", "cron"),
        case("relation", "report queue", "b-needs", "b-job_queue"),
        case("not by why", "zebra"),
        case("nobody", "Celery", userId="nobody", expect={"personaPrelude": {"isNull": True}}),
    )
    assert {one.id: one.failures for one in cases if one.failures} == {}


def test_the_other_tiers_are_judged_too(tmp_path: Path) -> None:
    tiers = {
        "pinnedFacts": {"mustInclude": ["b-rule"], "mustExclude": ["b-open_one", "b-manners"]},
        "openQuestions": {"mustInclude": ["b-open_one"], "mustExclude": ["b-settled"]},
        "personaPrelude": {"nonEmpty": True, "contains": ["directly"], "mustNotContain": ["Celery"]},
    }
    wrong = {
        "pinnedFacts": {"mustExclude": ["b-rule"]},
        "openQuestions": {"mustInclude": ["b-settled"]},
        "personaPrelude": {"isNull": True, "contains": ["Celery"], "mustNotContain": ["directly"]},
    }
    good, bad = results(tmp_path, case("good", "", expect=tiers), case("bad", "", expect=wrong))
    assert good.failures == ()
    assert len(bad.failures) == 5


def test_pins_come_first_where_their_number_is_limited(tmp_path: Path) -> None:
    limited, none = results(
        tmp_path,
        case("limited", "queue", budget={"maxBeliefs": 1}, expect={"pinnedFacts": {"mustInclude": ["b-rule"]}}),
        case("none", "queue", budget={"maxBeliefs": 0}, expect={"pinnedFacts": {"mustExclude": ["b-rule"]}}),
    )
    assert limited.passed
    assert none.passed


def test_precision_and_recall_are_means_over_the_cases_that_have_one() -> None:
    def result(expected: str, returned: str) -> CaseResult:
        return CaseResult("x", "y", "q", tuple(expected), tuple(returned), ("no",) if expected != returned else (), 1.0)

    report = PrecisionReport(
        "m", (result("ab", "ab"), result("a", "abcd"), result("a", ""), result("", "a"), result("", ""))
    )
    assert report.precision == pytest.approx((1 + 0.25 + 0 + 0) / 4)
    assert report.recall == pytest.approx((1 + 1 + 0) / 3)
    assert (report.active, report.total) == ((1, 3), (2, 5))
    assert "active cases passed  1 of 3" in report.text()
    assert report.as_json()["total"] == {"passed": 2, "cases": 5}


def test_files_of_another_form_are_refused(tmp_path: Path) -> None:
    (tmp_path / BELIEFS).write_text('[{"user_id": "test-user"}]')
    (tmp_path / CASES).write_text('[{"query": "x", "scope": [], "expect": {}}]')
    with pytest.raises(InvalidInput, match="does not hold"):
        run(tmp_path, embedder=HashingEmbedder())
