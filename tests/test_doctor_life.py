"""A deep look at the life of notes: what is damaged past moored is named, and what moored did is sound.

Each damage is done to a copy of a store by plain SQLite, with the triggers that refuse it taken away.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from moored.doctor import Check, diagnose
from moored.doctor.promises import PROMISES
from moored.embed.fake import HashingEmbedder
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import RandomIds
from moored.model.promises import Finding
from moored.store.sqlite.check_life import LIFE
from moored.store.sqlite.check_record import RECORD, TEXTS
from moored.store.sqlite.store import Store


def begin(folder: Path, name: str, store: Path) -> Memory:
    (folder / name).mkdir()
    (folder / name / "crane.py").write_text("def lift(tons):\n    return tons < 40\n")
    (folder / name / "README.md").write_text(f"# The {name}\n\nShips lie here, and a crane unloads them.\n")
    clock = ManualClock()
    return open_memory(folder / name, store=store, clock=clock, ids=RandomIds(clock), embedder=HashingEmbedder())


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which two projects did everything that can be done to a note."""
    folder = tmp_path_factory.mktemp("lived")
    store = folder / "moored.db"
    for name in ("harbour", "quay"):
        with begin(folder, name, store) as memory:
            _live(memory)
    return store


def _live(memory: Memory) -> None:
    gone = memory.remember("The key hangs behind the xylophone.").id
    memory.forget(gone, hard=True)
    assert memory.seed().operation
    winch = memory.remember("The winch is greased before each tide.").id
    memory.revise(winch, "The winch is greased and oiled before each tide, see `winch_oil()`.")
    memory.remember("Before each tide the winch is greased and oiled, see `winch_oil()`.")
    crane = memory.remember("The crane lifts 40 tons.", about=["crane.py::lift"]).id
    memory.remember("A crane that lifts more than 40 tons is painted red.", about=["crane.py::lift"])
    newer = memory.remember("The crane lifts 60 tons since it was rebuilt.", supersedes=crane).id
    memory.remember("The new crane is painted yellow.", supersedes=newer)
    memory.remember("The winch is not greased and oiled before each tide, see `winch_oil()`.")
    memory.protect(winch, "the harbour master says so")
    memory.rate(winch, useful=False, because="it is oiled at noon")
    memory.remember("Charts are kept on paper.", kind="decision", aliases=["chart", "map"])
    memory.add_rule("damp", "text~winch")
    memory.remind("Look at the chain.", when="the word winch", note=winch)
    memory.resolve(memory.disputes()[0].dispute.id, "both")
    memory.reject(memory.review().proposals[0].proposal.id, "it holds as it is")
    memory.record("The tide comes at six.", host="lab", session="monday", host_event="1")
    memory.record("The lamp is lit at dusk.", host="lab", session="monday", host_event="2")
    lamp = next(hit.id for hit in memory.recall("when is the lamp lit").hits if "lamp" in hit.text)
    memory.forget(lamp)
    rope = memory.remember("Ropes are coiled to the left.").id
    memory.undo(memory.operations()[-1].id)
    memory.undo(memory.operations()[-1].id)
    memory.undo(next(one.id for one in memory.operations() if one.kind == "rate"))
    assert memory.note(rope).withdrawn == ""
    memory.pin("The bridge stays shut at night.")
    (Path(memory.tree.root) / "crane.py").write_text("def lift(tons):\n    return tons < 60\n")
    memory.index()
    memory.upkeep()


def examined(store: Path) -> list[Finding]:
    with closing(Store(store)) as opened:
        return opened.check(deep=True)


def damaged(store: Path, copy: Path, damage: str) -> Path:
    """A copy of a store in which something was changed that no trigger let pass."""
    shutil.copy(store, copy)
    with sqlite3.connect(copy) as plain:
        for (name,) in plain.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            plain.execute(f"DROP TRIGGER {name}")
        plain.executescript(damage)
    plain.close()
    return copy


