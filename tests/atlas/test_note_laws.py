"""Laws of notes, for any sequence of calls and any input."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.atlas.history import difference
from moored.errors import MooredError
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import AnchorRole, Revision, State
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from conftest import Workshop

SEND = """def send(request, retries=3):
    for attempt in range(retries):
        answer = transport.call(request, attempt)
        if answer.ok:
            return answer
    raise TimeoutError(request)
"""

FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

NAMES = [
    "send",
    "client.py",
    "client.py:2",
    "Session.open",
    "$ make",
    "line-length",
    "nothing",
    "",
    "ep_1",
    "::",
    "a/b",
]
TEXTS = st.one_of(
    st.sampled_from(["`send` retries.", "Session.open dials.", "client.py:3 and close()", "The customer likes green."]),
    st.text(max_size=40),
)
FILES = st.sampled_from(["def send(request):\n    return 1\n", "def other():\n    return 2\n", "", "x = (\n"])


@contextmanager
def fresh(client: Workshop) -> Iterator[Workshop]:
    """The files of the fixture in a project of its own, as a fixture stands for all examples of a test."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "moored.db"), clock=ManualClock())
        shop = type(client)(Path(folder, "project"), store, ManualClock(), SequentialIds())
        shop.write("client.py", SEND)
        for path in ("web/session.py", "pyproject.toml"):
            shop.write(path, client.read(path))
        shop.index()
        yield shop
        store.close()


@pytest.mark.invariant("I-07")
@FEW
@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("remember"), TEXTS, st.lists(st.sampled_from(NAMES), max_size=2)),
            st.tuples(st.just("revise"), st.none() | TEXTS, st.none() | st.lists(st.sampled_from(NAMES), max_size=2)),
            st.tuples(st.just("write"), FILES, st.none()),
        ),
        max_size=8,
    )
)
def test_every_earlier_revision_stays_as_it_was_and_the_heads_form_a_chain(
    client: Workshop, steps: list[tuple[str, str | None, list[str] | None]]
) -> None:
    with fresh(client) as shop:
        kept: dict[str, list[Revision]] = {}
        for step, text, names in steps:
            if step == "write":
                shop.write("client.py", text or "")
                shop.index()
                continue
            try:
                if step == "remember":
                    shop.remember(text or "", *(names or ()))
                elif kept:
                    shop.revise(next(iter(kept)), text, about=names)
            except MooredError:
                pass
            now = {note.id: shop.revisions(note.id) for note in shop.notes()}
            for note, earlier in kept.items():
                assert now[note][: len(earlier)] == earlier
            for note in shop.notes():
                chain = now[note.id]
                assert [revision.number for revision in chain] == list(range(1, len(chain) + 1))
                assert note.head == chain[-1]
                parents = shop_parents(shop, note.id)
                assert parents == [None, *(revision.row for revision in chain[:-1])]
            kept = now


def shop_parents(shop: Workshop, note_id: str) -> list[int | None]:
    with shop.store.read() as view:
        rows = view.connection.rows(
            "SELECT r.parent FROM revision r JOIN note n ON n.row = r.note WHERE n.id = ? ORDER BY r.number", note_id
        )
        return [row[0] for row in rows]


@pytest.mark.invariant("I-03")
@FEW
@given(
    text=st.one_of(TEXTS, st.text(st.characters(codec=None), max_size=60)),
    names=st.lists(st.one_of(st.sampled_from(NAMES), st.text(st.characters(codec=None), max_size=12)), max_size=3),
    kind=st.text(max_size=44),
    proof=st.text(max_size=10),
)
def test_whatever_comes_in_there_is_an_error_and_no_row_or_a_note_with_anchors_that_exist(
    client: Workshop, text: str, names: list[str], kind: str, proof: str
) -> None:
    with fresh(client) as shop:
        before = shop.rows()
        try:
            remembered = shop.remember(text, *names, kind=kind, proof=proof)
        except MooredError:
            assert shop.rows() == before
            return
        [note] = shop.notes()
        assert note.head.anchors == remembered.anchors
        assert note.head.anchors[0].role is AnchorRole.SOURCE
        with shop.store.read() as view:
            for anchor in note.head.anchors:
                assert anchor.body_hash
                if anchor.fact:
                    assert view.facts.get(shop.project, anchor.fact) is not None
                else:
                    assert view.episodes.hash_of(shop.project, anchor.episode) == anchor.body_hash


SOURCES = {
    "as it was": SEND,
    "laid out": SEND.replace("    for attempt", "    # once more\n    for   attempt"),
    "body": SEND.replace("answer.ok", "answer.no"),
    "signature": SEND.replace("retries=3", "retries=4"),
    "renamed": SEND.replace("def send", "def dial"),
    "broken": SEND.replace("def send(", "def send(("),
    "gone": None,
}


@pytest.mark.invariant("I-04")
@FEW
@given(steps=st.lists(st.tuples(st.sampled_from(sorted(SOURCES)), st.booleans()), min_size=1, max_size=8))
def test_there_is_no_moment_at_which_a_changed_source_looks_fresh_or_a_restored_one_stale(
    client: Workshop, steps: list[tuple[str, bool]]
) -> None:
    with fresh(client) as shop:
        note = shop.remember("`send` retries.").id
        for source, indexed in steps:
            text = SOURCES[source]
            if text is None:
                (shop.root / "client.py").unlink(missing_ok=True)
            else:
                shop.write("client.py", text)
            if indexed:
                shop.index()
            holds = source in ("as it was", "laid out")
            assert (shop.judge(note).verdict.state is State.CURRENT) == holds, source


@given(before=st.text(max_size=60), after=st.text(max_size=60))
def test_a_difference_is_empty_exactly_when_the_texts_are_the_same(before: str, after: str) -> None:
    first, second = (
        Revision(number, f"re_{number}", "no_1", number, text, (), "said", "agent", "ep_1", "", number, ())
        for number, text in enumerate((before, after), 1)
    )
    assert (difference(first, second) == "") == (before == after)
