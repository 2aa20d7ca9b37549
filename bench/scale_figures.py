"""The figures of `bench.scale`, one a process: `python -m bench.scale_figures grow|ask <folder> <words> [items]`.

Items are recorded through admission; a second process makes the texts and checks them meanwhile. The first `ENCODED`
windows get the vectors of the default model through the product's own fill. Every other window gets the vector of one
of those, moved by a random step, and that one's token codes: seeded, of the same spread and the same sizes, in a
hundredth of the time. numpy is loaded by moored first, which holds it to one thread.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import moored
from bench.figures import QUERIES, WARM_UP, resident, timed
from bench.texts import Words, Writer, words_of
from moored.embed import default_embedder
from moored.embed.index import pack
from moored.embed.port import Encoded, Passage
from moored.embed.rotation import signs
from moored.memory import Memory
from moored.model.clock import SystemClock
from moored.model.episodes import Event, Role
from moored.model.ids import RandomIds
from moored.record.admission import Admitted, admit, write_all
from moored.store.durability import Durability
from moored.store.rows import NewVector

if TYPE_CHECKING:
    import numpy as np

PACKAGE = "django"
BULK = 1_000
"""Episodes of one session, which are one transaction, and vectors of one transaction."""

AHEAD = 4
"""Sessions that may be ready before they are written."""

ENCODED = 1_000
"""Windows that the model itself encodes."""

STEP = 0.7
"""Length of the random step that a vector of length 1 is moved by: of a cosine of about 0.82 with where it began."""


def grow(folder: Path, words: Path, items: int) -> dict[str, float]:
    """Record episodes until there are so many, a whole number of sessions, and give every window a vector."""
    clock = SystemClock()
    ids = RandomIds(clock)
    spawned = get_context("spawn")
    with ProcessPoolExecutor(1, spawned, _begin, (words,)) as writers, _opened(folder) as memory:
        known = memory.status().counts.episodes
        writers.submit(_admitted, 0, BULK).result()
        began = time.perf_counter()
        for admitted in _ahead(writers, range(known // BULK, items // BULK)):
            with memory.store.write(Durability.GROUP) as transaction:
                write_all(transaction, memory.project, admitted, clock, ids)
        _give_vectors(memory, [one.event.content.decode() for one in writers.submit(_admitted, 0, BULK).result()])
        return {"grown": items - known, "seconds": time.perf_counter() - began}


_words: list[Words] = []
"""What texts are made of, in the process that writes them."""


def _begin(words: Path) -> None:
    _words.append(words_of(words, PACKAGE))


def _admitted(session: int, count: int) -> list[Admitted]:
    """The episodes of one session, the same at every run."""
    writer = Writer(_words[0], session)
    drafts = (writer.episode() for _ in range(count))
    return [
        admit(Event(text.encode(), Role(role), host="bench", session=f"session {session}")) for role, text in drafts
    ]


def _ahead(writers: ProcessPoolExecutor, sessions: range) -> Iterator[list[Admitted]]:
    """The episodes of each session in order, made a few sessions ahead."""
    waiting: deque[Future[list[Admitted]]] = deque()
    for session in sessions:
        waiting.append(writers.submit(_admitted, session, BULK))
        if len(waiting) > AHEAD:
            yield waiting.popleft().result()
    yield from (one.result() for one in waiting)


def ask(folder: Path, words: Path) -> dict[str, object]:
    """Ask as many questions as `bench.speed` does, after some that warm up; every other one names a symbol."""
    writer = Writer(words_of(words, PACKAGE), 7)
    questions = [writer.query() for _ in range(QUERIES + WARM_UP)]
    del writer
    with _opened(folder) as memory:
        first = timed(lambda: memory.recall(questions[0]))[0]
        samples = [timed(lambda question=question: memory.recall(question)) for question in questions][WARM_UP:]
        used = resident()
        with memory.store.read() as view:
            vectors = view.vectors.models(memory.project)[default_embedder().model]
    disk = sum(file.stat().st_size for file in folder.glob("moored.db*")) / 1e6
    clock, processor = zip(*samples, strict=True)
    return {
        "vectors": vectors,
        "samples": clock,
        "processor": processor,
        "first": first,
        "memory": used,
        "disk": disk,
    }


def _opened(folder: Path) -> Memory:
    tree = folder / "tree"
    tree.mkdir(exist_ok=True)
    return moored.open(tree, store=folder / "moored.db", embedder=default_embedder())


def _give_vectors(memory: Memory, texts: Sequence[str]) -> None:
    """Give every window that waits a vector: the first ones by the model, the others around those of texts."""
    import numpy as np

    embedder = default_embedder()
    with memory.store.read() as view:
        if not view.vectors.models(memory.project):
            memory.upkeep(limit=ENCODED)
    samples = embedder.passages([Passage(text) for text in texts])
    random = np.random.default_rng(ENCODED)
    while True:
        with memory.store.read() as view:
            waiting = view.vectors.waiting(BULK)
        if not waiting:
            return
        chosen = random.integers(0, len(samples), len(waiting))
        moved = _moved(samples, chosen, random)
        bits = signs(moved)
        entries = [
            NewVector(*queued, embedder.model, embedder.dimension, *pack(vector), bit.tobytes(), samples[at].codes)
            for queued, vector, bit, at in zip(waiting, moved, bits, chosen, strict=True)
        ]
        with memory.store.write(Durability.GROUP) as transaction:
            transaction.vectors.put(entries)


def _moved(samples: list[Encoded], chosen: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The chosen vectors, each a random step away, of length 1 again."""
    import numpy as np

    vectors = np.stack([samples[at].vector for at in chosen])
    steps = random.standard_normal(vectors.shape, np.float32) * np.float32(STEP / np.sqrt(vectors.shape[1]))
    moved = vectors + steps
    return moved / np.linalg.norm(moved, axis=1, keepdims=True)


def main(name: str, folder: Path, words: Path, *numbers: str) -> None:
    """Measure one figure and print it as JSON."""
    found = grow(folder, words, int(numbers[0])) if name == "grow" else ask(folder, words)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
