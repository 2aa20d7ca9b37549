"""BEAM: long chats of a user with an assistant, with questions about ten abilities and the messages that answer them.

The data is a folder of chats, one size of `chats/` of https://github.com/mohammadtavakoli78/BEAM (CC BY-SA 4.0), its
files gzipped or not. Each message is an episode, each batch a session. A message has the date that stood last before
it. The mark that the generator of the set left at the end of a user's message is taken off. Questions about what was
never said have no answer; of the others, those that name no message are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from moored.bench.cases import TEST, TUNE, Case, Message, Question, load_json
from moored.errors import InvalidInput
from moored.model.episodes import Role

CODING = "coding chats"
_MARK = re.compile(r"\s*->->\s*[\d,]+\s*$")


def read(data: Path) -> Iterator[Case]:
    """Each chat with its questions, by number. Raises `InvalidInput` for a folder of another form."""
    chats = sorted((folder for folder in data.iterdir() if folder.name.isdigit()), key=lambda folder: int(folder.name))
    if not chats:
        raise InvalidInput(f"{data} holds no chats of BEAM. Give the folder of one size, such as chats/100K.")
    for folder in chats:
        try:
            yield chat(folder)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(f"{folder} does not hold a chat of BEAM: {error!r}.") from error


def chat(folder: Path) -> Case:
    """One chat with its questions, from its folder."""
    messages = tuple(_messages(load_json(file_of(folder, "chat"))))
    coding = load_json(file_of(folder, "topic"))["category"] == "Coding"
    questions = tuple(
        question
        for ability, asked in load_json(file_of(folder, "probing_questions")).items()
        for number, one in enumerate(asked)
        if (question := _question(f"{folder.name}/{ability}/{number}", ability, one, coding)) is not None
    )
    half = TUNE if int(folder.name) % 2 else TEST
    return Case(folder.name, half, messages, questions, max(message.at for message in messages))


def file_of(folder: Path, name: str) -> Path:
    """A file of a chat, gzipped or not. Raises `InvalidInput`."""
    for file in (folder / f"{name}.json.gz", folder / f"{name}.json"):
        if file.is_file():
            return file
    raise InvalidInput(f"There is no {name}.json or {name}.json.gz in {folder}.")


def _messages(batches: list[dict[str, Any]]) -> Iterator[Message]:
    for batch in batches:
        anchor: str = batch.get("time_anchor") or ""
        for message in (message for turn in batch["turns"] for message in turn):
            anchor = message.get("time_anchor") or anchor
            text = _MARK.sub("", message["content"])
            yield Message(
                str(message["id"]), Role(message["role"]), "", text, str(batch["batch_number"]), _time(anchor)
            )


def _question(key: str, ability: str, asked: dict[str, Any], coding: bool) -> Question | None:
    groups = (CODING,) if coding else ()
    category = ability.replace("_", " ")
    gold = tuple(sorted({str(one) for one in leaves(asked.get("source_chat_ids"))}))
    if category == "abstention":
        return Question(key, asked["question"], category, (), answerable=False, groups=groups)
    return Question(key, asked["question"], category, gold, groups=groups) if gold else None


def leaves(value: object) -> Iterator[object]:
    """The ids in a value that may be one, a list, or a list for each part of the answer."""
    if isinstance(value, dict):
        value = list(cast("dict[str, object]", value).values())
    if isinstance(value, list):
        for one in cast("list[object]", value):
            yield from leaves(one)
    elif value is not None:
        yield value


def _time(anchor: str) -> int:
    """Milliseconds of `March-15-2024`."""
    return int(datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC).timestamp()) * 1000
