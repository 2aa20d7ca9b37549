"""A dispute and what a file states of it: what is proposed, what is left alone, and how it is taken back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.atlas.drafts import Draft
from moored.atlas.notes import remember
from moored.errors import InvalidInput
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Channel
from moored.model.ids import SequentialIds
from moored.model.proposals import GroundKind, Proposed, Remedy
from moored.record.operations import under_way

SETTINGS = '[gate]\nport = 5432\nhost = "jump"\n\n[pool]\nsize = 8\n'
OLD, NEW = "The gate listens on port 5432.", "The gate listens on port 5433."


class Bench:
    """One project with files, and a dispute in its memory."""

    def __init__(self, memory: Memory, clock: ManualClock, root: Path) -> None:
        self.memory = memory
        self.clock = clock
        self.root = root

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.clock.advance(60_000)
        self.memory.index()

    def dispute(self, older: str, newer: str, *about: str, kind: str = "note") -> tuple[str, str]:
        """The ids of both sides, the older first."""
        first = self.memory.remember(older, about=about, kind=kind).id
        self.clock.advance(1_000)
        done = self.memory.remember(newer, about=about, kind=kind)
        assert done.outcome == "disputed", done
        return first, done.id

    def listed(self) -> list[Proposed]:
        return list(self.memory.review().proposals)

    def by_fact(self) -> list[Proposed]:
        """What is proposed because of a fact."""
        return [one for one in self.listed() if GroundKind.FACT in {ground.kind for ground in one.proposal.grounds}]

    def only(self) -> Proposed:
        (one,) = self.listed()
        return one


def opened(tmp: Path) -> tuple[Memory, ManualClock]:
    (tmp / "tree").mkdir()
    clock = ManualClock()
    return open_memory(tmp / "tree", store=tmp / "moored.db", clock=clock, ids=SequentialIds(), dense=False), clock


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    memory, clock = opened(tmp_path)
    with memory:
        made = Bench(memory, clock, tmp_path / "tree")
        made.write("settings.toml", SETTINGS)
        yield made


# What a fact says


@pytest.mark.invariant("I-07", "I-11")
def test_the_side_that_a_file_states_is_proposed_to_hold_though_it_is_the_older(bench: Bench) -> None:
    older, newer = bench.dispute(OLD, NEW)
    one = bench.only()
    assert (one.proposal.note, one.proposal.action, one.proposal.successor) == (newer, Remedy.ARCHIVE, older)
    assert re.match(rf"settings.toml::gate.port is 5432 since \d{{4}}-\S+, as {older} says", one.proposal.reason)
    fact, mine, other = one.evidence
    assert "settings.toml::gate.port is 5432" in fact
    assert (newer in mine, NEW in mine, older in other, OLD in other) == (True,) * 4
    assert {one.newer.id for one in bench.memory.disputes()} == {newer}


def test_the_newer_side_is_proposed_to_hold_with_the_fact_that_bears_it_out(bench: Bench) -> None:
    bench.write("settings.toml", SETTINGS.replace("5432", "5433"))
    older, newer = bench.dispute(OLD, NEW)
    one = bench.only()
    assert (one.proposal.note, one.proposal.successor) == (older, newer)
    assert "settings.toml::gate.port is 5433" in one.proposal.reason


@pytest.mark.parametrize(
    ("path", "content", "older", "newer"),
    [
        ("limits.py", "MAX_RETRIES = 5\n", "MAX_RETRIES is set to 3.", "MAX_RETRIES is set to 5."),
        (
            "requirements.txt",
            "anchorlib==2.4.1\n",
            "We build with anchorlib 2.3.0 now.",
            "We build with anchorlib 2.4.1 now.",
        ),
        ("queue.ini", "[queue]\nhost = heron\n", "The queue host is set to otter.", "The queue host is set to heron."),
        ("app.yaml", "pool:\n  max_idle: 30\n", "The pool has max idle 60.", "The pool has max idle 30."),
    ],
)
def test_a_constant_a_version_and_a_key_of_any_format_are_facts(
    bench: Bench, path: str, content: str, older: str, newer: str
) -> None:
    bench.write(path, content)
    first, _ = bench.dispute(older, newer)
    (one,) = bench.by_fact()
    assert one.proposal.note == first
    assert path in one.proposal.reason


def test_where_no_side_agrees_with_the_file_the_newer_is_proposed_to_say_what_it_states(bench: Bench) -> None:
    bench.write("settings.toml", SETTINGS.replace("5432", "5440"))
    _, newer = bench.dispute(OLD, NEW)
    (one,) = bench.by_fact()
    assert (one.proposal.note, one.proposal.action) == (newer, Remedy.REVISE)
    assert one.proposal.text == "The gate listens on port 5440."
    assert "neither side of the dispute says so" in one.proposal.reason
    bench.memory.accept(one.proposal.id)
    assert bench.memory.note(newer).head.text == "The gate listens on port 5440."


def test_notes_about_the_key_itself_need_not_have_its_name(bench: Bench) -> None:
    older, newer = bench.dispute(
        "The barrier listens on 5432.", "The barrier listens on 5433.", "settings.toml::gate.port"
    )
    one = bench.only()
    assert (one.proposal.note, one.proposal.successor) == (newer, older)


@pytest.mark.invariant("I-21")
def test_what_an_agent_said_is_revised_by_the_file_and_makes_no_room_for_words_of_a_document(bench: Bench) -> None:
    memory = bench.memory
    agents = memory.remember(NEW).id
    draft = Draft(OLD, insist=True, channel=Channel.DOCUMENT)
    documents = remember(memory.store, memory.tree, draft, clock=bench.clock, ids=memory.ids).id
    with (
        memory.store.write() as transaction,
        under_way(transaction, memory.project, "test", actor="t", clock=bench.clock, ids=memory.ids) as operation,
    ):
        at = bench.clock.now()
        transaction.kin.dispute(memory.project, "di_1", documents, agents, "another value", operation, at)
    one = bench.only()
    assert (one.proposal.note, one.proposal.action, one.proposal.successor) == (agents, Remedy.REVISE, "")
    assert one.proposal.text == OLD


def test_a_name_that_very_many_keys_have_settles_nothing(bench: Bench) -> None:
    bench.write("gates.toml", "".join(f"[gate{number}]\nport = {number}\n" for number in range(200)))
    bench.dispute(OLD, NEW)
    assert bench.by_fact() == []


# What it says nothing of


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The gate listens on port 5432.", "The gate does not listen on port 5432."),
        ("The gate port is never 5432.", "The gate port is 5432."),
        ("The barrier listens on port 5432.", "The barrier listens on port 5433."),
        ("The port is set to 5432.", "The port is set to 5433."),
        ("The gate port should be set to 5432.", "The gate port should be set to 5433."),
    ],
)
def test_a_denial_another_key_or_a_wish_is_left_to_the_people(bench: Bench, older: str, newer: str) -> None:
    bench.dispute(older, newer)
    assert bench.by_fact() == []


@pytest.mark.parametrize(
    "path",
    ["tests/gate.toml", "vendor/lib/gate.toml", "docs/gate.toml", "examples/gate.toml", "gate.example.toml"],
)
def test_a_file_of_tests_examples_or_other_people_states_nothing(bench: Bench, path: str) -> None:
    bench.write("settings.toml", "[pool]\nsize = 8\n")
    bench.write(path, "[gate]\nport = 5432\n")
    bench.dispute(OLD, NEW)
    assert bench.by_fact() == []


def test_two_files_that_differ_settle_nothing_and_one_that_joins_them_makes_the_proposal_void(bench: Bench) -> None:
    bench.dispute(OLD, NEW)
    (one,) = bench.by_fact()
    bench.write("other.toml", "[gate]\nport = 5433\n")
    assert bench.by_fact() == []
    with pytest.raises(InvalidInput, match=r"closed|has changed since"):
        bench.memory.accept(one.proposal.id)
    bench.write("other.toml", "[gate]\nport = 5432\n")
    assert len(bench.by_fact()) == 1


def test_two_files_that_differ_settle_nothing_of_notes_that_are_about_one_of_them(bench: Bench) -> None:
    bench.dispute("The barrier listens on 5432.", "The barrier listens on 5433.", "settings.toml::gate.port")
    bench.write("other.toml", "[gate]\nport = 5433\n")
    assert bench.by_fact() == []


@pytest.mark.parametrize("value", ["[5432]", '"5432-5440"', '">=5432"'])
def test_a_list_or_a_range_is_no_value(bench: Bench, value: str) -> None:
    bench.write("settings.toml", f"[gate]\nport = {value}\n")
    bench.dispute(OLD, NEW)
    assert bench.by_fact() == []


def test_a_key_that_has_the_same_value_and_another_name_settles_nothing(bench: Bench) -> None:
    bench.write("settings.toml", "[relay]\nport = 5432\n")
    bench.dispute(OLD, NEW)
    assert bench.by_fact() == []


# What becomes of it


@pytest.mark.invariant("I-07", "I-09")
def test_accepting_supersedes_the_losing_side_and_undo_gives_it_back_with_the_dispute(bench: Bench) -> None:
    older, newer = bench.dispute(OLD, NEW)
    before = bench.memory.note(newer), bench.only().proposal, bench.memory.recall("gate port", kinds=["note"]).hits
    done = bench.memory.accept(bench.only().proposal.id)
    lost = bench.memory.note(newer)
    assert (lost.superseded_by, bench.memory.disputes(), bench.listed()) == (older, (), [])
    assert [hit.id for hit in bench.memory.recall("gate port", kinds=["note"]).hits] == [older]
    bench.memory.undo(done.operation)
    after = bench.memory.note(newer), bench.only().proposal, bench.memory.recall("gate port", kinds=["note"]).hits
    assert after == before
    assert [one.newer.id for one in bench.memory.disputes()] == [newer]


@pytest.mark.invariant("I-04")
def test_when_the_value_changes_again_the_other_side_is_proposed_to_hold(bench: Bench) -> None:
    older, newer = bench.dispute(OLD, NEW)
    first = bench.only()
    (bench.root / "settings.toml").write_text(SETTINGS.replace("5432", "5433"))
    found = bench.memory.review()
    (one,) = found.proposals
    assert (found.made, found.outdated) == (1, 1)
    assert (one.proposal.note, one.proposal.successor) == (older, newer)
    with pytest.raises(InvalidInput, match="closed, since what it rests on changed"):
        bench.memory.accept(first.proposal.id)


def test_what_was_rejected_is_proposed_again_only_on_another_value(bench: Bench) -> None:
    bench.dispute(OLD, NEW)
    bench.memory.reject(bench.only().proposal.id, "this file is not read any more")
    assert bench.listed() == []
    bench.write("settings.toml", SETTINGS.replace("5432", "5433"))
    assert len(bench.by_fact()) == 1
    bench.write("settings.toml", SETTINGS)
    assert bench.by_fact() == []


def test_upkeep_proposes_it_once_a_file_changed_that_no_note_is_about(bench: Bench) -> None:
    bench.write("settings.toml", "[pool]\nsize = 8\n")
    _, newer = bench.dispute(OLD, NEW)
    bench.memory.upkeep()
    bench.write("gate.toml", "port = 5432\n")
    bench.memory.upkeep()
    with bench.memory.store.read() as view:
        standing = view.proposals.standing(bench.memory.project)
    assert [one.note for one in standing if not one.decided] == [newer]


@pytest.mark.invariant("I-08")
def test_a_protected_side_is_changed_by_no_rule_and_only_by_the_accept_of_somebody(bench: Bench) -> None:
    _, newer = bench.dispute(OLD, NEW)
    bench.memory.protect(newer, "agreed with operations")
    before = bench.memory.note(newer)
    bench.memory.upkeep()
    one = bench.only()
    assert bench.memory.note(newer) == before
    assert (one.proposal.note, one.judged.note.protected) == (newer, "agreed with operations")
    with pytest.raises(InvalidInput, match="Only a person or an agent"):
        bench.memory.accept(one.proposal.id, actor="review")
    assert bench.memory.note(newer) == before


@pytest.mark.invariant("I-11")
def test_reading_settles_nothing(bench: Bench) -> None:
    older, newer = bench.dispute(OLD, NEW)
    before = bench.memory.note(older), bench.memory.note(newer), bench.memory.operations()
    bench.memory.recall("gate port")
    bench.memory.disputes()
    bench.memory.show(newer)
    assert (bench.memory.note(older), bench.memory.note(newer), bench.memory.operations()) == before


def test_the_list_of_disputes_says_what_a_file_states_and_which_side_says_so(bench: Bench) -> None:
    older, _ = bench.dispute(OLD, NEW)
    (one,) = bench.memory.disputes()
    assert one.fact is not None
    assert (one.fact.holds, one.fact.address, one.fact.value) == (older, "settings.toml::gate.port", "5432")


# Laws

PORTS = st.integers(min_value=1, max_value=9_999)


@given(was=PORTS, now=PORTS, stated=PORTS, where=st.sampled_from(["settings.toml", "tests/settings.toml"]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_fact_bears_out_the_side_that_has_its_value_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, was: int, now: int, stated: int, where: str
) -> None:
    if was == now:
        return
    root = tmp_path_factory.mktemp("law")
    memory, clock = opened(root)
    with memory:
        bench = Bench(memory, clock, root / "tree")
        bench.write(where, f"[gate]\nport = {stated}\n")
        older, newer = bench.dispute(f"The gate listens on port {was}.", f"The gate listens on port {now}.")
        listed = bench.by_fact()
        if where.startswith("tests/"):
            assert listed == []
            return
        (one,) = listed
        wanted = {was: (newer, older), now: (older, newer)}.get(stated, (newer, ""))
        assert (one.proposal.note, one.proposal.successor) == wanted
        done = bench.memory.accept(one.proposal.id)
        if not one.proposal.successor:
            assert bench.memory.note(newer).head.text == f"The gate listens on port {stated}."
        bench.memory.undo(done.operation)
        assert bench.by_fact() == listed
