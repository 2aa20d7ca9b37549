"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.json` and `.jsonl`, as of 0.61.

The older form is one document. The newer one is a log: a head, then messages, of which one is written again whole each
time that it grows; `$set` changes the head or lists the messages that the model still sees, and `$rewindTo` says that
the user took messages back. What was taken back or is not seen any more did happen, and is kept like what hooks saw.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.files import files_below
from moored.importers.texts import member, objects, stated_status, text_of, words
from moored.importers.transcript import Format, Record, Source, Tally, milliseconds
from moored.model.episodes import Role
from moored.record.tool_text import input_text, is_list, is_object, output_text

HOST = "gemini"

HELD = 64
"""Messages that are held back, because they may be written again with more in them."""

_ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT, "assistant": Role.ASSISTANT}
_LEFT_OUT = frozenset({"info", "error", "warning", "about", "help", "stats", "quit", "compression", "tool_group"})
_PARTS = frozenset({"inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "thought"})


class Gemini:
    """Reads the messages of one session."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        del carried
        self.calls = Calls()
        self._tally = tally
        nested = source.path.parent.parent.name == "chats"
        self._session, self._agent = (source.path.parent.name, source.path.stem) if nested else (source.path.stem, "")
        self._nested = nested
        self._folder = source.folder
        self._held: dict[str, Record] = {}

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        if "$rewindTo" in record:
            self._tally.skipped["taken back by the user"] += 1
        elif "$set" in record:
            yield from self._head(member(record, "$set"))
        elif "id" in record and "type" in record:
            yield from self._hold(record)
        else:
            yield from self._head(record)

    def finish(self) -> Iterator[TranscriptEvent]:
        for record in self._held.values():
            yield from self._message(record)
        self._held.clear()

    def carried(self) -> Mapping[str, str]:
        return {}

    def _head(self, head: Record) -> Iterator[TranscriptEvent]:
        if not self._nested:
            self._session = text_of(head, "sessionId") or self._session
        directories = head.get("directories")
        if is_list(directories) and directories and isinstance(directories[0], str):
            self._folder = directories[0]
        if not head.keys() & {"sessionId", "directories", "messages", "lastUpdated", "summary", "memoryScratchpad"}:
            self._tally.unknown["without a type"] += 1
        for message in objects(head.get("messages")):
            yield from self._hold(message)

    def _hold(self, record: Record) -> Iterator[TranscriptEvent]:
        key = text_of(record, "id") or str(len(self._held))
        self._held[key] = record
        if len(self._held) > HELD:
            oldest = next(iter(self._held))
            yield from self._message(self._held.pop(oldest))

    def _message(self, record: Record) -> Iterator[TranscriptEvent]:
        kind = text_of(record, "type")
        role = _ROLES.get(kind)
        if role is None:
            self._tally.sort(kind, _LEFT_OUT)
            return
        at, identity = milliseconds(record.get("timestamp")), text_of(record, "id")
        base = TranscriptEvent(role, "", "", self._session, self._agent, cwd=self._folder, at=at)
        content = record.get("content") or record.get("parts")
        said = words(_parts(content), self._tally, _PARTS)
        if said.strip():
            if role is Role.USER:
                yield from self.calls.give_up_all()
            yield base._replace(name=f"{role}:{identity}" if identity else "", text=said)
        for call in objects(record.get("toolCalls")):
            yield from self._call(call, base)

    def _call(self, call: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        call_id, tool = text_of(call, "id"), text_of(call, "name")
        at = milliseconds(call.get("timestamp")) or base.at
        event = base._replace(role=Role.TOOL, tool=tool, tool_input=input_text(call.get("args")), at=at)
        yield from self.calls.begin(call_id, event)
        if call.get("result") is None and call.get("resultDisplay") is None:
            return
        text = _result(call)
        status = stated_status(text) if tool == "run_shell_command" else None
        yield from self.calls.end(call_id, event._replace(text=text, exit_status=status))


def _parts(content: object) -> object:
    """Content as blocks with a type: a part of the Gemini API is known by the name of its only member."""
    if is_object(content):
        content = [content]
    if not is_list(content):
        return content
    return [
        {"type": next((name for name in _PARTS if part.get(name)), "text" if "text" in part else ""), **part}
        if is_object(part) and "type" not in part
        else part
        for part in content
    ]


def _result(call: Mapping[str, Any]) -> str:
    """The diff of an edit, else what the model was given, else what was displayed."""
    display = call.get("resultDisplay")
    if is_object(display) and isinstance(display.get("fileDiff"), str):
        return display["fileDiff"]
    answers = [member(member(part, "functionResponse"), "response") for part in objects(call.get("result"))]
    texts = [text_of(answer, "output", "error") or (output_text(dict(answer)) if answer else "") for answer in answers]
    return "\n".join(text for text in texts if text) or output_text(display)


def unpack(document: object) -> Iterator[Record]:
    """The session of a document: its head with all messages."""
    yield from objects(document if is_list(document) else [document])


def homes() -> Sequence[Path]:
    """The folder of all projects."""
    return (Path.home() / ".gemini" / "tmp",)


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The sessions in a file or folder."""
    for file in files_below(path, (".json", ".jsonl")):
        if "chats" in file.parts or path not in homes():
            yield Source(file, folder=_folder(file, folders))


def _folder(file: Path, folders: Sequence[Path]) -> str:
    """The project's folder, as Gemini CLI wrote it down beside the chats, or by the hash of which it made a name.

    A name that fits none of the folders is given itself: then the project is another one.
    """
    if "chats" not in file.parts:
        return ""
    project = Path(*file.parts[: file.parts.index("chats")])
    try:
        return (project / ".project_root").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        named = _registered(project)
    hashed = (str(folder) for folder in folders if sha256(str(folder).encode()).hexdigest() == project.name)
    return named or next(hashed, project.name)


def _registered(project: Path) -> str:
    """The folder for which `projects.json` in the host's folder gives the name of this project."""
    try:
        registry: object = json.loads((project.parent.parent / "projects.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    entries = member(registry if is_object(registry) else {}, "projects")
    return next((folder for folder, name in entries.items() if name == project.name), "")


def fits(record: Record) -> bool:
    """Whether a line or a document is of a session of Gemini CLI."""
    return "projectHash" in record or ("sessionId" in record and "startTime" in record)


FORMAT = Format("gemini", HOST, Gemini, homes, find, fits, unpack=unpack, calls_have_ids=False)
