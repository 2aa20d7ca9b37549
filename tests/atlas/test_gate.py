"""What becomes of a new note, given what is known: as somebody who remembers things would see it."""

from __future__ import annotations

import pytest

from moored.atlas.disputes import disputes, resolve
from moored.atlas.drafts import Draft
from moored.atlas.notes import remember
from moored.atlas.undo import undo
from moored.atlas.values import proposed_value_text
from moored.errors import InvalidInput, NotFound
from moored.ledger.sight import Sight
from moored.model.episodes import Channel
from moored.model.ids import PROJECT, TREE
from moored.model.notes import Note, Remembered

from .conftest import Workshop

PORT = "The billing service listens on port 5432."
QUEUE = "Use Redis for the queue, not RabbitMQ."


def _text(shop: Workshop, note_id: str) -> str:
    return _note(shop, note_id).head.text


def _note(shop: Workshop, note_id: str) -> Note:
    return next(note for note in shop.notes() if note.id == note_id)


def _evidence(shop: Workshop, note_id: str) -> list[tuple[str, str]]:
    with shop.store.read() as view:
        return view.kin.evidence(shop.project, note_id)


def _links(shop: Workshop, note_id: str) -> list[tuple[str, str, str]]:
    with shop.store.read() as view:
        return view.kin.links(shop.project, note_id)


def _open(shop: Workshop) -> list[tuple[str, str]]:
    with shop.store.read() as view:
        return [(one.newer.id, one.older.id) for one in disputes(view, Sight(view, shop.tree))]


def _dispute(shop: Workshop) -> str:
    with shop.store.read() as view:
        (one,) = disputes(view, Sight(view, shop.tree))
        return one.dispute.id


def _last_operation(shop: Workshop) -> str:
    with shop.store.read() as view:
        return view.operations.all(shop.project)[-1].id


def _disputed(shop: Workshop) -> tuple[Remembered, Remembered]:
    older = shop.remember(QUEUE)
    shop.clock.advance(1_000)
    return older, shop.remember("Use RabbitMQ for the queue, not Redis.")


def test_saying_a_note_again_in_other_words_is_evidence_for_it_and_no_second_note(shop: Workshop) -> None:
    first = shop.remember("The importer reads rows in batches of 1000.")
    again = shop.remember("Rows are read by the importer in batches of 1000.")
    assert (again.outcome, again.id, again.revision) == ("reinforced", first.id, first.revision)
    assert len(shop.notes()) == 1
    assert [kind for _, kind in _evidence(shop, first.id)] == ["same"]


@pytest.mark.parametrize("kind", ["lesson", "decision"])
def test_saying_that_it_is_so_now_is_no_dispute_with_a_note_that_says_so(shop: Workshop, kind: str) -> None:
    first = shop.remember("Sending is tried five times.", kind=kind)
    again = shop.remember("Sending is now tried five times.", kind=kind)
    assert (again.outcome, again.id, _open(shop)) == ("reinforced", first.id, [])


def test_the_side_of_a_dispute_that_is_said_anew_is_in_one_dispute_with_the_other(shop: Workshop) -> None:
    older = shop.remember("The quay closes at 20 o'clock.")
    newer = shop.remember("The quay closes at 22 o'clock.")
    dispute = _dispute(shop)
    again = shop.remember("The quay is now closed at 22 o'clock.")
    assert (again.outcome, again.id) == ("revised", newer.id)
    assert _dispute(shop) == dispute
    assert any(dispute in line for line in again.receipt)
    assert [one.id for one in again.related] == [older.id]


def test_the_words_of_a_repeated_note_are_in_the_record_all_the_same(shop: Workshop) -> None:
    shop.remember("The importer reads rows in batches of 1000.")
    shop.remember("Rows are read by the importer in batches of 1000.")
    with shop.store.read() as view:
        said = [episode.text for episode in view.episodes.recent(shop.project, 5)]
    assert "Rows are read by the importer in batches of 1000." in said


def test_forty_exact_repeats_in_one_session_leave_one_note_as_it_was(shop: Workshop) -> None:
    first = shop.remember("Retries use a jitter of 20 ms.")
    for _ in range(40):
        assert shop.remember("Retries use a jitter of 20 ms.").id == first.id
    assert [note.head.text for note in shop.notes()] == ["Retries use a jitter of 20 ms."]


