"""What a tool call says of itself: which files it writes or reads, which command it runs, whether it failed.

Only the names that hosts give to their tools and parameters are known here; a tool that follows none of the customs
says nothing, and nothing is guessed of it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from moored.store.rows import Call

LONGEST = 500_000
"""Characters of a tool's input that are read; a longer one says nothing."""

_PATHS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "filename", "file")
_COMMANDS = ("command", "cmd", "script")
_EDITOR_VERBS = frozenset({"view", "create", "str_replace", "insert", "undo_edit"})
_WRITES = ("edit", "write", "patch", "replace", "create", "insert", "delete", "rename", "move")
_READS = ("read", "view", "open", "cat")
_PATCH = "*** Begin Patch"
_FAILED = r"\s*(?:<tool_use_error>|error\b|failed\b|exit code [1-9]|traceback \(most)"


class Deed(NamedTuple):
    """What a call did: the files that it wrote and read as the host names them, the command that it ran, or empty."""

    call: Call
    writes: tuple[str, ...]
    reads: tuple[str, ...]
    command: str
    failed: bool


def deed(call: Call) -> Deed:
    """Read a tool call."""
    arguments = arguments_of(call)
    paths = tuple(value for name in _PATHS if (value := _line(arguments.get(name))))[:1]
    command = "" if paths and arguments.get("command") in _EDITOR_VERBS else _command(call, arguments)
    name = call.tool.lower()
    writes, reads = (), ()
    if _PATCH in call.input:
        writes, command = patched(_text_of_patch(call, arguments)), ""
    elif paths and arguments.get("command") == "view":
        reads = paths
    elif paths and any(word in name for word in _WRITES):
        writes = paths
    elif paths and any(word in name for word in _READS):
        reads = paths
    return Deed(call, writes, reads, command, failed(call))


def failed(call: Call) -> bool:
    """Whether a call surely failed: by its exit status, or, where it has none, by an error as all that it gave back."""
    if call.exit_status is not None:
        return call.exit_status != 0
    return bool(re.match(_FAILED, call.begins, re.IGNORECASE))


def arguments_of(call: Call) -> dict[str, Any]:
    """The parameters of a call by name; empty when its input is no JSON object."""
    if not call.input.lstrip().startswith("{") or len(call.input) > LONGEST:
        return {}
    try:
        arguments = json.loads(call.input)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {}


def patched(patch: str) -> tuple[str, ...]:
    """The files that a patch of the form `*** Begin Patch` changes, in its order."""
    found = re.findall(r"^\*\*\* (?:Update File|Add File|Delete File|Move to): (.+?)\s*$", patch, re.MULTILINE)
    return tuple(dict.fromkeys(found))


def _command(call: Call, arguments: dict[str, Any]) -> str:
    """The command line of a call on one line; without JSON, an input with an exit status is one."""
    for name in _COMMANDS:
        value = arguments.get(name)
        if isinstance(value, list):
            words = [str(word) for word in cast("list[object]", value)]
            # Hosts wrap a line in a shell: what was asked for is the line.
            return " ".join(" ".join(words[2:] if words[1:2] in (["-lc"], ["-c"]) else words).split())
        if isinstance(value, str):
            return " ".join(value.split())
    plain = not call.input.lstrip().startswith("{")
    return " ".join(call.input.strip().removeprefix("$ ").split()) if plain and call.exit_status is not None else ""


def _line(value: object) -> str:
    """A text on one line, as a path is; empty for anything else."""
    return value if isinstance(value, str) and value.strip() and "\n" not in value and len(value) < 1_000 else ""


def _text_of_patch(call: Call, arguments: dict[str, Any]) -> str:
    values = (cast("list[object]", value) if isinstance(value, list) else [value] for value in arguments.values())
    texts = [str(item) for several in values for item in several]
    return "\n".join(texts) or call.input
