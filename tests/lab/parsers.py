"""Every parser and decoder of what comes from elsewhere, each as a function of bytes, to be attacked.

Deliberate errors, and what a parser says in its docstring that it raises, are answers; anything else is a crash.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from moored.errors import MooredError

NOW = 1_800_000_000_000
TESTS = Path(__file__).parents[1]

FILES = (
    *("a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.rs", "a.java", "a.kt", "a.c", "a.cpp", "a.cs", "a.rb", "a.php"),
    *("a.swift", "a.scala", "a.lua", "a.sh", "a.sql", "a.txt"),
    *(".env", "a.properties", "Dockerfile", "requirements.txt", "Makefile", "a.toml", "a.json", "a.yaml", ".gitconfig"),
    *("a.ini", "a.conf", ".prettierrc", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock"),
    *("Cargo.lock", "go.sum", "Gemfile.lock", "composer.lock"),
)
"""A file of each kind that the ledger reads."""

HOSTS = ("claude_code", "codex", "cursor", "gemini", "omp", "opencode", "vscode")


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser, what it may raise beside the errors of `moored.errors`, and the files that it is known to read."""

    name: str
    read: Callable[[bytes], object]
    raises: tuple[type[Exception], ...] = ()
    samples: tuple[Path, ...] = ()
    seconds: float = 1.0
    """What a small input may take of the processor."""

    def __call__(self, data: bytes) -> None:
        """Read `data`; what this raises is a crash."""
        try:
            self.read(data)
        except (MooredError, *self.raises):
            pass


def _file(path: str, data: bytes) -> object:
    from moored.ledger.extract import extract_file

    return extract_file(path, data)


def _output(data: bytes) -> object:
    from moored.ledger.output import extract

    return extract(data, tool="Bash", command="cat table.csv", exit_status=0)


def _diff(data: bytes) -> object:
    return _output(b"--- a/hull.py\n+++ b/hull.py\n@@ -1,2 +1,2 @@\n" + data)


def _transcript(name: str, data: bytes) -> object:
    from moored.importers.formats import format_of
    from moored.importers.reading import Reading, is_of
    from moored.importers.transcript import Source

    form = format_of(name)
    file = _written(data, ".json" if form.unpack and data[:1] == b"{" and b"\n{" not in data else ".jsonl")
    source = Source(file)
    is_of(source, form)
    return [*Reading(source, form).events()]


def _hook(host: str, data: bytes) -> object:
    from moored.hosts.capture import events

    told = json.loads(data.decode("utf-8", "surrogateescape"))
    if not isinstance(told, dict):
        return None
    adapter = import_module(f"moored.hosts.{host}").ADAPTER
    happened = [happening for event in adapter.moments if (happening := adapter.read(event, told))]
    return [events(one, NOW) for one in happened]


def _hook_text(host: str, data: bytes) -> object:
    """Hostile text where a host says what was asked, run and printed."""
    text = data.decode("utf-8", "surrogateescape")
    told = {
        "session_id": "s",
        "cwd": "/nowhere",
        "prompt": text,
        "tool_name": "Bash",
        "tool_response": {"stdout": text},
        "tool_input": {"command": text, "file_path": text[:5_000]},
        "last_assistant_message": text,
    }
    return _hook(host, json.dumps(told).encode())


def _admission(role: str, data: bytes) -> object:
    from moored.model.episodes import Event, Role
    from moored.record.admission import admit

    return admit(
        Event(role=Role(role), content=data, tool_name="Bash", tool_input='{"command": "make"}', exit_status=2)
    )


def _redaction(data: bytes) -> object:
    from moored.model.redaction import redact_bytes

    return redact_bytes(data)


def _question(text: str) -> object:
    from moored.recall.asking import asked
    from moored.recall.query import read
    from moored.recall.speakers import named

    return read(text), asked(text), named(text, ["Ada", "Grace Hopper"])


def _times(text: str) -> object:
    from moored.model.schedule import read
    from moored.recall.when import event_bounds, periods

    return periods(text, NOW, UTC), event_bounds(text), read(text, NOW, UTC)


def _reminding(text: str) -> object:
    from moored.atlas.reminding import MAX_WHEN
    from moored.model.episodes import Channel, Trust
    from moored.record.reminding import proposed, when_of

    return when_of(text[:MAX_WHEN], NOW, UTC), proposed(text, Channel.USER, Trust.USER, NOW, UTC)


def _condition(text: str) -> object:
    from moored.model.condition_text import parse, written

    return parse(written(parse(text)))


def _mentions(text: str) -> object:
    from moored.atlas.names import mentions

    return mentions(text)


def _statement(text: str) -> object:
    from moored.atlas.statement import statement

    return statement(text)


def _patterns(text: str) -> object:
    from moored.ledger.ignore import read_patterns

    return read_patterns("", text).verdict("src/harbour/crane.py")


