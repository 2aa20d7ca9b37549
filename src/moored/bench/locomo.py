"""LoCoMo: ten long conversations of two people, with questions and the turns that answer them.

The file is `data/locomo10.json` of https://github.com/snap-research/LoCoMo (CC BY-NC 4.0), gzipped or not. Each turn is
an episode whose author is its speaker; what a shared picture shows is added as the set describes it. Times have no zone
and are taken as UTC. Questions of category 5 have no answer in the conversation. Others are left out when none of
the turns that they name is there: four of 1,540.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moored.bench.cases import Case, Message, Question, every_other, load_json
from moored.errors import InvalidInput
from moored.model.episodes import Role

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D\d+:\d+")


def read(data: Path) -> Iterator[Case]:
    """Each conversation with its questions. Raises `InvalidInput` for a file of another form."""
    try:
        for position, sample in enumerate(load_json(data)):
            yield _case(position, sample)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{data} does not hold the conversations of LoCoMo: {error!r}.") from error


def _case(position: int, sample: dict[str, Any]) -> Case:
    messages = tuple(_messages(sample["conversation"]))
    ids = {message.id for message in messages}
    name = sample["sample_id"]
    questions = tuple(
        question
        for number, asked in enumerate(sample["qa"])
        if (question := _question(f"{name}/{number}", asked, ids)) is not None
    )
    return Case(name, every_other(position), messages, questions, max(message.at for message in messages))


def _messages(conversation: dict[str, Any]) -> Iterator[Message]:
    numbers = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    for number in numbers:
        at = _time(conversation[f"session_{number}_date_time"])
        for turn in conversation[f"session_{number}"] or ():
            shown = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = (turn.get("text") or "") + shown
            yield Message(turn["dia_id"], Role.USER, turn["speaker"], text, f"D{number}", at)


def _question(key: str, asked: dict[str, Any], ids: set[str]) -> Question | None:
    category = CATEGORIES[asked["category"]]
    if category == "adversarial":
        return Question(key, asked["question"], category, (), answerable=False)
    # Some name several turns in one string, or write `D:11:26`.
    named = (turn for text in asked.get("evidence", ()) for turn in _TURN.findall(text.replace("D:", "D")))
    gold = tuple(sorted({turn for turn in named if turn in ids}))
    return Question(key, asked["question"], category, gold) if gold else None


def _time(text: str) -> int:
    """Milliseconds of `1:56 pm on 8 May, 2023`."""
    moment = datetime.strptime(text.replace(",", "").upper(), "%I:%M %p ON %d %B %Y").replace(tzinfo=UTC)
    return int(moment.timestamp()) * 1000
