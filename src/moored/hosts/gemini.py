"""Gemini CLI, and Antigravity CLI, which took over its hooks: events by the package `@google/gemini-cli-core` 0.61.

Neither a prompt nor a tool call has an id. What all hooks of one event have in common is its `timestamp`: by that an
event is known again where the same hook is registered twice, for example by the settings and by an extension.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moored.hosts import fields
from moored.hosts.port import Adapter, Happening, Moment
from moored.record import tool_text
from moored.record.tool_text import is_list, is_object

if TYPE_CHECKING:
    from moored.hosts.edits import Setup, Site

NAME = "gemini"

MOMENTS = {
    "SessionStart": Moment.START,
    "BeforeAgent": Moment.PROMPT,
    "AfterTool": Moment.TOOL_DONE,
    "AfterAgent": Moment.TURN_END,
    "PreCompress": Moment.COMPACTING,
    "SessionEnd": Moment.SESSION_END,
}

EDITS = frozenset({"write_file", "replace", "edit"})
"""The tools that write files."""

SHELL = "run_shell_command"

_TAKES_CONTEXT = frozenset({"SessionStart", "BeforeAgent", "AfterTool"})
_FRAME = ("<untrusted_context>\n", "\n</untrusted_context>")
_OUTPUT = "Output: "
_EXIT = "Exit Code: "
_NOT_OUTPUT = (_EXIT, "Process Group PGID: ", "Background PIDs: ")
"""How the lines begin that Gemini CLI writes under the output of a command and that say nothing to a reader of it."""


def read(event: str, payload: Mapping[str, Any]) -> Happening | None:
    """Read an event of Gemini CLI or of Antigravity CLI."""
    moment = MOMENTS.get(event)
    match moment:
        case None:
            return None
        case Moment.TOOL_DONE:
            return _tool(payload)
        case Moment.PROMPT:
            said = fields.text(payload, "prompt")
            return _happening(moment, payload, text=said, source="user") if said else None
        case Moment.TURN_END:
            said = fields.text(payload, "prompt_response")
            return _happening(moment, payload, text=said) if said else None
        case _:
            return _happening(moment, payload, source=fields.text(payload, "source", "trigger", "reason"))


def answer(event: str, text: str) -> Mapping[str, Any] | None:
    """Hand a text to the model as additional context, where Gemini CLI takes it."""
    return fields.context(event, text) if event in _TAKES_CONTEXT else None


def _happening(moment: Moment, payload: Mapping[str, Any], **told: Any) -> Happening:
    stamp = fields.text(payload, "timestamp")
    return Happening(
        moment=moment,
        host=NAME,
        session=fields.text(payload, "session_id"),
        cwd=fields.text(payload, "cwd"),
        event=told.pop("event", stamp),
        transcript=fields.text(payload, "transcript_path"),
        at=fields.milliseconds(stamp),
        **told,
    )


def _tool(payload: Mapping[str, Any]) -> Happening | None:
    tool, arguments, result = fields.text(payload, "tool_name"), payload.get("tool_input"), payload.get("tool_response")
    if not tool:
        return None
    failed = is_object(result) and bool(result.get("error"))
    given, output, status = tool_text.input_text(arguments), _result(result), None
    if tool == SHELL:
        output, status = _command(output)
    return _happening(
        Moment.TOOL_FAILED if failed else Moment.TOOL_DONE,
        payload,
        event=fields.call_at(fields.text(payload, "timestamp"), tool, given),
        tool=tool,
        tool_input=given,
        tool_output=output,
        exit_status=status,
        paths=fields.file_paths(arguments) if tool in EDITS else (),
    )


def _result(result: object) -> str:
    """Give the diff of an edit, else what the model was given, without the frame of untrusted content around it."""
    if not is_object(result):
        return tool_text.output_text(result)
    diff = fields.text(fields.member(result, "returnDisplay"), "fileDiff")
    if diff:
        return diff
    content = result.get("llmContent")
    parts = content if is_list(content) else [content]
    return "\n".join(_part(part) for part in parts)


def _part(part: object) -> str:
    if is_object(part):
        data = fields.member(part, "inlineData")
        if isinstance(data.get("data"), str):
            return tool_text.left_out(data.get("mimeType"), data["data"])
        part = part["text"] if isinstance(part.get("text"), str) else part
    return tool_text.output_text(part).removeprefix(_FRAME[0]).removesuffix(_FRAME[1])


def _command(text: str) -> tuple[str, int | None]:
    """Take the output and the exit status out of the report on a command. A status is only named when it is not 0."""
    if not text.startswith(_OUTPUT):
        return text, None
    lines, status = text.removeprefix(_OUTPUT).split("\n"), 0
    while len(lines) > 1 and lines[-1].startswith(_NOT_OUTPUT):
        line = lines.pop()
        if line.startswith(_EXIT):
            status = tool_text.whole_number(line.removeprefix(_EXIT))
    ended = not lines[-1].startswith(("Error: ", "Signal: "))
    output = "\n".join(lines)
    return "" if output == "(empty)" else output, status if ended else status or None


ADAPTER = Adapter(name=NAME, moments=MOMENTS, read=read, answer=answer)


def setup(site: Site) -> Setup:
    """What is written so that Gemini CLI and Antigravity run moored: both read the same folder."""
    from moored.hosts.edits import SERVER, Block, Member, Setup, Target, asset, grouped

    users = site.home / ".gemini"
    folder = users if site.project is None else site.project / ".gemini"
    server = Member(("mcpServers", SERVER), site.stdio())
    targets = [
        Target(folder / "settings.json", (server, grouped(ADAPTER, site, {}, per_second=1000))),
        Target((site.project or users) / "GEMINI.md", (Block(asset("rules.md")),)),
    ]
    if any((users / name).is_dir() for name in ("config", "antigravity", "antigravity-cli")):
        own = users / "config" if site.project is None else site.project / ".agents"
        targets.append(Target(own / "mcp_config.json", (server,)))
    return Setup(
        title="Gemini CLI and Antigravity",
        programs=("gemini", "agy"),
        folders=(users,),
        targets=tuple(targets),
        hints=("Gemini CLI asks once whether it may run hooks of a project; those of the user run unasked.",),
    )