@pytest.mark.invariant("I-01", "I-02", "I-03", "I-06", "I-07", "I-08", "I-09", "I-10", "I-16", "I-17", "I-20", "I-21")
def test_what_moored_did_to_notes_is_sound(lived: Path) -> None:
    assert examined(lived) == []


WINCH = "(SELECT n.row FROM note n JOIN revision r ON r.row = n.head WHERE r.text LIKE '%and oiled before%' LIMIT 1)"
NEWEST = "(SELECT max(row) FROM note)"
LAST = "(SELECT max(row) FROM operation)"
FIRST = "(SELECT min(row) FROM operation)"
REPLACED = "(SELECT row FROM note WHERE superseded_by IS NOT NULL ORDER BY row LIMIT 1)"
LATER = "(SELECT superseded_by FROM note WHERE superseded_by IS NOT NULL ORDER BY row LIMIT 1)"

# What is done to a copy, and what the check has to say of it; the invariant that is broken stands before each group.
DAMAGES: dict[str, tuple[tuple[str, str], ...]] = {
    "I-02": (
        ("UPDATE fact SET extractor = 'guess'", "fact {} is by no extractor of the registry"),
        ("UPDATE fact SET episode = 999", "fact {} was read in an episode that is not there"),
        ("UPDATE fact SET tree = 999 WHERE tree <> 0", "fact {} was read in a tree that is not there"),
    ),
    "I-03": (
        (
            f"DELETE FROM anchor WHERE revision = (SELECT min(row) FROM revision WHERE note = {WINCH})",
            "revision {} rests on nothing",
        ),
        (
            f"UPDATE anchor SET body_hash = 'x' WHERE revision = (SELECT head FROM note WHERE row = {WINCH})",
            "an anchor of revision {} has another hash than its episode",
        ),
    ),
    "I-06": (
        (
            "UPDATE revision SET episode = (SELECT max(seq) FROM episode)",
            "rests on an episode of another",
        ),
        (f"UPDATE revision SET operation = {LAST}", "was written under an operation of another project"),
        (
            "UPDATE anchor SET episode = (SELECT max(seq) FROM episode) WHERE episode IS NOT NULL",
            "an anchor of revision {} is at an episode of another project",
        ),
        (
            "UPDATE anchor SET fact = (SELECT max(row) FROM fact) WHERE fact IS NOT NULL",
            "an anchor of revision {} is at a fact of another project",
        ),
        (f"UPDATE change SET operation = {LAST}", "changed a note of another project"),
        (
            "UPDATE fact SET episode = (SELECT max(seq) FROM episode)",
            "fact {} was read in an episode of another project",
        ),
        (
            "UPDATE fact SET tree = (SELECT max(row) FROM tree) WHERE tree <> 0",
            "fact {} was read in a tree of another project",
        ),
        (
            "UPDATE episode SET session = (SELECT max(row) FROM session)",
            "episode {} was said in a session of another project",
        ),
        (
            "UPDATE episode SET corrects = (SELECT max(seq) FROM episode)",
            "episode {} corrects one of another project",
        ),
        (f"INSERT INTO operation_episode SELECT {LAST}, min(seq) FROM episode", "brought in an episode of another"),
        (f"INSERT OR REPLACE INTO hidden_episode SELECT min(seq), {LAST} FROM episode", "hid an episode of another"),
    ),
    "I-07": (
        (
            f"UPDATE note SET head = (SELECT min(row) FROM revision WHERE note = {WINCH}) WHERE row = {WINCH}",
            "the head of note {} was changed under no operation",
        ),
        (
            f"UPDATE note SET superseded_by = {REPLACED} WHERE row = {WINCH}",
            "the superseded_by of note {} was changed under no operation",
        ),
        (
            f"UPDATE note SET withdrawn = {FIRST} WHERE row = {WINCH}",
            "the withdrawn of note {} was changed under no operation",
        ),
        (f"UPDATE note SET operation = NULL WHERE row = {WINCH}", "was changed, and names no operation"),
        (f"UPDATE revision SET operation = NULL WHERE note = {WINCH}", "was written under no operation"),
        (
            f"UPDATE note SET head = (SELECT head FROM note WHERE row = {NEWEST}) WHERE row = {WINCH}",
            "the newest revision of note {} is of another note",
        ),
        (f"UPDATE note SET latest = 1 WHERE row = {NEWEST}", "says more than was ever published of it"),
        (
            f"UPDATE revision SET parent = (SELECT head FROM note WHERE row = {NEWEST}) WHERE number = 2",
            "follows one of another note",
        ),
        (f"UPDATE note SET superseded_by = {REPLACED} WHERE row = {LATER}", "was replaced by itself, by way of others"),
    ),
    "I-08": (
        (
            f"UPDATE note SET protected = NULL WHERE row = {WINCH}",
            "the protected of note {} was changed under no operation",
        ),
        (
            f"""UPDATE operation SET asked = 0, actor = 'rule' WHERE kind = 'protect';
            INSERT INTO change (operation, note, field) SELECT operation, row, 'superseded_by' FROM note
            WHERE row = {WINCH}""",
            "was changed by an operation that nobody asked for",
        ),
    ),
    "I-09": (
        (f"UPDATE operation SET open = 1 WHERE row = {FIRST}", "was begun and never ended"),
        (f"UPDATE operation SET undone_at = 1 WHERE row = {FIRST}", "was taken back, and no operation says so"),
        ("UPDATE operation SET undone_at = NULL WHERE kind = 'rate'", "stands, and so does what took it back"),
    ),
    "I-10": (
        *(
            (f"UPDATE note SET withdrawn = {FIRST} WHERE row = {WINCH}", f"is in {table}, and no note in force says it")
            for table in ("revision_fts_docsize", "revision_trigram_docsize", "vector")
        ),
        (
            "INSERT INTO vector_queue (project, owner_kind, owner) SELECT 1, 'revision', max(parent) FROM revision",
            "is in vector_queue, and no note in force says it",
        ),
        (f"INSERT INTO erased SELECT 'note', {WINCH}, {LAST}", "note {} was erased, and is there"),
        (
            f"INSERT INTO erased SELECT 'revision', min(row), {LAST} FROM revision",
            "revision {} was erased, and is there",
        ),
        (
            f"""INSERT INTO pin (id, project, text, actor, tokens, created_at)
            VALUES ('pi_7', 1, 'never', 'agent', 1, 1);
            INSERT INTO erased SELECT 'pin', row, {LAST} FROM pin""",
            "pin {} was erased, and is there",
        ),
        ("INSERT INTO erasure SELECT min(seq), 'forgotten', 1 FROM episode", "episode {} was erased, and is there"),
        ("UPDATE change SET before = 999 WHERE field = 'head'", "the log of changes speaks of revision {}, which is"),
        ("UPDATE change SET before = 999 WHERE field = 'superseded_by'", "the log of changes speaks of note {}, which"),
        ("UPDATE proposal SET head = 999", "is about words that are not there"),
        ("UPDATE settlement SET outcome = 'no_gone'", "was settled in favour of a note that is not there"),
    ),
    "I-17": (
        (
            """CREATE TABLE bare (seq INTEGER PRIMARY KEY, id, project, session, role, channel, trust, host_event,
                idempotency_key, content, encoding, size, content_hash, tokens, tool_name, tool_input, exit_status,
                corrects, occurred_at, recorded_at, author);
            INSERT INTO bare SELECT * FROM episode; DROP TABLE episode; ALTER TABLE bare RENAME TO episode;
            UPDATE episode SET idempotency_key = 'same'""",
            "episode {} is in the record a second time",
        ),
    ),
    "I-21": (
        (
            "PRAGMA ignore_check_constraints = 1; UPDATE episode SET trust = 'user' WHERE channel = 'assistant'",
            "episode {} is trusted more than the channel that it came by",
        ),
        (
            """PRAGMA ignore_check_constraints = 1; INSERT INTO pin (id, project, text, actor, tokens, created_at)
            VALUES ('pi_7', 1, 'never', 'rule', 1, 1)""",
            "pin {} is nobody's",
        ),
        (
            "UPDATE operation SET asked = 0 WHERE row IN (SELECT operation FROM rule)",
            "rule {} was laid down, and nobody asked for it",
        ),
        (
            "UPDATE operation SET asked = 0 WHERE row IN (SELECT operation FROM reminder)",
            "reminder {} is told, and nobody asked for it",
        ),
        (
            "UPDATE episode SET trust = 'data'",
            "reminder {} was made of data",
        ),
    ),
}

