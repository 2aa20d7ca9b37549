"""Writing an answer or an error, as text or as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any

import click

from moored.errors import Ambiguous, MooredError, NotFound

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def emit(as_json: bool, shape: Any, lines: Iterable[str]) -> None:
    """Write an answer to stdout: the shape (or what a function makes of it) as JSON, or the lines."""
    if as_json:
        write_json(shape() if callable(shape) else shape)
    else:
        for line in lines:
            click.echo(printable(line))


def write_json(shape: Any) -> None:
    """Write one JSON document, indented, in characters that the encoding of stdout has."""
    utf8 = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(shape, ensure_ascii=not utf8, indent=2))


def printable(text: str) -> str:
    """The text with control characters as escapes: what was recorded must not steer a terminal."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def say_error(error: Exception, *, as_json: bool) -> None:
    """Write an error to stderr as one sentence, and to stdout as a JSON object when JSON was asked for."""
    message = _message(error)
    if as_json:
        write_json({"error": error_shape(error, message)})
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(message, err=True)
        return
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f" Try `{error.ctx.command_path} --help`."
    click.echo(f"moored: {printable(message)}{hint}", err=True)


def _message(error: Exception) -> str:
    if isinstance(error, MooredError):
        return str(error)
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError) and error.strerror:
        where = f" with {error.filename}" if error.filename else ""
        return f"The system would not go on{where}: {error.strerror}. See that it can be read and written."
    return (
        f"This should not happen: {type(error).__name__}: {error}. Please report it with what MOORED_TRACEBACK=1 in "
        "the environment shows."
    )


def error_shape(error: Exception, message: str) -> dict[str, Any]:
    """An error as JSON: its type, its message, and the names it carries."""
    shape: dict[str, Any] = {"type": type(error).__name__, "message": message}
    if isinstance(error, NotFound):
        shape["near"] = list(error.near)
    if isinstance(error, Ambiguous):
        shape["candidates"] = list(error.candidates)
    return shape
