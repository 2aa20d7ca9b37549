"""A marked block of lines in a Markdown file that others write too."""

from __future__ import annotations

from moored.errors import InvalidInput

BEGIN = "<!-- moored: begin -->"
END = "<!-- moored: end -->"


def put(text: str, block: str) -> str:
    """Set the text of our block, which comes to stand at the end, behind a blank line, when it is not there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [BEGIN, *block.strip("\n").split("\n"), END]
    span = _span(text)
    if span:
        start, end = span
        return text[:start] + newline.join(lines) + text[end:]
    gap = "" if not text.strip("\ufeff") else newline if text.endswith("\n") else newline * 2
    return text + gap + newline.join(lines) + newline


def take(text: str) -> str:
    """Take our block out, with the line end behind it and the blank line before it."""
    span = _span(text)
    if not span:
        return text
    start, end = span
    after = text[end:].removeprefix("\r").removeprefix("\n")
    before = text[:start]
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2):
            before = before.removesuffix(newline)
            break
    return before + after


def _span(text: str) -> tuple[int, int] | None:
    """Where the block begins and ends. Raises `InvalidInput` when it begins and does not end."""
    start = text.find(BEGIN)
    if start < 0:
        return None
    end = text.find(END, start)
    if end < 0:
        line = text.count("\n", 0, start) + 1
        raise InvalidInput(f"line {line}: the block that begins here has no line '{END}'")
    return start, end + len(END)
