"""Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, as of 0.171.

Lines of `timestamp`, `type` and `payload`, in which two logs are mixed: what the model exchanged (`response_item`) and
what was displayed (`event_msg`). Most things stand in both; messages are taken from the first. A result is taken from
whichever of the two comes first, and the other of the same `call_id` is passed over: the displayed one of a command has
its exit status. Lines of the first versions are a payload without the envelope.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.files import files_below
from moored.importers.texts import member, stated_status, text_of, words
from moored.importers.transcript import Format, Record, Source, Tally, milliseconds
from moored.model.episodes import Role
from moored.record.tool_text import input_text, is_list, is_object, output_text

HOST = "codex"

_SCAFFOLDING = (
    *("<environment_context>", "<user_instructions>", "<permissions instructions>", "<INSTRUCTIONS>", "<skill>"),
    *("<turn_aborted>", "<subagent_notification>", "<collaboration_mode>", "# AGENTS.md instructions for "),
)
"""How the messages begin that Codex writes in the user's name."""

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "tool_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output", "tool_result"})
_LEFT_OUT = frozenset(
    (
        *("session_meta", "turn_context", "compacted", "world_state", "inter_agent_communication_metadata", "state"),
        *("response_item: reasoning", "response_item: ghost_snapshot", "response_item: agent_message"),
        *("response_item: image_generation_call", "response_item: web_search_call", "response_item: compaction"),
        *("event_msg: user_message", "event_msg: agent_message", "event_msg: agent_reasoning"),
        *("event_msg: token_count", "event_msg: task_started", "event_msg: task_complete", "event_msg: turn_aborted"),
        *("event_msg: thread_settings_applied", "event_msg: thread_name_updated", "event_msg: thread_goal_updated"),
        *("event_msg: context_compacted", "event_msg: item_completed", "event_msg: guardian_assessment"),
        *("event_msg: entered_review_mode", "event_msg: exited_review_mode", "event_msg: error"),
        *("event_msg: undo_completed", "event_msg: sub_agent_activity", "event_msg: image_generation_end"),
        *("event_msg: collab_agent_spawn_end", "event_msg: collab_agent_interaction_end"),
        *("event_msg: collab_waiting_end", "event_msg: collab_close_end", "event_msg: view_image_tool_call"),
        *("event_msg: dynamic_tool_call_request", "event_msg: dynamic_tool_call_response"),
        *("event_msg: patch_apply_end", "event_msg: web_search_end", "event_msg: agent_reasoning_raw_content"),
        *("event_msg: agent_reasoning_section_break", "event_msg: turn_diff", "event_msg: patch_apply_begin"),
        *("event_msg: exec_command_begin", "event_msg: mcp_tool_call_begin", "event_msg: exec_command_output_delta"),
    )
)
"""Kinds of lines that tell nothing of their own: they repeat what stands elsewhere, or are the host's bookkeeping."""


