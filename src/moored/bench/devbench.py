"""devbench: thirty notes of a software project and twenty questions, five of them without an answer.

The file is `scripts/benchmarks/devbench_dataset.json` of https://github.com/doobidoo/mcp-memory-service (Apache-2.0).
Each memory is written as a note of its kind, at its time, with its tags except those by which the set itself knows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from moored.bench.cases import DAY, Case, Question, Written, load_json
from moored.errors import InvalidInput

_OWN = "devbench"
"""The tag that every memory of the set has."""


def read(data: Path) -> Iterator[Case]:
    """The one memory of the set. Raises `InvalidInput` for a file of another form."""
    content = load_json(data)
    try:
        items = tuple(sorted(map(_written, content["memories"]), key=lambda item: item.at))
        questions = tuple(map(_question, content["queries"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{data} does not hold the memories of devbench: {error!r}.") from error
    yield Case("devbench", "", items, questions, max(item.at for item in items) + DAY)


def _written(memory: dict[str, Any]) -> Written:
    tags = tuple(tag for tag in memory["tags"] if tag not in (_OWN, memory["id"]))
    at = int(datetime.fromisoformat(memory["created_at_iso"]).timestamp()) * 1000
    return Written(memory["id"], memory["memory_type"], memory["content"], tags, at)


def _question(asked: dict[str, Any]) -> Question:
    gold = tuple(asked["expected_tags"])
    return Question(asked["id"], asked["question"], asked["category"], gold, answerable=bool(gold))
