"""A server for the official conformance suite: moored's own application and HTTP layer, with the suite's fixtures.

The suite asks for tools, resources and prompts with fixed names, which no product has. They are added here, by the
SDK's own means, to the application that `moored serve` runs; everything else is as it is there, the token included.

    python host.py STORE PROJECT
"""

from __future__ import annotations

import base64
import io
import json
import struct
import sys
import wave
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import Message
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
)

from moored.memory import open_memory
from moored.server.app import MemoryServer, build
from moored.server.http import serve_http

PAUSE = 0.05
"""Seconds between the notifications of one call, as the suite asks."""

Schema = dict[str, Any]


def picture() -> bytes:
    """A PNG of one red pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def sound() -> bytes:
    """A WAV of a few silent samples."""
    with io.BytesIO() as file:
        with wave.open(file, "wb") as written:
            written.setnchannels(1)
            written.setsampwidth(1)
            written.setframerate(8_000)
            written.writeframes(b"\x80" * 8)
        return file.getvalue()


def image_content() -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(picture()).decode(), mime_type="image/png")


def embedded(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def form(message: str, **properties: Schema) -> ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sample(text: str, most: int) -> CreateMessageRequest:
    messages = [SamplingMessage(role="user", content=TextContent(type="text", text=text))]
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=messages, max_tokens=most))


def accepted(ctx: Context[Any, Any], key: str, *names: str) -> dict[str, Any] | None:
    """What a client filled into a form, None where it did not answer it with these fields."""
    answer = (ctx.input_responses or {}).get(key)
    if not isinstance(answer, ElicitResult) or answer.action != "accept":
        return None
    content = dict(answer.content or {})
    return content if all(name in content for name in names) else None


def add_content(server: MemoryServer) -> None:
    """Tools that return each kind of content, fail, report or log."""
    add = adder(server)

    @add("test_simple_text")
    def _() -> str:
        return "This is a simple text response for testing."

    @add("test_image_content")
    def _() -> list[ImageContent]:
        return [image_content()]

    @add("test_audio_content")
    def _() -> list[AudioContent]:
        return [AudioContent(type="audio", data=base64.b64encode(sound()).decode(), mime_type="audio/wav")]

    @add("test_embedded_resource")
    def _() -> list[EmbeddedResource]:
        return [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]

    @add("test_multiple_content_types")
    def _() -> list[TextContent | ImageContent | EmbeddedResource]:
        data = json.dumps({"test": "data", "value": 123})
        return [
            TextContent(type="text", text="Multiple content types test:"),
            image_content(),
            embedded("test://mixed-content-resource", "application/json", data),
        ]

    @add("test_error_handling")
    def _() -> str:
        raise ToolError("This tool intentionally returns an error for testing")

    @add("test_tool_with_progress")
    async def _(ctx: Context[Any, Any]) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100)
            await anyio.sleep(PAUSE)
        return "done"

    async def logs(ctx: Context[Any, Any]) -> str:
        for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.session.send_log_message("info", line, related_request_id=ctx.request_id)
            await anyio.sleep(PAUSE)
        return "done"

    add("test_tool_with_logging")(logs)
    add("test_logging_tool")(logs)


def add_questions(server: MemoryServer) -> None:
    """Tools that ask the client while they run, as the older revisions have it."""
    add = adder(server)

    async def ask(ctx: Context[Any, Any], message: str, properties: Schema, required: list[str]) -> ElicitResult:
        schema = {"type": "object", "properties": properties, "required": required}
        return await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)

    @add("test_sampling")
    async def _(prompt: str, ctx: Context[Any, Any]) -> str:
        asked = [SamplingMessage(role="user", content=TextContent(type="text", text=prompt))]
        answer = await ctx.session.create_message(asked, max_tokens=100, related_request_id=ctx.request_id)
        return f"LLM response: {getattr(answer.content, 'text', '')}"

    @add("test_elicitation")
    async def _(message: str, ctx: Context[Any, Any]) -> str:
        fields = {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        }
        answer = await ask(ctx, message, fields, list(fields))
        return f"User response: action={answer.action}, content={json.dumps(answer.content)}"

    @add("test_elicitation_sep1034_defaults")
    async def _(ctx: Context[Any, Any]) -> str:
        fields = {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": True},
        }
        answer = await ask(ctx, "Defaults", fields, [])
        return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"

    @add("test_elicitation_sep1330_enums")
    async def _(ctx: Context[Any, Any]) -> str:
        plain = ["option1", "option2", "option3"]

        def titled(word: str) -> list[dict[str, str]]:
            numbers = ("First", "Second", "Third")
            return [{"const": f"value{at}", "title": f"{name} {word}"} for at, name in enumerate(numbers, 1)]

        fields = {
            "untitledSingle": {"type": "string", "enum": plain},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        }
        answer = await ask(ctx, "Choices", fields, [])
        return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"


NAME: Schema = {"type": "string"}
YES: Schema = {"type": "boolean"}


def add_inputs(server: MemoryServer) -> None:
    """Tools that answer with one question of each kind, as the newest revision has it."""
    add = adder(server)

    @add("test_input_required_result_elicitation")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        given = accepted(ctx, "user_name", "name")
        if given is None:
            return InputRequiredResult(input_requests={"user_name": form("What is your name?", name=NAME)})
        return f"Hello, {given['name']}!"

    @add("test_input_required_result_sampling")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        answer = (ctx.input_responses or {}).get("capital_question")
        if not isinstance(answer, CreateMessageResult):
            asked = sample("What is the capital of France?", 100)
            return InputRequiredResult(input_requests={"capital_question": asked})
        return getattr(answer.content, "text", "")

    @add("test_input_required_result_list_roots")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        answer = (ctx.input_responses or {}).get("client_roots")
        if not isinstance(answer, ListRootsResult):
            return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
        return ", ".join(str(root.uri) for root in answer.roots)


def add_states(server: MemoryServer) -> None:
    """Tools that know by a state what they asked before."""
    add = adder(server)

    @add("test_input_required_result_request_state")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        if ctx.request_state != "asked" or accepted(ctx, "confirm", "ok") is None:
            return InputRequiredResult(
                input_requests={"confirm": form("Please confirm", ok=YES)}, request_state="asked"
            )
        return "state-ok"

    @add("test_input_required_result_tampered_state")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        if ctx.request_state != "asked":
            return InputRequiredResult(
                input_requests={"confirm": form("Please confirm", ok=YES)}, request_state="asked"
            )
        return "state-ok"

    @add("test_input_required_result_multiple_inputs")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        asked = {
            "user_name": form("What is your name?", name=NAME),
            "greeting": sample("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        }
        if ctx.request_state != "asked" or asked.keys() - (ctx.input_responses or {}).keys():
            return InputRequiredResult(input_requests=asked, request_state="asked")
        return "all answered"

    @add("test_input_required_result_multi_round")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        steps = {
            "step1": form("Step 1: What is your name?", name=NAME),
            "step2": form("Step 2: What is your favorite color?", color=NAME),
        }
        answered = ctx.request_state if ctx.request_state and accepted(ctx, ctx.request_state) is not None else ""
        step = {"": "step1", "step1": "step2"}.get(answered)
        if step is None:
            return "both answered"
        return InputRequiredResult(input_requests={step: steps[step]}, request_state=step)


def add_capabilities(server: MemoryServer) -> None:
    """Tools and a prompt that ask only what the client can answer."""
    add = adder(server)

    @add("test_input_required_result_capabilities")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        can = ctx.client_capabilities
        asked: dict[str, Any] = {}
        if can and can.elicitation:
            asked["user_name"] = form("What is your name?", name=NAME)
        if can and can.sampling:
            asked["greeting"] = sample("Generate a greeting", 50)
        return InputRequiredResult(input_requests=asked) if asked else "nothing can be asked"

    @add("test_streaming_elicitation")
    async def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        await ctx.report_progress(0, 1)
        given = accepted(ctx, "confirm", "ok")
        if given is None:
            return InputRequiredResult(input_requests={"confirm": form("Please confirm", ok=YES)})
        return "confirmed"

    @add("test_missing_capability")
    def _(ctx: Context[Any, Any]) -> str:
        if not (ctx.client_capabilities and ctx.client_capabilities.sampling):
            needed = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "This tool needs sampling", needed)
        return "sampling is there"

    @server.prompt("test_input_required_result_prompt", description="A prompt that asks first.")
    def _(ctx: Context[Any, Any]) -> str | InputRequiredResult:
        given = accepted(ctx, "user_context", "context")
        if given is None:
            asked = form("What context should the prompt use?", context=NAME)
            return InputRequiredResult(input_requests={"user_context": asked})
        return f"Use this context: {given['context']}"


def add_changes(server: MemoryServer) -> None:
    """Tools that change what is listed, and the levels of the older revisions' log."""
    add = adder(server)

    @add("test_trigger_tool_change")
    async def _(ctx: Context[Any, Any]) -> str:
        await ctx.notify_tools_changed()
        return "told"

    @add("test_trigger_prompt_change")
    async def _(ctx: Context[Any, Any]) -> str:
        await ctx.notify_prompts_changed()
        return "told"

    async def set_level(ctx: object, params: SetLevelRequestParams) -> EmptyResult:
        return EmptyResult()

    server._lowlevel_server.add_request_handler("logging/setLevel", SetLevelRequestParams, set_level)


