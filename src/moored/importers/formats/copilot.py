"""GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl` and `<session>.jsonl`, as of 1.0.

Lines of `type`, `data`, `id`, `parentId` and `timestamp`. What a sub-agent did names the call that began it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.files import files_below
from moored.importers.texts import member, objects, stated_status, text_of, words
from moored.importers.transcript import Format, Record, Source, Tally, milliseconds
from moored.model.episodes import Role
from moored.record.tool_text import input_text, output_text

HOST = "copilot"

_SHELLS = frozenset({"shell", "bash", "powershell"})
_LEFT_OUT = frozenset(
    (
        *("session.model_change", "session.info", "session.warning", "session.error", "session.truncation"),
        *("session.auto_mode_resolved", "session.usage_checkpoint", "session.shutdown", "session.compaction_start"),
        *("session.start", "session.resume", "session.handoff", "session.mode_changed", "session.idle"),
        *("session.title_changed", "session.context_changed", "session.task_complete", "session.snapshot_rewind"),
        *("session.plan_changed", "session.workspace_file_changed", "session.import_legacy", "session.usage_info"),
        *("hook.start", "hook.end", "system.message", "system.notification", "abort", "skill.invoked"),
        *("assistant.turn_start", "assistant.turn_end", "assistant.reasoning", "assistant.intent"),
        *("assistant.usage", "subagent.started", "subagent.completed", "subagent.failed", "subagent.selected"),
        *("tool.user_requested", "tool.execution_partial_result", "tool.execution_progress"),
    )
)


class Copilot:
    """Reads the events of one session."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        self.calls = Calls()
        self._tally = tally
        path = source.path
        self._session = carried.get("session") or (path.parent.name if path.name == "events.jsonl" else path.stem)
        self._cwd = carried.get("cwd", "")

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        kind, data = text_of(record, "type"), member(record, "data")
        base = TranscriptEvent(
            Role.USER,
            text_of(record, "id"),
            "",
            self._session,
            text_of(data, "parentToolCallId"),
            text_of(record, "parentId"),
            self._cwd,
            milliseconds(record.get("timestamp")),
        )
        match kind:
            case "session.start" | "session.resume":
                self._session = text_of(data, "sessionId") or self._session
                self._cwd = text_of(member(data, "context"), "cwd") or self._cwd
                self._tally.skipped[kind] += 1
            case "user.message":
                yield from self.calls.give_up(base.session, base.agent)
                yield from self._said(Role.USER, base.name, data, base)
            case "assistant.message":
                yield from self._said(Role.ASSISTANT, text_of(data, "messageId") or base.name, data, base)
                for request in objects(data.get("toolRequests")):
                    yield from self._call(text_of(request, "name"), request, base)
            case "tool.execution_start":
                yield from self._call(text_of(data, "toolName"), data, base)
            case "tool.execution_complete":
                yield from self._result(data, base)
            case "session.compaction_complete" if text_of(data, "summaryContent").strip():
                summary = text_of(data, "summaryContent")
                yield base._replace(role=Role.SYSTEM, name=f"system:{base.name}", text=summary, summary=True)
            case _:
                self._tally.sort(kind, _LEFT_OUT)

    def finish(self) -> Iterator[TranscriptEvent]:
        return iter(())

    def carried(self) -> Mapping[str, str]:
        return {"session": self._session, "cwd": self._cwd}

    def _said(self, role: Role, name: str, data: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        said = words(data.get("content"), self._tally)
        if said.strip():
            yield base._replace(role=role, name=f"{role}:{name}" if name else "", text=said)

    def _call(self, tool: str, data: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        """A call, when it is asked for and again when it begins."""
        call = base._replace(role=Role.TOOL, name="", tool=tool, tool_input=input_text(data.get("arguments")))
        yield from self.calls.begin(text_of(data, "toolCallId"), call)

    def _result(self, data: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        call_id, result = text_of(data, "toolCallId"), data.get("result")
        called = self.calls.waiting(call_id)
        text = text_of(member(data, "result"), "content") or text_of(member(data, "error"), "message")
        text = text or output_text(result)
        shell = called is not None and called.tool in _SHELLS
        status = stated_status(text) if shell else None
        yield from self.calls.end(call_id, base._replace(role=Role.TOOL, text=text, exit_status=status))


def homes() -> Sequence[Path]:
    """The folder of all sessions, which `$COPILOT_HOME` moves."""
    return (Path(os.environ.get("COPILOT_HOME") or Path.home() / ".copilot") / "session-state",)


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The sessions in a file or folder."""
    del folders  # every session names its folder
    for file in files_below(path, (".jsonl",)):
        yield Source(file)


def fits(record: Record) -> bool:
    """Whether a line is of a session of Copilot CLI."""
    return "." in text_of(record, "type") and "data" in record


FORMAT = Format("copilot", HOST, Copilot, homes, find, fits, resumes=True)
