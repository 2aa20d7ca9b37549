"""Neither an import nor a hook brings back what was forgotten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forgetting.conftest import RARE, SAID, rows
from moored.memory import Memory
from moored.model.episodes import Role
from moored.record.inbox import Entry, Inbox

pytestmark = pytest.mark.invariant("I-10", "I-17")


@pytest.fixture
def transcript(memory: Memory, tmp_path: Path) -> Path:
    """A transcript of Claude Code with a turn that is to be forgotten, and one that is not."""
    file = tmp_path / "transcripts" / "4f2c.jsonl"
    file.parent.mkdir()
    _write(memory, file, [("user", SAID), ("assistant", "The winch is noted."), ("user", "And now the ropes, please.")])
    return file


def _write(memory: Memory, file: Path, turns: list[tuple[str, str]]) -> None:
    lines = [
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "4f2c",
            "cwd": memory.tree.root,
            "timestamp": f"2024-01-31T12:00:0{number}.000Z",
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for number, (role, text) in enumerate(turns)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _import(memory: Memory, file: Path) -> int:
    """Import a transcript; return how many turns were new."""
    found = memory.import_transcripts("claude-code", file.parent)
    return sum(project.recorded for project in found.projects)


def _turn(memory: Memory, text: str) -> str:
    with memory.store.read() as view:
        return next(one.id for one in view.episodes.all(memory.project) if one.text == text)


@pytest.mark.parametrize("hard", [False, True])
def test_a_transcript_that_is_read_again_from_its_beginning_brings_nothing_back(
    memory: Memory, transcript: Path, hard: bool
) -> None:
    assert _import(memory, transcript) == 3
    memory.forget(_turn(memory, SAID), hard=hard)
    copy = transcript.with_name("copy.jsonl")
    copy.write_bytes(transcript.read_bytes())
    assert _import(memory, transcript) == 0
    transcript.write_text(transcript.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert _import(memory, transcript) == 0
    assert not memory.recall("xylophonequartz").hits
    assert (RARE[1] in rows(memory)) is not hard
    assert memory.recall("the ropes please").hits


def test_a_session_that_was_forgotten_is_not_imported_again_and_goes_on(memory: Memory, transcript: Path) -> None:
    assert _import(memory, transcript) == 3
    with memory.store.read() as view:
        session = view.episodes.recent(memory.project, 1)[0].session
    memory.forget(session=session, hard=True)
    again = transcript.with_name("4f2c-again.jsonl")
    again.write_bytes(transcript.read_bytes())
    transcript.unlink()
    assert _import(memory, again) == 0
    assert memory.status().counts.episodes == 0


def test_a_redacted_turn_is_not_imported_again_with_the_secret(memory: Memory, transcript: Path) -> None:
    assert _import(memory, transcript) == 3
    memory.redact(RARE[1])
    copy = transcript.with_name("copy.jsonl")
    copy.write_bytes(transcript.read_bytes())
    assert _import(memory, transcript) == 0
    assert RARE[1] not in rows(memory)
    assert memory.status().counts.episodes == 3


def test_a_transcript_does_not_bring_in_what_a_hook_had_captured_and_was_forgotten(
    memory: Memory, transcript: Path
) -> None:
    at = 1_706_702_400_000
    captured = memory.record(SAID, host="claude-code", session="4f2c", host_event="inbox:1", occurred_at=at)
    memory.forget(captured.episode, hard=True)
    assert _import(memory, transcript) == 2
    assert RARE[1] not in rows(memory)


def test_a_hook_that_captures_it_again_brings_nothing_back(memory: Memory) -> None:
    entry = Entry(
        SAID.encode(), Role.USER, "user", host="lab", session="first", host_event="e1", cwd=memory.tree.root
    )  # fmt: skip
    inbox = Inbox(memory.store.path)
    inbox.put(entry)
    memory.absorb()
    memory.forget(_turn(memory, SAID), hard=True)
    inbox.put(entry)
    inbox.put(entry._replace(content=b"The ropes, please.", host_event="e2"))
    absorbed = memory.absorb()
    assert (absorbed.recorded, absorbed.withheld) == (1, 1)
    assert RARE[1] not in rows(memory)
    assert inbox.waiting() == []


def test_what_was_captured_and_not_absorbed_yet_is_forgotten_as_well(memory: Memory) -> None:
    inbox = Inbox(memory.store.path)
    inbox.put(
        Entry(SAID.encode(), Role.USER, "user", host="lab", session="first", host_event="e1", cwd=memory.tree.root)
    )
    done = memory.forget(session="first", hard=True)
    assert len(done.plan.episodes) == 1
    assert inbox.waiting() == []
    assert RARE[1] not in rows(memory)
