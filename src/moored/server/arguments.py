"""What a tool may be given: one declaration from which its JSON Schema is made and a call is read.

A call is read generously where what is meant is plain, since models often write it so: a list as its JSON text or as
its only member, a whole number as a string, null for what is left out. Anything else is an error that says what fits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from moored.errors import InvalidInput, NotFound

LONGEST_NAME = 4_096
"""Characters of an id, a path or a name."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. `default` is None where leaving it out has a meaning of its own."""

    name: str
    kind: str
    about: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    """Of a number its limits (0: none), of a text the characters that it may have."""

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        said: dict[str, Any] = {"type": self.kind}
        member: dict[str, Any] = said
        if self.kind == "array":
            member = said["items"] = {"type": "string"}
        if self.choices:
            member["enum"] = list(self.choices)
        if self.default not in (None, "", ()):
            said["default"] = self.default
        if self.about:
            said["description"] = self.about
        return said


def text(
    name: str, about: str, *, required: bool = False, choices: tuple[str, ...] = (), default: str | None = ""
) -> Argument:
    """A string, empty when it is left out."""
    return Argument(name, "string", about, None if required else default, required, choices)


def called(name: str, about: str, *, required: bool = True) -> Argument:
    """An id or a name, which is never long."""
    return Argument(name, "string", about, None if required else "", required, most=LONGEST_NAME)


def number(name: str, about: str, default: int | None = None, *, least: int = 0, most: int = 0) -> Argument:
    """A whole number from `least` to `most` (0: no limit)."""
    return Argument(name, "integer", about, default, least=least, most=most)


def names(name: str, about: str, *, choices: tuple[str, ...] = (), default: tuple[str, ...] | None = ()) -> Argument:
    """A list of strings."""
    return Argument(name, "array", about, default, choices=choices)


def input_schema(arguments: Sequence[Argument]) -> dict[str, Any]:
    """The JSON Schema of a call. It is part of every conversation, so limits are left to the errors that name them."""
    schema: dict[str, Any] = {"type": "object", "properties": {one.name: one.schema() for one in arguments}}
    if required := [one.name for one in arguments if one.required]:
        schema["required"] = required
    return schema


def read(arguments: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a call by name, with the defaults of what is left out.

    Raises `NotFound` for an argument that there is not, `InvalidInput` for a value that does not fit.
    """
    known = {one.name for one in arguments}
    for name in given:
        if name not in known:
            raise NotFound(_unknown(name, arguments), near=_near(name, known))
    values: dict[str, Any] = {}
    for one in arguments:
        value = given.get(one.name)
        if value is None and one.required:
            raise InvalidInput(f"'{one.name}' is missing: {one.about}")
        values[one.name] = one.default if value is None else _READERS[one.kind](one, value)
    return values


def _unknown(name: str, arguments: Sequence[Argument]) -> str:
    listed = ", ".join(one.name for one in arguments)
    return f"There is no argument '{name}'. " + (f"There are: {listed}." if listed else "There are none.")


def _near(name: str, known: set[str]) -> tuple[str, ...]:
    from difflib import get_close_matches

    return tuple(get_close_matches(name, sorted(known)))


def _text(one: Argument, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"'{one.name}' is a text, not {_shown(value)}.")
    if one.most and len(value) > one.most:
        raise InvalidInput(f"'{one.name}' has {len(value):,} characters; it may have {one.most:,}.")
    return _chosen(one, value)


def _number(one: Argument, value: object) -> int:
    number = value
    if isinstance(value, str):
        try:
            number = int(value)
        except ValueError:
            number = None
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidInput(f"'{one.name}' is a whole number, not {_shown(value)}.")
    if number < one.least or (one.most and number > one.most):
        limits = f"from {one.least:,} to {one.most:,}" if one.most else f"from {one.least:,} on"
        raise InvalidInput(f"'{one.name}' is a number {limits}, not {number:,}.")
    return number


def _names(one: Argument, value: object) -> tuple[str, ...]:
    members = _parsed(value) if isinstance(value, str) else value
    if isinstance(members, Sequence) and all(isinstance(member, str) for member in cast(Sequence[object], members)):
        return tuple(_chosen(one, member) for member in cast(Sequence[str], members))
    raise InvalidInput(f"'{one.name}' is a list of texts, not {_shown(value)}.")


def _parsed(value: str) -> object:
    """The list that a string spells in JSON, else the list of that one string."""
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            pass
    return [value] if value else []


def _chosen(one: Argument, value: str) -> str:
    if one.choices and value not in one.choices:
        raise InvalidInput(f"'{one.name}' is one of {', '.join(one.choices)}, not {_shown(value)}.")
    return value


def _shown(value: object) -> str:
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:60]}…"


_READERS = {"string": _text, "integer": _number, "array": _names}
