"""Kimi Code: `~/.kimi-code/sessions/<folder>/<session>/agents/<agent>/wire.jsonl`, protocol 1.4.

Flat records with a `type` and a `time`. Messages have no ids. The session's folder stands in its `state.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.files import files_below
from moored.importers.texts import member, text_of, without_elements, words
from moored.importers.transcript import Format, Record, Source, Tally, milliseconds
from moored.model.episodes import Role
from moored.record.tool_text import input_text, is_object, output_text

HOST = "kimi"
MAIN = "main"
"""The agent that the user talks to."""

_LEFT_OUT = frozenset(
    (
        *("metadata", "config.update", "profile.bind", "tools.set_active_tools", "tools.update_store", "usage.record"),
        *("llm.request", "llm.tools_snapshot", "mcp.tools_discovered", "turn.prompt", "turn.steer", "turn.cancel"),
        *("turn.ended", "permission.set_mode", "permission.record_approval_result", "plan_mode.enter"),
        *("plan_mode.exit", "plan_mode.cancel", "full_compaction.begin", "full_compaction.complete", "context.clear"),
        *("full_compaction.cancel", "micro_compaction.apply", "context.undo", "goal.create", "goal.update"),
        *("step.begin", "step.end"),
    )
)


class Kimi:
    """Reads the records of one agent of a session."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        del carried
        self.calls = Calls()
        self._tally = tally
        self._folder = source.folder
        path = source.path
        in_session = path.name == "wire.jsonl" and path.parent.parent.name == "agents"
        agent = path.parent.name if in_session else MAIN
        self._session = path.parent.parent.parent.name if in_session else path.stem
        self._agent = "" if agent == MAIN else agent

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        at = milliseconds(record.get("time"))
        base = TranscriptEvent(Role.USER, "", "", self._session, self._agent, cwd=self._folder, at=at)
        match text_of(record, "type"):
            case "context.append_message":
                yield from self._message(member(record, "message"), base)
            case "context.append_loop_event":
                yield from self._event(member(record, "event"), base)
            case "context.apply_compaction" if text_of(record, "summary").strip():
                yield base._replace(role=Role.SYSTEM, text=text_of(record, "summary"), summary=True)
            case kind:
                self._tally.sort(kind, _LEFT_OUT)

    def finish(self) -> Iterator[TranscriptEvent]:
        return iter(())

    def carried(self) -> Mapping[str, str]:
        return {}

    def _message(self, message: Record, base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        origin = text_of(member(message, "origin"), "kind")
        said = without_elements(words(message.get("content"), self._tally, ("image_url",)), ("system-reminder",))
        if text_of(message, "role") != "user" or origin not in ("", "user") or not said.strip():
            self._tally.skipped["user: written by the host"] += 1
            return
        yield from self.calls.give_up(base.session, base.agent)
        yield base._replace(text=said)

    def _event(self, event: Record, base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        call_id = text_of(event, "toolCallId")
        match text_of(event, "type"):
            case "content.part":
                part = member(event, "part")
                if text_of(part, "type") == "text" and text_of(part, "text").strip():
                    yield base._replace(role=Role.ASSISTANT, text=text_of(part, "text"))
                else:
                    self._tally.skipped[text_of(part, "type") or "part without a type"] += 1
            case "tool.call":
                tool, arguments = text_of(event, "name"), input_text(event.get("args"))
                yield from self.calls.begin(call_id, base._replace(role=Role.TOOL, tool=tool, tool_input=arguments))
            case "tool.result":
                result = event.get("result")
                output = result.get("output", result) if is_object(result) else result
                yield from self.calls.end(call_id, base._replace(role=Role.TOOL, text=output_text(output)))
            case kind:
                self._tally.sort(kind, _LEFT_OUT)


def homes() -> Sequence[Path]:
    """The folder of all sessions."""
    return (Path.home() / ".kimi-code" / "sessions",)


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The agents of sessions in a file or folder."""
    del folders  # a session names its folder, or none
    for file in files_below(path, (".jsonl",)):
        if file.name == "wire.jsonl" or path not in homes():
            yield Source(file, folder=_folder(file.parent.parent.parent / "state.json"))


def _folder(state: Path) -> str:
    try:
        content: object = json.loads(state.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    return text_of(content, "cwd", "workDir") if is_object(content) else ""


def fits(record: Record) -> bool:
    """Whether a line is of a session of Kimi Code."""
    return "protocol_version" in record or text_of(record, "type").startswith("context.append_")


FORMAT = Format("kimi", HOST, Kimi, homes, find, fits, resumes=True)