# Columns of rows of the first project, by what they are let point at in the second.
STRANGERS: dict[str, tuple[str, ...]] = {
    "row) FROM note": (
        *("link.note", "link.other", "evidence.note", "dispute.note", "dispute.other", "proposal.note", "rating.note"),
        *("reminder.note", "seeded.note", "note.superseded_by"),
    ),
    "row) FROM dispute": ("settlement.dispute",),
    "row) FROM proposal": ("decision.proposal",),
    "seq) FROM episode": ("evidence.episode", "reminder.episode", "alias.episode"),
    "row) FROM operation": (
        *("link.operation", "evidence.operation", "dispute.operation", "settlement.operation", "proposal.operation"),
        *("decision.operation", "rating.operation", "reminder.operation", "rule.operation", "tombstone.operation"),
        *("note.operation", "note.withdrawn", "operation.undoes"),
    ),
}
CASES = [
    pytest.param(damage, id_, finding, id=finding, marks=pytest.mark.invariant(id_))
    for id_, damages in DAMAGES.items()
    for damage, finding in damages
] + [
    pytest.param(
        f"UPDATE {column.replace('.', ' SET ')} = (SELECT max({target}) WHERE project = 1",
        "I-06",
        "the {1} of {0} {{}} is of another project".format(*column.split(".")),
        id=column,
        marks=pytest.mark.invariant("I-06"),
    )
    for target, columns in STRANGERS.items()
    for column in columns
]


