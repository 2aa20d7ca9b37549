"""A question asked of one project is answered from that project alone (I-06)."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.author import Author
from lab.faulty import FaultyDisk
from lab.reading import COMMAND, NOT_QUESTIONS, PATH, QUESTIONS, SYMBOL, TOMBSTONE, TRANSCRIPT, WORD, Place, place
from moored.errors import StoreError
from moored.model.aliases import Alias
from moored.model.episodes import Channel, Role, Trust
from moored.model.facts import FactKind
from moored.model.hashing import digest
from moored.model.notes import Anchor, AnchorRole
from moored.model.projects import Project, Session
from moored.model.traits import DIRECTIVE, TIMED
from moored.store import (
    port,
    port_aliases,
    port_bundle,
    port_erasure,
    port_kin,
    port_operations,
    port_profiles,
    port_proposals,
    port_reminders,
    port_rules,
    port_search,
    port_seeds,
    port_sessions,
    port_states,
    port_transcripts,
    port_vectors,
)
from moored.store.rows import ReadTranscript
from moored.store.sqlite.store import Store, Transaction

TABLES = (
    *(
        port.Projects,
        port.Episodes,
        port_sessions.Sessions,
        port.Facts,
        port.Graph,
        port.Notes,
        port.Pins,
        port_search.Search,
        port_seeds.Seeds,
        port_vectors.Vectors,
        port_transcripts.Transcripts,
        port_aliases.Aliases,
        port_bundle.Bundle,
        port_erasure.Erasure,
        port_kin.Kin,
        port_proposals.Proposals,
        port_operations.Operations,
        port_states.States,
        port_reminders.Reminders,
        port_rules.Rules,
        port_profiles.Profiles,
    ),
)
HARBOUR, QUAY = "dir:/srv/harbour", "dir:/srv/quay"

_TOOL: dict[str, Any] = {"role": Role.TOOL, "channel": Channel.TOOL, "trust": Trust.DATA}
_WORDS = st.sampled_from([WORD, "rope", "tide", f"{WORD} rope", "the tide at the quay"])
_CONTENTS = st.lists(_WORDS, max_size=4)


def _fill(tx: Transaction, author: Author, contents: list[str]) -> None:
    """Write one of everything that can be asked for, and the given contents."""
    project, session, tree = author.begin(tx)
    tx.projects.add_session(author.ids.new("se"), project, "lab", author.name, 1)
    method = author.fact(SYMBOL, kind=FactKind.METHOD)
    command, field = author.fact(COMMAND, kind=FactKind.COMMAND), author.fact("status", kind=FactKind.JSON_FIELD)
    file = author.index(tx, tree, PATH, method, author.fact("moor"))
    episodes = [
        author.episode(session, content.encode(), key=f"key {n}") for n, content in enumerate([WORD, *contents])
    ]
    seqs = [author.record(tx, project, new) for new in episodes]
    with tx.ledger_writer() as ledger:
        ledger.add(project, [command, field], 1, episode=seqs[0])
    _link(tx, tree.row, file, tx.facts.rows(project, [method.id])[method.id])
    anchor = Anchor(AnchorRole.ABOUT, method.id, "", PATH, FactKind.METHOD, SYMBOL, "", digest("a body"), "v")
    note = author.remember(tx, project, f"the {WORD}", anchor, episode=episodes[0].id)
    author.revise(tx, project, note, f"the {WORD} again")
    author.rate(tx, project, note)
    author.contradict(tx, project, note, f"no {WORD}", episodes[0].id)
    author.seed(tx, project, session, f"The readme speaks of a {WORD}.")
    author.learn(tx, project, session, f"I prefer a {WORD} at the pier.")
    for new in episodes[1:]:
        author.remember(tx, project, new.content.decode(), anchor, episode=new.id)
    author.propose(tx, project, author.remember(tx, project, f"a {WORD} too many", episode=episodes[0].id))
    author.pin(tx, project, "never cut the rope")
    author.remind(tx, project, episodes[0].id, f"the {WORD} at the pier")
    author.rule(tx, project, f"text~{WORD}")
    author.embed_waiting(tx)
    _work(tx, author, project, session)
    _told(tx, author, project, session)
    _hide(tx, author, project, author.episode(session, b"imported", key="imported"))
    tx.transcripts.keep(project, TRANSCRIPT, ReadTranscript("stamp", 9, 1, "h", "{}"))
    tx.transcripts.add(project, [("user:1", episodes[-1].id, "")])


def _work(tx: Transaction, author: Author, project: Project, session: Session) -> None:
    """What a session holds beside its prompts: an answer, a tool call, a summary, and a sub-agent's session."""
    agent = tx.projects.add_session(author.ids.new("se"), project, session.host, f"{session.name}/agent", 1)
    for kept in (
        author.episode(session, b"done")._replace(role=Role.ASSISTANT, channel=Channel.ASSISTANT, trust=Trust.AGENT),
        author.episode(session, b"ok")._replace(tool_name="Bash", **_TOOL),
        author.episode(session, b"so far")._replace(**{**_TOOL, "channel": Channel.SUMMARY}),
        author.episode(agent, b"look")._replace(tool_name="Read", **_TOOL),
    ):
        author.record(tx, project, kept)


