"""What a change puts at risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moored.atlas.affected import TargetChange
from moored.context.pins import pin
from moored.errors import InvalidInput
from moored.model.notes import Change, State

if TYPE_CHECKING:
    from conftest import Workshop


EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's own id of the tree without files (SHA-1)."""


@pytest.fixture
def tracked(client: Workshop) -> Workshop:
    client.commit()
    return client


def keep(shop: Workshop, text: str) -> str:
    return pin(shop.store, shop.project, text, actor="person", clock=shop.clock, ids=shop.ids).id


def test_outside_git_there_is_no_difference_to_look_at(client: Workshop) -> None:
    with pytest.raises(InvalidInput, match="not in a git work tree"):
        client.affected()


def test_an_unchanged_tree_affects_nothing(tracked: Workshop) -> None:
    tracked.remember("`send` retries.")
    report = tracked.affected()
    assert (report.files, report.notes, report.mentions) == ((), (), ())
    assert report.base == tracked.git("rev-parse", "HEAD").strip()


def test_a_note_is_affected_when_its_target_differs_and_not_when_only_its_file_does(tracked: Workshop) -> None:
    opened = tracked.remember("`Session.open` dials.").id
    closed = tracked.remember("`Session.close` hangs up.", kind="decision").id
    tracked.edit("web/session.py", "return self.socket.close()", "return self.socket.shutdown()")
    report = tracked.affected()
    [one] = report.notes
    assert one.judged.note.id == closed
    assert one.judged.verdict.state is State.STALE
    address = "web/session.py::Session.close"
    shown = "def close(self)"
    assert one.changes == (TargetChange(address, "web/session.py", Change.BODY, shown, shown),)
    assert opened not in {mention.id for mention in report.mentions}


def test_a_note_that_was_brought_up_to_date_is_affected_and_current(tracked: Workshop) -> None:
    tracked.edit("client.py", "retries=3", "retries=5")
    tracked.index()
    tracked.remember("`send` tries five times.")
    [one] = tracked.affected().notes
    assert one.judged.verdict.state is State.CURRENT
    assert (one.changes[0].change, one.changes[0].before, one.changes[0].now) == (
        Change.SIGNATURE,
        "def send(request, retries=3)",
        "def send(request, retries=5)",
    )


@pytest.mark.parametrize(
    ("path", "old", "new", "name", "change"),
    [
        ("pyproject.toml", "120", "100", "line-length", Change.VALUE),
        ("client.py", "answer.ok", "answer.fine", "client.py", Change.BODY),
        ("client.py", "def send", "def stream", "send", Change.GONE),
        ("client.py", "retries", "tries", "send", Change.SIGNATURE_AND_BODY),
    ],
)
def test_keys_files_and_lost_names_are_compared_too(
    tracked: Workshop, path: str, old: str, new: str, name: str, change: Change
) -> None:
    tracked.remember("It matters.", name)
    tracked.edit(path, old, new)
    [one] = tracked.affected().notes
    assert [found.change for found in one.changes] == [change]


def test_comments_and_layout_affect_nothing(tracked: Workshop) -> None:
    tracked.remember("`send` retries.")
    tracked.edit("client.py", "    for attempt", "    # again\n    for attempt")
    report = tracked.affected()
    assert [change.path for change in report.files] == ["client.py"]
    assert report.notes == ()


def test_a_deleted_and_a_renamed_file_affect_the_notes_about_them(tracked: Workshop) -> None:
    gone = tracked.remember("`send` retries.").id
    moved = tracked.remember("`Session.open` dials.").id
    (tracked.root / "client.py").unlink()
    tracked.git("mv", "web/session.py", "web/link.py")
    report = {one.judged.note.id: one for one in tracked.affected().notes}
    assert report[gone].changes[0].change is Change.GONE
    assert report[moved].changes == (
        TargetChange(
            "web/session.py::Session.open", "web/link.py", Change.MOVED, "web/session.py", "web/link.py"
        ),
    )  # fmt: skip
    assert report[moved].judged.verdict.current == "web/link.py::Session.open"


def test_a_base_counts_everything_since_the_branch_was_left(tracked: Workshop) -> None:
    note = tracked.remember("`send` retries.").id
    tracked.git("switch", "-q", "-c", "feature")
    tracked.edit("client.py", "retries=3", "retries=5")
    tracked.commit()
    assert tracked.affected().notes == ()
    [one] = tracked.affected("main").notes
    assert one.judged.note.id == note
    with pytest.raises(InvalidInput):
        tracked.affected("no-such-branch")


def test_notes_and_pins_that_name_what_changed_are_listed(tracked: Workshop) -> None:
    symbol = keep(tracked, "Never let `send` block.")
    path = keep(tracked, "client.py stays free of I/O.")
    other = keep(tracked, "Never let `Session.open` block.")
    note = tracked.remember("After send() the answer is kept.", "line-length").id
    tracked.edit("client.py", "retries=3", "retries=5")
    report = tracked.affected()
    named = {mention.id: mention.names for mention in report.mentions}
    assert named[symbol] == ("client.py::send",)
    assert named[path] == ("client.py",)
    assert other not in named
    assert note in {one.judged.note.id for one in report.notes}


def test_a_tree_below_the_top_of_its_repository_sees_its_own_part(tracked: Workshop) -> None:
    below = tracked.also(tracked.root / "web")
    below.index()
    note = below.remember("`Session.open` dials.").id
    tracked.edit("client.py", "retries=3", "retries=5")
    tracked.edit("web/session.py", "self.host = host", "self.name = host")
    report = below.affected()
    assert [change.path for change in report.files] == ["session.py"]
    assert [one.judged.note.id for one in report.notes] == [note]


def test_what_a_change_brings_is_at_risk_only_when_it_is_not_as_noted(client: Workshop) -> None:
    client.git("init", "-q")
    note = client.remember("`send` retries.").id
    report = client.affected()
    assert (report.base, report.notes) == (EMPTY_TREE, ())
    client.edit("client.py", "retries=3", "retries=5")
    [one] = client.affected().notes
    assert (one.judged.note.id, [change.change for change in one.changes]) == (note, [Change.NONE])


def test_a_file_is_mentioned_by_its_last_part_too(tracked: Workshop) -> None:
    path = keep(tracked, "Dialling stays as it is in session.py.")
    keep(tracked, "The session stays as it is.")
    tracked.edit("web/session.py", "self.host = host", "self.name = host")
    assert [(mention.id, mention.names) for mention in tracked.affected().mentions] == [(path, ("web/session.py",))]
