"""LongMemEval: 500 questions, each with a history of sessions of its own in which the answer is to be found.

The file is `longmemeval_s.json`, `_m` or `_oracle` of https://github.com/xiaowu0162/LongMemEval (MIT), gzipped or not.
The sessions that answer a question are named by it, the turns by `has_answer`. Thirty questions have no answer (their
ids end in `_abs`) although sessions are named: published figures leave them out (470 questions) or count them (500), so
both are reported. The first of every two questions of the file is for tuning.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moored.bench.cases import Case, Message, Question, every_other, load_json
from moored.errors import InvalidInput
from moored.model.episodes import Role

WITH_ANSWER = "with an answer"
_DATE = "%Y/%m/%d %H:%M"


def read(data: Path) -> Iterator[Case]:
    """Each question with its history. Raises `InvalidInput` for a file of another form."""
    try:
        for position, asked in enumerate(load_json(data)):
            yield _case(position, asked)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{data} does not hold LongMemEval with its sessions: {error!r}.") from error


def _case(position: int, asked: dict[str, Any]) -> Case:
    name = asked["question_id"]
    messages: list[Message] = []
    gold: list[str] = []
    for session, date, turns in zip(
        asked["haystack_session_ids"], asked["haystack_dates"], asked["haystack_sessions"], strict=True
    ):
        at = _time(date)
        for number, turn in enumerate(turns):
            message = f"{session}#{number}"
            messages.append(Message(message, Role(turn["role"]), "", turn["content"], session, at))
            if turn.get("has_answer"):
                gold.append(message)
    answerable = not name.endswith("_abs")
    question = Question(
        key=name,
        text=asked["question"],
        category=asked["question_type"],
        gold=tuple(gold),
        sessions=tuple(asked["answer_session_ids"]),
        answerable=answerable,
        groups=(WITH_ANSWER,) if answerable else (),
    )
    return Case(name, every_other(position), tuple(messages), (question,), _time(asked["question_date"]))


def _time(text: str) -> int:
    """Milliseconds of `2023/05/20 (Sat) 02:21`, taken as UTC."""
    day, _, clock = text.split()
    return int(datetime.strptime(f"{day} {clock}", _DATE).replace(tzinfo=UTC).timestamp()) * 1000
