"""What is forgotten for good is gone everywhere, and the receipt proves it (I-10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetting.conftest import RARE, SAID, begin, episode, head, raw, references, rows, say
from moored.errors import InvalidInput, NotFound
from moored.memory import Memory
from moored.model.episodes import Role
from moored.model.notes import Anchor, AnchorRole, Revision
from moored.record.inbox import Entry, Inbox
from moored.record.operations import under_way

pytestmark = pytest.mark.invariant("I-10")


def _left_of(memory: Memory, words: tuple[str, ...] = RARE) -> list[str]:
    """Where something of the forgotten text is, in the rows or in the bytes of any file."""
    held = rows(memory).lower()
    found = [f"row: {word}" for word in words if word.lower() in held]
    for file, data in raw(memory).items():
        # An index holds a word without what it shares with the one before it.
        found += [f"{file}: {word}" for word in words if word.lower().encode()[2:] in data.lower()]
    return found


def test_a_note_that_is_forgotten_is_in_no_table_index_vector_log_or_byte_of_a_file(memory: Memory) -> None:
    note = memory.remember(SAID, about=["quay.py::moor"], kind="decision", tags=["winch"])
    memory.upkeep()
    assert memory.recall("xylophonequartz").hits
    assert len(_left_of(memory)) > 2
    done = memory.forget(note.id, hard=True)
    assert done.outcome == "erased"
    assert done.proof is not None
    assert done.proof.fragments > 0
    assert done.proof.found == ()
    assert {Path(one.file).suffix for one in done.proof.files} >= {".db", ".db-wal"}
    assert _left_of(memory) == []
    assert note.id not in rows(memory)
    assert not memory.recall("xylophonequartz winch berth").hits
    assert memory.store.check(deep=True) == []


def test_a_turn_that_is_forgotten_takes_along_the_facts_aliases_and_vectors_that_were_read_from_it(
    memory: Memory,
) -> None:
    text = f'{{"berth": "{SAID}", "rope": 4}}'
    say(memory, "look at the berth", "e0")
    turn = say(memory, text, "e1", role="tool", tool_name="Read", tool_input='{"path": "berth.json"}')
    say(memory, "it is done", "e2", role="assistant")
    memory.alias("Winch House", "WH")
    memory.upkeep()
    with memory.store.read() as view:
        assert view.facts.of_episode(memory.project, turn)
    shown = memory.forget(turn, preview=True)
    assert dict(shown.plan.also)["facts"] == 2
    assert dict(shown.plan.also)["vectors"] == 1
    done = memory.forget(turn, hard=True)
    assert done.proof is not None
    assert _left_of(memory) == []
    with memory.store.read() as view:
        assert view.facts.of_episode(memory.project, turn) == []
        # What was said right after it may have its words in its own vector.
        assert view.vectors.count_waiting(memory.project) == 0
    assert memory.store.check(deep=True) == []


def test_what_was_said_after_a_forgotten_turn_gets_a_vector_without_it(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    after = say(memory, "yes, so be it", "e2", role="assistant")
    memory.upkeep()

    def vector() -> tuple[object, ...]:
        sql = """SELECT v.row FROM vector v JOIN window w ON v.owner_kind = 'window' AND v.owner = w.row
            JOIN episode e ON e.seq = w.episode WHERE e.id = ?"""
        with memory.store.read() as view:
            return view.connection.rows(sql, after)[0]

    before = vector()
    memory.forget(turn, hard=True)
    memory.upkeep()
    assert vector() != before


def test_a_content_that_is_kept_compressed_is_looked_for_as_it_is_kept(memory: Memory) -> None:
    long = f"{SAID}\n" + "\n".join(f"line {n} of a long listing {n * 7919 % 1013}" for n in range(2_000))
    turn = say(memory, long, "e1", role="tool", tool_name="Bash", tool_input='{"command": "list"}')
    with memory.store.read() as view:
        (stored,) = view.erasure.episodes(memory.project, [turn])
    assert stored.stored != stored.content
    assert stored.stored[64:96] in raw(memory)[str(memory.store.path)]
    done = memory.forget(turn, hard=True)
    assert done.proof is not None
    assert done.proof.fragments > 8
    assert stored.stored[64:96] not in raw(memory)[str(memory.store.path)]


def test_forgetting_the_last_run_of_a_command_makes_the_run_before_it_the_outcome_again(memory: Memory) -> None:
    def run(event: str, status: int) -> str:
        asked = '{"command": "make moor"}'
        return say(memory, f"run {event}", event, role="tool", tool_name="Bash", tool_input=asked, exit_status=status)

    def outcome() -> str | None:
        with memory.store.read() as view:
            fact = view.facts.command(memory.project, "make moor")
            return fact.value if fact else None

    first, second, third = run("e1", 0), run("e2", 1), run("e3", 2)
    memory.forget(third, hard=True)
    assert outcome() == "exit 1"
    memory.forget(first, hard=True)
    assert outcome() == "exit 1"
    memory.forget(second, hard=True)
    assert outcome() is None
    assert memory.store.check(deep=True) == []


def test_a_correction_of_a_forgotten_turn_stays_word_for_word(memory: Memory) -> None:
    wrong = say(memory, SAID, "e1")
    right = memory.record("the winch is opened with a key", corrects=wrong).episode
    memory.forget(wrong, hard=True)
    kept = episode(memory, right)
    assert (kept.text, kept.corrects) == ("the winch is opened with a key", "")
    assert _left_of(memory) == []
    assert memory.store.check(deep=True) == []


def test_a_note_that_is_about_a_forgotten_turn_stays_without_it_and_one_that_repeats_it_goes_back(
    memory: Memory,
) -> None:
    turn = say(memory, SAID, "e1")
    about = memory.remember("The winch needs grease every week", about=[turn])
    told = memory.remember("Ask the harbour master", about=[turn])
    memory.revise(told.id, f"Ask the harbour master: {SAID}")
    plan = memory.forget(turn, preview=True).plan
    assert plan.notes == ()
    assert {one.note: one.text for one in plan.rebuilt} == {about.id: "", told.id: "Ask the harbour master"}
    memory.forget(turn, hard=True)
    assert [head(memory, one).text for one in (about.id, told.id)] == [
        "The winch needs grease every week",
        "Ask the harbour master",
    ]
    assert [one.number for one in memory.history(told.id)] == [1, 3]  # type: ignore[union-attr] - revisions
    assert _left_of(memory) == []
    assert memory.store.check(deep=True) == []


def test_a_note_that_only_repeats_a_forgotten_turn_goes_with_its_own_words(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    note = memory.remember(f"As was said: {SAID}", about=[turn])
    plan = memory.forget(turn, preview=True).plan
    assert plan.notes == (note.id,)
    memory.forget(turn, hard=True)
    assert _left_of(memory) == []


def test_a_merged_note_says_what_is_left_of_it(memory: Memory) -> None:
    first = memory.remember("Boats are moored with four ropes")
    second = memory.remember(SAID)
    _merge(memory, first.id, second.id)
    assert SAID in head(memory, first.id).text
    memory.forget(second.id, hard=True)
    assert head(memory, first.id).text == "Boats are moored with four ropes"
    assert _left_of(memory) == []
    assert memory.store.check(deep=True) == []


def test_a_merged_note_whose_first_words_are_forgotten_says_the_other_ones(memory: Memory) -> None:
    first = memory.remember(SAID)
    second = memory.remember("Boats are moored with four ropes")
    _merge(memory, first.id, second.id)
    turn = next(one.episode for one in memory.history(first.id) if one.number == 1)  # type: ignore[union-attr]
    memory.forget(turn, hard=True)
    kept = head(memory, first.id)
    assert (kept.text, kept.number) == ("Boats are moored with four ropes", 1)
    assert _left_of(memory) == []
    assert memory.store.check(deep=True) == []


def _merge(memory: Memory, into: str, other: str) -> None:
    """Let a note say what another one says as well, with both as its sources."""
    project, clock, ids = memory.project, memory.clock, memory.ids
    with (
        memory.store.write() as transaction,
        under_way(transaction, project, "merge", actor="gate", clock=clock, ids=ids) as operation,
    ):
        notes = [transaction.notes.get(project, one) for one in (into, other)]
        heads = [note.head for note in notes if note]
        text = "\n".join(head.text for head in heads)
        sources = tuple(
            Anchor(AnchorRole.SOURCE, episode=head.episode, body_hash=head.anchors[0].body_hash) for head in heads
        )
        revision = Revision(
            0, ids.new("re"), into, 2, text, (), "merged", "gate", heads[0].episode, "", clock.now(), sources
        )
        assert notes[0]
        row = transaction.notes.revise(project, notes[0], revision, operation)
        transaction.search.remove("revision", heads[0].row)
        transaction.vectors.remove("revision", heads[0].row)
        transaction.search.put("revision", row, text, text)
        transaction.vectors.enqueue(project, "revision", [row])


def test_a_note_that_was_replaced_by_a_forgotten_one_stands_again(memory: Memory) -> None:
    old = memory.remember("Boats are moored with four ropes")
    new = memory.remember(SAID, supersedes=old.id)
    memory.forget(new.id, hard=True)
    assert [hit.id for hit in memory.recall("how many ropes are boats moored with").hits] == [old.id]
    assert memory.store.check(deep=True) == []


def test_a_backup_of_an_upgrade_that_holds_it_is_named_in_the_preview_and_removed(memory: Memory) -> None:
    note = memory.remember(SAID)
    other = memory.remember("Boats are moored with four ropes")
    backup = memory.store.path.with_name(f"{memory.store.path.name}.before-m0011_life-2026")
    memory.store.backup(backup)
    held = memory.forget(note.id, preview=True)
    assert held.plan.backups == (str(backup),)
    assert any(str(backup) in line for line in memory.forget(note.id, preview=True, hard=True).receipt)
    memory.forget(note.id, hard=True)
    assert not backup.exists()
    assert memory.forget(other.id, preview=True).plan.backups == ()


def test_an_event_that_hooks_captured_and_the_record_refused_goes_along(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    inbox = Inbox(memory.store.path)
    file = inbox.put(Entry(SAID.encode(), Role.USER, "user", host="lab", session="first"))
    inbox.set_aside(file)
    other = inbox.put(Entry(b"another thing", Role.USER, "user", host="lab", session="first"))
    inbox.set_aside(other)
    done = memory.forget(turn, hard=True)
    assert len(done.plan.entries) == 1
    assert [inbox.read(one).content for one in inbox.failed()] == [b"another thing"]
    assert _left_of(memory) == []


def test_what_is_forgotten_stays_out_when_a_host_hands_it_in_again(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    before = memory.clock.now()
    memory.forget(turn, hard=True)
    again = memory.record(SAID, host="lab", session="first", host_event="e1", occurred_at=before)
    assert (again.outcome, again.episode) == ("forgotten", "")
    renamed = memory.record(SAID, host="lab", session="first", host_event="transcript:9", occurred_at=before)
    assert renamed.outcome == "forgotten"
    reworded = memory.record("other words", host="lab", session="first", host_event="e1", occurred_at=before)
    assert reworded.outcome == "forgotten"
    assert _left_of(memory) == []
    # The same words in another session are another event, and so is another event of this session.
    assert memory.record("other words", host="lab", session="first", host_event="e2").outcome == "recorded"


def test_a_person_may_say_again_what_was_forgotten(memory: Memory) -> None:
    note = memory.remember(SAID)
    memory.forget(note.id, hard=True)
    assert memory.remember(SAID).outcome == "new"
    assert memory.record(SAID).outcome == "recorded"


def test_a_session_that_was_forgotten_goes_on_with_what_happens_later(memory: Memory) -> None:
    early = memory.clock.now()
    say(memory, SAID, "e1")
    say(memory, f"and again: {SAID}", "e2", role="assistant")
    kept = say(memory, "in another session", "e1", session="second")
    done = memory.forget(session="first", hard=True)
    assert len(done.plan.episodes) == 2
    assert memory.record("late import", host="lab", session="first", host_event="e9", occurred_at=early).outcome == (
        "forgotten"
    )
    memory.clock.advance(1_000)  # type: ignore[attr-defined] - a clock that is set by hand
    new = memory.record("goes on", host="lab", session="first", host_event="e10", occurred_at=memory.clock.now())
    assert new.outcome == "recorded"
    assert episode(memory, kept).text == "in another session"
    assert _left_of(memory) == []


def test_time_author_and_source_narrow_down_what_is_forgotten(memory: Memory) -> None:
    start = memory.clock.now()
    ids = []
    for number in range(4):
        at = start + number * 1_000
        told = memory.record(f"turn {number}", host="lab", session="s", host_event=f"e{number}", occurred_at=at)
        ids.append(told.episode)

    def would_go(**narrowed: object) -> list[str]:
        return list(memory.forget(preview=True, **narrowed).plan.episodes)  # type: ignore[arg-type] - passed on

    assert would_go(since=start + 1_000, until=start + 3_000) == ids[1:3]
    assert would_go(source="lab", until=start + 1_000) == ids[:1]
    assert would_go(source="user") == ids
    assert would_go(source="elsewhere") == []
    assert would_go(author="nobody") == []


def test_forgetting_a_whole_project_leaves_the_ledger_of_its_files_and_another_project(
    memory: Memory, tmp_path: Path
) -> None:
    other = begin(tmp_path / "quay", memory.store.path)
    kept = other.remember("Boats of the quay are moored with two ropes", about=["quay.py::moor"])
    other.upkeep()
    note = memory.remember(SAID, about=["quay.py::moor"])
    memory.pin(f"Never tell: {SAID}")
    say(memory, SAID, "e1")
    before = [hit.id for hit in other.recall("two ropes").hits]
    done = memory.forget(everything=True, hard=True)
    assert (len(done.plan.notes), len(done.plan.pins)) == (1, 1)
    assert note.id not in rows(memory)
    assert _left_of(memory) == []
    assert memory.symbol("moor").fact.name == "moor"
    assert [hit.id for hit in other.recall("two ropes").hits] == before == [kept.id]
    assert memory.store.check(deep=True) == []
    other.close()


def test_an_id_of_another_project_is_not_there_to_be_forgotten(memory: Memory, tmp_path: Path) -> None:
    other = begin(tmp_path / "quay", memory.store.path)
    note = other.remember(SAID)
    with pytest.raises(NotFound, match="nothing called"):
        memory.forget(note.id, hard=True)
    assert head(other, note.id).text == SAID
    other.close()


def test_nothing_goes_that_the_preview_did_not_show(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    shown = memory.forget(turn, preview=True)
    memory.remember("The winch needs grease", about=[turn])
    with pytest.raises(InvalidInput, match="not what the preview"):
        memory.forget(turn, hard=True, token=shown.plan.token)
    assert episode(memory, turn).text == SAID
    with pytest.raises(InvalidInput, match="Nothing was said"):
        memory.forget(hard=True)


def test_a_preview_changes_nothing(memory: Memory) -> None:
    note = memory.remember(SAID, about=["quay.py::moor"])
    before = rows(memory)
    shown = memory.forget(note.id, preview=True)
    assert rows(memory) == before
    assert dict(shown.plan.shown)[note.id].startswith("the winch of berth")
    assert dict(shown.plan.also)["anchors"] == 2


def test_erasing_cannot_be_undone_and_says_so(memory: Memory) -> None:
    note = memory.remember(SAID)
    done = memory.forget(note.id, hard=True)
    with pytest.raises(InvalidInput, match="cannot be undone"):
        memory.undo(done.operation)


def test_what_undid_or_changed_a_forgotten_note_leaves_nothing_of_it(memory: Memory) -> None:
    note = memory.remember("Boats are moored with four ropes")
    revised = memory.revise(note.id, SAID)
    operation = memory.operations()[-1]
    memory.undo(operation.id)
    assert head(memory, note.id).text == "Boats are moored with four ropes"
    said = next(one for one in memory.history(note.id) if one.id == revised.revision)
    memory.forget(said.episode, hard=True)  # type: ignore[union-attr] - a revision
    assert head(memory, note.id).text == "Boats are moored with four ropes"
    assert _left_of(memory) == []
    assert memory.store.check(deep=True) == []


def test_every_table_that_points_at_notes_or_episodes_is_known_to_forgetting(memory: Memory) -> None:
    """A table that is added later has to be thought of: what it holds of a forgotten thing has to go as well."""
    assert references(memory, "episode") == {
        *("alias", "anchor", "episode", "evidence", "hidden_episode", "operation_episode", "reminder", "revision"),
        *("transcript_event", "window"),
    }
    assert references(memory, "note") == {
        *("change", "dispute", "evidence", "link", "note", "note_use", "proposal", "rating", "reminder", "revision"),
        "seeded",
    }


def test_a_session_of_which_nothing_is_left_is_gone_too(memory: Memory) -> None:
    turn = say(memory, SAID, "e1", session="about Quagmire-7781")
    memory.forget(turn, hard=True)
    assert _left_of(memory) == []


def test_forgetting_something_short_says_that_it_proves_nothing_by_fragments(memory: Memory) -> None:
    turn = say(memory, "yes", "e1")
    done = memory.forget(turn, hard=True)
    assert done.proof is not None
    assert done.proof.fragments == 0
    assert turn not in rows(memory)


def test_a_piece_that_stands_in_what_remains_is_counted_apart(memory: Memory) -> None:
    first, second = say(memory, SAID, "e1"), say(memory, f"{SAID}!", "e2", session="second")
    done = memory.forget(first, hard=True)
    assert done.proof is not None
    assert done.proof.common > 0
    assert "found in what remains as well" in done.receipt[-2]
    assert episode(memory, second).text == f"{SAID}!"


def test_residue_of_moved_rows_in_unused_bytes_is_found_and_goes(memory: Memory) -> None:
    note = memory.remember(SAID)
    path = memory.store.path
    memory.store.truncate_log()
    memory.close()
    # A copy as SQLite may leave one behind: in bytes of a page that no row uses.
    with path.open("r+b") as file:
        data = file.read()
        at = data.find(b"\0" * 512)
        file.seek(at + 200)
        file.write(SAID.encode())
    again = begin(path.parent.parent / "harbour", path)
    done = again.forget(note.id, hard=True)
    assert done.proof is not None
    assert done.proof.found == ()
    assert _left_of(again) == []
    assert again.store.check(deep=True) == []
    again.close()


def test_a_reminder_goes_with_the_words_that_were_recorded_for_it(memory: Memory) -> None:
    reminder = memory.remind(SAID, when="editing quay.py")
    plan = memory.forget(reminder.id, preview=True).plan
    assert (plan.reminders, len(plan.episodes)) == ((reminder.id,), 1)
    memory.forget(reminder.id, hard=True)
    assert _left_of(memory) == []
    assert memory.store.check(deep=True) == []


def test_what_is_proposed_because_of_a_forgotten_turn_goes_with_it(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    note = memory.remember("Boats are moored with four ropes")
    project, clock, ids = memory.project, memory.clock, memory.ids
    with (
        memory.store.write() as transaction,
        under_way(transaction, project, "propose", actor="gate", clock=clock, ids=ids) as operation,
    ):
        transaction.connection.execute(  # type: ignore[attr-defined] - the store of this test is SQLite
            """INSERT INTO proposal (id, project, note, head, action, text, reason, evidence, operation, created_at)
            SELECT 'pp_1', n.project, n.row, n.head, 'revise', ?, 'said so', ?, o.row, 1 FROM note n, operation o
            WHERE n.id = ? AND o.id = ?""",
            (f"Boats and {SAID}", f'["{turn}"]', note.id, operation),
        )
    memory.forget(turn, hard=True)
    assert _left_of(memory) == []
    assert head(memory, note.id).text == "Boats are moored with four ropes"


def test_what_had_said_the_same_as_a_note_goes_with_it(memory: Memory) -> None:
    note = memory.remember("Boats are moored with four ropes")
    same = memory.record(SAID).episode
    project, clock, ids = memory.project, memory.clock, memory.ids
    with (
        memory.store.write() as transaction,
        under_way(transaction, project, "remember", actor="agent", clock=clock, ids=ids) as operation,
    ):
        transaction.connection.execute(  # type: ignore[attr-defined] - the store of this test is SQLite
            """INSERT INTO evidence (project, note, episode, kind, operation, created_at)
            SELECT n.project, n.row, e.seq, 'same', o.row, 1 FROM note n, episode e, operation o
            WHERE n.id = ? AND e.id = ? AND o.id = ?""",
            (note.id, same, operation),
        )
    plan = memory.forget(note.id, preview=True).plan
    assert same in plan.episodes
    memory.forget(note.id, hard=True)
    assert _left_of(memory) == []
    assert memory.store.check(deep=True) == []


def test_the_very_words_of_a_note_that_were_recorded_again_go_with_it(memory: Memory) -> None:
    note = memory.remember(SAID)
    again = memory.record(SAID).episode
    heard = say(memory, f"{SAID}, they say", "e1")
    plan = memory.forget(note.id, preview=True).plan
    assert again in plan.episodes
    assert heard not in plan.episodes
    memory.forget(note.id, hard=True)
    assert episode(memory, heard).text == f"{SAID}, they say"
    memory.forget(heard, hard=True)
    assert _left_of(memory) == []
