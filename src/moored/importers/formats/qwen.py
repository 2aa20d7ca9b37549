"""Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`, as of 0.6.

The envelope of a line is that of Claude Code, the message within is one of the Gemini API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.files import files_below
from moored.importers.texts import member, objects, stated_status, text_of
from moored.importers.transcript import Format, Record, Source, Tally, milliseconds
from moored.model.episodes import Role
from moored.record.tool_text import input_text, output_text

HOST = "qwen"
SHELL = "run_shell_command"


class Qwen:
    """Reads the lines of one session."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        del carried
        self.calls = Calls()
        self._tally = tally
        self._session = source.path.stem

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        kind, name = text_of(record, "type"), text_of(record, "uuid")
        base = TranscriptEvent(
            Role.USER,
            "",
            "",
            text_of(record, "sessionId") or self._session,
            parent=text_of(record, "parentUuid"),
            cwd=text_of(record, "cwd"),
            at=milliseconds(record.get("timestamp")),
        )
        parts = objects(member(record, "message").get("parts"))
        if kind == "system":
            self._tally.skipped[f"system: {text_of(record, 'subtype') or 'without a subtype'}"] += 1
            return
        if kind not in ("user", "assistant", "tool_result"):
            self._tally.unknown[kind or "without a type"] += 1
            return
        spoken = [text_of(part, "text") for part in parts if "text" in part and part.get("thought") is not True]
        if thoughts := sum(part.get("thought") is True for part in parts):
            self._tally.skipped["thought"] += thoughts
        said = "\n".join(spoken)
        if kind == "user" and said.strip():
            yield from self.calls.give_up(base.session, base.agent)
        if kind != "tool_result" and said.strip():
            yield base._replace(role=Role(kind), name=f"{kind}:{name}" if name else "", text=said)
        for part in parts:
            yield from self._part(part, record, base)

    def finish(self) -> Iterator[TranscriptEvent]:
        return iter(())

    def carried(self) -> Mapping[str, str]:
        return {}

    def _part(self, part: Record, record: Record, base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        call, answer = member(part, "functionCall"), member(part, "functionResponse")
        if call:
            tool, arguments = text_of(call, "name"), input_text(call.get("args"))
            event = base._replace(role=Role.TOOL, tool=tool, tool_input=arguments)
            yield from self.calls.begin(text_of(call, "id"), event)
        if answer:
            response = member(answer, "response")
            text = text_of(member(member(record, "toolCallResult"), "resultDisplay"), "fileDiff")
            text = text or text_of(response, "output", "error") or (output_text(dict(response)) if response else "")
            status = stated_status(text) if text_of(answer, "name") == SHELL else None
            yield from self.calls.end(
                text_of(answer, "id"), base._replace(role=Role.TOOL, text=text, exit_status=status)
            )


def homes() -> Sequence[Path]:
    """The folder of all projects."""
    return (Path.home() / ".qwen" / "projects",)


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The sessions in a file or folder."""
    del folders  # every line names its folder
    for file in files_below(path, (".jsonl",)):
        yield Source(file)


def fits(record: Record) -> bool:
    """Whether a line is of a session of Qwen Code."""
    return "systemPayload" in record or "parts" in member(record, "message")


FORMAT = Format("qwen", HOST, Qwen, homes, find, fits, resumes=True, ids_are_unique=True)
