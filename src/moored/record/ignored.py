"""Which tool calls show what must not be kept: files made to hold secrets, and those that `.mooredignore` names.

Of such a call the fact that it was made is kept and what it showed is not. This is for the calls that say which file
they read; what else prints a secret is for redaction. Nothing heavier than the standard library is loaded unless the
tree has a `.mooredignore`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from moored.errors import MooredError
from moored.ledger.ignore import is_secret, never_read

NOT_KEPT = "[not kept: ignored path]"
"""What stands in place of a content that is not kept."""

PATH_FIELDS = frozenset(
    {
        "absolute_path", "absolutepath", "file", "file_path", "filename", "filepath", "files", "glob", "include",
        "input_path", "new_path", "notebook_path", "notebookpath", "old_path", "path", "paths", "relative_path",
        "target_file", "targetfile", "uri",
    }
)  # fmt: skip
"""Fields of a tool's input that name files, in lower case."""

COMMAND_FIELDS = frozenset(
    {"args", "argv", "bash", "cmd", "code", "command", "commandline", "input", "patch", "script"}
)
"""Fields of a tool's input that hold a command, a program or a patch, in lower case."""

CONTENT_FIELDS = frozenset(
    {
        "code_edit", "content", "contents", "diff", "edits", "file_text", "input", "insert_text", "instructions",
        "new_source", "new_str", "new_string", "old_str", "old_string", "patch", "replacement", "text",
    }
)  # fmt: skip
"""Fields of a tool's input that hold what is in a file or is to be, in lower case."""

READERS = frozenset(
    {
        "awk", "base64", "bat", "batcat", "cat", "cut", "diff", "egrep", "fgrep", "gawk", "gc", "get-content", "grep",
        "head", "hexdump", "jq", "less", "more", "nl", "od", "openssl", "paste", "rg", "sed", "sort", "strings", "tac",
        "tail", "tee", "type", "uniq", "view", "xxd", "yq",
    }
)  # fmt: skip
"""Commands that print what is in the files that they are given."""

PROGRAMS = frozenset({"bun", "deno", "node", "perl", "php", "python", "python2", "python3", "ruby"})
"""Commands that run a program, which may be given on the command line."""

_SIGNS = (".git", ".moored.toml", ".mooredignore")
_SHOWING_GIT = frozenset({"blame", "cat-file", "diff", "grep", "log", "show", "stash"})
_PROGRAM_FLAGS = frozenset({"-c", "-e", "-p", "-r", "--eval", "--print"})
_PREFIXES = frozenset({"builtin", "command", "env", "exec", "nice", "nohup", "sudo", "time", "xargs"})
_SHELLS = frozenset({"bash", "dash", "fish", "ksh", "pwsh", "sh", "zsh"})
_SECRET_FOLDERS = frozenset({".gnupg", ".ssh"})
_OPEN_IN_SSH = frozenset({"authorized_keys", "config", "known_hosts"})
_SECRET_ENDS = ((".aws", "config"), (".docker", "config.json"), (".kube", "config"))


def real_path(path: str) -> str:
    """A path with every link followed; as it is where that cannot be done."""
    try:
        return os.path.realpath(path)
    except OSError:
        return os.path.normpath(path)


def root_above(cwd: str) -> Path:
    """The folder that ignored paths are counted from: the nearest one upwards with a sign of a project's root."""
    folder = Path(cwd)
    for candidate in (folder, *folder.parents):
        if any((candidate / sign).exists() for sign in _SIGNS):
            return candidate
    return folder


def is_ignored(path: str, root: str | Path, *, real: Callable[[str], str] = real_path) -> bool:
    """Whether nothing of a file may be kept. A relative path is one in `root`, the root of the tree. Never raises.

    A link is judged by its own name and by what it leads to. While `.mooredignore` cannot be read, every file of the
    tree is ignored. `real` is for who asks often and remembers what links lead to.
    """
    named = path.removeprefix("file://")
    if not path or "\0" in path:
        return False
    full = os.path.normpath(os.path.join(root, os.path.expanduser(named)))  # noqa: PTH111, PTH118  # texts, and many
    bases = tuple(dict.fromkeys((os.path.normpath(root), real(str(root)))))
    return any(_is_ignored(one, bases) for one in dict.fromkeys((full, real(full))))


def withheld(tool_name: str, tool_input: str, root: str | Path, *, real: Callable[[str], str] = real_path) -> str:
    """The path for which the result of a tool call may not be kept, as the call names it; empty when there is none.

    `tool_input` is what the host handed in: JSON, or a command line; `real` as for `is_ignored`. Never raises.
    """
    del tool_name  # hosts call one tool by many names; what it is asked says what it reads
    for path in _paths(tool_input):
        if is_ignored(path, root, real=real):
            return path
    return ""


