"""What is kept in memory between questions: never more than is true, and never what may not be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moored.forgetting.forget import redact
from moored.recall import kept
from moored.recall.kept import Vectors, Windows
from moored.recall.vectors import VectorCache

if TYPE_CHECKING:
    from conftest import Desk


def said(desk: Desk, *texts: str) -> list[str]:
    episodes = [desk.record(text, session="quay") for text in texts]
    desk.fill()
    return episodes


@pytest.mark.invariant("I-23")
def test_windows_that_moved_with_a_redaction_are_read_anew(desk: Desk) -> None:
    episodes = said(desk, f"The pilot boat {'waits by the pier. ' * 400} secretword", "The tide turns.", "The crane.")
    windows = Windows()
    with desk.store.read() as view:
        last = max(view.search.postings("window", desk.project, '"crane"', 9)).row
        place = windows.of(view, desk.project, [last])[last].place
        assert windows.at(view, desk.project, [place]) == {place: last}
    redact(
        desk.store,
        desk.project,
        episodes[:1],
        f"{'waits by the pier. ' * 400}",
        preview=False,
        actor="person",
        clock=desk.clock,
        ids=desk.ids,
    )
    with desk.store.read() as view:
        assert windows.of(view, desk.project, [last]) == view.search.window_rows(desk.project, [last])
        moved = windows.of(view, desk.project, [last])[last].place
        assert (moved < place, windows.at(view, desk.project, [place, moved])) == (True, {moved: last})


@pytest.mark.invariant("I-23")
def test_an_answer_is_the_same_with_what_was_kept_and_without(desk: Desk) -> None:
    episodes = said(desk, "The pilot boat waits, secretword.", "It waits for the tide.", "The crane waits as well.")
    desk.recall("what waits for the tide?")
    redact(
        desk.store,
        desk.project,
        episodes[:1],
        "secretword",
        preview=False,
        actor="person",
        clock=desk.clock,
        ids=desk.ids,
    )
    desk.fill()
    warm = desk.recall("what waits for the tide?")
    desk.cache = VectorCache()
    assert [(hit.id, hit.text) for hit in warm.hits] == [
        (hit.id, hit.text) for hit in desk.recall("what waits for the tide?").hits
    ]


def test_a_window_that_was_hidden_since_stands_at_no_place(desk: Desk) -> None:
    said(desk, "The pilot boat waits.")
    windows = Windows()
    with desk.store.read() as view:
        (row,) = view.search.postings("window", desk.project, '"pilot"', 9)
        assert windows.at(view, desk.project, [row.place]) == {row.place: row.row}
    with desk.store.write() as transaction:
        transaction.operations.begin(desk.project, "op_1", "import", "", 1, actor="import")
        seen = transaction.episodes.recent(desk.project, 1)
        transaction.operations.attribute(desk.project, "op_1", [seen[0].id])
        transaction.operations.hide(desk.project, "op_1")
    with desk.store.read() as view:
        assert windows.at(view, desk.project, [row.place]) == {}


def test_what_is_beyond_the_room_is_read_anew_and_stays_right(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 4)
    said(desk, *(f"buoy {number}" for number in range(12)))
    windows, vectors = Windows(), Vectors()
    assert desk.embedder
    asked = desk.embedder.encode(["buoy 3"])[0]
    model = desk.embedder.model
    with desk.store.read() as view:
        rows = sorted(one.row for one in view.search.postings("window", desk.project, '"buoy"', 99))
        _, whole = Vectors().cosines(view, desk.project, model, "window", rows, asked)
        every = view.search.window_rows(desk.project, rows)
        for first in range(10):
            part = rows[first : first + 3]
            assert windows.of(view, desk.project, part) == {row: every[row] for row in part}
            known, cosines = vectors.cosines(view, desk.project, model, "window", [*part, 999], asked)
            assert (known, cosines.tolist()) == (part, whole[first : first + 3].tolist())
