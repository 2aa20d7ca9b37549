"""How long a backup of a store of a gigabyte takes while others write to it, and how long it holds them up.

Two processes write durable episodes one after the other, first alone and then while a third one backs the store up:
what the backup costs them is the difference. The store is that of `forgetting`. Its bundle is written by a process of
which the memory is measured; that of a store of turns alone is taken in, since long outputs of random bytes are indexed
whole when they come in again.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.forgetting import GIGABYTE, make
from bench.report import Section, table

GOAL, DELAY_GOAL = 60.0, 200.0
"""Seconds that a backup of a gigabyte may take, and milliseconds that a write may take meanwhile."""

ALONE = 20.0
"""Seconds for which the writers write alone."""

WRITERS = 2
ROOT = Path(__file__).resolve().parent.parent

_WRITE = """
import json, os, sys, time
from moored.memory import open_memory
took = []
with open_memory(sys.argv[1], store=sys.argv[2], dense=False) as memory:
    memory.record("the first of them", session=str(os.getpid()))
    print("ready", flush=True)
    while not os.path.exists(sys.argv[3]):
        began = time.perf_counter()
        memory.record(f"written while it is copied, number {len(took)} of {os.getpid()}", session=str(os.getpid()))
        took.append(1000 * (time.perf_counter() - began))
        time.sleep(0.02)
print(json.dumps(took))
"""
_BACK_UP = """
import sys, time
from pathlib import Path
from moored.backup import back_up
began = time.perf_counter()
done = back_up(Path(sys.argv[1]), Path(sys.argv[2]))
print(time.perf_counter() - began, done.size)
"""
_BUNDLE = """
import sys, time
from pathlib import Path
from moored.memory import open_memory
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("VmHWM"))
with open_memory(sys.argv[1], store=sys.argv[2], create=False, dense=False) as memory:
    before, began = peak(), time.perf_counter()
    done = memory.bundle(Path(sys.argv[3]))
    print(time.perf_counter() - began, done.size, before, peak())
"""
_TAKE = """
import sys, time
from pathlib import Path
from moored.unbundle import unbundle_into
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("VmHWM"))
before, began = peak(), time.perf_counter()
unbundle_into(Path(sys.argv[1]), Path(sys.argv[2]))
print(time.perf_counter() - began, 0, before, peak())
"""


def run(size: float = 1.0, folder: Path | None = None) -> Section:
    """Make the store, unless it is there, and measure."""
    with tempfile.TemporaryDirectory() as scratch:
        where, other = folder or Path(scratch) / "store", Path(scratch) / "turns"
        if not (where / "moored.db").exists():
            make(where, size)
        alone, _ = _written(where, Path(scratch), None)
        during, (took, copied) = _written(where, Path(scratch), Path(scratch) / "copy.db")
        bundled = _ask(_BUNDLE, where / "tree", where / "moored.db", Path(scratch) / "whole.zip")
        make(other, 0)
        turns = _ask(_BUNDLE, other / "tree", other / "moored.db", Path(scratch) / "turns.zip")
        taken = _ask(_TAKE, Path(scratch) / "taken.db", Path(scratch) / "turns.zip")
    gigabytes = copied / GIGABYTE
    worst = max(during)
    rows = [
        (
            f"backup of {gigabytes:.2f} GB while {WRITERS} processes write",
            f"{took:.1f} s",
            f"{GOAL:.0f} s",
            "yes" if took <= GOAL else "**no**",
        ),
        (
            f"slowest of {len(during):,} durable writes meanwhile",
            f"{worst:.0f} ms",
            f"{DELAY_GOAL:.0f} ms",
            _met(worst),
        ),
        ("95th percentile of them", f"{_at(during, 0.95):.0f} ms", "", ""),
        (f"slowest of {len(alone):,} durable writes without a backup", f"{max(alone):.0f} ms", "", ""),
        ("95th percentile of them", f"{_at(alone, 0.95):.0f} ms", "", ""),
        (f"bundle of it, {bundled[1] / GIGABYTE:.2f} GB", f"{bundled[0]:.1f} s, {_grown(bundled)}", "", ""),
        ("bundle of 20,000 turns", f"{turns[0]:.1f} s, {_grown(turns)}", "", ""),
        ("taking that in", f"{taken[0]:.1f} s, {_grown(taken)}", "", ""),
    ]
    said = (
        "The store has 20,000 turns with full-text entries and vectors, and long tool outputs of random bytes. A "
        "backup is compared with the store row by row before it has its name, which is in the time. Two processes each "
        "write a durable episode every 20 ms, first alone and then while it is made."
    )
    return Section("backup", "Backup", [said, "", *table(("what", "figure", "goal", "met"), rows)])


def _written(where: Path, scratch: Path, target: Path | None) -> tuple[list[float], tuple[float, int]]:
    """Milliseconds of each write, and seconds and bytes of the backup that was made meanwhile, if one was."""
    end = scratch / "end"
    end.unlink(missing_ok=True)
    command = [sys.executable, "-c", _WRITE, str(where / "tree"), str(where / "moored.db"), str(end)]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(WRITERS)]
    pipes = [one.stdout for one in writers if one.stdout]
    for pipe in pipes:
        pipe.readline()
    took, size = 0.0, 0.0
    if target is None:
        time.sleep(ALONE)
    else:
        took, size = _ask(_BACK_UP, where / "moored.db", target)
    end.touch()
    times = [json.loads(pipe.readline()) for pipe in pipes]
    for one in writers:
        one.wait()
    return [one for each in times for one in each], (took, int(size))


def _ask(script: str, *arguments: Path) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return [float(one) for one in done.stdout.split()]


def _at(times: Sequence[float], part: float) -> float:
    return statistics.quantiles(times, n=100)[round(part * 100) - 1]


def _met(worst: float) -> str:
    return "yes" if worst <= DELAY_GOAL else "**no**"


def _grown(found: Sequence[float]) -> str:
    """The most memory that a process took, and what it took before; Linux tells kB."""
    return f"{found[3] / 1024:.0f} MB of memory at most ({found[2] / 1024:.0f} MB before)"
