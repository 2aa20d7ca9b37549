"""How a command ended: as the host says, or as a known wrapper of shells writes above the output."""

from __future__ import annotations

import re

from moored.ledger.output.view import Found, View
from moored.model.facts import FactKind

SHELLS = frozenset({"bash", "shell", "exec_command", "local_shell", "run_shell_command", "run_in_terminal"})
"""Tools whose results start with a line or a short block that states the exit code."""

_FIRST_LINE = re.compile(rb"(?:Exit code:?|Process exited with code) (-?\d{1,10})")
_BLOCK_LINE = re.compile(rb"(?:Exit code:|Process exited with code) (-?\d{1,10})")
_BLOCK_LINES = 8


def extract(view: View, tool: str, status: int | None) -> Found:
    """Give the fact `exit-status`, or none when nobody stated it."""
    if status is not None:
        return Found([view.fact(FactKind.EXIT_STATUS, "exit-status", str(status), 0, 0, tag="int")])
    if tool.rpartition(".")[2].lower() not in SHELLS:
        return Found()
    lines = list(view.lines_from(0, _BLOCK_LINES))
    ends = [index for index, (start, end) in enumerate(lines) if view.plain[start:end] == b"Output:"]
    for index, (start, end) in enumerate(lines[: ends[0]] if ends else lines[:1]):
        match = (_FIRST_LINE if index == 0 else _BLOCK_LINE).fullmatch(view.plain[start:end])
        if match is not None:
            first, last = start + match.start(1), start + match.end(1)
            return Found([view.fact(FactKind.EXIT_STATUS, "exit-status", match[1].decode(), first, last, tag="int")])
    return Found()