@pytest.mark.parametrize(("damage", "promise", "finding"), CASES)
def test_a_deep_look_names_what_was_done_past_moored(
    lived: Path, tmp_path: Path, damage: str, promise: str, finding: str
) -> None:
    found = examined(damaged(lived, tmp_path / "copy.db", damage))
    pattern = re.compile(re.escape(finding).replace(r"\{\}", "[^ ,]+"))
    assert any(one.promise == promise and pattern.search(one.words) for one in found), found


def test_everything_that_is_looked_for_is_damaged_by_a_test() -> None:
    tried = [str(case.values[2]) for case in CASES]
    assert [words for _, words, _ in (*LIFE, *RECORD) if not any(finding in words for finding in tried)] == []


@pytest.mark.invariant("I-01")
@pytest.mark.parametrize(
    "damage",
    [
        "content = x'00'",
        "content = CAST(content || ' ' AS BLOB), size = size + 1",
        "encoding = 'zlib'",
    ],
)
def test_an_episode_that_does_not_read_back_as_it_was_acknowledged_is_named(
    lived: Path, tmp_path: Path, damage: str
) -> None:
    copy = damaged(
        lived, tmp_path / "copy.db", f"UPDATE episode SET {damage} WHERE seq = (SELECT max(seq) FROM episode)"
    )
    with sqlite3.connect(copy) as plain:
        ((last,),) = plain.execute("SELECT id FROM episode ORDER BY seq DESC LIMIT 1")
    plain.close()
    assert [one.words for one in examined(copy) if one.promise == "I-01"] == [
        f"episode {last} is not what was acknowledged"
    ]


SECRET = "postgres://ferry:" + "Zr7parrot9481" + "@db.example.org/quay"
HELD = {
    **{
        f"{table}.{column}": f"UPDATE {table} SET {column} = {{secret}}"
        for table, columns in TEXTS.items()
        for column in columns
    },
    **{
        f"episode.{column}": f"UPDATE episode SET {column} = CAST({{secret}} AS {kind})"
        for column, kind in (("content", "BLOB"), ("tool_input", "TEXT"))
    },
}


