"""Measuring a set: fill a memory for each of its cases, ask it, and report."""

from __future__ import annotations

import json
import platform
from collections import Counter
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from moored.bench import figures
from moored.bench.asking import answers
from moored.bench.cached import CachedEmbedder
from moored.bench.cases import Message
from moored.bench.figures import Asked, Spent
from moored.bench.filling import filled
from moored.bench.metered import MeteredEmbedder
from moored.bench.metrics import CHUNKS, SESSIONS, Unit, chunks_of, in_units
from moored.bench.report import Report
from moored.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from moored.bench.cases import Case, DataSet
    from moored.bench.variants import Variant
    from moored.embed.port import Embedder


def measure(
    data_set: DataSet,
    data: Path,
    *,
    embedder: Embedder,
    half: str = "",
    variants: Sequence[Variant] = (),
    run: Path | None = None,
    cache: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Measure a set from its file or folder, or one half of it.

    `run` is where the rankings are written, one line of JSON a question: its key and the ids, best first; for chunks
    beside it, with `chunks` in the name. `cache` is a folder in which vectors are kept between measurements.
    `progress` is told how many questions were asked. Raises `InvalidInput` for data that is not of the set, and for a
    half of a set that has none.
    """
    metered = MeteredEmbedder(embedder)
    encoder = CachedEmbedder(metered, cache) if cache else metered
    asked: list[Asked] = []
    spent: list[Spent] = []
    done = 0
    hashed = blake2b(digest_size=16)
    for case in data_set.read(data):
        hashed.update(repr(case).encode())
        if half and case.half != half:
            continue
        with TemporaryDirectory(prefix="moored-bench-") as folder, filled(case, Path(folder), encoder) as memory:
            found = answers(memory, case.questions, embedder, variants)
            spent.append(Spent(len(memory.names), memory.vectors, memory.recording, memory.encoding))
        asked.append(Asked(case, {unit: _units(unit, case) for unit in data_set.units}, found))
        done += len(found)
        if progress:
            progress(done)
    if not asked:
        raise InvalidInput(f"{data_set.title} has no {half} half. Leave out --split.")
    if run:
        _write_runs(data_set, asked, run)
    every = [answer for one in asked for answer in one.answers]
    return Report(
        name=data_set.name,
        title=data_set.title,
        half=half,
        halves=data_set.halves,
        data_hash=hashed.hexdigest(),
        memories=len(asked),
        questions=sum(answer.question.has_gold for answer in every),
        rankings=tuple(figures.ranking(unit, asked, variants) for unit in data_set.units),
        returned=figures.returned(every),
        times=figures.times(every),
        ingest=figures.ingest(spent, None if cache else metered.seconds),
        degraded=dict(Counter(what for answer in every for what in answer.degraded).most_common()),
        missed=tuple(figures.missed(every)),
        made_with=_made_with(embedder, cache),
    )


def _units(unit: str, case: Case) -> dict[str, Unit]:
    """What each message of a case is in."""
    messages = [item for item in case.items if isinstance(item, Message)]
    if unit == CHUNKS:
        return chunks_of(messages)
    return {message.id: (message.session,) for message in messages} if unit == SESSIONS else {}


def _made_with(embedder: Embedder, cache: Path | None) -> dict[str, str]:
    packages = {name: version(name) for name in ("moored", "numpy", "apsw-sqlite3mc", "tokenizers")}
    return {
        **packages,
        "Python": platform.python_version(),
        "model": embedder.model,
        "vectors": "from a cache where it had them" if cache else "all encoded anew",
        "seeds": "none, as ids count up and the clock is the set's",
    }


def _write_runs(data_set: DataSet, asked: Sequence[Asked], run: Path) -> None:
    """Rankings as a referee reads them. Answers to what has no answer are left out, as nothing of them is scored."""
    ranked = [(one, answer) for one in asked for answer in one.answers if answer.question.has_gold]
    _write_lines(run, ((answer.question.key, answer.ranked) for _, answer in ranked))
    if CHUNKS in data_set.units:
        chunks = ((answer.question.key, in_units(CHUNKS, answer.ranked, one.units[CHUNKS])) for one, answer in ranked)
        _write_lines(run.with_suffix(f".chunks{run.suffix}"), chunks)


def _write_lines(file: Path, lines: Iterable[tuple[str, Sequence[str | Unit]]]) -> None:
    with file.open("w", encoding="utf-8") as opened:
        for key, ranked in lines:
            opened.write(json.dumps({"key": key, "ranked": ranked}, ensure_ascii=False) + "\n")