@pytest.mark.parametrize(
    "text",
    [
        "We decided to use Postgres for the order store.",
        "Critical architecture bug: the loader crashed with an exception.",
        "Error: the build failed, traceback in ci/run.log",
    ],
)
def test_important_words_do_not_open_the_gate(shop: Workshop, text: str) -> None:
    first = shop.remember(text, tags=["critical", "important"])
    again = shop.remember(text.replace("the ", "the  ").rstrip("."), tags=["critical"])
    assert (again.outcome, again.id) == ("reinforced", first.id)


def test_a_note_that_says_a_part_of_what_is_known_is_refused_with_the_way_to_insist(shop: Workshop) -> None:
    whole = shop.remember("Locks are taken by ascending account id. A lock is renewed every 20 seconds.")
    part = shop.remember("A lock is renewed every 20 seconds.")
    assert (part.outcome, part.id) == ("refused", whole.id)
    assert "says this and more" in part.receipt[0]
    assert "`insist`" in part.receipt[1]
    insisted = shop.remember("A lock is renewed every 20 seconds.", insist=True)
    assert insisted.outcome == "new"
    assert len(shop.notes()) == 2


@pytest.mark.parametrize(
    "text",
    [
        "The billing service listens on port 5433.",
        "The shipping service listens on port 5432.",
        "The billing service never listens on port 5432.",
    ],
)
def test_facts_that_differ_in_a_number_a_name_or_a_denial_are_both_kept(shop: Workshop, text: str) -> None:
    shop.remember(PORT)
    shop.remember(text)
    assert {note.head.text for note in shop.notes()} == {PORT, text}


def test_two_measurements_that_differ_in_a_number_are_two_notes_without_a_dispute(shop: Workshop) -> None:
    shop.remember("Benchmark: parsing 10k files takes 41.2 s on the laptop.")
    second = shop.remember("Benchmark: parsing 10k files takes 38.7 s on the laptop.")
    assert second.outcome == "new"
    assert _open(shop) == []


def test_the_steps_of_ongoing_work_are_all_kept(shop: Workshop) -> None:
    for number in range(1, 6):
        done = shop.remember(f"Step {number} done: moved the models to the new layout.")
        assert done.outcome == "new"
    assert len(shop.notes()) == 5
    assert _open(shop) == []


def test_an_update_is_the_next_revision_and_the_old_port_is_history(shop: Workshop) -> None:
    first = shop.remember(PORT)
    update = shop.remember("The billing service now listens on port 49222.")
    assert (update.outcome, update.id) == ("revised", first.id)
    assert [one.text for one in shop.revisions(first.id)] == [PORT, "The billing service now listens on port 49222."]
    assert len(shop.notes()) == 1


@pytest.mark.invariant("I-07")
def test_a_revision_of_the_gate_rests_on_the_words_of_both(shop: Workshop) -> None:
    first = shop.remember(PORT)
    second = shop.remember("The billing service now listens on port 49222.")
    sources = [anchor.episode for anchor in second.anchors if anchor.role == "source"]
    assert len(sources) == 2
    assert {anchor.episode for anchor in first.anchors} < set(sources)


def test_an_update_of_a_part_leaves_the_rest_standing_and_is_disputed(shop: Workshop) -> None:
    older = shop.remember("The mobile app uses API v2. Partners keep API v1 until the end of 2025.")
    newer = shop.remember("Partners now keep API v1 until the end of 2026.")
    assert newer.outcome == "disputed"
    assert _open(shop) == [(newer.id, older.id)]
    assert "The mobile app uses API v2." in _text(shop, older.id)


def test_what_says_a_note_and_more_takes_its_place_with_nothing_cut(shop: Workshop) -> None:
    first = shop.remember("Backups are made at 02:00 on host batch-2.")
    more = shop.remember("Backups are made at 02:00 on host batch-2. They are kept for 30 days.")
    assert (more.outcome, more.id) == ("revised", first.id)
    assert _text(shop, first.id) == "Backups are made at 02:00 on host batch-2. They are kept for 30 days."


