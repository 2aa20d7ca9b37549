"""What a tool is: its declaration, and the answer that it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from moored.server.arguments import Argument, input_schema

STRING: Mapping[str, Any] = {"type": "string"}
INTEGER: Mapping[str, Any] = {"type": "integer"}
BOOLEAN: Mapping[str, Any] = {"type": "boolean"}
STRINGS: Mapping[str, Any] = {"type": "array", "items": STRING}
ANY: Mapping[str, Any] = {"type": "array"}
"""A list of which the documentation says what it holds: every declaration costs every conversation tokens."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool found or did.

    `text` is what a model reads, `data` the same as values in the shape that the tool declares. `changed` names the
    resources (without their scheme) that say something else now, `session` the one in which the client says it works.
    """

    text: str
    data: Mapping[str, Any]
    changed: tuple[str, ...] = ()
    session: str = ""

    def degraded(self, reason: str) -> Answer:
        """The same, said to be not all that there may be; as a value, too, where the tool declares `degraded`."""
        told = {"degraded": [*self.data["degraded"], reason]} if "degraded" in self.data else {}
        return Answer(f"{self.text}\n(degraded: {reason})", {**self.data, **told}, self.changed, self.session)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: when to call it, what it takes, what it gives, and what it does.

    `run` gets the memory and the arguments by name and may raise any `MooredError`. `writes` says that it changes what
    the memory holds, `destroys` that it takes something out of it, `repeatable` that doing it again changes nothing,
    `of_code` that its answer is of what was read of the tree, `of_session` that `run` gets the session in which the
    client works.
    """

    name: str
    about: str
    arguments: tuple[Argument, ...]
    output: Mapping[str, Any]
    run: Callable[..., Answer]
    writes: bool = False
    destroys: bool = False
    repeatable: bool = True
    of_code: bool = False
    of_session: bool = False

    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return input_schema(self.arguments)


def structure(required: tuple[str, ...] = (), **properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema


def strings(required: tuple[str, ...], **others: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object of strings, but for these others: each name costs every conversation tokens."""
    return {**structure(required, **others), "additionalProperties": STRING}


def several(of: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a list."""
    return {"type": "array", "items": of}
