"""Command lines: the one in a tool's input, and which only look, so that what they printed tells no outcome."""

from __future__ import annotations

import json
import re
from typing import cast

from moored.model.text import fold

_LOOKING = frozenset(
    {
        "awk", "bat", "cat", "cd", "cut", "date", "df", "diff", "du", "echo", "egrep", "fd", "fgrep", "file", "find",
        "grep", "head", "jq", "less", "ls", "more", "nl", "printf", "pwd", "rg", "sed", "sort", "stat", "tail", "tree",
        "tr", "type", "uniq", "wc", "which",
    }
)  # fmt: skip
_LOOKING_GIT = frozenset({"blame", "diff", "grep", "log", "ls-files", "rev-parse", "show", "status"})
_CHANGING = frozenset({"-delete", "-exec", "-i", "--in-place"})
_NOWHERE = r"\d?>&\d|\d?>[ \t]*/dev/null"


def command_of(tool_input: str) -> str:
    """The command line in a tool's input, white space folded; empty when the input is not one.

    Hosts hand in either the line itself or a JSON object with it under `command` or `cmd`, as text or as a list.
    """
    stripped = tool_input.strip()
    if not stripped.startswith("{"):
        return fold(stripped.removeprefix("$ "))
    try:
        fields = json.loads(stripped)
    except (ValueError, RecursionError):
        return ""
    command = fields.get("command") or fields.get("cmd") or ""
    if isinstance(command, list):
        command = " ".join(str(part) for part in cast(list[object], command))
    return fold(command) if isinstance(command, str) else ""


def only_looks(line: str) -> bool:
    """Whether every command of a line is one that only prints what is there, and nothing of it goes into a file."""
    bare = re.sub(_NOWHERE, " ", line)
    commands = [words for part in re.split(r"[\n;|&]+", bare) if (words := part.split())]
    return bool(commands) and ">" not in bare and all(_looks(words) for words in commands)


def _looks(words: list[str]) -> bool:
    if words[0] == "git":
        return words[1:2] != [] and words[1] in _LOOKING_GIT
    return words[0] in _LOOKING and _CHANGING.isdisjoint(words)