class Codex:
    """Reads the lines of one rollout."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        self.calls = Calls()
        self._tally = tally
        self._session = carried.get("session", "") or source.path.stem
        self._agent = carried.get("agent", "")
        self._cwd = carried.get("cwd", "")
        self._begun = "session" in carried

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        payload = member(record, "payload") or record
        kind = text_of(record, "type") if payload is not record else "response_item"
        at = milliseconds(record.get("timestamp"))
        inner = text_of(payload, "type")
        base = TranscriptEvent(Role.USER, "", "", self._session, self._agent, cwd=self._cwd, at=at)
        if kind == "session_meta" or (payload is record and not inner):
            self._meta(payload)
        elif kind == "turn_context":
            self._cwd = text_of(payload, "cwd") or self._cwd
        elif kind == "compacted" and text_of(payload, "message").strip():
            yield base._replace(role=Role.SYSTEM, text=text_of(payload, "message"), summary=True)
            return
        elif kind == "response_item" and inner == "message":
            yield from self._message(payload, base)
            return
        elif kind == "response_item" and inner in _CALLS:
            yield from self._call(payload, base)
            return
        elif kind == "response_item" and inner in _RESULTS:
            yield from self._result(payload, base)
            return
        elif kind == "event_msg" and inner in ("exec_command_end", "mcp_tool_call_end"):
            yield from self._displayed(payload, base)
            return
        self._tally.sort(f"{kind}: {inner}" if inner and payload is not record else kind, _LEFT_OUT)

    def finish(self) -> Iterator[TranscriptEvent]:
        return iter(())

    def carried(self) -> Mapping[str, str]:
        return {"session": self._session, "agent": self._agent, "cwd": self._cwd} if self._begun else {}

    def _meta(self, payload: Mapping[str, Any]) -> None:
        """The head of a rollout. In one that was forked, those of the earlier ones follow it."""
        if self._begun:
            return
        own = text_of(payload, "id")
        spawned = member(member(member(payload, "source"), "subagent"), "thread_spawn")
        parent = text_of(payload, "parent_thread_id") or text_of(spawned, "parent_thread_id")
        self._begun = True
        self._session, self._agent = (parent, own) if parent and own else (own or self._session, "")
        self._cwd = text_of(payload, "cwd")

    def _message(self, payload: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        role = text_of(payload, "role")
        said = words(payload.get("content"), self._tally, ("input_image", "input_audio"))
        if role not in ("user", "assistant"):
            self._tally.skipped[f"message of the {role or 'unknown'}"] += 1
        elif not said.strip() or (role == "user" and said.lstrip().startswith(_SCAFFOLDING)):
            self._tally.skipped["user: written by the host" if role == "user" else "assistant: without a text"] += 1
        else:
            if role == "user":
                yield from self.calls.give_up(base.session, base.agent)
            name = text_of(payload, "id")
            yield base._replace(role=Role(role), name=f"{role}:{name}" if name else "", text=said)

    def _call(self, payload: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        tool = text_of(payload, "name") or text_of(member(payload, "function"), "name")
        if namespace := text_of(payload, "namespace"):
            tool = f"{namespace.removesuffix('__')}__{tool}"
        kind = text_of(payload, "type")
        tool = tool or {"local_shell_call": "shell", "tool_search_call": "tool_search"}.get(kind, "")
        arguments = _first(payload, "arguments", "input", "action")
        call = base._replace(role=Role.TOOL, tool=tool, tool_input=input_text(arguments))
        yield from self.calls.begin(text_of(payload, "call_id"), call)

    def _result(self, payload: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        text, status = _output(_first(payload, "output", "result", "tools"))
        result = base._replace(role=Role.TOOL, text=text, exit_status=status)
        yield from self.calls.end(text_of(payload, "call_id"), result)

    def _displayed(self, payload: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        """What was displayed of a call when it ended: the whole output of a command and its status."""
        call_id, invocation = text_of(payload, "call_id"), member(payload, "invocation")
        status = payload.get("exit_code")
        outcome = member(payload, "result")
        text = text_of(payload, "aggregated_output") or text_of(payload, "stdout", "stderr")
        if invocation:
            text = output_text(outcome.get("Ok", outcome.get("Err")))
        tool, arguments = "shell", payload.get("command")
        if invocation:
            tool = f"mcp__{text_of(invocation, 'server')}__{text_of(invocation, 'tool')}"
            arguments = invocation.get("arguments")
        elif is_list(arguments):
            arguments = {"command": arguments}
        # A command that the user gave, and a tool called from code, have no call among the exchanged items.
        call = base._replace(role=Role.TOOL, tool=tool, tool_input=input_text(arguments))
        yield from self.calls.begin(call_id, call)
        known = isinstance(status, int) and not isinstance(status, bool)
        yield from self.calls.end(call_id, base._replace(text=text, exit_status=status if known else None))


def _first(payload: Mapping[str, Any], *names: str) -> object:
    return next((payload[name] for name in names if payload.get(name) is not None), None)


def _output(output: object) -> tuple[str, int | None]:
    """The text of a result and the exit status that it tells."""
    if isinstance(output, str) and output.startswith("{"):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return str(output), None
    if is_object(output):
        status = output.get("exitCode", output.get("exit_code", member(output, "metadata").get("exit_code")))
        inner = output.get("output", output.get("text"))
        text = inner if isinstance(inner, str) else output_text(output)
        known = isinstance(status, int) and not isinstance(status, bool)
        return text, status if known else stated_status(text)
    text = output_text(output)
    return text, stated_status(text)


def homes() -> Sequence[Path]:
    """The folders of the sessions and of the archived ones, which `$CODEX_HOME` moves."""
    home = Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex")
    return home / "sessions", home / "archived_sessions"


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The rollouts in a file or folder."""
    del folders  # every rollout names its folder
    for file in files_below(path, (".jsonl",)):
        yield Source(file)


def fits(record: Record) -> bool:
    """Whether a line is of a rollout."""
    return "payload" in record and "type" in record


FORMAT = Format("codex", HOST, Codex, homes, find, fits, resumes=True)