def without_content(tool_input: str) -> str:
    """A tool's input without what is in a file or is to be, for a call whose path is ignored. Never raises."""
    fields = _fields(tool_input)
    if fields is None:
        return tool_input if "\n" not in tool_input.strip() else NOT_KEPT
    try:
        return json.dumps(_emptied(fields), ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return NOT_KEPT


def _is_ignored(full: str, bases: Sequence[str]) -> bool:
    parts = full.split(os.sep)  # noqa: PTH206  # a text, and many
    name = parts[-1].replace("*", "")
    if is_secret(name) or tuple(parts[-2:]) in _SECRET_ENDS:
        return True
    if _SECRET_FOLDERS.intersection(parts[:-1]) and name not in _OPEN_IN_SSH and not name.endswith(".pub"):
        return True
    for base in bases:
        if full.startswith(base + os.sep):
            try:
                return never_read(Path(base))(full[len(base) + 1 :].replace(os.sep, "/"))
            except MooredError:
                return True
    return False


def _fields(tool_input: str) -> Mapping[str, Any] | None:
    if not tool_input.lstrip().startswith("{"):
        return None
    try:
        read = json.loads(tool_input)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", read) if isinstance(read, dict) else None


def _paths(tool_input: str) -> Iterator[str]:
    fields = _fields(tool_input)
    if fields is None:
        yield from _in_command(tool_input)
        return
    for name, text in _texts(fields):
        if name in PATH_FIELDS:
            yield text
        elif name in COMMAND_FIELDS:
            yield from _in_command(text)


def _texts(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts in a JSON document, each with the nearest key in lower case. The words of a list are one command."""
    waiting: list[tuple[str, object]] = [("", fields)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, Mapping):
            waiting += [(key.lower(), inner) for key, inner in cast("Mapping[str, object]", value).items()][::-1]
        elif isinstance(value, list):
            items = cast("list[object]", value)
            words = [item for item in items if isinstance(item, str)]
            if name in COMMAND_FIELDS and len(words) == len(items):
                yield name, " ".join(words)
            else:
                waiting += [(name, item) for item in items][::-1]


def _in_command(line: str) -> Iterator[str]:
    """The files that a command line prints, or that a patch changes, as far as it says so."""
    yield from (
        found.strip()
        for found in _pattern(r"^(?:\*\*\* (?:Add|Update|Delete) File: |[-+]{3} [ab]/)(.+)$").findall(line)
    )
    yield from _pattern(r"(?<![0-9<&])<[ \t]*([^\s\"'`;|&<>()]+)").findall(line)
    for part in _pattern(r"[\n;|&`]|\$\(").split(line):
        words = _pattern(r"[^\s\"'()<>,{}\[\]]+").findall(part)
        words = words[next((at for at, word in enumerate(words) if not _leads(word)), len(words)) :]
        if words and _shows(words[0].rpartition("/")[2].lower(), words[1:]):
            yield from (file for word in words[1:] if (file := _file_in(word)))


def _leads(word: str) -> bool:
    """Whether a word stands before a command: a variable, a prefix such as `sudo`, a shell, an option of either."""
    name = word.rpartition("/")[2]
    return (
        name in _PREFIXES or name in _SHELLS or _pattern(r"-.*|[A-Za-z_][A-Za-z0-9_]*=.*").fullmatch(word) is not None
    )


def _shows(command: str, words: list[str]) -> bool:
    """Whether a command prints what is in the files that it names."""
    if command in PROGRAMS:
        return bool(_PROGRAM_FLAGS.intersection(words))
    if command == "git":
        return bool(_SHOWING_GIT.intersection(words))
    return command in READERS


def _file_in(word: str) -> str:
    """The file that a word of a command names: of an option its value, of `HEAD:.env` the path."""
    if word.startswith(("--exclude", "--ignore", "--iglob", ":!", ":^", "!")):
        return ""
    if word.startswith("-"):
        return word.partition("=")[2]
    return word.rpartition(":")[2]


def _emptied(value: object, name: str = "") -> object:
    if name in CONTENT_FIELDS:
        return NOT_KEPT
    if isinstance(value, Mapping):
        return {key: _emptied(inner, key.lower()) for key, inner in cast("Mapping[str, object]", value).items()}
    if isinstance(value, str) and name in COMMAND_FIELDS and "\n" in value.strip():
        return NOT_KEPT
    return value


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.MULTILINE)