def _told(tx: Transaction, author: Author, project: Project, session: Session) -> None:
    """What a named person says, with a trait, and what it teaches; and what the hidden rest of it would."""
    said = author.episode(session, b"always moor at the pier")._replace(author=author.name)
    seq = tx.episodes.add(project, said)
    rows = tx.episodes.add_windows(project, seq, [(0, 6), (6, 23)], [DIRECTIVE, DIRECTIVE | TIMED])
    for row in rows:
        tx.search.put("window", row, "pier", "")
    tx.vectors.enqueue(project, "window", rows)
    author.embed_waiting(tx)
    tx.aliases.add(project, Alias("landing stage", "pier", said.id, "text", 1))


def _link(tx: Transaction, tree: int, file: int, source: int) -> None:
    edge = "INSERT INTO edge (file, kind, source, target, target_name, resolved, line, source_hash) VALUES "
    other = "SELECT min(row) FROM fact WHERE tree = ? AND name = 'moor'"
    with tx.connection.ledger_writer():
        tx.connection.execute(f"{edge} (?, 'call', ?, ({other}), 'moor', 1, 2, 'h')", (file, source, tree))
        tx.connection.execute(f"{edge} (?, 'call', ?, 0, 'os.path', 0, 2, 'h')", (file, source))
        tx.connection.execute(
            "INSERT INTO file (tree, path, size, mtime_ns, ctime_ns, inode, content_hash, language, errors, omitted,"
            " indexed_at_ns) VALUES (?, 'src/tide.py', 1, 1, 1, 1, 'h', 'python', 0, 0, 1)",
            (tree,),
        )
        tx.connection.execute("INSERT INTO outline VALUES (?, ?, 1, 0, x'', x'', x'', x'')", (file, tree))
        tx.connection.execute(
            "INSERT INTO outline SELECT max(row), ?, 1, 1, x'', x'', x'', x'' FROM file WHERE tree = ?", (tree, tree)
        )
        tx.connection.execute("INSERT INTO relink (tree, path, exports) VALUES (?, 'p.py', x'')", (tree,))


def _hide(tx: Transaction, author: Author, project: Project, new: port.NewEpisode) -> None:
    operation = author.ids.new("op")
    author.record(tx, project, new)
    tx.operations.begin(project, operation, "import", "history", 1, actor="import")
    tx.operations.attribute(project, operation, [new.id])
    assert tx.operations.hide(project, operation) == 1
    tx.erasure.bury(project, operation, [TOMBSTONE], 1, "salt")


@pytest.mark.invariant("I-06")
def test_every_method_of_the_port_is_a_question_or_has_a_reason_not_to_be() -> None:
    def methods(table: type[Protocol]) -> list[str]:  # type: ignore[valid-type] - the protocol classes themselves
        names = [name for name, _ in inspect.getmembers(table, inspect.isfunction) if not name.startswith("_")]
        return [f"{table.__name__}.{name}" for name in names]

    known = QUESTIONS.keys() | NOT_QUESTIONS.keys()
    assert {method for table in TABLES for method in methods(table)} == known
    assert not QUESTIONS.keys() & NOT_QUESTIONS.keys()


