"""A key that falls in a prompt, in the output of a tool or in a note is in no file and in no answer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from lab import hooks
from lab.canaries import canaries
from moored.errors import MooredError
from moored.record.inbox import Inbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Call, House

pytestmark = pytest.mark.invariant("I-20")

CANARIES = canaries()


def _hooked(house: House, event: str, payload: dict[str, object]) -> None:
    with Inbox(house.store).attending():
        hooks.ask(house.store, event, payload)
    house.memory.absorb()


WAYS: dict[str, Callable[[House, str], object]] = {
    "a prompt": lambda h, t: _hooked(h, "UserPromptSubmit", hooks.prompt(h.root, t)),
    "a command": lambda h, t: _hooked(h, "PostToolUse", hooks.bash(h.root, "ok", tool_input={"command": t})),
    "the output of a tool": lambda h, t: _hooked(h, "PostToolUse", hooks.bash(h.root, t)),
    "a turn": lambda h, t: h.say(t),
    "a note": lambda h, t: h.remember(t),
    "a revision": lambda h, t: h.memory.revise(h.remember("The depot is dry."), t, cause=t[:150]),
    "a pin": lambda h, t: h.memory.pin(t),
    "a reminder": lambda h, t: h.memory.remind(t, when="editing relay.py"),
    "a reason": lambda h, t: h.memory.rate(h.remember("The depot is dry."), useful=False, because=t[:190]),
    "a preference": lambda h, t: (h.say(f"I always want {t} to be used."), h.memory.upkeep()),
    "a document": lambda h, t: (h.write("README.md", f"# Depot\n\nIt uses {t}\n"), h.memory.index(), h.memory.seed()),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_key_that_comes_in_is_in_a_file_or_an_answer(house: House, way: str) -> None:
    chosen = [one for one in CANARIES if len(one.text) < 150][:12] if way == "a reason" else CANARIES
    for canary in chosen[:1] if way in ("a prompt", "a command", "the output of a tool") else chosen:
        # What is refused is not kept either.
        with suppress(MooredError):
            WAYS[way](house, canary.text)
    if way in ("a prompt", "a command", "the output of a tool"):
        WAYS[way](house, "\n\n".join(one.text for one in CANARIES))
    files = {name: data.lower() for name, data in house.bytes_of_files().items()}
    leaked = {(one.name, name) for one in chosen for name, data in files.items() if one.secret.encode().lower() in data}
    assert leaked == set()
    told = repr((house.hits("which key, token or password is used"), house.memory.notes(), house.memory.reminders()))
    told += house.memory.start(host="lab", session="s").text + house.memory.before_edit(["relay.py"]).text
    assert [one.name for one in chosen if one.secret in told] == []


def test_a_question_and_the_receipt_of_it_keep_no_key(house: House) -> None:
    house.remember("The depot is dry.")
    secret = next(one for one in CANARIES if one.name == "github p")
    house.memory.recall(f"who uses {secret.secret}")
    house.memory.before_prompt(f"use {secret.secret}", host="lab", session="s")
    house.memory.upkeep()
    assert [name for name, data in house.bytes_of_files().items() if secret.secret.encode() in data] == []


def test_a_tool_answers_without_the_key_that_it_was_handed(tool: Call) -> None:
    secret = next(one for one in CANARIES if one.name == "github p")
    tool("remember", text=f"The robot uses {secret.secret} to push.")
    tool("record", content=f"export TOKEN={secret.secret}", role="tool", tool="Bash")
    said = (
        tool("recall", query="what does the robot use to push")["said"] + tool("recall", query="export TOKEN")["said"]
    )
    assert secret.secret not in said
    assert "[redacted: " in said
