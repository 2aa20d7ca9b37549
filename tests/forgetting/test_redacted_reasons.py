"""A text that is taken out of the record goes out of what was said about notes as well (I-10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from forgetting.conftest import raw, say
from moored.errors import NotFound
from moored.memory import Memory
from moored.model.episodes import Event, Role
from moored.record.admission import admit, write
from moored.record.operations import under_way

CODE = "Zr7-parrot/9481"
TURN = f"The gate of berth nine is opened with {CODE} alone."

# Columns into which words come by rules of moored alone, and those that only hold what can be told apart by rules.
DERIVED = ("dispute.reason", "link.reason", "operation.detail", "proposal.evidence", "proposal.text")
NAMES = {
    *("action", "actor", "body_hash", "channel", "content_hash", "encoding", "event", "field", "hash", "host"),
    *("host_event", "id", "idempotency_key", "key", "kind", "origin", "outcome", "parent", "path", "role"),
    *("scope_kind", "signature_hash", "trust"),
}
OF_FILES = {"edge", "extractor", "fact", "fact_version", "file", "outline", "project", "relink", "transcript", "tree"}
OF_THE_STORE = ("erased", "erasure", "meta", "migration", "sqlite", "vector", "token", "revision_", "window_", "fact_")

pytestmark = pytest.mark.invariant("I-10")


def texts(memory: Memory) -> dict[str, list[str]]:
    """What every column of text holds, but for what is read from files, and what the store has for itself."""
    found: dict[str, list[str]] = {}
    with memory.store.read() as view:
        for (table,) in view.connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
            if table in OF_FILES or table.startswith(OF_THE_STORE):
                continue
            for _, column, kind, *_ in view.connection.rows(f"PRAGMA table_info ({table})"):
                if kind in ("TEXT", "ANY", "BLOB"):
                    rows = view.connection.rows(f'SELECT CAST("{column}" AS TEXT) FROM {table}')
                    found[f"{table}.{column}"] = [str(row[0]) for row in rows]
    return found


def holding(memory: Memory, text: str) -> set[str]:
    return {column for column, held in texts(memory).items() if any(text.lower() in one.lower() for one in held)}


def say_everywhere(memory: Memory, text: str) -> None:
    """Put a text into everything that takes words of one's own about a note, and into what rules make of them."""
    note = memory.remember("The gate is old.").id
    memory.revise(note, "The gate is very old.", cause=f"seen by whoever knows {text}")
    memory.protect(note, f"it is opened with {text}")
    memory.protect(note, f"only {text} opens it")
    memory.rate(note, useful=False, because=f"it is opened with {text} now")
    (proposed,) = memory.review().proposals
    memory.reject(proposed.proposal.id, f"{text} is not for it")
    memory.add_rule("damp", f'text~"{text}"', session=f"about {text}", reason=f"since {text}")
    memory.remember("The crane is painted red.")
    memory.remember("The crane is not painted red. It is 40 m high.")
    with (
        memory.store.write() as transaction,
        under_way(transaction, memory.project, "curate", actor="gate", clock=memory.clock, ids=memory.ids) as operation,
    ):
        transaction.kin.link(memory.project, note, memory.disputes()[0].newer.id, "related", "near", operation, 1)
        for column in DERIVED:
            table, name = column.split(".")
            quoted = f'[["fact", "{text}"]]' if name == "evidence" else f"it says {text}"
            transaction.connection.execute(f"UPDATE {table} SET {name} = ?", (quoted,))  # type: ignore[attr-defined] - SQLite


def test_no_column_keeps_a_text_that_is_redacted(memory: Memory) -> None:
    say_everywhere(memory, CODE)
    asked = f'{{"command": "make {CODE}"}}'
    say(memory, TURN, "e1", session=f"about {CODE}")
    ran = Event(b"done", Role.TOOL, host="lab", session="second", tool_name="Bash", tool_input=asked, exit_status=0)
    with memory.store.write() as transaction:
        for event in (ran, ran._replace(tool_name=f"use {CODE}", author=f"whoever has {CODE}")):
            write(transaction, memory.project, admit(event), memory.clock, memory.ids)
    (Path(memory.tree.root) / "gate.toml").write_text(f'[gate]\ncode = "{CODE}"\n')
    memory.index()
    memory.remember("The code of the gate is set.", about=["gate.toml::gate.code"], proof=f"make {CODE}")
    memory.remember(f"The winch obeys {CODE}.", aliases=[f"{CODE} winch", f"{CODE} mill"])
    memory.remind(f"Ask for {CODE}.", when=f"keyword: {CODE}")
    memory.remind("Oil the gate.", when=f"{CODE} falls")
    assert memory.reminders()[-1].pattern == "Zr7 parrot 9481 falls"
    memory.pin(f"Never say {CODE} aloud.")
    held = holding(memory, CODE)
    assert {column for column in texts(memory) if column.split(".")[1] not in NAMES} - held == set()
    memory.redact(CODE)
    assert holding(memory, CODE) == set()
    assert not [file for file, kept in raw(memory).items() if CODE.encode() in kept]
    assert memory.doctor(deep=True).healthy
    assert memory.reminders()[-1].pattern == "[redacted] falls"
    assert memory.rules() == (), "those were about it"
    assert memory.operations()[-1].lasting


def test_no_reason_keeps_a_text_that_is_forgotten_for_good(memory: Memory) -> None:
    said = say(memory, TURN, "e1")
    say_everywhere(memory, TURN)
    memory.forget(said, hard=True)
    assert holding(memory, CODE) == set()
    assert not [file for file, kept in raw(memory).items() if CODE.encode() in kept]
    assert memory.doctor(deep=True).healthy


def test_a_protection_whose_reason_is_redacted_stays_and_can_be_undone(memory: Memory) -> None:
    note = memory.remember("The gate is old.").id
    memory.protect(note, f"it is opened with {CODE}")
    protected = memory.operations()[-1].id
    memory.redact(CODE)
    assert memory.note(note).protected == "it is opened with [redacted]"
    memory.undo(protected)
    assert memory.note(note).protected == ""


def test_a_text_that_nothing_holds_is_not_redacted(memory: Memory) -> None:
    memory.remember("The gate is old.")
    known = memory.operations()
    with pytest.raises(NotFound, match="Nothing in this project holds that text"):
        memory.redact(CODE)
    assert memory.operations() == known


def test_a_rule_about_a_text_ends_when_that_text_is_taken_out(memory: Memory) -> None:
    memory.remember(f"The gate is opened with {CODE}.")
    kept = memory.remember("The winch is locked with another word, which the watchman keeps.").id
    memory.add_rule("forbid", f'text~"{CODE}"')
    memory.redact(CODE)
    assert memory.rules() == ()
    found = {hit.id for hit in memory.recall("how is the gate opened and the winch locked").hits}
    assert kept in found
    assert len(found) == 2
