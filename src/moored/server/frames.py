"""Frames that the SDK cannot read though a client waits for their answer.

The SDK passes over a line that is no message. Where that line is a request all the same, its client would wait for
ever: a program that cuts a text in the middle of a character writes half of it as an escape (a lone surrogate), which
strict parsers refuse.
"""

from __future__ import annotations

import json
from typing import Any, cast

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

_UNREAD = "This is no request of JSON-RPC 2.0: 'params' is an object, and numbers have an end."


def mended(error: Exception) -> SessionMessage | None:
    """The request of a line that could not be read for characters that there are not, with U+FFFD in their place."""
    asked = _request(error)
    if asked is None:
        return None
    text = json.dumps(asked, ensure_ascii=False).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return None
    return SessionMessage(message) if isinstance(message, JSONRPCRequest) else None


def refusal(error: Exception) -> SessionMessage | None:
    """The error that answers a line that could not be read; None where it asks for no answer."""
    asked = _request(error)
    if asked is None:
        return None
    return SessionMessage(
        JSONRPCError(jsonrpc="2.0", id=asked["id"], error=ErrorData(code=INVALID_REQUEST, message=_UNREAD))
    )


def _request(error: Exception) -> dict[str, Any] | None:
    """What was read as JSON all the same and has the name and the id of a request."""
    if not isinstance(error, ValidationError):
        return None
    for detail in error.errors(include_url=False, include_context=False):
        found: object = detail["input"]
        if detail["type"] == "json_invalid":
            try:
                found = json.loads(cast(str, found))
            except (ValueError, RecursionError):
                return None
        if isinstance(found, dict):
            asked = cast(dict[str, Any], found)
            if isinstance(asked.get("method"), str) and type(asked.get("id")) in (int, str):
                return asked
    return None
