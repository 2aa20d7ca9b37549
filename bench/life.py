"""Whether what was said since comes first and what was said before is marked: questions of BEAM about coding chats.

Every chat is recorded batch by batch as sessions, at their times, and looked after as the product does by itself
(preferences are learned, texts get their vectors). Then each question is asked through `Memory.recall` with its
defaults. What an answer has to hold is read from the set (`life_gold`); no model judges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench.life_gold import CONTRADICTION, STATED, UPDATE, Figure, Wanted, holds, wanted
from bench.report import Section, table
from moored.bench import beam
from moored.bench.cached import CachedEmbedder
from moored.bench.cases import Message
from moored.bench.filling import event
from moored.embed import default_embedder
from moored.memory import Memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import State
from moored.model.recall import HitKind
from moored.record.admission import admit, write_all
from moored.settings import Place, Settings
from moored.store.durability import Durability
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from moored.bench.cases import Case
    from moored.embed.port import Embedder
    from moored.model.recall import Hit

TUNE = ("100K/1", "100K/2", "500K/1")
"""The chats by which the product was made better."""

TEST = ("100K/3", "500K/2", "500K/3", "500K/4", "500K/5", "1M/3", "1M/4")
"""The others: nothing was chosen by them."""

MARKS = (State.SUPERSEDED, State.DISPUTED)
NEAR = 3
"""Hits that are near the top."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to a question: its hits, best first, and for each the messages that it rests on, by the set's ids.

    `names` gives the set's id for the id of an episode.
    """

    wanted: Wanted
    hits: tuple[Hit, ...]
    said: tuple[frozenset[str], ...]
    names: dict[str, str]

    def first(self, ids: Iterable[str]) -> int | None:
        """The place of the first hit that rests on one of these messages, from 0."""
        among = frozenset(ids)
        return next((at for at, said in enumerate(self.said) if said & among), None)

    def holding(self, some: Iterable[frozenset[Figure]], named: frozenset[str]) -> int | None:
        """The place of the first hit in whose text all figures of one of these sets stand."""
        sets = list(some)
        told = (
            any(holds(hit.text, one, bool(self.said[at] & named)) for one in sets) for at, hit in enumerate(self.hits)
        )
        return next((at for at, held in enumerate(told) if held), None)

    def marks(self, ids: Iterable[str], by: Iterable[str]) -> bool:
        """Whether the first hit on some messages is marked and names one of the others."""
        at = self.first(ids)
        if at is None or self.hits[at].verdict.state not in MARKS:
            return False
        verdict = self.hits[at].verdict
        named = {self.names.get(one, "") for one in _EPISODE.findall(f"{verdict.reason} {verdict.current}")}
        return not named.isdisjoint(by)


_EPISODE = re.compile(r"\bep_\w+")


def run(data: Path, *, cache: Path | None = None) -> Section:
    """Ask the questions of every chat that is at hand below a folder of BEAM, by halves."""
    embedder = default_embedder()
    encoder = CachedEmbedder(embedder, cache) if cache else embedder
    halves: dict[str, list[Answered]] = {}
    for half, chats in (("tune", TUNE), ("test", TEST)):
        for chat in chats:
            if (data / chat).is_dir():
                print(f"asking: {chat}", flush=True)
                halves.setdefault(half, []).extend(answers(data / chat, encoder))
    return Section("life", "What was said since", list(_lines(halves)))


def answers(chat: Path, embedder: Embedder) -> list[Answered]:
    """Record a chat and ask its questions."""
    case = beam.chat(chat)
    messages = {item.id: item for item in case.items if isinstance(item, Message)}
    with TemporaryDirectory(prefix="moored-life-") as folder, _lived(case, Path(folder), embedder) as lived:
        memory, names = lived
        return [_answer(memory, one, names) for one in wanted(chat, messages)]


@contextmanager
def _lived(case: Case, folder: Path, embedder: Embedder) -> Generator[tuple[Memory, dict[str, str]]]:
    """A memory that saw a chat go by, and the set's id of each episode."""
    messages = [item for item in case.items if isinstance(item, Message) and item.text.strip()]
    clock, ids = ManualClock(messages[0].at, step=0), SequentialIds()
    (folder / "tree").mkdir()
    place = Place(f"id:{case.name}", case.name, folder / "tree", Settings())
    names: dict[str, str] = {}
    store = Store(folder / "moored.db", clock=clock)
    with Memory(store, place, clock=clock, ids=ids, embedder=embedder, create=True) as memory:
        for _, batch in groupby(messages, key=lambda message: message.session):
            session = list(batch)
            clock.advance(max(session[-1].at - clock.now(), 0))
            with store.write(Durability.GROUP) as transaction:
                events = [admit(event(message)) for message in session]
                done = write_all(transaction, memory.project, events, clock, ids)
            names.update((one.episode, message.id) for one, message in zip(done, session, strict=True))
            memory.upkeep()
        yield memory, names


