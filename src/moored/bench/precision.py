"""PrecisionMemBench: whether what belongs comes back, and nothing else.

The set, its cases and its scoring: https://github.com/tenurehq/precisionMemBench (MIT), the part with single questions.
A case passes when every tier of the answer is as it says, and is *active* when something must be recalled: only these
tell a memory that finds from one that stays silent.

How its beliefs become memory:

- a user is a project, a scope a tag, and a case asks with its scopes as tags;
- a belief is a note of the belief's type that says its content; what it is called (canonical name and aliases) are the
  names of the note's subject. Why it matters is not written down: the set holds that it must not be found by that;
- a belief that another supersedes is a note that the other's note replaces;
- a resolved one is filed under the tag `resolved` in place of its scope, and is not pinned any more;
- a pinned belief is a pin as well, and what is pinned is not recalled once more.

As in the set's own harness, pins come before what is recalled where a case limits their number, and a relation that is
recalled brings its participants along.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from moored.bench.cases import load_json
from moored.errors import InvalidInput
from moored.memory import Memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.settings import Place, Settings
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from moored.embed.port import Embedder
    from moored.model.clock import Clock

BELIEFS, CASES = "beliefs.seed.json", "retrieval.cases.json"

USER = "test-user"
"""Who asks where a case does not say."""

UNIVERSAL = "user:universal"
"""The scope of what is told of a user whatever is asked."""

QUESTION, RELATION = "open_question", "relation"
RESOLVED = "resolved"

MOST = 20
"""Beliefs that an answer may have where a case does not say."""

BEGIN = 1_790_000_000_000
"""When the memory is written: a fixed time, since the set measures nothing by it."""


class Tiers(NamedTuple):
    """What one question was answered with: the tiers of an answer by the set's own ids, and what is always told."""

    pinned: tuple[str, ...]
    relevant: tuple[str, ...]
    questions: tuple[str, ...]
    prelude: str


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case. `expected` and `returned` are what had to be recalled and what was; `failures` says what went wrong."""

    id: str
    category: str
    query: str
    expected: tuple[str, ...]
    returned: tuple[str, ...]
    failures: tuple[str, ...]
    ms: float

    @property
    def passed(self) -> bool:
        return not self.failures

    @property
    def active(self) -> bool:
        return bool(self.expected)

    @property
    def precision(self) -> float | None:
        """The share of what was returned that was expected; None where nothing was either."""
        if not self.returned:
            return 0.0 if self.expected else None
        return len(set(self.returned) & set(self.expected)) / len(self.returned)

    @property
    def recall(self) -> float | None:
        """The share of what was expected that was returned; None where nothing was expected."""
        return len(set(self.returned) & set(self.expected)) / len(self.expected) if self.expected else None


@dataclass(frozen=True, slots=True)
class PrecisionReport:
    """The outcome. Precision and recall are means over the cases that have one; times are milliseconds a question."""

    model: str
    cases: tuple[CaseResult, ...]

    @property
    def active(self) -> tuple[int, int]:
        """The active cases that passed, and all of them."""
        return _passed(case for case in self.cases if case.active)

    @property
    def total(self) -> tuple[int, int]:
        return _passed(self.cases)

    @property
    def precision(self) -> float:
        return _mean(case.precision for case in self.cases)

    @property
    def recall(self) -> float:
        return _mean(case.recall for case in self.cases)

    @property
    def median_ms(self) -> float:
        return median(case.ms for case in self.cases)

    def as_json(self) -> dict[str, Any]:
        """The figures and every case."""
        return {
            "model": self.model,
            "active": {"passed": self.active[0], "cases": self.active[1]},
            "total": {"passed": self.total[0], "cases": self.total[1]},
            "precision": self.precision,
            "recall": self.recall,
            "median_ms": self.median_ms,
            "cases": [
                {
                    "id": case.id,
                    "category": case.category,
                    "query": case.query,
                    "active": case.active,
                    "passed": case.passed,
                    "expected": list(case.expected),
                    "returned": list(case.returned),
                    "failures": list(case.failures),
                }
                for case in self.cases
            ],
        }

    def text(self) -> str:
        """The figures, the categories, and every case that failed with why."""
        lines = [
            f"PrecisionMemBench with {self.model}",
            f"active cases passed  {self.active[0]} of {self.active[1]}",
            f"all cases passed     {self.total[0]} of {self.total[1]}",
            f"mean precision       {self.precision:.3f}",
            f"mean recall          {self.recall:.3f}",
            f"median time          {self.median_ms:.1f} ms",
            "",
        ]
        for category in dict.fromkeys(case.category for case in self.cases):
            passed, every = _passed(case for case in self.cases if case.category == category)
            lines.append(f"{category:34} {passed:3} of {every}")
        for case in self.cases:
            if not case.passed:
                lines += ["", f"{case.id}: {case.query}", *(f"  {failure}" for failure in case.failures)]
        return "\n".join(lines)


def run(data: Path, *, embedder: Embedder | None = None) -> PrecisionReport:
    """Fill a memory with the beliefs in the folder `data`, and put its cases to it.

    Raises `InvalidInput` for files of another form.
    """
    beliefs, cases = load_json(data / BELIEFS), load_json(data / CASES)
    if embedder is None:
        from moored.embed import default_embedder

        embedder = default_embedder()
    clock = ManualClock(BEGIN, step=1_000)
    with tempfile.TemporaryDirectory() as folder, closing(Store(Path(folder) / "moored.db", clock=clock)) as store:
        users = _Users(store, Path(folder), beliefs, embedder, clock)
        try:
            results = tuple(_result(users, case) for case in cases)
        except (KeyError, TypeError) as error:
            raise InvalidInput(f"{data} does not hold the beliefs and cases of the set: {error!r}.") from error
    return PrecisionReport(embedder.model, results)


class _Users:
    """The users of one store, each a project that is filled when it is first asked."""

    def __init__(
        self, store: Store, folder: Path, beliefs: Sequence[dict[str, Any]], embedder: Embedder, clock: Clock
    ) -> None:
        self._store = store
        self._folder = folder
        self._beliefs = beliefs
        self._embedder = embedder
        self._clock = clock
        self._ids = SequentialIds()
        self._known: dict[str, _User] = {}

    def of(self, user: str) -> _User:
        if user not in self._known:
            tree = self._folder / str(len(self._known))
            tree.mkdir()
            place = Place(f"id:{user}", user, tree, Settings())
            memory = Memory(self._store, place, clock=self._clock, ids=self._ids, embedder=self._embedder, create=True)
            self._known[user] = _User(memory, [belief for belief in self._beliefs if belief["user_id"] == user])
        return self._known[user]


class _User:
    """A user's beliefs, and the memory that holds them."""

    def __init__(self, memory: Memory, beliefs: Sequence[dict[str, Any]]) -> None:
        self._memory = memory
        self._beliefs = {belief["_id"]: belief for belief in beliefs}
        replaced = {belief["superseded_by"]: belief["_id"] for belief in beliefs if belief["superseded_by"]}
        self._notes: dict[str, str] = {}
        for belief in beliefs:
            self._write(belief, replaced)
        self._names = {note: belief for belief, note in self._notes.items()}
        memory.upkeep()
        pinned = {pin.text for pin in memory.pins()}
        self._pinned = [belief for belief in beliefs if belief["content"] in pinned]

    def _write(self, belief: dict[str, Any], replaced: dict[str, str]) -> None:
        """Write a belief, and first the one that it replaces."""
        if belief["_id"] in self._notes:
            return
        older = replaced.get(belief["_id"], "")
        if older:
            self._write(self._beliefs[older], replaced)
        self._notes[belief["_id"]] = self._memory.remember(
            belief["content"],
            kind=belief["type"],
            tags=(RESOLVED,) if belief["resolved_at"] else belief["scope"],
            actor="person",
            supersedes=self._notes.get(older, ""),
            aliases=(belief["canonical_name"].replace("_", " "), *belief["aliases"]),
        ).id
        if belief["pinned"] and not belief["resolved_at"]:
            self._memory.pin(belief["content"])

    def ask(self, query: str, scope: Sequence[str], most: int) -> Tiers:
        """The tiers of an answer; pins come first where `most` limits their number."""
        in_scope = [belief for belief in self._pinned if _overlap(belief, scope)]
        pinned = [belief["_id"] for belief in in_scope if belief["type"] != QUESTION][:most]
        questions = [belief["_id"] for belief in in_scope if belief["type"] == QUESTION]
        told = {belief["_id"] for belief in self._pinned}
        found: dict[str, None] = {}
        if query.strip() and most:
            for hit in self._memory.recall(query, tags=scope, limit=most).hits:
                belief = self._beliefs[self._names[hit.id]]
                brings = belief.get("participants", ()) if belief["type"] == RELATION else ()
                for name in (belief["_id"], *brings):
                    if name not in told and _overlap(self._beliefs[name], scope):
                        found[name] = None
        universal = (belief["content"] for belief in self._beliefs.values() if UNIVERSAL in belief["scope"])
        room = max(most - len(pinned), 0)
        return Tiers(tuple(pinned), tuple(found)[:room], tuple(questions), " ".join(universal))


