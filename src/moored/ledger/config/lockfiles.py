"""Lock files: package to resolved version. Hashes, addresses and dependency lists are left out.

A package locked in several versions gives several facts of the same name. Every reader is a single pass.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.ledger.config.json_keys import read as read_json
from moored.ledger.config.keys import capped, pair_fact
from moored.ledger.config.lines import Lines
from moored.ledger.config.tree import Array, Entry, Scalar, Table, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from moored.model.facts import ExtractedFact, Extraction

Pin = tuple[str, str, int, int]
"""Package, version, and the bytes that say so."""

_TOML_LINE = re.compile(
    rb"^(?:(\[\[packages?\]\])|(\[)|(name|version)[ \t]*=[ \t]*[\"']([^\"'\n]*)[\"'])[^\n]*$", re.MULTILINE
)
_PNPM_SECTION = re.compile(rb"^(\w[\w-]*):", re.MULTILINE)
_PNPM_PACKAGE = re.compile(rb"^  (['\"]?)/?(@?[^@'\"\s():]+)[@/](\d[^'\"\s():]*)(?:\([^\n]*\))?\1:", re.MULTILINE)
_YARN_HEADER = re.compile(rb"^\"?(@?[^@\"\s]+)@[^\n]*:[ \t]*\r?$", re.MULTILINE)
_YARN_VERSION = re.compile(rb"^  version:?[ \t]+\"?([^\"\s]+)\"?", re.MULTILINE)
_GO_BLOCK = re.compile(rb"^([a-z]+)[ \t]*\([ \t]*\r?$")
_GO_SUM = re.compile(rb"^(\S+) (v[^\s/]+) h1:\S+", re.MULTILINE)
_GEM = re.compile(rb"^    ([A-Za-z0-9][\w.-]*) \(([^)\n]+)\)[ \t]*\r?$", re.MULTILINE)
_GO_SINGLE = frozenset({b"module", b"go", b"toolchain"})


def _toml_pins(source: bytes) -> Iterator[Pin]:
    """`poetry.lock`, `uv.lock`, `Cargo.lock`, `pdm.lock`, `pylock.toml`."""
    inside = False
    name = b""
    start = 0
    for match in _TOML_LINE.finditer(source):
        if match[1] or match[2]:
            inside, name = bool(match[1]), b""
        elif inside and match[3] == b"name":
            name, start = match[4], match.start()
        elif inside and name:
            yield name.decode("utf-8", "replace"), match[4].decode("utf-8", "replace"), start, match.end()
            inside = False


def _entries(value: Value | None, *path: str) -> list[Entry]:
    """Give the entries of the table at a path, or none."""
    for key in path:
        inner = next((entry.value for entry in _entries(value) if entry.key == key), None)
        value = inner
    return value.entries if isinstance(value, Table) else []


def _scalar(value: Value, key: str) -> Entry | None:
    return next((e for e in _entries(value) if e.key == key and isinstance(e.value, Scalar)), None)


def _text(entry: Entry) -> str:
    return entry.value.text if isinstance(entry.value, Scalar) else ""


def _npm_pins(source: bytes) -> Iterator[Pin]:
    """`package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3."""
    root = read_json(source).root
    packages = _entries(root, "packages")
    pending = [(entry.key.rpartition("node_modules/")[2], entry.value) for entry in packages if entry.key]
    nested = not packages
    if nested:
        pending = [(entry.key, entry.value) for entry in _entries(root, "dependencies")]
    pending.reverse()
    while pending:
        name, value = pending.pop()
        version = _scalar(value, "version")
        if version is not None:
            yield name, _text(version), version.start, version.end
        if nested:
            inner = [(entry.key, entry.value) for entry in _entries(value, "dependencies")]
            pending.extend(reversed(inner))


def _composer_pins(source: bytes) -> Iterator[Pin]:
    """`composer.lock`."""
    root = read_json(source).root
    for section in _entries(root):
        if section.key in ("packages", "packages-dev") and isinstance(section.value, Array):
            for item in section.value.items:
                name, version = _scalar(item, "name"), _scalar(item, "version")
                if name is not None and version is not None:
                    yield _text(name), _text(version), min(name.start, version.start), max(name.end, version.end)


def _pipfile_pins(source: bytes) -> Iterator[Pin]:
    """`Pipfile.lock`."""
    root = read_json(source).root
    for section in _entries(root):
        if section.key == "_meta":
            continue
        for package in _entries(section.value):
            version = _scalar(package.value, "version")
            if version is not None:
                yield package.key, _text(version).removeprefix("=="), version.start, version.end


def _bun_pins(source: bytes) -> Iterator[Pin]:
    """`bun.lock`."""
    for package in _entries(read_json(source).root, "packages"):
        items = package.value.items if isinstance(package.value, Array) else []
        if items and isinstance(items[0], Scalar):
            name, _, version = items[0].text.rpartition("@")
            if name:
                yield name, version, package.start, items[0].end


def _pnpm_pins(source: bytes) -> Iterator[Pin]:
    """`pnpm-lock.yaml`: the keys under `packages`, `/name/1.0.0` or `name@1.0.0`."""
    sections = [(match[1], match.start()) for match in _PNPM_SECTION.finditer(source)]
    for index, (name, start) in enumerate(sections):
        if name == b"packages":
            end = sections[index + 1][1] if index + 1 < len(sections) else len(source)
            for match in _PNPM_PACKAGE.finditer(source, start, end):
                yield match[2].decode("utf-8", "replace"), match[3].decode("utf-8", "replace"), *match.span()


def _yarn_pins(source: bytes) -> Iterator[Pin]:
    """`yarn.lock`, classic and berry."""
    headers = list(_YARN_HEADER.finditer(source))
    for index, header in enumerate(headers):
        end = headers[index + 1].start() if index + 1 < len(headers) else len(source)
        version = _YARN_VERSION.search(source, header.end(), end)
        if version is not None:
            yield (
                header[1].decode("utf-8", "replace"),
                version[1].decode("utf-8", "replace"),
                *(
                    header.start(),
                    version.end(),
                ),
            )


def _go_mod_pins(source: bytes) -> Iterator[Pin]:
    """`go.mod`: required versions, plus `module`, `go`, `toolchain`, `replace.X` and `exclude.X`."""
    block = b""
    offset = 0
    for raw in source.split(b"\n"):
        start, offset = offset + len(raw) - len(raw.lstrip()), offset + len(raw) + 1
        body = raw.partition(b"//")[0].strip()
        opened = _GO_BLOCK.match(body)
        if opened is not None:
            block = opened[1]
            continue
        if body == b")":
            block = b""
            continue
        words = body.split()
        verb = block or (words.pop(0) if words else b"")
        pin = _go_statement(verb, words)
        if pin is not None:
            yield *pin, start, start + len(body)


def _go_statement(verb: bytes, words: list[bytes]) -> tuple[str, str] | None:
    text = [word.decode("utf-8", "replace") for word in words]
    if verb in _GO_SINGLE and len(text) == 1:
        return verb.decode(), text[0]
    if verb == b"require" and len(text) >= 2:
        return text[0], text[1]
    if verb == b"exclude" and len(text) == 2:
        return f"exclude.{text[0]}", text[1]
    if verb == b"replace" and "=>" in text and text.index("=>") > 0:
        arrow = text.index("=>")
        return f"replace.{'@'.join(text[:arrow])}", " ".join(text[arrow + 1 :])
    return None


def _matches(pattern: re.Pattern[bytes], source: bytes) -> Iterator[Pin]:
    for match in pattern.finditer(source):
        yield match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace"), *match.span()


def _go_sum_pins(source: bytes) -> Iterator[Pin]:
    """`go.sum`, without the lines for `go.mod` files."""
    return _matches(_GO_SUM, source)


def _gem_pins(source: bytes) -> Iterator[Pin]:
    """`Gemfile.lock`: the specs, not what they depend on."""
    return _matches(_GEM, source)


_READERS: dict[str, Callable[[bytes], Iterator[Pin]]] = {
    "poetry.lock": _toml_pins,
    "uv.lock": _toml_pins,
    "pdm.lock": _toml_pins,
    "pylock.toml": _toml_pins,
    "cargo.lock": _toml_pins,
    "package-lock.json": _npm_pins,
    "npm-shrinkwrap.json": _npm_pins,
    "composer.lock": _composer_pins,
    "pipfile.lock": _pipfile_pins,
    "bun.lock": _bun_pins,
    "pnpm-lock.yaml": _pnpm_pins,
    "yarn.lock": _yarn_pins,
    "go.mod": _go_mod_pins,
    "go.sum": _go_sum_pins,
    "gemfile.lock": _gem_pins,
}


def is_lockfile(name: str) -> bool:
    """Say whether a file of this name (without folders) is a lock file that can be read."""
    return name.lower() in _READERS


def extract(name: str, source: bytes) -> Extraction:
    """Read the pins of the lock file called `name`. One that holds nothing readable counts as one error."""
    lines = Lines(source)
    facts: list[ExtractedFact] = [
        pair_fact(package, version, lines, start, end, package=True)
        for package, version, start, end in _READERS[name.lower()](source)
    ]
    return capped("lockfile", facts, errors=0 if facts or not source.strip() else 1)
