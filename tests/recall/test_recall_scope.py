"""Recall among strangers: what another project holds changes nothing of an answer, nor what no model here made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moored.atlas.aliases import alias
from moored.embed.fake import HashingEmbedder, HashingPieceEmbedder
from moored.embed.index import fill
from moored.model.clock import ManualClock
from moored.model.episodes import Role
from moored.model.ids import SequentialIds
from moored.model.recall import HitKind
from moored.store.rows import NewVector
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Desk
    from moored.model.recall import Recall

TURNS = [
    ("Mara", "Which winch slips when it rains, the one on quay_seven?"),
    ("Ole", "The crane-winch-controller on quay_seven slipped last week, I fixed config.winch.maxLoad on Monday."),
    ("Mara", "Always run `make check` before you touch src/winch/drive.py, please."),
    ("", "I prefer short answers about tide tables."),
    ("", "潮汐表の移行は来週に延期します。 港口的起重机在雨天会打滑。"),
    ("Ole", "We released version 2.1 of HarbourMaster on 3 May 2024 and it took 40 minutes."),
    ("", "getTideTable raises TideError: no port called `north-quay` in ports.toml"),
]
QUESTIONS = [
    "which winch slips in the rain?",
    "what did Ole fix last week, and when?",
    "config.winch.maxLoad src/winch/drive.py crane-winch-controller",
    "how should I check before I touch drive.py?",
    "what happened before the release of HarbourMaster?",
    "in what order did we talk about winches, tides and releases?",
    "getTideTable ports.toml quay_seven config.winch.maxLoad ?",
    "起重机",
    "tdie tables of the HM",
    "summarize what Mara and Ole said across our sessions",
]


def talk(desk: Desk, session: str) -> None:
    for number, (author, text) in enumerate(TURNS):
        role = Role.ASSISTANT if number % 3 == 1 and not author else Role.USER
        desk.clock.advance(3_600_000)
        desk.record(text, role, host="chat", session=session, author=author, occurred_at=desk.clock.now())


def settle(desk: Desk) -> None:
    desk.write("src/winch/drive.py", "def drive_winch(load):\n    return load * 2\n")
    desk.index()
    talk(desk, "monday")
    desk.remember("`drive_winch` doubles the load on quay_seven.", tags=("winch",))
    desk.remember("The tide table service moves next quarter: config.tide.port stays.", tags=("tide table",))
    alias(desk.store, desk.project, "HarbourMaster", "HM", actor="person", clock=desk.clock)
    talk(desk, "tuesday")


def answers(desk: Desk) -> list[Recall]:
    """Without the number of other projects, which is the one thing of them that is told."""
    found = [desk.recall(question) for question in QUESTIONS]
    return [one._replace(receipt=one.receipt._replace(other_projects=0)) for one in found]


class Numbers(SequentialIds):
    """Ids that no other project has."""

    def __init__(self, first: int) -> None:
        self._next = first


def crowd(desk: Desk) -> None:
    """Other projects in the store, with the same texts, authors, sessions, files and aliases, and with more of them."""
    for number, name in enumerate(("marina", "shipyard"), 1):
        other = type(desk)(name, desk.root.with_name(name), desk.store, ManualClock(), Numbers(number * 10**6))
        settle(other)
        for remark in range(40):
            other.record(f"config.winch.maxLoad again, remark {remark} on the winch", author="Olene")
        alias(other.store, other.project, "HM", "His Majesty", actor="person", clock=other.clock)


def project_in(store: Store, root: Path, kind: type[Desk]) -> Desk:
    return kind("harbour", root / "harbour", store, ManualClock(), SequentialIds())


@pytest.mark.invariant("I-06")
@pytest.mark.parametrize("filled", ["all", "first", "none"])
def test_other_projects_in_the_store_change_nothing_of_an_answer(desk: Desk, tmp_path: Path, filled: str) -> None:
    first = HashingEmbedder(32)
    stores = [Store(tmp_path / name / "moored.db", clock=ManualClock()) for name in ("alone", "crowd")]
    alone, among = (project_in(store, tmp_path / str(nth), type(desk)) for nth, store in enumerate(stores))
    crowd(among)
    for one in (alone, among):
        one.embedder, one.first = HashingPieceEmbedder(), first
        settle(one)
        if filled == "first":
            fill(one.store, first, limit=10_000, first=True)
        elif filled == "all":
            fill(one.store, one.embedder, limit=10_000)
    for question, mine, theirs in zip(QUESTIONS, answers(alone), answers(among), strict=True):
        assert mine == theirs, question
    for store in stores:
        store.close()


def test_codes_of_another_width_under_the_name_of_a_model_are_left_out(desk: Desk) -> None:
    desk.embedder = HashingPieceEmbedder()
    settle(desk)
    desk.fill()
    with desk.store.read() as view:
        whole = desk.recall(QUESTIONS[0])
        rows = view.vectors.exact(desk.project, desk.embedder.model, "window", [*range(1, 100)])
    assert any("met" in hit.signals for hit in whole.hits if hit.kind is HitKind.EPISODE)
    with desk.store.write() as transaction:
        for row in rows:
            transaction.vectors.remove("window", row)
        transaction.vectors.enqueue(desk.project, "window", rows)
        waiting = {one.owner: one for one in transaction.vectors.waiting(100)}
        transaction.vectors.put(
            NewVector(*waiting[row], desk.embedder.model, 64, scale, data, b"\0" * 8, b"\1\2\3")
            for row, (scale, data) in rows.items()
        )
    hits = desk.recall(QUESTIONS[0]).hits
    assert hits
    assert not any("met" in hit.signals for hit in hits if hit.kind is HitKind.EPISODE)
