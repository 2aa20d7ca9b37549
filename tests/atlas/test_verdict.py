"""Does a note still hold? Judged against the files as they are at the moment of asking."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from moored.ledger import walk
from moored.ledger.walk import Skipped
from moored.model.episodes import Role
from moored.model.notes import AnchorRole, Change, State, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Workshop

pytestmark = pytest.mark.invariant("I-04")


def verdict(shop: Workshop, note_id: str) -> Verdict:
    return shop.judge(note_id).verdict


@pytest.fixture(params=["indexed", "not indexed"])
def indexed(request: pytest.FixtureRequest) -> bool:
    """Every verdict is the same whether the ledger has heard of the change or not."""
    return request.param == "indexed"


def changed(shop: Workshop, indexed: bool) -> None:
    if indexed:
        shop.index()


def test_a_note_whose_target_is_untouched_is_current(client: Workshop) -> None:
    note = client.remember("`send` gives up after three tries.").id
    judged = client.judge(note)
    assert judged.verdict == Verdict(State.CURRENT)
    assert [(one.path, one.line) for one in judged.anchors if one.anchor.role is AnchorRole.ABOUT] == [("client.py", 1)]


def test_layout_comments_and_a_touched_file_do_not_matter(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.edit("client.py", "    for attempt", "    # try, and try again\n\n    for  attempt")
    os.utime(client.root / "client.py")
    changed(client, indexed)
    assert verdict(client, note).state is State.CURRENT


@pytest.mark.parametrize(
    ("old", "new", "change", "current"),
    [
        ("retries=3", "retries=5", Change.SIGNATURE, "def send(request, retries=5)"),
        ("answer.ok", "answer.fine", Change.BODY, "def send(request, retries=3)"),
        ("retries", "tries", Change.SIGNATURE_AND_BODY, "def send(request, tries=3)"),
    ],
)
def test_a_changed_symbol_makes_stale_and_says_what_it_is_now(
    client: Workshop, indexed: bool, old: str, new: str, change: Change, current: str
) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.edit("client.py", old, new)
    changed(client, indexed)
    found = verdict(client, note)
    assert (found.state, found.change, found.current) == (State.STALE, change, current)
    assert found.reason.startswith("client.py::send: its ")


def test_a_reverted_source_heals_the_note(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    before = client.read("client.py")
    client.edit("client.py", "answer.ok", "answer.fine")
    changed(client, indexed)
    assert verdict(client, note).state is State.STALE
    client.write("client.py", before)
    changed(client, indexed)
    assert verdict(client, note) == Verdict(State.CURRENT)


def test_a_deleted_file_is_gone_and_its_return_heals(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    before = client.read("client.py")
    (client.root / "client.py").unlink()
    changed(client, indexed)
    assert verdict(client, note) == Verdict(State.STALE, Change.GONE, "client.py::send: it is gone", "gone")
    client.write("client.py", before)
    changed(client, indexed)
    assert verdict(client, note).state is State.CURRENT


def test_a_renamed_symbol_is_followed_by_its_body(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.edit("client.py", "def send", "def dispatch")
    changed(client, indexed)
    found = verdict(client, note)
    assert (found.state, found.change, found.current) == (State.STALE, Change.RENAMED, "client.py::dispatch")


def test_a_symbol_that_moved_to_another_file_is_followed(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.write("transport/http.py", client.read("client.py"))
    client.write("client.py", "from transport.http import send\n")
    changed(client, indexed)
    judged = client.judge(note)
    assert (judged.verdict.change, judged.verdict.current) == (Change.MOVED, "transport/http.py::send")
    assert (judged.anchors[1].path, judged.anchors[1].line) == ("transport/http.py", 1)


def test_a_trivial_body_is_not_recognised_elsewhere(client: Workshop, indexed: bool) -> None:
    client.write("small.py", "def one():\n    return 1\n")
    client.index()
    note = client.remember("`one` is the unit.").id
    client.write("small.py", "def unit():\n    return 1\n")
    changed(client, indexed)
    assert verdict(client, note).change is Change.GONE


def test_a_symbol_that_moved_and_then_changed_is_followed_by_the_history_of_the_ledger(client: Workshop) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.edit("client.py", "def send", "def dispatch")
    client.index()
    client.edit("client.py", "answer.ok", "answer.fine")
    client.index()
    found = verdict(client, note)
    assert (found.change, found.current) == (Change.RENAMED, "client.py::dispatch")
    assert found.reason.endswith("and its body changed")


def test_several_new_places_of_the_same_body_are_not_followed(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    source = client.read("client.py")
    (client.root / "client.py").unlink()
    client.write("a.py", source)
    client.write("b.py", source)
    changed(client, indexed)
    found = verdict(client, note)
    assert (found.state, found.change) == (State.STALE, Change.AMBIGUOUS)
    assert "2 places: a.py::send, b.py::send; not followed" in found.reason


def test_the_place_that_the_ledger_followed_is_known_even_when_it_is_copied_later(client: Workshop) -> None:
    note = client.remember("`send` gives up after three tries.").id
    source = client.read("client.py")
    (client.root / "client.py").unlink()
    client.write("a.py", source)
    client.index()
    client.write("b.py", source)
    client.index()
    assert verdict(client, note).current == "a.py::send"


def test_a_copy_that_was_there_already_is_not_taken_for_the_target_moved(client: Workshop, indexed: bool) -> None:
    client.write("copy.py", client.read("client.py"))
    client.index()
    note = client.remember("This one gives up after three tries.", "client.py::send").id
    (client.root / "client.py").unlink()
    changed(client, indexed)
    found = verdict(client, note)
    assert (found.change, found.current) == (Change.GONE, "gone")
    assert "copy.py::send has the same body, as it had when the note was written" in found.reason


def test_a_function_of_the_name_that_became_a_class_is_a_change_of_signature(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.write("client.py", "class send:\n    retries = 3\n")
    changed(client, indexed)
    assert verdict(client, note).change is Change.SIGNATURE_AND_BODY


def test_an_import_of_the_name_is_not_the_thing_itself(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.write("client.py", "import send\n")
    changed(client, indexed)
    assert verdict(client, note).change is Change.GONE


def test_one_changed_overload_is_noticed_and_their_order_does_not_matter(client: Workshop, indexed: bool) -> None:
    first = "@overload\ndef parse_it(x: int) -> int: ...\n"
    second = "@overload\ndef parse_it(x: str) -> str: ...\n"
    rest = "def parse_it(x):\n    return x\n"
    client.write("parse.py", first + second + rest)
    client.index()
    note = client.remember("`parse_it` keeps its type.").id
    client.write("parse.py", second + first + rest)
    changed(client, indexed)
    assert verdict(client, note).state is State.CURRENT
    client.write("parse.py", second.replace("-> str", "-> bytes") + first + rest)
    changed(client, indexed)
    assert verdict(client, note).state is State.STALE


def test_a_configuration_key_says_what_it_was_and_is(client: Workshop, indexed: bool) -> None:
    note = client.remember("Lines stay at `tool.ruff.line-length`.").id
    client.edit("pyproject.toml", "120", "100")
    changed(client, indexed)
    reason = "pyproject.toml::tool.ruff.line-length: its value changed; it was 120"
    assert verdict(client, note) == Verdict(State.STALE, Change.VALUE, reason, "100")


def test_a_key_of_the_same_value_is_not_taken_for_the_lost_one(client: Workshop, indexed: bool) -> None:
    note = client.remember("Lines stay at `tool.ruff.line-length`.").id
    client.edit("pyproject.toml", "line-length = 120", "width = 120")
    changed(client, indexed)
    assert verdict(client, note).change is Change.GONE


def test_a_file_is_stale_when_its_content_changed_and_followed_when_it_moved(client: Workshop, indexed: bool) -> None:
    client.write("docs/guide.md", "# Guide\n" + "How we release, step by step.\n" * 10)
    client.index()
    note = client.remember("Releases follow docs/guide.md.").id
    (client.root / "docs/guide.md").rename(client.root / "docs/release.md")
    changed(client, indexed)
    assert verdict(client, note).current == "docs/release.md"
    (client.root / "docs/release.md").rename(client.root / "docs/guide.md")
    client.edit("docs/guide.md", "# Guide", "# The guide")
    changed(client, indexed)
    found = verdict(client, note)
    assert (found.change, found.reason) == (Change.BODY, "docs/guide.md: the file changed")


def test_a_file_that_cannot_be_read_makes_unverifiable(client: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.edit("client.py", "retries=3", "retries=4")
    # A mode of 0 would not keep the superuser out, as whom the suite may run.
    monkeypatch.setattr(walk, "read_text_candidate", lambda _root, seen, **_: Skipped(seen.path, "unreadable"))
    assert verdict(client, note) == Verdict(State.UNVERIFIABLE, Change.UNREADABLE, "client.py cannot be read")


def test_a_command_that_ends_differently_now_makes_stale(client: Workshop) -> None:
    client.run("pytest -q", 0)
    note = client.remember("The tests pass.", "$ pytest -q").id
    client.run("pytest -q", 0)
    assert verdict(client, note).state is State.CURRENT
    client.run("pytest -q", 1)
    found = verdict(client, note)
    assert (found.state, found.change, found.current) == (State.STALE, Change.VALUE, "exit 1")
    assert found.reason.startswith("$ pytest -q: exit 0 when written, exit 1 at 2025-")


def test_a_failed_proof_makes_stale(client: Workshop) -> None:
    client.run("pytest -q", 0)
    note = client.remember("`send` gives up after three tries.", proof="$ pytest  -q").id
    assert verdict(client, note).state is State.CURRENT
    client.run("pytest -q", 2)
    assert verdict(client, note).change is Change.VALUE


def test_a_corrected_episode_makes_stale_and_is_answered_with_the_correction(client: Workshop) -> None:
    said = client.record("The port is 8080.")
    note = client.remember("We listen where we were told.", said).id
    assert verdict(client, note).state is State.CURRENT
    client.record("No, the port is 9090.", corrects=said)
    found = verdict(client, note)
    assert (found.state, found.change, found.current) == (State.STALE, Change.CORRECTED, "No, the port is 9090.")


def test_a_fact_of_tool_output_is_stale_only_when_its_episode_was_corrected(client: Workshop) -> None:
    episode = client.record('{"limits": {"burst": 40}}', role=Role.TOOL)
    with client.store.read() as view:
        fact = next(fact for fact in view.facts.of_episode(client.project, episode) if fact.value == "40")
    note = client.remember("Bursts are capped.", fact.id).id
    assert verdict(client, note).state is State.CURRENT
    client.record('{"limits": {"burst": 60}}', role=Role.TOOL, corrects=episode)
    assert verdict(client, note).change is Change.CORRECTED


def test_a_corrected_source_makes_a_note_stale_whatever_it_is_about(client: Workshop) -> None:
    remembered = client.remember("`send` gives up after three tries.")
    client.record("That was wrong.", corrects=remembered.anchors[0].episode)
    assert verdict(client, remembered.id).change is Change.CORRECTED


def test_a_note_about_nothing_in_the_tree_is_unverifiable_and_not_fine(client: Workshop) -> None:
    note = client.remember("The customer likes green.").id
    assert verdict(client, note) == Verdict(
        State.UNVERIFIABLE, Change.NONE, "it rests on what was said; nothing in the tree to check"
    )


def test_a_note_that_was_replaced_is_superseded_with_the_newer_text(client: Workshop) -> None:
    old = client.remember("`send` gives up after three tries.").id
    new = client.remember("`send` gives up after a minute.", supersedes=old).id
    assert verdict(client, old) == Verdict(
        State.SUPERSEDED, Change.NONE, f"replaced by {new}", "`send` gives up after a minute."
    )


def test_several_anchors_are_summed_up_by_the_worst_and_each_lost_one_is_named(
    client: Workshop, indexed: bool
) -> None:  # fmt: skip
    note = client.remember("`send`, `Session.open` and `Session.close` go together.").id
    client.edit("client.py", "retries=3", "retries=5")
    client.edit("web/session.py", "self.host = host", "self.name = host")
    changed(client, indexed)
    found = verdict(client, note)
    assert (found.state, found.change) == (State.STALE, Change.SIGNATURE)
    assert "client.py::send: its signature changed" in found.reason
    assert "web/session.py::Session.open: its body changed" in found.reason
    assert found.reason.endswith("1 other still holds")


def test_a_note_is_gone_only_when_all_that_it_is_about_is(client: Workshop, indexed: bool) -> None:
    note = client.remember("`send` and `Session.open` go together.").id
    (client.root / "client.py").unlink()
    changed(client, indexed)
    assert verdict(client, note).change is Change.PARTLY_GONE
    shutil.rmtree(client.root / "web")
    changed(client, indexed)
    assert (verdict(client, note).change, verdict(client, note).current) == (Change.GONE, "gone")


def test_the_same_note_is_judged_in_each_tree_by_that_trees_files(client: Workshop, tmp_path: Path) -> None:
    note = client.remember("`send` gives up after three tries.").id
    shutil.copytree(client.root, tmp_path / "second")
    second = client.also(tmp_path / "second")
    assert verdict(second, note).state is State.CURRENT
    second.edit("client.py", "retries=3", "retries=5")
    second.index()
    assert verdict(second, note).change is Change.SIGNATURE
    assert verdict(client, note).state is State.CURRENT
    second.edit("client.py", "def send", "def dispatch")
    assert verdict(second, note).change is Change.RENAMED


def test_a_branch_switch_makes_files_vanish_and_return(client: Workshop) -> None:
    client.commit()
    client.git("switch", "-q", "-c", "feature")
    client.write("feature.py", client.read("client.py").replace("send", "stream"))
    client.commit()
    client.index()
    note = client.remember("`stream` gives up after three tries.").id
    client.git("switch", "-q", "main")
    assert verdict(client, note).change is Change.GONE
    client.index()
    assert verdict(client, note).change is Change.GONE
    client.git("switch", "-q", "feature")
    assert verdict(client, note).state is State.CURRENT
    client.index()
    assert verdict(client, note).state is State.CURRENT


def test_judging_writes_nothing(client: Workshop) -> None:
    note = client.remember("`send` gives up after three tries.").id
    client.edit("client.py", "retries=3", "retries=5")
    before = client.rows()
    verdict(client, note)
    client.stale()
    assert client.rows() == before


def test_a_note_is_current_in_one_work_tree_and_stale_in_another_of_the_same_clone(
    client: Workshop, tmp_path: Path
) -> None:
    client.commit()
    note = client.remember("`send` gives up after three tries.").id
    client.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "feature"))
    feature = client.also(tmp_path / "feature")
    feature.index()
    assert verdict(feature, note).state is State.CURRENT
    feature.edit("client.py", "answer.ok", "answer.fine")
    assert (verdict(feature, note).change, verdict(client, note).state) == (Change.BODY, State.CURRENT)
    (feature.root / "client.py").rename(feature.root / "net.py")
    feature.edit("net.py", "answer.fine", "answer.ok")
    feature.index()
    assert verdict(feature, note).current == "net.py::send"
    assert verdict(client, note).state is State.CURRENT


def test_a_place_that_another_tree_saw_it_move_to_says_nothing_here(client: Workshop, tmp_path: Path) -> None:
    client.write("small.py", "def one():\n    return 1\n\n" + "# padding\n" * 30)
    client.index()
    note = client.remember("`one` is the unit.").id
    (client.root / "small.py").rename(client.root / "units.py")
    client.index()
    assert verdict(client, note).current == "units.py::one"
    second = client.also(tmp_path / "second")
    second.write("units.py", "def one():\n    return 'something else'\n")
    second.index()
    assert verdict(second, note).change is Change.GONE


def test_what_stood_elsewhere_in_another_tree_all_along_is_found_there(client: Workshop, tmp_path: Path) -> None:
    second = client.also(tmp_path / "second")
    second.write("net.py", client.read("client.py"))
    second.index()
    note = client.remember("`send` gives up after three tries.").id
    assert verdict(second, note).current == "net.py::send"


def test_definitions_of_one_name_and_signature_may_change_places(client: Workshop, indexed: bool) -> None:
    first = "if FAST:\n    def pick_one(items):\n        return items[0]\n"
    second = "else:\n    def pick_one(items):\n        return min(items)\n"
    client.write("pick.py", first + second)
    client.index()
    note = client.remember("`pick_one` never sorts.").id
    client.write("pick.py", first.replace("items[0]", "min(items)") + second.replace("min(items)", "items[0]"))
    changed(client, indexed)
    assert verdict(client, note).state is State.CURRENT