@pytest.fixture(scope="module")
def two_projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("scope") / "moored.db")
    with store.write() as tx:
        _fill(tx, Author("harbour"), [WORD, "tide"])
        _fill(tx, Author("quay"), ["rope", WORD])
    yield store
    store.close()


def _nothing(answer: object) -> bool:
    return not answer or (isinstance(answer, list | tuple) and all(_nothing(part) for part in answer))


@pytest.mark.invariant("I-06")
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_of_a_project_about_its_own_finds_something(two_projects: Store, question: str) -> None:
    """Without this, the law below would hold for a question that never finds anything."""
    with two_projects.read() as view:
        quay = place(view, QUAY)
        assert not _nothing(QUESTIONS[question](view, quay, quay))


def _answers(store: Store, abouts: list[Place]) -> list[object]:
    with store.read() as view:
        asker = place(view, HARBOUR)
        return [(name, ask(view, asker, of)) for of in abouts for name, ask in QUESTIONS.items()]


@pytest.mark.invariant("I-06")
@settings(max_examples=15, deadline=None)
@given(ours=_CONTENTS, theirs=_CONTENTS)
def test_no_answer_depends_on_what_another_project_holds(ours: list[str], theirs: list[str]) -> None:
    with TemporaryDirectory() as folder:
        alone, shared = Store(Path(folder) / "alone.db"), Store(Path(folder) / "shared.db")
        with alone.write() as tx:
            _fill(tx, Author("harbour"), ours)
        with shared.write() as tx:
            _fill(tx, Author("harbour"), ours)
            _fill(tx, Author("quay"), [*theirs, WORD])
            _fill_more(tx, theirs)
        with shared.read() as view:
            abouts = [place(view, HARBOUR), place(view, QUAY)]
        assert _answers(shared, abouts) == _answers(alone, abouts)
        alone.close()
        shared.close()


def _fill_more(tx: Transaction, contents: list[str]) -> None:
    """A third project with the same names, so that rows of others stand on both sides of any limit."""
    _fill(tx, Author("zwin"), contents)


@pytest.mark.invariant("I-06")
def test_a_write_for_one_project_changes_nothing_of_another(two_projects: Store) -> None:
    def quay() -> list[object]:
        with two_projects.read() as view:
            here = place(view, QUAY)
            return [(name, ask(view, here, here)) for name, ask in QUESTIONS.items()]

    before = quay()
    with two_projects.write() as tx:
        ours, theirs = place(tx, HARBOUR), place(tx, QUAY)
        (pin,) = tx.pins.all(theirs.project)
        assert not tx.pins.remove(ours.project, pin.id, 9)
        another = Author("another")
        another.supersede(tx, ours.project, theirs.notes[0], ours.notes[0])
        another.supersede(tx, ours.project, ours.notes[0], theirs.notes[0])
        assert tx.notes.get(ours.project, ours.notes[0]).superseded_by == ""  # type: ignore[union-attr] - it is there
        assert tx.operations.hide(ours.project, theirs.operations[0]) == 0
        tx.operations.attribute(ours.project, ours.operations[0], [theirs.episodes[-1]])
    assert quay() == before


@pytest.mark.invariant("I-22")
def test_an_answer_that_cannot_be_read_is_an_error_and_not_nothing(tmp_path: Path) -> None:
    disk = FaultyDisk("faulty-questions")
    store = Store(tmp_path / "moored.db")
    with store.write() as tx:
        _fill(tx, Author("quay"), [WORD])
    with store.read() as view:
        quay = place(view, QUAY)
    store.close()
    answered = [name for name in QUESTIONS if _answers_in_spite_of_the_disk(store.path, disk, name, quay)]
    disk.unregister()
    assert answered == []


def _answers_in_spite_of_the_disk(path: Path, disk: FaultyDisk, question: str, quay: Place) -> bool:
    store = Store(path, vfs=disk.name)
    try:
        with store.read() as view:
            view.connection.set_pragma("cache_size", 0)
            view.connection.rows("SELECT count(*) FROM sqlite_schema")
            disk.fail(1)
            QUESTIONS[question](view, quay, quay)
    except StoreError:
        return False
    finally:
        store.close()
    return True
