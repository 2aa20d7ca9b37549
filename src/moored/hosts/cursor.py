"""Cursor: agent hooks by its documentation of 2026-08, shapes of results as seen in Cursor 3.7.

One tool call sets off several hooks. A call is taken from `postToolUse` and `postToolUseFailure`, which have its id and
its exit status, but a call of an MCP tool from `afterMCPExecution`, which alone names the server. The other hooks of
the same call are not read. The user's e-mail address, which stands in every payload, is never looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moored.hosts import fields
from moored.hosts.port import Adapter, Happening, Moment
from moored.record import tool_text
from moored.record.tool_text import is_list

if TYPE_CHECKING:
    from moored.hosts.edits import Setup, Site

NAME = "cursor"

MOMENTS = {
    "sessionStart": Moment.START,
    "beforeSubmitPrompt": Moment.PROMPT,
    "postToolUse": Moment.TOOL_DONE,
    "afterMCPExecution": Moment.TOOL_DONE,
    "postToolUseFailure": Moment.TOOL_FAILED,
    "afterAgentResponse": Moment.TURN_END,
    "preCompact": Moment.COMPACTING,
    "sessionEnd": Moment.SESSION_END,
    "subagentStart": Moment.SUBAGENT_START,
    "subagentStop": Moment.SUBAGENT_END,
}

EDITS = frozenset({"Write", "Edit", "MultiEdit", "StrReplace", "Delete", "EditNotebook", "NotebookEdit", "ApplyPatch"})
"""The tools that write files."""

SHELLS = frozenset({"Shell", "Bash"})

_TAKES_CONTEXT = frozenset({"sessionStart", "postToolUse"})
_MCP = "MCP:"
FROM_CLAUDE_CODE = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "PreCompact": "preCompact",
    "SessionEnd": "sessionEnd",
    "SubagentStop": "subagentStop",
}


def read(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read an event of Cursor."""
    moment = MOMENTS.get(event)
    match moment:
        case None:
            return None
        case Moment.TOOL_DONE | Moment.TOOL_FAILED:
            return _mcp(payload) if event == "afterMCPExecution" else _tool(moment, payload)
        case Moment.PROMPT:
            return _message(moment, payload, fields.text(payload, "prompt"), source="user")
        case Moment.TURN_END:
            return _message(moment, payload, fields.text(payload, "text"))
        case Moment.SUBAGENT_START | Moment.SUBAGENT_END:
            return _subagent(moment, payload)
        case Moment.START:
            return _happening(moment, payload, source="startup")
        case _:
            return _happening(moment, payload, source=fields.text(payload, "trigger", "reason"))


