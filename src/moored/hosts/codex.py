"""Codex CLI: hook events by the schemas that its source generates.

Its payloads follow those of Claude Code, with differences that matter here: the result of a command is a bare text
without an exit status, a patch is the `command` of the tool `apply_patch`, and an answer with a member that the event's
schema does not know is refused whole. Before a tool it takes no text at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moored.hosts import fields
from moored.hosts.port import Adapter, Happening, Moment
from moored.record import tool_text
from moored.record.tool_text import is_object

if TYPE_CHECKING:
    from pathlib import Path

    from moored.hosts.edits import Setup, Site

NAME = "codex"

MOMENTS = {
    "SessionStart": Moment.START,
    "UserPromptSubmit": Moment.PROMPT,
    "PostToolUse": Moment.TOOL_DONE,
    "Stop": Moment.TURN_END,
    "PreCompact": Moment.COMPACTING,
    "SessionEnd": Moment.SESSION_END,
    "SubagentStart": Moment.SUBAGENT_START,
    "SubagentStop": Moment.SUBAGENT_END,
}

CONTEXT_LIMIT = 10_000
"""The most bytes of additional context: 2,500 tokens as Codex counts them, four bytes each. More goes to a file."""

_TAKES_CONTEXT = frozenset({"SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"})
_PATCH = "*** Begin Patch"


def read(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read an event of Codex."""
    moment = MOMENTS.get(event)
    match moment:
        case None:
            return None
        case Moment.TOOL_DONE:
            return _tool(payload)
        case Moment.PROMPT:
            return _message(moment, payload, fields.text(payload, "prompt"), source="user")
        case Moment.TURN_END | Moment.SUBAGENT_END:
            return _spoken(moment, payload)
        case _:
            return _happening(moment, payload, source=fields.text(payload, "source", "trigger", "reason"))


def answer(event: str, text: str) -> Mapping[str, Any] | None:
    """Hand a text to the model as additional context, where the event's schema has a place for it."""
    return fields.context(event, fields.fitted(text, CONTEXT_LIMIT)) if event in _TAKES_CONTEXT else None


def _happening(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening:
    told.setdefault("transcript", fields.text(payload, "transcript_path"))
    return Happening(
        moment=moment,
        host=NAME,
        session=fields.text(payload, "session_id"),
        cwd=fields.text(payload, "cwd"),
        agent=fields.text(payload, "agent_id"),
        **told,
    )


def _message(moment: Moment, payload: Mapping[str, Any], said: str, **told: Any) -> Happening | None:
    """Give what was said, known again by the turn to which it belongs. Nothing said is nothing to remember."""
    if not said:
        return None
    return _happening(moment, payload, text=said, event=fields.text(payload, "turn_id"), **told)


def _spoken(moment: Moment, payload: Mapping[str, Any]) -> Happening | None:
    transcript = fields.text(payload, "agent_transcript_path" if moment is Moment.SUBAGENT_END else "transcript_path")
    said = fields.text(payload, "last_assistant_message")
    if not said and transcript:
        said = fields.last_assistant_text(transcript)
    return _message(moment, payload, said, transcript=transcript)


def _tool(payload: Mapping[str, Any]) -> Happening | None:
    tool, arguments, result = fields.text(payload, "tool_name"), payload.get("tool_input"), payload.get("tool_response")
    if not tool:
        return None
    command = fields.text(arguments, "command", "input", "patch") if is_object(arguments) else ""
    return _happening(
        Moment.TOOL_DONE,
        payload,
        event=fields.text(payload, "tool_use_id"),
        tool=tool,
        tool_input=tool_text.input_text(arguments),
        tool_output=tool_text.output_text(result, tool),
        exit_status=tool_text.exit_status(result),
        paths=fields.patched_paths(command) if _PATCH in command else (),
    )


ADAPTER = Adapter(name=NAME, moments=MOMENTS, read=read, answer=answer)


def setup(site: Site) -> Setup:
    """What is written so that Codex runs moored."""
    from moored.hosts.edits import SERVER, Setup, Table, Target, grouped, skill

    users = site.folder("CODEX_HOME", ".codex")
    config = users / "config.toml"
    folder = users if site.project is None else site.project / ".codex"
    return Setup(
        title="Codex",
        programs=("codex",),
        folders=(users,),
        targets=(
            Target(folder / "config.toml", (Table(("mcp_servers", SERVER), site.stdio()),)),
            Target(folder / "hooks.json", (grouped(ADAPTER, site, {}),)),
            skill((site.project or site.home) / ".agents" / "skills"),
        ),
        hints=("Codex runs a hook only once you trust it: type /hooks in Codex and accept those of moored.",),
        hindrance=lambda: _hindrance(config, folder / "hooks.json"),
    )


def _hindrance(config: Path, hooks: Path) -> tuple[str, str] | None:
    """What keeps Codex from running our hooks.

    In its `config.toml` Codex keeps a hash of each hook that the user trusts, by `<file>:<event>:<group>:<command>`. A
    hook that has one may have changed since, which only Codex itself can tell.
    """
    import json
    import re
    import tomllib

    from moored.hosts.edits import HOOK

    try:
        kept = tomllib.loads(config.read_text(encoding="utf-8-sig"))
        listed = json.loads(hooks.read_text(encoding="utf-8-sig"))["hooks"]
        if kept.get("features", {}).get("hooks") is False:
            return "Hooks are turned off in Codex.", f"Set `hooks` under [features] in {config}."
        trusted = {key for key, state in kept.get("hooks", {}).get("state", {}).items() if state.get("trusted_hash")}
        ours = [
            f"{hooks}:{re.sub('(?<!^)(?=[A-Z])', '_', event).lower()}:{group}:{index}"
            for event, groups in listed.items()
            for group, held in enumerate(groups)
            for index, call in enumerate(held["hooks"])
            if HOOK in call.get("command", "")
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if waiting := len(set(ours) - trusted):
        told = f"{waiting} of {len(ours)} hooks were never trusted, so that Codex does not run them."
        return told, "Type /hooks in Codex and accept those of moored."
    return None
