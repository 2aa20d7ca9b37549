"""What is recalled in a changed context: each of the three causes puts a proposal into the review, by ordinary use."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from moored.atlas.contradicted import contradicts
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Channel, Role
from moored.model.ids import SequentialIds
from moored.model.proposals import GroundKind, Proposed, Remedy

TURNS = Path(__file__).with_name("turns.txt")
NOTE = "Sessions expire after 30 minutes."
Said = tuple[str, list[tuple[bool, str]]]


def corpus() -> list[Said]:
    """Each note with its sentences, and whether they say otherwise."""
    found: list[Said] = []
    for line in TURNS.read_text().splitlines():
        mark, said = line[:2], line[2:]
        if mark == "= ":
            found.append((said, []))
        elif mark in ("! ", "- "):
            found[-1][1].append((mark == "! ", said))
    return found


class Talk:
    """One project's memory, in which a user talks."""

    def __init__(self, memory: Memory, clock: ManualClock, root: Path) -> None:
        self.memory = memory
        self.clock = clock
        self.root = root

    def note(self, text: str = NOTE, *about: str) -> str:
        note = self.memory.remember(text, about=about).id
        self.clock.advance(60_000)
        return note

    def say(self, text: str, **fields: object) -> str:
        self.clock.advance(60_000)
        return self.memory.record(text, **fields).episode  # pyright: ignore[reportArgumentType]

    def listed(self) -> list[Proposed]:
        return list(self.memory.review().proposals)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "settings.toml").write_text("[gate]\nport = 5432\n")
    clock = ManualClock()
    with open_memory(root, store=tmp_path / "moored.db", clock=clock, ids=SequentialIds(), dense=False) as memory:
        memory.index()
        yield Talk(memory, clock, root)


# How sure it is


def test_of_the_sentences_that_say_nothing_against_a_note_none_is_taken_for_one_that_does() -> None:
    said = [(note, one) for note, turns in corpus() for against, one in turns if not against]
    assert len(said) > 200
    assert [pair for pair in said if contradicts(*pair)] == []


def test_a_sentence_speaks_against_no_note_but_the_one_that_it_is_about() -> None:
    notes = corpus()
    others = [(note, one) for note, _ in notes for other, turns in notes if other != note for _, one in turns]
    assert len(others) > 5_000
    assert [pair for pair in others if contradicts(*pair)] == []


@pytest.mark.parametrize(("part", "least"), [(0, 0.8), (1, 0.9)])
def test_most_of_what_says_otherwise_is_found(part: int, least: float) -> None:
    said = [(note, one) for note, turns in corpus()[part::2] for against, one in turns if against]
    assert sum(bool(contradicts(*pair)) for pair in said) / len(said) >= least


# A newer episode contradicts it


def test_a_turn_with_another_value_proposes_to_revise_the_note_and_shows_what_was_said(talk: Talk) -> None:
    note = talk.note()
    said = talk.say("By the way, sessions expire after 60 minutes now. Please fix the login page.")
    (one,) = talk.listed()
    assert (one.proposal.note, one.proposal.action) == (note, Remedy.REVISE)
    assert one.proposal.text == "Sessions expire after 60 minutes."
    assert [(ground.kind, ground.id) for ground in one.proposal.grounds] == [(GroundKind.EPISODE, said)]
    assert said in one.evidence[0]
    assert "sessions expire after 60 minutes now" in one.evidence[0]
    talk.memory.accept(one.proposal.id)
    assert talk.memory.note(note).head.text == "Sessions expire after 60 minutes."
    assert talk.listed() == []


def test_a_turn_that_denies_a_note_proposes_to_say_what_holds(talk: Talk) -> None:
    note = talk.note()
    talk.say("Sessions no longer expire after 30 minutes.")
    (one,) = talk.listed()
    assert (one.proposal.note, one.proposal.text) == (note, "")
    done = talk.memory.accept(one.proposal.id, "Sessions never expire.")
    talk.memory.undo(done.operation)
    assert [again.proposal.id for again in talk.listed()] == [one.proposal.id]


@pytest.mark.parametrize(
    "fields",
    [
        {"role": Role.ASSISTANT},
        {"role": Role.TOOL, "tool_name": "Read"},
        {"channel": Channel.DOCUMENT},
    ],
)
@pytest.mark.invariant("I-21")
def test_what_an_agent_a_tool_or_a_document_says_speaks_against_nothing(talk: Talk, fields: dict[str, object]) -> None:
    talk.note()
    talk.say("Sessions expire after 60 minutes.", **fields)
    assert talk.listed() == []


def test_what_was_said_before_the_note_speaks_not_against_it(talk: Talk) -> None:
    talk.say("Sessions expire after 60 minutes.")
    talk.note()
    assert talk.listed() == []


def test_what_was_quoted_or_pasted_speaks_against_nothing(talk: Talk) -> None:
    talk.note()
    talk.say("> Sessions expire after 60 minutes.\n\n```\nSessions expire after 60 minutes.\n```\nWhat is this?")
    talk.say("Sessions expire after 60 minutes. " + "This is the log of the whole day. " * 200)
    assert talk.listed() == []


