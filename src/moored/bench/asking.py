"""Asking a filled memory its questions, through the product's own selector with a declared policy (I-13)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from moored.recall.meaning import Meaning
from moored.recall.policy import RANKING, RECALL
from moored.recall.selector import recall
from moored.recall.vectors import VectorCache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.bench.cases import Question
    from moored.bench.filling import Filled
    from moored.bench.variants import Variant
    from moored.embed.port import Embedder
    from moored.model.recall import Recall
    from moored.recall.policy import Policy


class Answer(NamedTuple):
    """What came back for one question.

    `ranked` are the set's own ids in the order of `RANKING`, `returned` those of what `RECALL` hands out, in `tokens`
    tokens. `ranking_ms` and `recall_ms` are what the two took. `variants` holds the order of each variant of the
    ranking, by its name. `degraded` is what receipts said could not play its full part.
    """

    question: Question
    ranked: tuple[str, ...]
    returned: tuple[str, ...]
    tokens: int
    ranking_ms: float
    recall_ms: float
    variants: dict[str, tuple[str, ...]]
    degraded: tuple[str, ...]


def answers(
    filled: Filled, questions: Sequence[Question], embedder: Embedder, variants: Sequence[Variant]
) -> list[Answer]:
    """Ask every question. The first is asked once before, unmeasured, so that what is loaded once is loaded."""
    asker = _Asker(filled, embedder)
    asker.ask(questions[0].text, RECALL)
    return [_answer(asker, question, variants) for question in questions]


class _Asker:
    def __init__(self, filled: Filled, embedder: Embedder) -> None:
        self._filled = filled
        self._meaning = Meaning(embedder, None, VectorCache())

    def ask(self, text: str, policy: Policy) -> tuple[Recall, float]:
        """The answer, asked at the case's time in UTC, and how many milliseconds it took."""
        memory, now = self._filled.memory, self._filled.asked_at
        began = time.perf_counter()
        with memory.store.read() as view:
            answer, _ = recall(view, memory.project, memory.tree, text, policy, meaning=self._meaning, now=now)
        return answer, 1000 * (time.perf_counter() - began)

    def named(self, answer: Recall) -> tuple[str, ...]:
        """The hits by the set's own ids. What was not put in by the set, as the episode behind a note, has none."""
        names = self._filled.names
        return tuple(names[hit.id] for hit in answer.hits if hit.id in names)


def _answer(asker: _Asker, question: Question, variants: Sequence[Variant]) -> Answer:
    returned, recall_ms = asker.ask(question.text, RECALL)
    ranked, ranking_ms = asker.ask(question.text, RANKING)
    others = variants if question.has_gold else ()
    return Answer(
        question=question,
        ranked=asker.named(ranked),
        returned=asker.named(returned),
        tokens=returned.receipt.tokens,
        ranking_ms=ranking_ms,
        recall_ms=recall_ms,
        variants={one.name: asker.named(asker.ask(question.text, one.of(RANKING))[0]) for one in others},
        degraded=tuple(dict.fromkeys((*ranked.receipt.degraded, *returned.receipt.degraded))),
    )
