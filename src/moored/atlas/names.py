"""Names in a text: the pieces of prose that look like symbols, configuration keys, files and commands.

Only the form is judged here; whether a name stands for anything is for the ledger to say. Blocks of code between
fences, addresses of the web and of mail are left out: they quote, and name nothing of the project.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCED = re.compile(r"(?ms)^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)")
_ELSEWHERE = re.compile(r"\b[A-Za-z][\w+.-]{0,20}://\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,255}")
_TICKED = re.compile(r"`([^`\n]{1,300})`")
_TOKEN = re.compile(r"""((?:[^\s`"'<>{},;!?()\[\]|=*]|\[\d{1,5}\])+)(\((?:\.\.\.)?\))?""")
_CALL = re.compile(r"\([^()]*\)$")
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
_KEY_PART = re.compile(r"[\w$-]+(?:\[\d+\])*")
_LINE = re.compile(r"(.+?)(?::|#L)(\d{1,7})(?:[-:]L?\d+)?")
_EXTENSION = re.compile(r"[^/\\]\.[A-Za-z]\w{0,9}$")
_RECEIVER = re.compile(r"^(?:self|this|cls)\.")

LONGEST = 300
"""Characters of the longest piece of text that is taken for a name, a path or a command."""


class Mention(NamedTuple):
    """A piece of text that may stand for something in the project.

    `text` is as written. `path` is the part that must be a file, `line` the line named with it or 0; `name` is the
    name of a symbol or key, with dots for whatever separators were written, and `command` a command line. `marked`
    says that the writer put it in back-ticks.
    """

    text: str
    path: str = ""
    line: int = 0
    name: str = ""
    command: str = ""
    marked: bool = False


def mentions(text: str) -> tuple[Mention, ...]:
    """Everything in a text that has the form of a name, each once, in order of appearance.

    In plain prose a word counts only if it has an underscore, a capital inside, a dot, a slash or call parentheses.
    """
    return tuple({(m.path, m.line, m.name, m.command): m for m in reversed([*_scan(text)])}.values())[::-1]


def looks_like_path(text: str) -> bool:
    """Whether a piece of text has the form of a file's path: a slash, or an extension at its end."""
    return "/" in text or bool(_EXTENSION.search(text))


def split_line(text: str) -> tuple[str, int]:
    """Divide `path:12`, `path:12-20` or `path#L12` into path and line; line 0 when none is named."""
    found = _LINE.fullmatch(text)
    return (found[1], int(found[2])) if found and looks_like_path(found[1]) else (text, 0)


def dotted(name: str) -> str:
    """A qualified name with dots for the separators of other languages (`A::b`, `A#b`), without its receiver."""
    return _RECEIVER.sub("", re.sub(r"::|#|->", ".", name))


def _scan(text: str) -> Iterator[Mention]:
    prose = _ELSEWHERE.sub(" ", _FENCED.sub("\n", text))
    at = 0
    for ticked in _TICKED.finditer(prose):
        yield from _in_prose(prose[at : ticked.start()])
        yield from _in_ticks(ticked[1].strip())
        at = ticked.end()
    yield from _in_prose(prose[at:])


def _in_prose(prose: str) -> Iterator[Mention]:
    for found in _TOKEN.finditer(prose):
        token = found[1].rstrip(".:").lstrip("@")
        mention = _mention(token, token + (found[2] or "")) if len(token) <= LONGEST else None
        if mention and (mention.path or found[2] or "." in token or _looks_like_a_name(mention.name)):
            yield mention


def _in_ticks(content: str) -> Iterator[Mention]:
    command = content.removeprefix("$ ").strip()
    if command != content or " " in content:
        yield Mention(content, command=" ".join(command.split()), marked=True)
        return
    mention = _mention(_CALL.sub("", content).lstrip("@"), content)
    if mention:
        yield Mention(content, mention.path, mention.line, mention.name, marked=True)


def _mention(token: str, text: str) -> Mention | None:
    token = token.removeprefix("./")
    left, separator, right = token.partition("::")
    if separator and looks_like_path(left):
        return Mention(text, path=left, name=dotted(right)) if right else None
    path, line = split_line(token)
    if line or "/" in token or (token.startswith(".") and len(token) > 1):
        return Mention(text, path=path, line=line)
    name = dotted(token)
    return Mention(text, name=name) if _is_name(name) else None


def _is_name(name: str) -> bool:
    first, *rest = name.split(".")
    if not rest:
        return bool(_IDENTIFIER.fullmatch(first) or (_KEY_PART.fullmatch(first) and not first[0].isdigit()))
    return not first[:1].isdigit() and all(_KEY_PART.fullmatch(part) for part in (first, *rest))


def _looks_like_a_name(name: str) -> bool:
    if "." in name:
        return True
    capital_inside = any(c.isupper() for c in name[1:]) and any(c.islower() for c in name)
    return bool(_IDENTIFIER.fullmatch(name)) and ("_" in name.strip("_") or capital_inside)