def test_a_note_that_was_revised_since_is_left_alone(talk: Talk) -> None:
    note = talk.note()
    talk.say("Sessions expire after 60 minutes.")
    assert len(talk.listed()) == 1
    talk.clock.advance(60_000)
    talk.memory.revise(note, "Sessions expire after 60 minutes.")
    assert talk.listed() == []


def test_what_was_rejected_is_proposed_again_only_after_another_turn(talk: Talk) -> None:
    talk.note()
    talk.say("Sessions expire after 60 minutes.")
    talk.memory.reject(talk.listed()[0].proposal.id, "that was the staging system")
    assert talk.listed() == []
    talk.say("Sessions expire after 45 minutes.")
    assert [one.proposal.text for one in talk.listed()] == ["Sessions expire after 45 minutes."]


def test_a_turn_that_was_corrected_or_forgotten_speaks_against_nothing_any_more(talk: Talk) -> None:
    talk.note()
    first = talk.say("Sessions expire after 60 minutes.")
    assert len(talk.listed()) == 1
    talk.say("Sessions expire after 30 minutes.", corrects=first)
    assert talk.listed() == []
    second = talk.say("Sessions expire after 45 minutes.")
    assert len(talk.listed()) == 1
    talk.memory.forget(second, hard=True)
    assert talk.listed() == []


@pytest.mark.invariant("I-17")
def test_upkeep_reads_each_turn_once_and_puts_the_proposal_there(talk: Talk) -> None:
    note = talk.note()
    talk.memory.upkeep()
    talk.say("Sessions expire after 60 minutes.")
    talk.memory.upkeep()
    before = talk.memory.operations()
    talk.memory.upkeep()
    assert talk.memory.operations() == before
    with talk.memory.store.read() as view:
        standing = view.proposals.standing(talk.memory.project)
        evidence = view.kin.evidence(talk.memory.project, note)
    assert [one.note for one in standing] == [note]
    assert [kind for _, kind in evidence] == ["against"]
    assert "session speaks against it" in " ".join(talk.memory.explain(note).state.confidence.inputs)


@pytest.mark.invariant("I-06")
def test_a_turn_of_another_project_speaks_against_nothing(talk: Talk, tmp_path: Path) -> None:
    talk.note()
    (tmp_path / "other").mkdir()
    with open_memory(
        tmp_path / "other", store=talk.memory.store.path, clock=talk.clock, ids=talk.memory.ids, dense=False
    ) as other:
        other.record("Sessions expire after 60 minutes.")
        assert other.review().proposals == ()
    assert talk.listed() == []


# It was recalled though its anchors drifted, and the caller found it wrong


def test_a_note_that_was_recalled_after_it_drifted_stands_first_in_the_review(talk: Talk) -> None:
    (talk.root / "limits.toml").write_text("[pool]\nsize = 8\n\n[queue]\nlength = 100\n")
    talk.memory.index()
    notes = [
        talk.note("The gate is on port 5432.", "gate.port"),
        talk.note("The pool holds 8.", "pool.size"),
        talk.note("The queue holds 100.", "queue.length"),
    ]
    talk.memory.recall("how much does the queue hold")
    talk.clock.advance(60_000)
    (talk.root / "settings.toml").write_text("[gate]\nport = 6000\n")
    (talk.root / "limits.toml").write_text("[pool]\nsize = 9\n\n[queue]\nlength = 200\n")
    talk.memory.index()
    assert {one.told_at for one in talk.listed()} == {0}
    talk.clock.advance(60_000)
    talk.memory.recall("how much does the pool hold", kinds=["note"], limit=1)
    first, *others = talk.listed()
    assert (first.proposal.note, first.told_at > 0) == (notes[1], True)
    assert {one.told_at for one in others} == {0}
    assert all(one.proposal.created_at <= two.proposal.created_at for one, two in pairwise(others))


@pytest.mark.invariant("I-11")
def test_recalling_a_stale_note_changes_nothing_and_upkeep_queues_what_follows(talk: Talk) -> None:
    note = talk.note("The gate is on port 5432.", "gate.port")
    (talk.root / "settings.toml").write_text("[gate]\nport = 6000\n")
    before = talk.memory.note(note), talk.memory.operations()
    talk.memory.recall("which port is the gate on")
    assert (talk.memory.note(note), talk.memory.operations()) == before
    talk.memory.upkeep()
    with talk.memory.store.read() as view:
        (one,) = view.proposals.standing(talk.memory.project)
    assert (one.note, one.text) == (note, "The gate is on port 6000.")


def test_a_note_that_the_caller_found_wrong_is_put_into_the_review_by_upkeep(talk: Talk) -> None:
    note = talk.note()
    talk.memory.rate(note, useful=False, because="it is wrong", actor="agent")
    talk.memory.upkeep()
    with talk.memory.store.read() as view:
        (one,) = view.proposals.standing(talk.memory.project)
    assert (one.note, one.action) == (note, Remedy.ARCHIVE)
    assert "found useless by agent: it is wrong" in one.reason
