"""Writers that are there to be killed. Each writes into a project of its own and says what was acknowledged.

What it says is a line of JSON: what it is `about`, and what now `holds` of it, with what proves it. Before it does
something that would end what holds, it says that nothing is promised until the next line.
"""

from __future__ import annotations

import json
import os
import pkgutil
import random
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from time import sleep
from typing import Any

import moored
from moored.embed.fake import HashingPieceEmbedder
from moored.memory import Memory, open_memory
from moored.model.hashing import digest
from moored.record.inbox import Entry, Inbox

Say = Callable[..., None]

WORDS = (
    "crane",
    "winch",
    "quay",
    "berth",
    "tide",
    "mast",
    "sail",
    "rope",
    "hull",
    "deck",
    "keel",
    "buoy",
    "pier",
    "dock",
)
CONFIG = "limits.toml"
EDGES = ("__main__", "bench", "cli", "demo", "hook", "server")
"""Parts of the package that no victim uses."""
HOST = "claude-code"


def open_victim(root: Path, store: Path) -> Memory:
    """The memory of a writer's project."""
    return open_memory(root, store=store, embedder=HashingPieceEmbedder())


def notes(memory: Memory, say: Say, rng: random.Random) -> None:
    """Remembers, revises, protects, rates, names and pins."""
    for number in count():
        text = _sentence(rng, number)
        note = memory.remember(text, insist=True).id
        say(note, "said", text=text)
        if number % 2:
            text = _sentence(rng, number)
            memory.revise(note, text)
            say(note, "said", text=text)
        if number % 3 == 0:
            memory.protect(note, "the harbour master says so")
            say(f"{note} protected", "protected", note=note)
        memory.rate(note, useful=True)
        memory.alias(f"name{number}", f"other{number}")
        if number % 7 == 0:
            memory.unpin(memory.pin(_sentence(rng, number)).id)


def record(memory: Memory, say: Say, rng: random.Random) -> None:
    """Records turns and results of tools, some of them large."""
    for number in count():
        content = f"{_sentence(rng, number)} " * rng.choice((1, 3, 400))
        tool = {"role": "tool", "tool_name": "Bash", "tool_input": "make test", "exit_status": 0} if number % 2 else {}
        done = memory.record(content, host=HOST, session=f"s{number % 3}", host_event=f"{os.getpid()}-{number}", **tool)
        say(done.episode, "recorded", sha=digest(content.encode()))


def forget(memory: Memory, say: Say, rng: random.Random) -> None:
    """Remembers something that is soon to be forgotten, for good or for a while."""
    for number in count():
        secret = f"Quartz{rng.getrandbits(64):016x}"
        note = memory.remember(f"The {secret} is kept by the watchman.", insist=True).id
        say(note, "said", text=f"The {secret} is kept by the watchman.")
        say(note, "nothing")
        memory.forget(note, hard=bool(number % 3))
        say(note, "gone" if number % 3 else "hidden", secret=secret, note=note)


def undo(memory: Memory, say: Say, rng: random.Random) -> None:
    """Takes back what it did, and now and then that as well."""
    for number in count():
        text = _sentence(rng, number)
        note = memory.remember(text, insist=True).id
        undone = memory.undo(memory.operations()[-1].id).operation
        say(note, "hidden", note=note)
        if number % 2:
            say(note, "nothing")
            memory.undo(undone)
            say(note, "said", text=text)


def index(memory: Memory, say: Say, rng: random.Random) -> None:
    """Edits files, reads them, reviews what no longer holds, and accepts it."""
    root = Path(memory.tree.root)
    for number in count():
        (root / CONFIG).write_text(f"[limits]\nberths = {number + 10}\n")
        (root / f"{rng.choice(WORDS)}.py").write_text(f"def lift_{number}(load):\n    return load * {number}\n")
        memory.index()
        if number == 0:
            memory.remember("berths = 10", about=[f"{CONFIG}::limits.berths"])
        for proposed in memory.review().proposals:
            memory.accept(proposed.proposal.id, f"berths = {number + 10}")
            say(proposed.proposal.note, "said", text=f"berths = {number + 10}")