def _settings(data: bytes) -> object:
    from moored.settings import read_settings

    return read_settings(_written(data, ".toml"))


def _git_log(data: bytes) -> object:
    """The message of a commit: the other fields are git's own."""
    from moored.ledger.git_log import _parse_log

    message = data.replace(b"\0", b"")
    return [*_parse_log(b"\0".join([b"0" * 40, b"", message, b"1", b"99999999999999", message, message]))]


def _arguments(data: bytes) -> object:
    from moored.server import arguments

    given = json.loads(data)
    known = (
        *(arguments.text("text", "", choices=("a", "b")), arguments.called("id", "", required=False)),
        *(arguments.number("limit", "", 1, least=1, most=9), arguments.names("paths", "")),
    )
    return [arguments.read(known, {one.name: given}) for one in known], given and arguments.read(known, {"x": given})


def _frame(data: bytes) -> object:
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    from moored.server.frames import mended, refusal

    try:
        return jsonrpc_message_adapter.validate_json(data.decode("utf-8", "replace"), by_name=False)
    except ValidationError as error:
        return mended(error), refusal(error)


def _http(data: bytes) -> object:
    """The head of a request, as far as the server's own parser lets it through."""
    import h11

    from moored.server.guard import Guard
    from moored.server.http import MAX_HEAD

    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)
    connection.receive_data(data)
    request = connection.next_event()
    if not isinstance(request, h11.Request):
        return None
    guard = Guard(lambda *_: None, frozenset({"localhost:7667"}), "token")  # type: ignore[arg-type, return-value]
    return guard._refusal({"path": request.target.decode("latin-1"), "headers": list(request.headers)})


def _entry(data: bytes) -> object:
    from moored.record.inbox import Inbox

    return Inbox(_written(b"", ".db")).read(_written(data, ".entry"))


def _key_file(data: bytes) -> object:
    from moored.store.keys import keeping, sidecar

    store = _written(b"", ".db")
    sidecar(store).write_bytes(data)
    return keeping(store)


def _jsonc(text: str) -> object:
    from moored.setup.json_edit import put

    return put(text, ("mcpServers", "moored"), {"command": "moored"})


def _toml_edit(text: str) -> object:
    from moored.setup.toml_edit import put

    return put(text, ("mcp_servers", "moored"), {"command": "moored"})


def _document(text: str) -> object:
    from moored.seeding.prose import sections

    return sections(text)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="moored-fuzz-")


def _written(data: bytes, suffix: str) -> Path:
    file = Path(_folder().name) / f"hostile{suffix}"
    file.write_bytes(data)
    return file


def _of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "surrogateescape"))


def _samples(*patterns: str) -> tuple[Path, ...]:
    return tuple(sorted(file for pattern in patterns for file in TESTS.glob(pattern)))


def _all() -> Iterator[Parser]:
    for path in FILES:
        # A grammar is given up after a second (`moored.ledger.code.parsing`); then what it read is walked.
        seconds = 2.0 if path.startswith("a.") else 1.0
        yield Parser(f"file {path}", partial(_file, path), (), _samples("ledger/code/samples/*.toml"), seconds)
    yield Parser("output", _output)
    yield Parser("diff", _diff)
    transcripts = _samples("importers/fixtures/*")
    for name in import_module("moored.importers.formats").NAMES:
        yield Parser(f"transcript {name}", partial(_transcript, name), (OSError,), transcripts)
    for host in HOSTS:
        samples = _samples(f"hosts/fixtures/{host}/*.json")
        # A hook answers an error with nothing but a line in its log.
        yield Parser(f"hook {host}", partial(_hook, host), (ValueError, RecursionError), samples)
    yield Parser("hook text", partial(_hook_text, "claude_code"))
    for role in ("user", "assistant", "tool"):
        yield Parser(f"admission {role}", partial(_admission, role))
    yield Parser("redaction", _redaction)
    texts: Mapping[str, Callable[[str], Any]] = {
        "question": _question,
        "times": _times,
        "reminding": _reminding,
        "condition": _condition,
        "mentions": _mentions,
        "statement": _statement,
        "ignore patterns": _patterns,
        "host settings in JSON": _jsonc,
        "host settings in TOML": _toml_edit,
        "document": _document,
    }
    for name, read in texts.items():
        yield Parser(name, _of_text(read))
    yield Parser("settings", _settings)
    yield Parser("git log", _git_log)
    yield Parser("tool arguments", _arguments, (ValueError, RecursionError))
    yield Parser("MCP frame", _frame)
    yield Parser("HTTP head", _http, (import_module("h11").RemoteProtocolError,))
    yield Parser("inbox entry", _entry, (ValueError,))
    yield Parser("key file", _key_file)


PARSERS = {parser.name: parser for parser in _all()}
