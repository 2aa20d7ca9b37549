"""Oh My Pi, by way of an extension of ours (`shims/omp.js`) that sends what its events hold.

A sub-agent runs in a session of its own, whose file stands in a folder named like the file of the session that started
it: by that its events are put with that session. The extension takes an answer as `{"context": text}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moored.hosts import fields
from moored.hosts.port import Adapter, Happening, Moment
from moored.record import tool_text

if TYPE_CHECKING:
    from moored.hosts.edits import Setup, Site

NAME = "omp"

MOMENTS = {
    "session_start": Moment.START,
    "before_agent_start": Moment.PROMPT,
    "tool_call": Moment.BEFORE_TOOL,
    "tool_result": Moment.TOOL_DONE,
    "session_stop": Moment.TURN_END,
    "session_before_compact": Moment.COMPACTING,
    "session_compact": Moment.COMPACTED,
    "session_shutdown": Moment.SESSION_END,
}

EDITS = frozenset({"edit", "write", "apply_patch", "ast_edit"})
"""The tools that write files."""

SHELL = "bash"

_TAKES_CONTEXT = frozenset({"session_start", "before_agent_start", "tool_call"})
_OWN = "mcp__moored_"
"""How Oh My Pi begins the names of our tools; the other hosts put two underscores after the server."""


def read(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read what the extension for Oh My Pi sent."""
    moment = MOMENTS.get(event)
    match moment:
        case None:
            return None
        case Moment.BEFORE_TOOL | Moment.TOOL_DONE:
            return _tool(moment, payload)
        case Moment.PROMPT:
            return _message(moment, payload, source="agent" if _agent(payload) else "user")
        case Moment.TURN_END:
            return _message(Moment.SUBAGENT_END if _agent(payload) else moment, payload)
        case Moment.COMPACTED:
            return _message(moment, payload)
        case _:
            return _happening(moment, payload, source=fields.text(payload, "source"))


def answer(event: str, text: str) -> Mapping[str, Any] | None:
    """Hand a text to the extension, which hands it to the model."""
    return {"context": text} if event in _TAKES_CONTEXT else None


def _agent(payload: Mapping[str, Any]) -> str:
    agent = fields.member(payload, "agent")
    return fields.text(agent, "id") if fields.text(agent, "kind") == "sub" else ""


def _session(payload: Mapping[str, Any], agent: str) -> str:
    """Give the id of the session, for a sub-agent that of the session above it, where its file tells.

    A session's file is named `<time>_<id>.jsonl`, those of its sub-agents are in the folder `<time>_<id>`.
    """
    if agent:
        for folder in reversed(fields.text(payload, "sessionFile").replace("\\", "/").split("/")[:-1]):
            time, mark, session = folder.partition("_")
            if mark and session and time[:4].isdecimal():
                return session
    return fields.text(payload, "sessionId")


def _happening(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening:
    agent = _agent(payload)
    return Happening(
        moment=moment,
        host=NAME,
        session=_session(payload, agent),
        cwd=fields.text(payload, "cwd"),
        agent=agent,
        transcript=fields.text(payload, "sessionFile"),
        at=fields.number(payload, "at"),
        **told,
    )


def _message(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening | None:
    """Give what was said. A message has no id; its time, which the extension sends, tells it from a like one."""
    said, at = fields.text(payload, "text"), fields.number(payload, "at")
    return _happening(moment, payload, text=said, event="" if at is None else str(at), **told) if said else None


def _tool(moment: Moment, payload: Mapping[str, Any]) -> Happening | None:
    tool, arguments = fields.text(payload, "toolName"), payload.get("input")
    paths: tuple[str, ...] = ()
    if tool in EDITS and tool_text.is_object(arguments):
        paths = fields.file_paths(arguments) or fields.patched_paths(fields.text(arguments, "input", "patch"))
    if not tool or (moment is Moment.BEFORE_TOOL and not paths):
        return None
    before, failed, details = (
        moment is Moment.BEFORE_TOOL,
        bool(payload.get("isError")),
        fields.member(payload, "details"),
    )
    output = "" if before else tool_text.output_text(payload.get("content"))
    return _happening(
        Moment.TOOL_FAILED if failed and not before else moment,
        payload,
        event=fields.text(payload, "toolCallId"),
        tool=f"{_OWN}_{tool.removeprefix(_OWN).removeprefix('_')}" if tool.startswith(_OWN) else tool,
        tool_input=tool_text.input_text(arguments),
        tool_output=output if before else tool_text.under(output, fields.text(details, "diff")),
        exit_status=None if before or tool != SHELL else _exit_status(details, failed),
        paths=paths,
    )


def _exit_status(details: Mapping[str, Any], failed: bool) -> int | None:
    """Give the exit status of a command: named only when it is not 0, unknown while the command still runs."""
    status = fields.number(details, "exitCode")
    if status is not None:
        return status
    return None if failed or details.get("async") or details.get("timedOut") else 0


ADAPTER = Adapter(name=NAME, moments=MOMENTS, read=read, answer=answer)


def setup(site: Site) -> Setup:
    """What is written so that Oh My Pi runs moored."""
    from moored.hosts.edits import SERVER, Member, Setup, Target, Whole, shim, skill

    users = site.folder("PI_CODING_AGENT_DIR", ".omp/agent")
    folder = users if site.project is None else site.project / ".omp"
    return Setup(
        title="Oh My Pi",
        programs=("omp",),
        folders=(site.home / ".omp", users),
        targets=(
            Target(folder / "mcp.json", (Member(("mcpServers", SERVER), site.stdio()),)),
            Target(folder / "extensions" / "moored.js", (Whole(shim("omp.js", site.hook)),)),
            skill(folder / "skills"),
        ),
        hints=("Oh My Pi has a memory of its own (memory.backend), which is left as it is.",),
    )