def transcripts(memory: Memory, say: Say, rng: random.Random) -> None:
    """Imports transcripts that grow."""
    root = Path(memory.tree.root)
    session = f"{rng.getrandbits(128):032x}"
    session = "-".join((session[:8], session[8:12], session[12:16], session[16:20], session[20:]))
    file = root.with_name(f"{session}.jsonl")
    for number in count():
        text = _sentence(rng, number)
        turn = {
            "type": "user", "uuid": f"{session}-{number}", "sessionId": session, "cwd": str(root),
            "timestamp": f"2026-01-02T03:{number // 60 % 60:02}:{number % 60:02}.000Z",
            "message": {"role": "user", "content": text},
        }  # fmt: skip
        with file.open("a") as lines:
            lines.write(json.dumps(turn) + "\n")
        memory.import_transcripts(HOST, file)
        say(f"{session}-{number}", "imported", text=text)


def rules(memory: Memory, say: Say, rng: random.Random) -> None:
    """Makes rules and reminders, and ends some."""
    for number in count():
        rule = memory.add_rule("damp", f"text~{rng.choice(WORDS)}{rng.getrandbits(40):x}").rule.id
        say(rule, "rule")
        if number % 2:
            say(rule, "nothing")
            memory.remove_rule(rule)
            say(rule, "no rule")
        reminder = memory.remind(_sentence(rng, number), when=f"keyword: {rng.choice(WORDS)}{number}").id
        say(reminder, "reminder")


def capture(memory: Memory, say: Say, rng: random.Random) -> None:
    """Puts events into the inbox as hooks do, while others take them out."""
    inbox = Inbox(memory.store.path)
    for number in count():
        text = _sentence(rng, number)
        event = f"{os.getpid()}-{number}-{rng.getrandbits(32)}"
        inbox.put(Entry(text.encode(), "user", "user", host=HOST, session="s", host_event=event, cwd=memory.tree.root))
        say(event, "captured", text=text)
        if number % 5 == 4:
            memory.absorb()


def upkeep(memory: Memory, say: Say, rng: random.Random) -> None:
    """Makes vectors, learns, reviews, and seeds."""
    for number in count():
        memory.record(_sentence(rng, number), session="upkeep")
        memory.upkeep(limit=20)
        memory.learn()
        memory.review()
        memory.seed()


def migrate(memory: Memory, say: Say, rng: random.Random) -> None:
    """Has opened a store, which brought it up to date."""
    del memory, say, rng
    sleep(60)


VICTIMS = {
    writer.__name__: writer for writer in (notes, record, forget, undo, index, transcripts, rules, capture, upkeep)
}


def suffer(name: str, root: Path, store: Path, promises: Path, seed: int) -> None:
    """Write as `name` until killed, and put what is acknowledged into the file `promises`."""
    file = os.open(promises, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def say(about: str, holds: str, **proof: Any) -> None:
        os.write(file, json.dumps({"about": about, "holds": holds, **proof}).encode() + b"\n")

    try:
        {**VICTIMS, "migrate": migrate}[name](open_victim(root, store), say, random.Random(seed))  # noqa: S311 - chooses words
    except BaseException as error:
        os.write(file, json.dumps({"about": name, "holds": "raised", "error": repr(error)}).encode() + b"\n")
        raise


def _sentence(rng: random.Random, number: int) -> str:
    return f"The {rng.choice(WORDS)} of the {rng.choice(WORDS)} is number {number} at {rng.getrandbits(40):010x}."


def main() -> None:
    """Fork victims on request and kill them: a line of JSON asks, and the answer is a line.

    A process that has loaded everything once forks in a few milliseconds; to start Python anew for each would take most
    of the time. It has one thread, so that forking is sound.
    """
    for module in pkgutil.walk_packages(moored.__path__, "moored."):
        if module.name.split(".")[1] not in EDGES:
            import_module(module.name)
    for line in sys.stdin:
        asked = json.loads(line)
        victims: list[tuple[float, int]] = []
        for one in asked["victims"]:
            child = os.fork()
            if not child:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                suffer(one["name"], Path(one["root"]), Path(one["store"]), Path(one["promises"]), one["seed"])
                os._exit(1)
            victims.append((one["after"], child))
        _kill(victims)
        sys.stdout.write("done\n")
        sys.stdout.flush()


def _kill(victims: list[tuple[float, int]]) -> None:
    passed = 0.0
    for after, child in sorted(victims):
        sleep(after - passed)
        passed = after
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
