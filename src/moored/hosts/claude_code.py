"""Claude Code: hook events as of 2.1, by the type declarations of its agent SDK (0.3).

Cursor, VS Code and Copilot CLI can run the hooks that are set up for Claude Code. Their payloads are known by members
that Claude Code does not send, and are read and answered as those of the host that sent them, so that one event that
comes by two ways is recorded once and answered in a shape that its host knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moored.hosts import fields
from moored.hosts.port import Adapter, Happening, Moment
from moored.record import tool_text

if TYPE_CHECKING:
    from moored.hosts.edits import Setup, Site

NAME = "claude-code"

MOMENTS = {
    "SessionStart": Moment.START,
    "UserPromptSubmit": Moment.PROMPT,
    "PreToolUse": Moment.BEFORE_TOOL,
    "PostToolUse": Moment.TOOL_DONE,
    "PostToolUseFailure": Moment.TOOL_FAILED,
    "Stop": Moment.TURN_END,
    "PreCompact": Moment.COMPACTING,
    "PostCompact": Moment.COMPACTED,
    "SessionEnd": Moment.SESSION_END,
    "SubagentStart": Moment.SUBAGENT_START,
    "SubagentStop": Moment.SUBAGENT_END,
}

EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
"""The tools that write files."""

SHELLS = frozenset({"Bash", "PowerShell"})

CONTEXT_LIMIT = 10_000
"""The most additional context, in characters; of what is longer only the beginning is shown, and the rest is a file."""

_TAKES_CONTEXT = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"})


def read(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read an event of Claude Code, or of another host that runs the hooks of Claude Code."""
    if fields.text(payload, "cursor_version", "conversation_id"):
        from moored.hosts import cursor

        return cursor.read_as_claude_code(event, payload)
    if _is_of_vscode(payload):
        from moored.hosts import vscode

        return vscode.read(event, payload)
    moment = MOMENTS.get(event)
    match moment:
        case None:
            return None
        case Moment.BEFORE_TOOL | Moment.TOOL_DONE | Moment.TOOL_FAILED:
            return _tool(moment, payload)
        case Moment.PROMPT:
            said = fields.text(payload, "prompt")
            return _message(moment, payload, said, source=_prompt_source(payload, said))
        case Moment.TURN_END | Moment.SUBAGENT_END:
            return _spoken(moment, payload)
        case Moment.COMPACTED:
            return _message(moment, payload, fields.text(payload, "compact_summary"))
        case _:
            return _happening(moment, payload, source=fields.text(payload, "source", "trigger", "reason"))


def _is_of_vscode(payload: Mapping[str, Any]) -> bool:
    """Tell VS Code by the name of its session id, and Copilot CLI by a time with an event that is not Claude Code's."""
    claude = "/projects/" in fields.text(payload, "transcript_path").replace("\\", "/")
    return bool(fields.text(payload, "sessionId")) or (bool(fields.text(payload, "timestamp")) and not claude)


def answer(event: str, text: str) -> Mapping[str, Any] | None:
    """Hand a text to the model as additional context, where Claude Code takes it."""
    return fields.context(event, fields.fitted(text, CONTEXT_LIMIT)) if event in _TAKES_CONTEXT else None


def _answer_cursor(event: str, text: str) -> Mapping[str, Any] | None:
    """Answer Cursor in the shape of Claude Code, and in its own."""
    from moored.hosts import cursor

    own = cursor.answer(cursor.FROM_CLAUDE_CODE.get(event, ""), text)
    return {**fields.context(event, text), **own} if own else None


def _answer_vscode(event: str, text: str) -> Mapping[str, Any] | None:
    from moored.hosts import vscode

    return vscode.answer(event, text)


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
    """Give what was said, known again by the prompt to which it belongs. Nothing said is nothing to remember."""
    if not said:
        return None
    return _happening(moment, payload, text=said, event=fields.text(payload, "prompt_id"), **told)


def _prompt_source(payload: Mapping[str, Any], said: str) -> str:
    """Give who wrote a prompt. Versions that do not say run hooks for the user's prompts and for task notices."""
    notice = said.lstrip().startswith("<task-notification>")
    return fields.text(payload, "source") or ("system" if notice else "user")


def _spoken(moment: Moment, payload: Mapping[str, Any]) -> Happening | None:
    """Give the assistant's last message from the event, or from the end of the transcript of the agent that ended."""
    agents = moment is Moment.SUBAGENT_END
    transcript = fields.text(payload, "agent_transcript_path" if agents else "transcript_path")
    said = fields.text(payload, "last_assistant_message")
    if not said and transcript:
        said = fields.last_assistant_text(transcript, sidechain=agents)
    return _message(moment, payload, said, transcript=transcript)


def _tool(moment: Moment, payload: Mapping[str, Any]) -> Happening | None:
    tool, arguments = fields.text(payload, "tool_name"), payload.get("tool_input")
    paths = fields.file_paths(arguments) if tool in EDITS else ()
    if not tool or (moment is Moment.BEFORE_TOOL and not paths):
        return None
    output, status = "", None
    if moment is Moment.TOOL_DONE:
        result = payload.get("tool_response")
        output = tool_text.output_text(result, tool)
        status = tool_text.exit_status(result) if tool in SHELLS else None
    elif moment is Moment.TOOL_FAILED:
        output = fields.text(payload, "error")
        status = tool_text.stated_exit_status(output) if tool in SHELLS else None
    return _happening(
        moment,
        payload,
        event=fields.text(payload, "tool_use_id"),
        tool=tool,
        tool_input=tool_text.input_text(arguments),
        tool_output=output,
        exit_status=status,
        paths=paths,
    )


GUESTS = {"cursor": _answer_cursor, "vscode": _answer_vscode, "copilot": _answer_vscode}
ADAPTER = Adapter(name=NAME, moments=MOMENTS, read=read, answer=answer, guests=GUESTS)


def setup(site: Site) -> Setup:
    """What is written so that Claude Code runs moored."""
    from moored.hosts.edits import SERVER, Member, Setup, Target, grouped, skill

    users = site.folder("CLAUDE_CONFIG_DIR", ".claude")
    folder = users if site.project is None else site.project / ".claude"
    if site.project is not None:
        servers = site.project / ".mcp.json"
    else:
        servers = (users if site.environment.get("CLAUDE_CONFIG_DIR") else site.home) / ".claude.json"
    settings = users / "settings.json"
    plugged = settings.is_file() and b'"moored@' in settings.read_bytes()
    warning = ("The plugin of moored is there too. Keep one: `claude plugin disable moored` turns it off.",)
    return Setup(
        title="Claude Code",
        programs=("claude",),
        folders=(users,),
        targets=(
            Target(folder / "settings.json", (grouped(ADAPTER, site, {"PreToolUse": "|".join(sorted(EDITS))}),)),
            Target(servers, (Member(("mcpServers", SERVER), {"type": "stdio", **site.stdio()}),)),
            skill(folder / "skills"),
        ),
        hints=("Sessions that run already take it up when they are started again.", *(warning if plugged else ())),
    )