def test_two_notes_that_share_a_part_are_merged_and_no_sentence_is_lost(shop: Workshop) -> None:
    first = shop.remember("Sessions live in Redis. They expire after 14 days.")
    merged = shop.remember("Sessions live in Redis. The cookie is called sid.")
    assert (merged.outcome, merged.id) == ("merged", first.id)
    text = _text(shop, first.id)
    for sentence in ("Sessions live in Redis.", "They expire after 14 days.", "The cookie is called sid."):
        assert text.count(sentence) == 1
    assert len([anchor for anchor in merged.anchors if anchor.role == "source"]) == 2


@pytest.mark.invariant("I-09")
def test_undo_of_a_merge_gives_the_note_back_as_it_was(shop: Workshop) -> None:
    first = shop.remember("Sessions live in Redis. They expire after 14 days.")
    before = _note(shop, first.id)
    shop.remember("Sessions live in Redis. The cookie is called sid.")
    undo(shop.store, shop.project, _last_operation(shop), actor="person", clock=shop.clock, ids=shop.ids)
    assert _note(shop, first.id) == before


@pytest.mark.invariant("I-09")
def test_undo_takes_evidence_links_and_disputes_out_of_force(shop: Workshop) -> None:
    first, second = _disputed(shop)
    undo(shop.store, shop.project, _last_operation(shop), actor="person", clock=shop.clock, ids=shop.ids)
    assert _open(shop) == []
    assert [note.id for note in shop.notes() if not note.withdrawn] == [first.id]
    shop.remember("For the queue use Redis and not RabbitMQ.")
    undo(shop.store, shop.project, _last_operation(shop), actor="person", clock=shop.clock, ids=shop.ids)
    assert _evidence(shop, first.id) == []
    assert second.outcome == "disputed"


def test_opposite_decisions_both_stand_until_somebody_settles_it(shop: Workshop) -> None:
    older, newer = _disputed(shop)
    assert newer.outcome == "disputed"
    assert _open(shop) == [(newer.id, older.id)]
    assert newer.related[0].id == older.id
    assert not any(note.superseded_by for note in shop.notes())


def test_the_note_that_does_not_hold_is_superseded_by_the_one_that_does(shop: Workshop) -> None:
    older, newer = _disputed(shop)
    done = resolve(shop.store, shop.project, _dispute(shop), newer.id, actor="person", clock=shop.clock, ids=shop.ids)
    assert (done.outcome, done.superseded) == (newer.id, older.id)
    assert _note(shop, older.id).superseded_by == newer.id
    assert _open(shop) == []


def test_both_may_hold_and_neither_is_marked_then(shop: Workshop) -> None:
    _disputed(shop)
    resolve(shop.store, shop.project, _dispute(shop), "both", actor="agent", clock=shop.clock, ids=shop.ids)
    assert _open(shop) == []
    assert not any(note.superseded_by for note in shop.notes())


@pytest.mark.invariant("I-09")
def test_undo_of_a_settlement_opens_the_dispute_again(shop: Workshop) -> None:
    older, newer = _disputed(shop)
    done = resolve(shop.store, shop.project, _dispute(shop), older.id, actor="person", clock=shop.clock, ids=shop.ids)
    undo(shop.store, shop.project, done.operation, actor="person", clock=shop.clock, ids=shop.ids)
    assert _open(shop) == [(newer.id, older.id)]


def test_a_dispute_is_settled_by_a_side_of_it_and_by_a_person_or_an_agent(shop: Workshop) -> None:
    _disputed(shop)
    dispute = _dispute(shop)
    for holds, actor in (("no_nobody", "person"), ("both", "upkeep")):
        with pytest.raises(InvalidInput):
            resolve(shop.store, shop.project, dispute, holds, actor=actor, clock=shop.clock, ids=shop.ids)
    with pytest.raises(NotFound):
        resolve(shop.store, shop.project, "di_none", "both", actor="person", clock=shop.clock, ids=shop.ids)
    assert len(_open(shop)) == 1


@pytest.mark.invariant("I-08")
def test_a_protected_note_is_never_revised_by_the_gate(shop: Workshop) -> None:
    kept = shop.remember("Decision: the queue listens on port 6379.", kind="decision")
    assert _note(shop, kept.id).protected
    newer = shop.remember("Decision: the queue now listens on port 6380.", kind="decision")
    assert newer.outcome == "disputed"
    assert _text(shop, kept.id) == "Decision: the queue listens on port 6379."


