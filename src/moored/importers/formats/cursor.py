"""Cursor: the transcripts of its agent and the stores of its command line, as of 2026-08.

`~/.cursor/projects/<folder>/agent-transcripts/<session>/<session>.jsonl` has one message a line, without ids or times;
the calls in it have no results. `~/.cursor/chats/<MD5 of the folder>/<session>/store.db` is a database whose rows are
messages (JSON) and a graph of turns (not read). Neither is documented by Cursor. Chats of the editor itself, which it
keeps in `state.vscdb`, are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import md5
from pathlib import Path
from typing import Any

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.files import files_below
from moored.importers.texts import element, member, objects, text_of, words
from moored.importers.transcript import Format, Record, Source, Tally, milliseconds
from moored.model.episodes import Role
from moored.record.tool_text import exit_status, input_text, output_text

HOST = "cursor"

_CALLS = frozenset({"tool_use", "tool-call"})
_RESULTS = frozenset({"tool_result", "tool-result"})
_LEFT_OUT = frozenset({"thinking", "reasoning", "redacted-reasoning", "image", "file"})
_REDACTED = "[REDACTED]"
"""Stands in a transcript in place of a thought."""


class Cursor:
    """Reads the messages of one session."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        del carried
        self.calls = Calls()
        self._tally = tally
        self._session, self._agent = _by_place(source.path)
        self._folder = source.folder

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        role = text_of(record, "role")
        message = member(record, "message") or record
        content = message.get("content")
        at = milliseconds(record.get("createdAt", record.get("timestamp")))
        base = TranscriptEvent(Role.USER, "", "", self._session, self._agent, cwd=self._folder, at=at)
        if role not in ("user", "assistant", "tool"):
            self._tally.sort(f"message of the {role}" if role else text_of(record, "type"), ("message of the system",))
            return
        for block in objects(content):
            if text_of(block, "type") in _RESULTS:
                yield from self._result(block, base)
        said = _spoken(words(content, self._tally, _LEFT_OUT, silently=_CALLS | _RESULTS))
        if role == "user" and "<user_info>" in said:
            self._tally.skipped["user: written by the host"] += 1
        elif role == "user" and said.strip():
            yield from self.calls.give_up(base.session, base.agent)
            yield base._replace(name=_named("user", record), text=said)
        elif role == "assistant" and said.strip():
            yield base._replace(role=Role.ASSISTANT, name=_named("assistant", record), text=said)
        for block in objects(content):
            if text_of(block, "type") in _CALLS:
                tool = text_of(block, "name", "toolName")
                arguments = input_text(block.get("input", block.get("args")))
                call = base._replace(role=Role.TOOL, tool=tool, tool_input=arguments)
                yield from self.calls.begin(text_of(block, "id", "toolCallId"), call)

    def finish(self) -> Iterator[TranscriptEvent]:
        """The last calls: a transcript without results will never answer them."""
        return self.calls.give_up_all()

    def carried(self) -> Mapping[str, str]:
        return {}

    def _result(self, block: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        call_id = text_of(block, "tool_use_id", "toolCallId")
        called = self.calls.waiting(call_id)
        result = block.get("content", block.get("result"))
        text = output_text(result, called.tool if called else "")
        event = base._replace(
            role=Role.TOOL, tool=text_of(block, "toolName"), text=text, exit_status=exit_status(result)
        )
        yield from self.calls.end(call_id, event)


def _spoken(text: str) -> str:
    """What was said, out of the element that Cursor puts around a prompt and without the marks of its own."""
    query = element(text, "user_query")
    said = text if query is None else query
    return said.replace(_REDACTED, "").strip() if _REDACTED in said else said


def _named(role: str, record: Record) -> str:
    name = text_of(record, "id", "uuid")
    return f"{role}:{name}" if name else ""


def rows(source: Source) -> Iterator[Record]:
    """The messages of a store, in the order in which they were written."""
    from moored.store.sqlite.foreign import cursor_blobs

    for data in cursor_blobs(source.path):
        if data[:1] == b"{":
            try:
                record: Any = json.loads(data.decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield record


def homes() -> Sequence[Path]:
    """The folders of the agent's transcripts and of the command line's stores."""
    home = Path.home() / ".cursor"
    return home / "projects", home / "chats"


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The transcripts and stores in a file or folder. That of a project is told by the names of the folders above."""
    for file in files_below(path, (".jsonl", "store.db")):
        if path not in homes() or "agent-transcripts" in file.parts or file.suffix == ".db":
            yield Source(file, folder=_folder(file, folders))


def _folder(file: Path, folders: Sequence[Path]) -> str:
    """The project's folder, by the folder of the transcript that Cursor names after it.

    A name that fits none of the folders is given itself: then the project is another one.
    """
    parts = file.parts
    if "agent-transcripts" in parts:
        name = parts[parts.index("agent-transcripts") - 1]
        return next((str(folder) for folder in folders if _slug(folder) == name), name)
    if file.name == "store.db" and re.fullmatch(r"[0-9a-f]{32}", name := file.parent.parent.name):
        return next((str(folder) for folder in folders if _hash(folder) == name), name)
    return ""


def _slug(folder: Path) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", str(folder)).strip("-")


def _hash(folder: Path) -> str:
    return md5(str(folder).encode(), usedforsecurity=False).hexdigest()


def _by_place(path: Path) -> tuple[str, str]:
    """The session and the sub-agent that a file is of."""
    if path.name == "store.db":
        return path.parent.name, ""
    if path.parent.name == "subagents":
        return path.parent.parent.name, path.stem
    return path.stem, ""


def fits(record: Record) -> bool:
    """Whether a line is of a transcript of Cursor."""
    return "role" in record and "type" not in record and "message" in record


FORMAT = Format("cursor", HOST, Cursor, homes, find, fits, rows=rows, calls_have_ids=False)