def read_as_claude_code(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read an event that Cursor sent to a hook set up for Claude Code, under Claude Code's name of the event.

    At the end of a turn Claude Code's hooks have no counterpart of `afterAgentResponse`: the assistant's message is
    taken from the transcript, and is the same episode where both came in.
    """
    if event == "Stop":
        transcript = fields.text(payload, "transcript_path")
        return _message(Moment.TURN_END, payload, fields.last_assistant_text(transcript) if transcript else "")
    return read(FROM_CLAUDE_CODE.get(event, ""), payload)


def answer(event: str, text: str) -> Mapping[str, Any] | None:
    """Hand a text to the model where Cursor takes one: not before a prompt and not before a tool."""
    return {"additional_context": text} if event in _TAKES_CONTEXT else None


def _happening(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening:
    told.setdefault("session", fields.text(payload, "conversation_id", "session_id"))
    told.setdefault("transcript", fields.text(payload, "transcript_path"))
    return Happening(moment=moment, host=NAME, cwd=_folder(payload), **told)


def _folder(payload: Mapping[str, Any]) -> str:
    """Give the folder of an event, else the first root of the workspace. On Windows a root may read `/c:/folder`."""
    roots = payload.get("workspace_roots")
    named = [root for root in roots if isinstance(root, str) and root] if is_list(roots) else []
    root = named[0] if named else ""
    return fields.text(payload, "cwd") or (root[1:] if root.startswith("/") and root[2:3] == ":" else root)


def _message(moment: Moment, payload: Mapping[str, Any], said: str, **told: Any) -> Happening | None:
    """Give what was said, known again by the generation to which it belongs. Nothing said is nothing to remember."""
    if not said:
        return None
    return _happening(moment, payload, text=said, event=fields.text(payload, "generation_id"), **told)


def _subagent(moment: Moment, payload: Mapping[str, Any]) -> Happening:
    """Read the start or end of a sub-agent. Its end does not repeat its id, its type has to do then."""
    return _happening(
        moment,
        payload,
        session=fields.text(payload, "parent_conversation_id", "conversation_id", "session_id"),
        agent=fields.text(payload, "subagent_id", "tool_call_id", "subagent_type"),
        text=fields.text(payload, "summary") if moment is Moment.SUBAGENT_END else "",
        transcript=fields.text(payload, "agent_transcript_path"),
    )


def _tool(moment: Moment, payload: Mapping[str, Any]) -> Happening | None:
    tool, arguments = fields.text(payload, "tool_name"), fields.decoded(payload.get("tool_input"))
    done = moment is Moment.TOOL_DONE
    if not tool or (done and tool.startswith(_MCP)):
        return None
    result = fields.decoded(payload.get("tool_output", payload.get("tool_response")))
    output = tool_text.output_text(result, tool) if done else fields.text(payload, "error_message", "error")
    status = tool_text.exit_status(result) if done else tool_text.stated_exit_status(output)
    paths = fields.file_paths(arguments) or fields.patched_paths(tool_text.input_text(arguments))
    return _happening(
        moment,
        payload,
        event=fields.text(payload, "tool_use_id"),
        tool=tool,
        tool_input=tool_text.input_text(arguments),
        tool_output=output,
        exit_status=status if tool in SHELLS else None,
        paths=paths if tool in EDITS else (),
    )


def _mcp(payload: Mapping[str, Any]) -> Happening | None:
    """Read a call of an MCP tool, named the way that the other hosts name it: `mcp__server__tool`.

    Versions that do not name the server show how it is started.
    """
    tool = fields.text(payload, "tool_name")
    if not tool:
        return None
    server = fields.text(payload, "mcp_server_name")
    programs = {word.replace("\\", "/").rpartition("/")[2] for word in fields.text(payload, "command").split()}
    if not server and programs & {"moored", "moored.exe"}:
        server = "moored"
    return _happening(
        Moment.TOOL_DONE,
        payload,
        tool=f"mcp__{server}__{tool}" if server else f"{_MCP}{tool}",
        tool_input=tool_text.input_text(fields.decoded(payload.get("tool_input"))),
        tool_output=tool_text.output_text(fields.decoded(payload.get("result_json"))),
    )


ADAPTER = Adapter(name=NAME, moments=MOMENTS, read=read, answer=answer)


def setup(site: Site) -> Setup:
    """What is written so that Cursor runs moored."""
    from moored.hosts.edits import SERVER, Given, Member, Setup, Target, Whole, asset, flat, skill

    users = site.home / ".cursor"
    folder = users if site.project is None else site.project / ".cursor"
    if site.project is None:
        told = skill(folder / "skills")
    else:
        head = "---\ndescription: When to use the memory of this project\nalwaysApply: true\n---\n\n"
        told = Target(folder / "rules" / "moored.mdc", (Whole(head + asset("rules.md")),))
    return Setup(
        title="Cursor",
        programs=("cursor", "cursor-agent"),
        folders=(users,),
        targets=(
            Target(folder / "mcp.json", (Member(("mcpServers", SERVER), site.stdio()),)),
            Target(folder / "hooks.json", (Given(("version",), 1), flat(ADAPTER, site))),
            told,
        ),
        hints=("Cursor hands a model no text before a prompt: what matters to a prompt it has to recall itself.",),
    )
