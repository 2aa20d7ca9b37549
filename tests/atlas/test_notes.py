"""Remembering and revising: one transaction each, an anchor for every note, nothing ever overwritten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from moored.atlas.drafts import MAX_TAGS, MAX_TEXT
from moored.atlas.history import difference, history
from moored.atlas.notes_seen import trust_of
from moored.errors import EmptyText, InvalidInput, MooredError, NotFound, TooLarge
from moored.model.episodes import Channel, Role, Trust
from moored.model.hashing import digest
from moored.model.notes import AnchorRole, Revision, State
from moored.model.terms import fts_query

if TYPE_CHECKING:
    from conftest import Workshop


def about(revision: Revision) -> list[str]:
    return [anchor.address for anchor in revision.anchors if anchor.role is AnchorRole.ABOUT]


@pytest.mark.invariant("I-03")
def test_a_note_rests_on_the_episode_of_its_own_words_and_on_what_it_is_about(client: Workshop) -> None:
    remembered = client.remember("`send` gives up after three tries.", actor="person")
    [note] = client.notes()
    source, target = note.head.anchors
    assert (note.id, remembered.outcome, remembered.revision) == (remembered.id, "new", note.head.id)
    assert (source.role, source.episode) == (AnchorRole.SOURCE, note.head.episode)
    assert source.body_hash == digest("`send` gives up after three tries.")
    assert (target.role, target.address) == (AnchorRole.ABOUT, "client.py::send")
    with client.store.read() as view:
        episode = view.episodes.get(client.project, note.head.episode)
        fact = view.facts.get(client.project, target.fact)
    assert episode is not None
    assert (episode.text, episode.role) == (note.head.text, Role.USER)
    assert fact is not None
    assert (fact.signature_hash, fact.body_hash) == (target.signature_hash, target.body_hash)


@pytest.mark.invariant("I-03")
@pytest.mark.parametrize(
    ("text", "about", "fields", "error"),
    [
        ("", (), {}, EmptyText),
        (" \n\t", (), {}, EmptyText),
        ("x" * (MAX_TEXT + 1), (), {}, TooLarge),
        ("\u00e9" * (MAX_TEXT // 2 + 1), (), {}, TooLarge),
        ("It retries.", ("nowhere.py",), {}, NotFound),
        ("It retries.", ("send", "$ never run"), {}, NotFound),
        ("It retries.", (), {"kind": ""}, InvalidInput),
        ("It retries.", (), {"kind": "k" * 41}, InvalidInput),
        ("It retries.", (), {"actor": " "}, InvalidInput),
        ("It retries.", (), {"tags": [f"t{number}" for number in range(MAX_TAGS + 1)]}, InvalidInput),
        ("It retries.", (), {"tags": ["t" * 65]}, InvalidInput),
        ("It retries.", (), {"supersedes": "no_000000000000000zzz"}, NotFound),
    ],
)
def test_what_is_refused_leaves_no_row(
    client: Workshop, text: str, about: tuple[str, ...], fields: dict[str, object], error: type[MooredError]
) -> None:
    before = client.rows()
    with pytest.raises(error):
        client.remember(text, *about, **fields)
    assert client.rows() == before


def test_kind_and_tags_are_cleaned_and_open(client: Workshop) -> None:
    client.remember("It retries.", kind=" Post  Mortem ", tags=["#Net", "net", " ", "Two words"])
    [note] = client.notes()
    assert (note.kind, note.head.tags) == ("post mortem", ("net", "two words"))


def test_the_proof_is_kept_and_anchored_when_the_record_knows_the_command(client: Workshop) -> None:
    client.run("pytest -q tests/test_send.py", 0)
    known = client.remember("`send` retries.", proof="$ pytest -q  tests/test_send.py")
    unknown = client.remember("`send` waits.", proof="make check")
    assert known.anchors[-1].role is AnchorRole.PROOF
    assert known.anchors[-1].value == "exit 0"
    assert [note.head.proof for note in client.notes()] == ["pytest -q tests/test_send.py", "make check"]
    assert AnchorRole.PROOF not in {anchor.role for anchor in unknown.anchors}


def test_a_note_is_found_by_its_words_and_waits_for_a_vector(client: Workshop) -> None:
    client.remember("The exponential backoff is capped.", tags=["net"])
    head = client.notes()[0].head.row
    with client.store.read() as view:
        found = {
            term: view.search.postings("revision", client.project, fts_query([term]), 9) for term in ("capped", "net")
        }
        waiting = [(kind, owner) for _, _, kind, owner in view.vectors.waiting(99)]
    assert {term: [one.row for one in rows] for term, rows in found.items()} == {"capped": [head], "net": [head]}
    assert ("revision", head) in waiting


def test_saying_the_same_again_writes_nothing(client: Workshop) -> None:
    first = client.remember("`send` retries.", tags=["net"])
    before = client.rows()
    again = client.remember("`send` retries.", tags=["Net"], session="another")
    assert (again.outcome, again.id, again.revision) == ("duplicate", first.id, first.revision)
    assert client.rows() == before


@pytest.mark.parametrize(
    "fields", [{"kind": "decision"}, {"actor": "person"}, {"about": ["Session.open"]}, {"text": "`send` sleeps."}]
)
def test_what_differs_in_kind_actor_target_or_text_is_another_note(client: Workshop, fields: dict[str, object]) -> None:
    client.remember("`send` retries.")
    text, names = str(fields.pop("text", "`send` retries.")), fields.pop("about", [])
    assert isinstance(names, list)
    assert client.remember(text, *names, **fields).outcome == "new"


def test_a_text_without_words_is_told_apart_as_well(client: Workshop) -> None:
    assert client.remember("!!").outcome == "new"
    assert client.remember("!!").outcome == "duplicate"
    assert client.remember("!?").outcome == "new"


def test_saying_the_same_of_a_changed_target_anchors_the_known_note_anew(client: Workshop) -> None:
    first = client.remember("`send` retries.")
    client.edit("client.py", "retries=3", "retries=5")
    again = client.remember("`send` retries.")
    assert (again.outcome, again.id) == ("revised", first.id)
    assert client.judge(first.id).verdict.state is State.CURRENT


def test_a_replaced_note_stays_and_the_same_may_be_said_anew(client: Workshop) -> None:
    old = client.remember("`send` retries.")
    new = client.remember("`send` waits.", supersedes=old.id)
    assert {note.id: note.superseded_by for note in client.notes()} == {old.id: new.id, new.id: ""}
    with pytest.raises(InvalidInput, match=f"replace {new.id} instead"):
        client.remember("`send` drops.", supersedes=old.id)
    back = client.remember("`send` retries.", supersedes=new.id)
    assert back.outcome == "new"


def test_a_known_note_can_replace_another(client: Workshop) -> None:
    old, new = client.remember("`send` retries."), client.remember("`send` waits.")
    again = client.remember("`send` waits.", supersedes=old.id)
    assert (again.outcome, again.id) == ("duplicate", new.id)
    assert client.judge(old.id).verdict.state is State.SUPERSEDED


@pytest.mark.invariant("I-21")
@pytest.mark.parametrize(
    ("actor", "channel", "trust"),
    [
        ("person", None, Trust.USER),
        ("agent", None, Trust.AGENT),
        ("nightly-rule", None, Trust.DATA),
        ("person", Channel.TOOL, Trust.DATA),
        ("agent", Channel.DOCUMENT, Trust.DATA),
    ],
)
def test_a_note_is_trusted_as_far_as_the_channel_of_its_words(
    client: Workshop, actor: str, channel: Channel | None, trust: Trust
) -> None:
    client.remember("`send` retries.", actor=actor, channel=channel)
    with client.store.read() as view:
        assert trust_of(view, client.project, client.notes()[0]) is trust


@pytest.mark.invariant("I-21")
def test_words_that_came_in_as_data_change_no_note_of_a_person_or_an_agent(client: Workshop) -> None:
    note = client.remember("`send` retries.", actor="person")
    before = client.rows()
    with pytest.raises(InvalidInput, match="came in as data cannot replace"):
        client.remember("Ignore all retries.", supersedes=note.id, channel=Channel.TOOL)
    with pytest.raises(InvalidInput, match="came in as data cannot revise"):
        client.revise(note.id, "Ignore all retries.", channel=Channel.DOCUMENT)
    assert client.rows() == before
    assert client.remember("`send` retries.", actor="person", channel=Channel.TOOL).outcome == "new"


@pytest.mark.invariant("I-07")
def test_a_revision_stands_in_front_of_the_one_before(client: Workshop) -> None:
    first = client.remember("`send` retries.", tags=["net"])
    before = client.revisions(first.id)[0]
    second = client.revise(first.id, "`send` and `Session.open` retry.", cause="the session does too", actor="person")
    old, new = client.revisions(first.id)
    assert old == before
    assert (second.outcome, second.revision) == ("revised", new.id)
    assert (new.number, new.cause, new.actor, new.tags) == (2, "the session does too", "person", ("net",))
    assert about(new) == ["client.py::send", "web/session.py::Session.open"]
    assert new.episode != old.episode
    with client.store.read() as view:
        hits = view.search.postings("revision", client.project, fts_query(["retries", "session"]), 9)
        waiting = [owner for _, _, kind, owner in view.vectors.waiting(99) if kind == "revision"]
    assert [posting.row for posting in hits] == [new.row]
    assert client.rows()["revision_fts"] == 1
    assert waiting == [new.row]


def test_revising_without_a_text_anchors_the_same_targets_as_they_are_now(client: Workshop) -> None:
    note = client.remember("`send` retries.").id
    client.edit("client.py", "retries=3", "retries=5")
    client.index()
    assert client.revise(note).outcome == "revised"
    assert client.judge(note).verdict.state is State.CURRENT
    old, new = client.revisions(note)
    assert (new.text, new.episode) == (old.text, old.episode)
    assert "retries=5" in new.anchors[1].value


def test_a_revision_follows_what_moved_and_drops_what_is_gone(client: Workshop) -> None:
    note = client.remember("`send` and `Session.open` and `line-length` matter.").id
    client.write("net.py", client.read("client.py"))
    (client.root / "client.py").unlink()
    client.edit("pyproject.toml", "line-length", "width")
    client.index()
    revised = client.revise(note)
    assert about(client.revisions(note)[-1]) == ["net.py::send", "web/session.py::Session.open"]
    assert "client.py::send: followed to net.py::send" in revised.receipt
    assert "pyproject.toml::tool.ruff.line-length: dropped, it is gone" in revised.receipt


def test_a_note_whose_targets_are_all_gone_keeps_its_source(client: Workshop) -> None:
    note = client.remember("`send` retries.").id
    (client.root / "client.py").unlink()
    client.index()
    client.revise(note)
    assert [anchor.role for anchor in client.revisions(note)[-1].anchors] == [AnchorRole.SOURCE]
    assert client.judge(note).verdict.state is State.UNVERIFIABLE


def test_revising_to_the_same_writes_nothing(client: Workshop) -> None:
    note = client.remember("`send` retries.", tags=["net"])
    before = client.rows()
    for fields in ({}, {"text": "`send` retries."}, {"about": ["client.py::send"]}, {"tags": ["#net"]}):
        revised = client.revise(note.id, **fields)
        assert (revised.outcome, revised.revision) == ("unchanged", note.revision)
    assert client.rows() == before


def test_a_revision_may_name_its_targets_afresh(client: Workshop) -> None:
    note = client.remember("It retries.", "send").id
    client.revise(note, about=["Session.open"])
    assert about(client.revisions(note)[-1]) == ["web/session.py::Session.open"]


@pytest.mark.parametrize("fields", [{"text": " "}, {"about": ["nowhere.py"]}, {"cause": ""}, {"actor": ""}])
def test_a_refused_revision_leaves_no_row(client: Workshop, fields: dict[str, object]) -> None:
    note = client.remember("`send` retries.")
    before = client.rows()
    with pytest.raises(MooredError):
        client.revise(note.id, **fields)
    assert client.rows() == before


def test_an_unknown_note_is_an_error_with_near_ids(client: Workshop) -> None:
    note = client.remember("`send` retries.").id
    with pytest.raises(NotFound) as caught:
        client.revise(note[:-1] + "z", "It waits.")
    assert caught.value.near == (note,)
    with client.store.read() as view, pytest.raises(NotFound):
        history(view, client.project, "no_nothing")


def test_a_rerun_proof_becomes_the_proof_of_the_next_revision(client: Workshop) -> None:
    client.run("pytest -q", 0)
    note = client.remember("`send` retries.", proof="pytest -q").id
    client.run("pytest -q", 1)
    assert client.judge(note).verdict.state is State.STALE
    assert client.revise(note, "`send` does not retry.").outcome == "revised"
    assert client.revisions(note)[-1].anchors[-1].value == "exit 1"
    assert client.judge(note).verdict.state is State.CURRENT


def test_the_difference_of_two_revisions_is_said_in_words(client: Workshop) -> None:
    note = client.remember("`send` retries.\nThree times.", tags=["net"]).id
    client.edit("client.py", "retries=3", "retries=5")
    client.index()
    client.revise(note, "`send` retries.\nFive times, as `Session.open` does.", proof="pytest -q", tags=[])
    client.revise(note, about=["Session.open"], text="It retries.")
    with client.store.read() as view:
        first, second, third = history(view, client.project, note)
    said = difference(first, second).splitlines()
    assert {
        "-Three times.",
        "+Five times, as `Session.open` does.",
        "tags: net -> none",
        "proof: none -> pytest -q",
        "now anchored to web/session.py::Session.open",
        "anchored anew to client.py::send, which had changed",
    } <= set(said)
    assert "no longer anchored to client.py::send" in difference(second, third).splitlines()
    assert difference(first, first) == ""


def test_revisions_of_several_writers_at_once_are_all_kept_and_none_takes_back_another(client: Workshop) -> None:
    note = client.remember("`send` retries.").id
    words = [f"`send` retries, says {number}." for number in range(4)]
    tags = [[f"tag-{number}"] for number in range(4)]

    def work(number: int) -> None:
        client.revise(note, words[number])
        client.revise(note, tags=tags[number])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    chain = client.revisions(note)
    assert [revision.number for revision in chain] == list(range(1, 10))
    assert {revision.text for revision in chain[1:]} == set(words)
    for before, after in pairwise(chain):
        assert (before.text == after.text) != (before.tags == after.tags)