def add_resources(server: MemoryServer) -> None:
    """Resources of each kind."""

    @server.resource("test://static-text", description="A text.", mime_type="text/plain")
    def _() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", description="A picture.", mime_type="image/png")
    def _() -> bytes:
        return picture()

    @server.resource("test://watched-resource", description="A text that is watched.", mime_type="text/plain")
    def _() -> str:
        return "This text may change."

    @server.resource("test://template/{id}/data", description="Data by id.", mime_type="application/json")
    def _(id: str) -> str:  # noqa: A002  # the suite's name
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def add_prompts(server: MemoryServer) -> None:
    """Prompts of each kind."""

    @server.prompt("test_simple_prompt", description="A prompt without arguments.")
    def _() -> str:
        return "This is a simple prompt for testing."

    @server.prompt("test_prompt_with_arguments", description="A prompt with two arguments.")
    def _(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt("test_prompt_with_embedded_resource", description="A prompt with a resource in it.")
    def _(resourceUri: str) -> list[Message]:  # noqa: N803  # the suite's name
        text = "Embedded resource content for testing."
        return [
            Message(role="user", content=embedded(resourceUri, "text/plain", text)),
            Message(role="user", content="Please process the embedded resource above."),
        ]

    @server.prompt("test_prompt_with_image", description="A prompt with a picture in it.")
    def _() -> list[Message]:
        return [
            Message(role="user", content=image_content()),
            Message(role="user", content="Please analyze the image above."),
        ]


def adder(server: MemoryServer) -> Callable[[str], Callable[[Callable[..., Any]], object]]:
    """How a tool of the suite is added: by its name, and without structured output."""
    return lambda name: server.tool(name, description=f"{name}, as the suite asks.", structured_output=False)


FIXTURES = (
    add_content,
    add_questions,
    add_inputs,
    add_states,
    add_capabilities,
    add_changes,
    add_resources,
    add_prompts,
)


def main() -> None:
    store, project = (Path(argument) for argument in sys.argv[1:])
    server = build(lambda: open_memory(project, store=store, dense=False))
    for add in FIXTURES:
        add(server)
    serve_http(server, "127.0.0.1:0")


if __name__ == "__main__":
    main()