def _answer(memory: Memory, one: Wanted, names: dict[str, str]) -> Answered:
    hits = memory.recall(one.text).hits
    said = tuple(frozenset(names[at] for at in _rests_on(hit) if at in names) for hit in hits)
    return Answered(one, hits, said, names)


def _rests_on(hit: Hit) -> set[str]:
    return {hit.id, *(one.id for one in hit.evidence), *(one.anchor.episode for one in hit.anchors)}


def _lines(halves: Mapping[str, Sequence[Answered]]) -> Iterator[str]:
    yield (
        "Coding chats of BEAM, recorded as sessions and asked through `Memory.recall` with its defaults; no model "
        f"judges. Tuning: {', '.join(TUNE)}; the others test. A value is told where every figure of the gold stands in "
        "the text of a hit; a side where one of the messages that the gold names is a hit, and it is marked where its "
        "verdict names one of the other side."
    )
    yield from ["", "### Knowledge updates", ""]
    head = ["half", "questions", "current told", "in the first hit", "old told as well", "current before old"]
    yield from table([*head, "original told", "and marked"], _by_half(halves, (UPDATE,), _update))
    yield from ["", "### Contradictions", ""]
    head = ["half", "questions", "one message holds both", "both sides told", "newer first", "and marked"]
    head += ["a dispute marked between any hits"]
    yield from table(head, _by_half(halves, (CONTRADICTION,), _contradiction))
    yield from ["", "### Preferences and instructions", ""]
    head = ["half", "questions", "told", "in the first hit", f"in the first {NEAR}", "as a learned note"]
    yield from table(head, _by_half(halves, STATED, _stated))


def _by_half(
    halves: Mapping[str, Sequence[Answered]],
    abilities: Sequence[str],
    count: Callable[[Sequence[Answered]], list[int]],
) -> Iterator[list[object]]:
    for half, every in halves.items():
        for ability in abilities:
            asked = [one for one in every if one.wanted.ability == ability]
            title = half if len(abilities) == 1 else f"{half}, {ability.split('_')[0]}"
            yield [title, len(asked), *count(asked)]


def _update(asked: Sequence[Answered]) -> list[int]:
    current = [one.holding([one.wanted.current], one.wanted.newer) for one in asked]
    old = [one.holding([frozenset([each]) for each in one.wanted.old], one.wanted.older) for one in asked]
    both = [(now, was) for now, was in zip(current, old, strict=True) if now is not None and was is not None]
    original = [one for one in asked if one.wanted.old and one.first(one.wanted.older) is not None]
    return [
        sum(at is not None for at in current),
        sum(at == 0 for at in current),
        len(both),
        sum(now < was for now, was in both),
        len(original),
        sum(one.marks(one.wanted.older, one.wanted.newer) for one in original),
    ]


def _contradiction(asked: Sequence[Answered]) -> list[int]:
    apart = [one for one in asked if not one.wanted.newer & one.wanted.older]
    places = [(one, one.first(one.wanted.newer), one.first(one.wanted.older)) for one in apart]
    both = [(one, now, was) for one, now, was in places if now is not None and was is not None]
    marked = (
        one.marks(one.wanted.newer, one.wanted.older) or one.marks(one.wanted.older, one.wanted.newer)
        for one, _, _ in both
    )
    disputed = sum(any(hit.verdict.state is State.DISPUTED for hit in one.hits) for one in asked)
    return [len(asked) - len(apart), len(both), sum(now < was for _, now, was in both), sum(marked), disputed]


def _stated(asked: Sequence[Answered]) -> list[int]:
    places = [one.first(one.wanted.stated) for one in asked]
    learned = (
        any(hit.kind is HitKind.NOTE and said & one.wanted.stated for hit, said in zip(one.hits, one.said, strict=True))
        for one in asked
    )
    told = [at for at in places if at is not None]
    return [len(told), sum(at == 0 for at in told), sum(at < NEAR for at in told), sum(learned)]