def test_notes_of_another_kind_are_not_merged(shop: Workshop) -> None:
    lesson = shop.remember("Sessions live in Redis. They expire after 14 days.", kind="lesson")
    other = shop.remember("Sessions live in Redis. The cookie is called sid.", kind="note")
    assert (other.outcome, len(shop.notes())) == ("new", 2)
    assert _text(shop, lesson.id) == "Sessions live in Redis. They expire after 14 days."


@pytest.mark.invariant("I-21")
def test_a_document_changes_no_note_and_counts_as_no_evidence_for_one(shop: Workshop) -> None:
    said = shop.remember(PORT, actor="person")
    for text in ("the billing service listens on port 5432", "The billing service now listens on port 1."):
        poisoned = shop.remember(text, channel=Channel.TOOL)
        assert poisoned.id != said.id
        assert poisoned.outcome == "new"
    assert _text(shop, said.id) == PORT
    assert _evidence(shop, said.id) == []
    assert _open(shop) == []


@pytest.mark.invariant("I-21")
def test_the_word_of_a_person_is_not_swallowed_by_a_document_that_says_the_same(shop: Workshop) -> None:
    document = shop.remember(PORT, channel=Channel.TOOL)
    said = shop.remember("the billing service listens on port 5432", actor="person")
    assert said.outcome == "new"
    assert said.id != document.id


@pytest.mark.invariant("I-06")
def test_a_note_never_meets_the_notes_of_another_project(shop: Workshop) -> None:
    first = shop.remember("Sessions live in Redis. They expire after 14 days.")
    with shop.store.write() as transaction:
        project = transaction.projects.add(shop.ids.new(PROJECT), "id:other", "other", 1)
        tree = transaction.projects.add_tree(shop.ids.new(TREE), project, str(shop.root / "other"), 1)
    draft = Draft("Sessions live in Redis. They expire after 14 days.")
    there = remember(shop.store, tree, draft, clock=shop.clock, ids=shop.ids)
    assert there.outcome == "new"
    assert there.related == ()
    assert there.id != first.id


def test_what_is_said_about_other_targets_is_another_note(client: Workshop) -> None:
    first = client.remember("It retries three times.", "send")
    second = client.remember("it retries three times", "Session.open")
    assert second.outcome == "new"
    assert first.id != second.id


def test_related_notes_come_back_with_a_save_and_are_linked_with_the_reason(client: Workshop) -> None:
    first = client.remember("`send` retries three times.")
    second = client.remember("A timeout of `send` raises TimeoutError with the request.")
    assert second.outcome == "new"
    assert [(one.id, one.why) for one in second.related] == [(first.id, "both are about client.py::send")]
    assert _links(client, second.id) == [(first.id, "related", "both are about client.py::send")]


def test_what_comes_back_with_a_save_is_short(shop: Workshop) -> None:
    for number in range(12):
        shop.remember(f"The loader of region {number} reads its {'very ' * 60}long list of stops.", insist=True)
    done = shop.remember("The loader of region 99 reads a list of stops.", insist=False)
    assert 0 < len(done.related) <= 5
    assert sum(len(one.text) + len(one.why) for one in done.related) < 1_200


def test_what_names_the_note_that_it_replaces_goes_around_the_gate(shop: Workshop) -> None:
    first = shop.remember(PORT)
    second = shop.remember("The billing service listens on port 9.", supersedes=first.id)
    assert second.outcome == "new"
    assert _note(shop, first.id).superseded_by == second.id
    assert _open(shop) == []


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("The timeout is 30 seconds.", "30", "45", "The timeout is 45 seconds."),
        ("Line length is 100, set in ruff.toml.", "100", "120", "Line length is 120, set in ruff.toml."),
        ("Version 1.2.3 is pinned.", "1.2", "1.4", None),
        ("From 30 to 30 seconds.", "30", "45", None),
        ("No value here.", "30", "45", None),
        ("It is 30.", "30", "30", None),
    ],
)
def test_a_new_value_is_proposed_only_where_the_old_one_stands_once(
    text: str, old: str, new: str, expected: str | None
) -> None:
    assert proposed_value_text(text, old, new) == expected