@pytest.mark.invariant("I-20")
@pytest.mark.parametrize("damage", HELD.values(), ids=HELD)
def test_a_secret_that_is_kept_anywhere_is_found(lived: Path, tmp_path: Path, damage: str) -> None:
    found = examined(damaged(lived, tmp_path / "copy.db", damage.format(secret=f"'{SECRET}'")))
    assert any(one.promise == "I-20" and one.words.endswith("holds a secret") for one in found), found
    assert not any("Zr7parrot" in one.words for one in found)


GUARDS = {
    "trigger episode_immutable": "DROP TRIGGER episode_immutable",
    "trigger note_protected": "DROP TRIGGER note_protected; CREATE TRIGGER note_protected AFTER DELETE ON rule "
    "BEGIN SELECT 1; END",
    "index fact_identity": "DROP INDEX fact_identity",
    "extractor guess": "DROP TRIGGER extractor_closed; INSERT INTO extractor VALUES ('guess')",
}


@pytest.mark.invariant("I-01", "I-02", "I-08")
@pytest.mark.parametrize(("guard", "damage"), GUARDS.items(), ids=GUARDS)
def test_nothing_is_proved_of_a_store_whose_guards_are_not_in_place(
    lived: Path, tmp_path: Path, guard: str, damage: str
) -> None:
    shutil.copy(lived, tmp_path / "moored.db")
    with sqlite3.connect(tmp_path / "moored.db") as plain:
        plain.executescript(damage)
    plain.close()
    assert Finding("", f"{guard} is not as moored made it") in examined(tmp_path / "moored.db")
    with open_memory(lived.parent / "quay", store=tmp_path / "moored.db", dense=False) as memory:
        found = memory.doctor(deep=True)
    assert not found.healthy
    assert found.proved == ()


def test_every_promise_that_can_be_proved_of_a_store_is_proved_of_one_that_lived(lived: Path) -> None:
    with open_memory(lived.parent / "quay", store=lived, dense=False) as memory:
        found = memory.doctor(deep=True)
        usual = memory.doctor()
    assert found.proved == tuple(promise for promise, _, _ in PROMISES)
    assert {promise for promise, _, _ in (*LIFE, *RECORD)} | {"I-01", "I-16", "I-20"} == set(found.proved)
    assert usual.proved == ()


@pytest.mark.invariant("I-10")
def test_an_episode_that_was_forgotten_and_is_there_again_is_named(tmp_path: Path) -> None:
    with begin(tmp_path, "harbour", tmp_path / "moored.db") as memory:
        said = memory.record("The tide comes at six.", host="lab", session="monday", host_event="1").episode
        same = memory.record("The tide comes at six.", host="lab", session="monday", host_event="2").episode
        memory.forget(said)
        assert _forgetting(memory).state == "ok"
        operation = memory.operations()[-1].id
    with sqlite3.connect(tmp_path / "moored.db") as plain:
        plain.execute("DELETE FROM hidden_episode")
    plain.close()
    with open_memory(tmp_path / "harbour", store=tmp_path / "moored.db", dense=False) as memory:
        found = _forgetting(memory)
        assert found.state == "problem"
        assert said in found.detail
        assert same not in found.detail
        assert found.remedy
        memory.undo(operation)
        assert _forgetting(memory).state == "ok"


@pytest.mark.invariant("I-10")
def test_an_episode_of_which_a_part_was_taken_out_is_not_taken_for_forgotten(tmp_path: Path) -> None:
    with begin(tmp_path, "harbour", tmp_path / "moored.db") as memory:
        memory.record("The code is Zr7-parrot/9481 again.", host="lab", session="monday", host_event="1")
        memory.redact("Zr7-parrot/9481")
        assert _forgetting(memory).state == "ok"


def _forgetting(memory: Memory) -> Check:
    found = diagnose(memory.store, memory.tree, memory.embedder, deep=True)
    return next(one for one in found.checks if one.name == "forgotten")
