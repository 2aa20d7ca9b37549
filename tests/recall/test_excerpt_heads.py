"""A long call of a tool leaves room for what it printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.episodes import Role
from moored.model.recall import HitKind
from moored.recall.policy import RECALL

if TYPE_CHECKING:
    from conftest import Desk


def test_of_a_tool_with_a_long_call_the_part_that_matched_is_shown(desk: Desk) -> None:
    desk.record(
        "The mooring buoy drifted by nine metres.",
        Role.TOOL,
        tool_name="Bash",
        tool_input="survey --harbour north --layers " + ",".join(f"layer{number}" for number in range(80)),
    )
    hits = desk.recall("mooring buoy drifted", RECALL._replace(kinds=(HitKind.EPISODE,), hit_cap=60)).hits
    assert len(hits) == 1
    assert "buoy drifted by nine metres" in hits[0].text
    assert hits[0].text.startswith("Bash: survey")
    assert hits[0].tokens <= 60