def _overlap(belief: dict[str, Any], scope: Sequence[str]) -> bool:
    return not set(scope).isdisjoint(belief["scope"])


def _result(users: _Users, case: dict[str, Any]) -> CaseResult:
    expect = case["expect"]
    user = users.of(case.get("userId", USER))
    most = case.get("budget", {}).get("maxBeliefs", MOST)
    began = time.perf_counter()
    tiers = user.ask(case["query"], case["scope"], most)
    ms = 1000 * (time.perf_counter() - began)
    expected = tuple(expect.get("relevantBeliefs", {}).get("shouldOnlyInclude", ()))
    return CaseResult(
        case["caseId"], case["category"], case["query"], expected, tiers.relevant, tuple(_failures(expect, tiers)), ms
    )


def _failures(expect: dict[str, Any], tiers: Tiers) -> Iterator[str]:
    """What of an answer is not as a case says."""
    relevant = expect.get("relevantBeliefs", {})
    if "shouldOnlyInclude" in relevant:
        only = relevant["shouldOnlyInclude"]
        yield from (f"recalled, and does not belong: {name}" for name in tiers.relevant if name not in only)
        yield from (f"not recalled: {name}" for name in only if name not in tiers.relevant)
    yield from _tier("the answer", relevant, (*tiers.pinned, *tiers.relevant))
    yield from _tier("the pins", expect.get("pinnedFacts", {}), tiers.pinned)
    yield from _tier("the open questions", expect.get("openQuestions", {}), tiers.questions)
    prelude = expect.get("personaPrelude", {})
    if prelude.get("nonEmpty") and not tiers.prelude:
        yield "nothing is told of the user"
    if prelude.get("isNull") and tiers.prelude:
        yield "something is told of a user of whom nothing is known"
    yield from (
        f"what is told of the user lacks: {part}" for part in prelude.get("contains", ()) if part not in tiers.prelude
    )
    yield from (
        f"what is told of the user has: {part}" for part in prelude.get("mustNotContain", ()) if part in tiers.prelude
    )


def _tier(what: str, wanted: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    yield from (f"not in {what}: {name}" for name in wanted.get("mustInclude", ()) if name not in names)
    yield from (f"in {what}, and must not be: {name}" for name in wanted.get("mustExclude", ()) if name in names)


def _passed(cases: Iterator[CaseResult] | Sequence[CaseResult]) -> tuple[int, int]:
    known = list(cases)
    return sum(case.passed for case in known), len(known)


def _mean(values: Iterator[float | None]) -> float:
    return fmean(known) if (known := [value for value in values if value is not None]) else 0.0
