"""OpenCode, by way of a plugin of ours (`shims/opencode.js`) that sends what its hooks and events hold.

The events are named after OpenCode's own; `session.start` and `tool.error` are the plugin's. Every payload has the
`sessionID` in which something happened and the `rootID` of the session that the user talks to: where they differ, it
happened in a sub-agent. The plugin takes an answer as `{"context": text}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moored.hosts import fields
from moored.hosts.port import Adapter, Happening, Moment
from moored.record import tool_text

if TYPE_CHECKING:
    from moored.hosts.edits import Setup, Site

NAME = "opencode"

MOMENTS = {
    "session.start": Moment.START,
    "chat.message": Moment.PROMPT,
    "tool.execute.before": Moment.BEFORE_TOOL,
    "tool.execute.after": Moment.TOOL_DONE,
    "tool.error": Moment.TOOL_FAILED,
    "session.idle": Moment.TURN_END,
    "session.compacting": Moment.COMPACTING,
    "session.compacted": Moment.COMPACTED,
}

EDITS = frozenset({"edit", "write", "multiedit", "patch", "apply_patch"})
"""The tools that write files."""

_TAKES_CONTEXT = frozenset({"session.start", "chat.message", "tool.execute.before"})


def read(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read what the plugin for OpenCode sent."""
    moment = MOMENTS.get(event)
    match moment:
        case None:
            return None
        case Moment.BEFORE_TOOL | Moment.TOOL_DONE | Moment.TOOL_FAILED:
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
    """Hand a text to the plugin, which hands it to the model."""
    return {"context": text} if event in _TAKES_CONTEXT else None


def _agent(payload: Mapping[str, Any]) -> str:
    session = fields.text(payload, "sessionID")
    return session if session != (fields.text(payload, "rootID") or session) else ""


def _happening(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening:
    return Happening(
        moment=moment,
        host=NAME,
        session=fields.text(payload, "rootID", "sessionID"),
        cwd=fields.text(payload, "directory"),
        agent=_agent(payload),
        at=fields.number(payload, "at"),
        **told,
    )


def _message(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening | None:
    said = fields.text(payload, "text")
    return _happening(moment, payload, text=said, event=fields.text(payload, "messageID"), **told) if said else None


def _tool(moment: Moment, payload: Mapping[str, Any]) -> Happening | None:
    tool, arguments = fields.text(payload, "tool"), payload.get("args")
    paths: tuple[str, ...] = ()
    if tool in EDITS and tool_text.is_object(arguments):
        paths = fields.file_paths(arguments) or fields.patched_paths(fields.text(arguments, "patchText", "patch"))
    if not tool or (moment is Moment.BEFORE_TOOL and not paths):
        return None
    metadata = fields.member(payload, "metadata")
    output = fields.text(payload, "error") or tool_text.output_text(payload.get("output"))
    return _happening(
        moment,
        payload,
        event=fields.text(payload, "callID"),
        tool=tool,
        tool_input=tool_text.input_text(arguments),
        tool_output="" if moment is Moment.BEFORE_TOOL else tool_text.under(output, fields.text(metadata, "diff")),
        exit_status=fields.number(metadata, "exit"),
        paths=paths,
    )


ADAPTER = Adapter(name=NAME, moments=MOMENTS, read=read, answer=answer)


def setup(site: Site) -> Setup:
    """What is written so that OpenCode runs moored."""
    from moored.hosts.edits import SERVER, Member, Setup, Target, Whole, shim, skill

    users = site.config / "opencode"
    if site.project is None:
        places, folder = users, users
    else:
        places, folder = site.project, site.project / ".opencode"
    there = (places / name for name in ("opencode.jsonc", "opencode.json"))
    config = next((place for place in there if place.exists()), places / "opencode.json")
    server = {"type": "local", "command": [*site.server, "serve"]}
    return Setup(
        title="OpenCode",
        programs=("opencode",),
        folders=(users,),
        targets=(
            Target(config, (Member(("mcp", SERVER), server),)),
            Target(folder / "plugins" / "moored.js", (Whole(shim("opencode.js", site.hook)),)),
            skill(folder / "skills"),
        ),
        hints=("OpenCode reads its plugins when it starts.",),
    )
