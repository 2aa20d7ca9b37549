"""VS Code and Copilot CLI: agent hooks by their documentation of 2026-06 to 2026-07.

Both read the same hook files and send JSON like that of Claude Code: VS Code with `sessionId` and tool names of its
own; Copilot CLI, for events that are named like these, with `session_id` and its result in `tool_result`. By the name
of the session's id the two are told apart.

`PreToolUse` is not among the events: Copilot CLI denies the tool call when such a hook cannot be run, which a memory
that was removed would turn into a tool that is blocked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moored.hosts import fields
from moored.hosts.port import Adapter, Happening, Moment
from moored.record import tool_text

if TYPE_CHECKING:
    from moored.hosts.edits import Setup, Site

NAME = "vscode"
COPILOT = "copilot"
"""The host under which what Copilot CLI sends stands in the record."""

MOMENTS = {
    "SessionStart": Moment.START,
    "UserPromptSubmit": Moment.PROMPT,
    "PostToolUse": Moment.TOOL_DONE,
    "PostToolUseFailure": Moment.TOOL_FAILED,
    "Stop": Moment.TURN_END,
    "PreCompact": Moment.COMPACTING,
    "SessionEnd": Moment.SESSION_END,
    "SubagentStart": Moment.SUBAGENT_START,
    "SubagentStop": Moment.SUBAGENT_END,
}

EDITS = frozenset({
    "apply_patch", "applyPatch", "create", "createFile", "create_file", "edit", "editFiles", "edit_notebook_file",
    "insert_edit_into_file", "multi_replace_string_in_file", "replace_string_in_file", "str_replace_editor",
    "Edit", "MultiEdit", "NotebookEdit", "Write",
})  # fmt: skip
"""The tools that write files, by the names of VS Code, of Copilot CLI and of Claude Code."""

SHELLS = frozenset({"run_in_terminal", "runTerminalCommand", "runInTerminal", "bash", "powershell", "Bash"})

_TAKES_CONTEXT = frozenset({"SessionStart", "PostToolUse", "SubagentStart"})
_EXITED = "<exited with exit code "


def read(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read an event of VS Code or of Copilot CLI."""
    moment = MOMENTS.get(event)
    match moment:
        case None:
            return None
        case Moment.TOOL_DONE | Moment.TOOL_FAILED:
            return _tool(moment, payload)
        case Moment.PROMPT:
            return _message(moment, payload, fields.text(payload, "prompt"), source="user")
        case Moment.TURN_END | Moment.SUBAGENT_END:
            said = fields.text(payload, "last_assistant_message", "response") or _last_words(moment, payload)
            return _message(moment, payload, said)
        case Moment.START:
            source = fields.text(payload, "source")
            return _happening(moment, payload, source="resume" if source == "resume" else "startup")
        case _:
            return _happening(moment, payload, source=fields.text(payload, "trigger", "reason"))


def answer(event: str, text: str) -> Mapping[str, Any] | None:
    """Hand a text to the model where these hosts take one: VS Code in the event's own member, Copilot CLI above it."""
    return {**fields.context(event, text), "additionalContext": text} if event in _TAKES_CONTEXT else None


def _happening(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening:
    """Give a happening. All hooks of one event are sent the same time, by which it is known again if it has no id."""
    stamp, session = fields.text(payload, "timestamp"), fields.text(payload, "sessionId")
    told["event"] = told.get("event") or stamp
    return Happening(
        moment=moment,
        host=NAME if session else COPILOT,
        session=session or fields.text(payload, "session_id"),
        cwd=fields.text(payload, "cwd"),
        agent=fields.text(payload, "agent_id"),
        transcript=fields.text(payload, "transcript_path"),
        at=fields.milliseconds(stamp),
        **told,
    )


def _message(moment: Moment, payload: Mapping[str, Any], said: str, **told: Any) -> Happening | None:
    return _happening(moment, payload, text=said, **told) if said else None


def _last_words(moment: Moment, payload: Mapping[str, Any]) -> str:
    """Give the end of a turn from the transcript. The transcript is that of the session, so it holds no sub-agent's."""
    transcript = fields.text(payload, "transcript_path")
    return fields.last_assistant_text(transcript) if transcript and moment is Moment.TURN_END else ""


def _tool(moment: Moment, payload: Mapping[str, Any]) -> Happening | None:
    tool, arguments = fields.text(payload, "tool_name"), fields.decoded(payload.get("tool_input"))
    if not tool:
        return None
    if moment is Moment.TOOL_FAILED:
        output, result = fields.text(payload, "error"), None
    else:
        result = payload.get("tool_response")
        output = fields.text(fields.member(payload, "tool_result"), "text_result_for_llm")
        output = output or tool_text.output_text(result, tool)
    status = None
    if tool in SHELLS:
        output, status = _command(output)
        status = tool_text.exit_status(result) if status is None else status
    given = tool_text.input_text(arguments)
    return _happening(
        moment,
        payload,
        event=fields.text(payload, "tool_use_id") or fields.call_at(fields.text(payload, "timestamp"), tool, given),
        tool=tool,
        tool_input=given,
        tool_output=output,
        exit_status=status,
        paths=(fields.file_paths(arguments) or _patched(arguments, given)) if tool in EDITS else (),
    )


def _patched(arguments: object, given: str) -> tuple[str, ...]:
    patch = fields.text(arguments, "input", "patch") if tool_text.is_object(arguments) else given
    return fields.patched_paths(patch)


def _command(output: str) -> tuple[str, int | None]:
    """Take the line off the end of an output with which Copilot CLI states the exit status."""
    before, mark, after = output.rstrip().rpartition(_EXITED)
    status = tool_text.whole_number(after.removesuffix(">")) if mark and after.endswith(">") else None
    return (before, status) if status is not None else (output, None)


ADAPTER = Adapter(name=NAME, moments=MOMENTS, read=read, answer=answer)


def setup(site: Site) -> Setup:
    """What is written so that VS Code and Copilot CLI run moored: both read the same hook files."""
    import json
    from pathlib import Path

    from moored.hosts.edits import SERVER, Member, Setup, Target, Whole, flat, skill

    match site.system:
        case "darwin":
            code = site.home / "Library" / "Application Support" / "Code"
        case "win32":
            code = Path(site.environment.get("APPDATA") or site.home / "AppData" / "Roaming") / "Code"
        case _:
            code = site.config / "Code"
    copilot = site.folder("COPILOT_HOME", ".copilot")
    server = {"type": "stdio", **site.stdio()}
    calls = {event: [{"type": "command", **call}] for event, call in flat(ADAPTER, site).elements.items()}
    hooks = Whole(json.dumps({"version": 1, "hooks": calls}, ensure_ascii=False, indent=2) + "\n")
    if site.project is None:
        mcp, folder = code / "User" / "mcp.json", copilot
        more = [Target(copilot / "mcp-config.json", (Member(("mcpServers", SERVER), site.stdio()),))]
    else:
        mcp, folder = site.project / ".vscode" / "mcp.json", site.project / ".github"
        more = []
    return Setup(
        title="VS Code and Copilot CLI",
        programs=("code", "copilot"),
        folders=(code, copilot),
        targets=(
            Target(mcp, (Member(("servers", SERVER), server),)),
            *more,
            Target(folder / "hooks" / "moored.json", (hooks,)),
            skill(folder / "skills"),
        ),
        hints=("VS Code asks whether to trust an MCP server when it starts it for the first time.",),
    )
