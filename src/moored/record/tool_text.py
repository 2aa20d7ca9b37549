"""The result of a tool call as text: what the hooks keep of a call and what an import of its transcript keeps.

Hosts hand over a result as a string, as a list of content blocks, or as an object of the tool's own. A command's output
is kept verbatim. Of an edit, the hunks are kept as a unified diff; the copies of the whole file that some hosts send
along are not. What has no form of its own here becomes JSON with sorted keys. Standard library only, because the hooks
form the text before they answer.
"""

from __future__ import annotations

import json
from typing import Any, TypeGuard

_WHOLE_FILES = frozenset({"originalFile", "original_file", "updated_file"})
"""Members that repeat a whole file as it stood before or after an edit."""

_REPEATED = _WHOLE_FILES | {"content", "oldString", "newString", "new_source", "old_source"}
"""Members of an edit's result that the call itself holds already, or that repeat a whole file."""

_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_LISTINGS = frozenset({"Glob", "Grep", "LS"})


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether a value that came from JSON is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Tell whether a value that came from JSON is a list."""
    return isinstance(value, list)


def json_text(value: object) -> str:
    """Give a value that came from JSON as JSON with sorted keys."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return "[a value nested too deeply to be kept]"


def input_text(arguments: object) -> str:
    """Give what a tool was called with as text: a string as it is, nothing as an empty text, the rest as JSON."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json_text(arguments)


def output_text(result: object, tool: str = "") -> str:
    """Give what a tool gave back as text. `tool` is its name as the host spells it."""
    if result is None:
        return ""
    if isinstance(result, str):
        return result
    if is_list(result):
        return _blocks(result)
    if is_object(result):
        return _object(result, tool)
    return json_text(result)


def exit_status(result: object) -> int | None:
    """Give the exit status of a command as its result states or implies it, None when it does neither.

    A result with separate `stdout` and `stderr` is what Claude Code reports of a command that ended well. The status is
    unknown when the command was interrupted, still runs in the background, or ended with a status whose meaning the
    host explains instead of naming it.
    """
    if not is_object(result):
        return None
    metadata = result.get("metadata")
    for holder in (result, metadata if is_object(metadata) else {}):
        for name in ("exitCode", "exit_code", "exit"):
            status = holder.get(name)
            if isinstance(status, int) and not isinstance(status, bool):
                return status
    if not isinstance(result.get("stdout"), str) or "interrupted" not in result:
        return None
    unknown = ("interrupted", "backgroundTaskId", "returnCodeInterpretation")
    return None if any(result.get(name) for name in unknown) else 0


def stated_exit_status(text: str) -> int | None:
    """Give the exit status that the first line of an error states as `Exit code N`, None when it states none."""
    line = text[:200].partition("\n")[0].removeprefix("Error: ")
    words = line.removeprefix("Exit code").removeprefix(":").split(maxsplit=1)
    if not line.startswith("Exit code") or not words:
        return None
    return whole_number(words[0])


def whole_number(text: str) -> int | None:
    """Give the number that a text is, None when it is none or has more digits than an exit status can have."""
    digits = text.strip().removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= 10 else None


def _blocks(blocks: list[Any]) -> str:
    """Join content blocks, one under the other; a list of anything else is JSON."""
    if not all(is_object(block) and isinstance(block.get("type"), str) for block in blocks):
        return json_text(blocks)
    return "\n".join(_block(block) for block in blocks)


def _block(block: dict[str, Any]) -> str:
    text = block.get("text")
    if isinstance(text, str):
        return text
    resource = block.get("resource")
    if is_object(resource) and isinstance(resource.get("text"), str):
        return resource["text"]
    source = block.get("source")
    holder = source if is_object(source) else resource if is_object(resource) else block
    for name in ("data", "base64", "blob"):
        if isinstance(holder.get(name), str):
            kind = holder.get("media_type") or holder.get("mimeType") or block["type"]
            return left_out(kind, holder[name])
    return json_text(block)


def left_out(kind: object, data: str) -> str:
    """Say that data of a kind that is no text stood here."""
    return f"[{kind}: {len(data)} characters of base64 not kept]"


def _object(result: dict[str, Any], tool: str) -> str:
    stdout, stderr = result.get("stdout"), result.get("stderr")
    if isinstance(stdout, str):
        return under(stdout, stderr if isinstance(stderr, str) else "")
    if isinstance(result.get("output"), str) and exit_status(result) is not None:
        return result["output"]
    content = result.get("content")
    if is_list(content):
        return _blocks(content)
    if tool in _EDITS:
        return _edit(result)
    if tool == "Read" and is_object(result.get("file")):
        return _file(result, result["file"])
    if tool in _LISTINGS:
        return _listing(result)
    if tool == "WebFetch" and isinstance(result.get("result"), str):
        return result["result"]
    return json_text(result)


def under(first: str, second: str) -> str:
    """Put one text under another, where both say something."""
    return f"{first}\n{second}" if first and second and not first.endswith("\n") else first + second


def _edit(result: dict[str, Any]) -> str:
    """Give the hunks of an edit as a unified diff, or the rest of its result where it names none."""
    path, hunks = result.get("filePath"), result.get("structuredPatch")
    if isinstance(path, str) and is_list(hunks) and hunks and not result.get("staged"):
        texts = [_hunk(hunk) for hunk in hunks]
        if all(texts):
            return "\n".join([f"--- {path}", f"+++ {path}", *texts])
    return json_text({name: value for name, value in result.items() if name not in _REPEATED})


def _hunk(hunk: object) -> str:
    if not is_object(hunk) or not is_list(hunk.get("lines")):
        return ""
    spans = [hunk.get(name) for name in ("oldStart", "oldLines", "newStart", "newLines")]
    if not all(isinstance(span, int) for span in spans):
        return ""
    header = f"@@ -{spans[0]},{spans[1]} +{spans[2]},{spans[3]} @@"
    return "\n".join([header, *(line for line in hunk["lines"] if isinstance(line, str))])


def _file(result: dict[str, Any], file: dict[str, Any]) -> str:
    if isinstance(file.get("content"), str):
        return file["content"]
    if isinstance(file.get("base64"), str):
        return left_out(file.get("type") or result.get("type"), file["base64"])
    return json_text(result)


def _listing(result: dict[str, Any]) -> str:
    content, names = result.get("content"), result.get("filenames")
    if isinstance(content, str) and content:
        return content
    if is_list(names) and names and all(isinstance(name, str) for name in names):
        return "\n".join(names)
    return json_text(result)
