"""The list of what does not hold any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.stale import Proof
from moored.model.notes import Change, State

if TYPE_CHECKING:
    from conftest import Workshop


def test_a_project_without_notes_has_no_rate(client: Workshop) -> None:
    report = client.stale()
    assert (report.total, report.judged, report.rate, report.notes) == (0, 0, None, ())


def test_unverifiable_notes_alone_give_no_rate_either(client: Workshop) -> None:
    client.remember("The customer likes green.")
    report = client.stale()
    assert (report.total, report.judged, report.rate) == (1, 0, None)
    assert [one.verdict.state for one in report.notes] == [State.UNVERIFIABLE]


def test_the_report_counts_by_state_and_change_and_puts_the_worst_first(client: Workshop) -> None:
    changed = client.remember("`Session.open` dials.", proof="pytest -q").id
    gone = client.remember("`send` retries.", proof="make check").id
    unverifiable = client.remember("The customer likes green.").id
    old = client.remember("`line-length` is wide.", proof="never").id
    fine = client.remember("`line-length` is right.", supersedes=old, proof="also never").id
    client.edit("web/session.py", "self.host = host", "self.name = host")
    (client.root / "client.py").unlink()
    report = client.stale()
    assert (report.total, report.judged) == (5, 3)
    assert report.rate == 2 / 3
    assert report.states == {State.STALE: 2, State.UNVERIFIABLE: 1, State.SUPERSEDED: 1, State.CURRENT: 1}
    assert report.changes == {Change.BODY: 1, Change.GONE: 1}
    assert [one.note.id for one in report.notes] == [gone, changed, unverifiable, old]
    assert report.proofs == (Proof(gone, "make check"), Proof(changed, "pytest -q"))
    assert fine not in {one.note.id for one in report.notes}


def test_nothing_is_stale_after_the_source_was_reverted(client: Workshop) -> None:
    client.remember("`send` retries.")
    before = client.read("client.py")
    client.edit("client.py", "retries=3", "retries=5")
    assert client.stale().rate == 1.0
    client.write("client.py", before)
    report = client.stale()
    assert (report.rate, report.notes) == (0.0, ())
