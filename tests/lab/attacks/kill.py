"""Writers of every kind are killed at random moments; what they were told is kept is there, and nothing is in part."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lab import victims
from lab.attack import Attack, Trial
from moored.errors import NotFound
from moored.memory import Memory
from moored.model.hashing import digest

ROUNDS = 5
"""How often the writers of one store are killed and begun again in a trial."""

AT_ONCE = 4
"""Writers that are killed in a round, in one store."""

LONGEST = 0.8
"""Seconds that a writer lives at most."""


@cache
def _forker() -> subprocess.Popen[str]:
    """The process that forks victims, begun once; it ends with its standard input."""
    return subprocess.Popen(
        [sys.executable, "-m", "lab.victims"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


def _trial(seed: int, folder: Path) -> Trial:
    rng = random.Random(seed)  # noqa: S311 - chooses victims and moments
    store, flaws = folder / "moored.db", list[str]()
    names = rng.sample(sorted(victims.VICTIMS), AT_ONCE)
    for name in names:
        (folder / name).mkdir()
        (folder / name / ".moored.toml").write_text("")
    for round_ in range(ROUNDS):
        asked = [
            {
                "name": name,
                "root": str(folder / name),
                "store": str(store),
                "promises": str(folder / f"{name}.promises"),
                "seed": rng.getrandbits(32),
                "after": rng.uniform(0.05, LONGEST),
            }
            for name in names
        ]
        killed(asked)
        flaws += [f"round {round_ + 1}, {flaw}" for flaw in examined(folder, names)]
    return Trial(ROUNDS * AT_ONCE, tuple(flaws))


def killed(asked: list[dict[str, Any]]) -> None:
    """Fork victims and kill each when its time is over; see `lab.victims`."""
    forker = _forker()
    assert forker.stdin
    assert forker.stdout
    forker.stdin.write(json.dumps({"victims": asked}) + "\n")
    forker.stdin.flush()
    assert forker.stdout.readline() == "done\n", "the process that forks victims has ended"


def examined(folder: Path, names: list[str]) -> Iterator[str]:
    """What of the promises of each writer does not hold, and what is in part."""
    for name in names:
        with victims.open_victim(folder / name, folder / "moored.db") as memory:
            memory.absorb()
            memory.finish_forgetting()
            for about, promise in _promises(folder / f"{name}.promises").items():
                if not HOLDS[promise["holds"]](memory, about, promise):
                    yield f"{name}: {promise}"
            yield from (
                f"{name}: {one.name}: {one.detail}" for one in memory.doctor(deep=True).checks if one.state == "problem"
            )
            memory.remember(f"All is well with {name}.")


def _promises(file: Path) -> dict[str, dict[str, Any]]:
    """The last that was said about each thing. A line without its end was not acknowledged."""
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    said = [json.loads(line) for line in lines if line.endswith("\n")]
    return {one["about"]: one for one in said}


def _said(memory: Memory, note: str, promise: dict[str, Any]) -> bool:
    return promise["text"] in [getattr(one, "text", "") for one in memory.history(note)]


def _recorded(memory: Memory, episode: str, promise: dict[str, Any]) -> bool:
    with memory.store.read() as view:
        found = view.episodes.get(memory.project, episode)
    return found is not None and digest(found.content) == promise["sha"]


def _is_hidden(memory: Memory, note: str, _: object) -> bool:
    return note not in [one.judged.note.id for one in memory.notes()]


def _is_gone(memory: Memory, note: str, promise: dict[str, Any]) -> bool:
    try:
        memory.note(note)
    except NotFound:
        files = memory.store.path.parent.glob(f"{memory.store.path.name}*")
        return not any(promise["secret"].encode() in file.read_bytes() for file in files if file.is_file())
    return False


def _texts(memory: Memory) -> set[str]:
    with memory.store.read() as view:
        return {one.text for one in view.episodes.all(memory.project)}


HOLDS: dict[str, Callable[[Memory, str, dict[str, Any]], bool]] = {
    "nothing": lambda *_: True,
    "raised": lambda *_: False,
    "said": _said,
    "protected": lambda memory, _, promise: bool(memory.note(promise["note"]).protected),
    "recorded": _recorded,
    "hidden": _is_hidden,
    "gone": _is_gone,
    "imported": lambda memory, _, promise: promise["text"] in _texts(memory),
    "captured": lambda memory, _, promise: promise["text"] in _texts(memory),
    "rule": lambda memory, rule, _: rule in [one.id for one in memory.rules()],
    "no rule": lambda memory, rule, _: rule not in [one.id for one in memory.rules()],
    "reminder": lambda memory, reminder, _: reminder in [one.id for one in memory.reminders()],
}
"""Whether what a writer was acknowledged holds, by what it said."""

ATTACKS = (
    Attack(
        name="kill",
        promises=("I-01", "I-09", "I-10", "I-16"),
        how="`kill -9` at random moments of four at once of the writers "
        + ", ".join(sorted(victims.VICTIMS))
        + ", in one store",
        unit="kills",
        trial=_trial,
        wanted=2_000,
        short=(1,),
    ),
)
