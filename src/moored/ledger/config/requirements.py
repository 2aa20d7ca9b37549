"""Requirements and constraints files of pip: package to specifier, extras and marker.

Names are normalised as PEP 503 says. Options (`-r`, `-c`, `-e`, `--index-url`) are facts named as written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.ledger.config.keys import capped, pair_fact
from moored.ledger.config.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.model.facts import ExtractedFact, Extraction

ANY_VERSION = "*"

_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]]*)\])?\s*([^;]*)(?:;(.*))?", re.DOTALL)
_OPTION = re.compile(r"(-[A-Za-z]|--[\w-]+)(?:[ =]\s*|(?<=-[rce]))(.*)|(--[\w-]+)", re.DOTALL)
_HASH = re.compile(r"\s--hash[= ]\S+|\s--(?:config-settings|global-option)[= ]\S+")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_LONG = {"--requirement": "-r", "--constraint": "-c", "--editable": "-e"}
_SEPARATORS = re.compile(r"[-_.]+")


def extract(source: bytes) -> Extraction:
    """Read a requirements file. A package without a specifier has the value `*`."""
    lines = Lines(source)
    facts: list[ExtractedFact] = []
    errors = 0
    for text, start, end in _statements(source):
        pair = _pair(text)
        if pair is None:
            errors += 1
        else:
            facts.append(pair_fact(*pair, lines, start, end, package=True))
    return capped("requirements", facts, errors)


def _pair(text: str) -> tuple[str, str] | None:
    if text.startswith("-"):
        option = _OPTION.fullmatch(text)
        if option is None:
            return None
        name = option[1] or option[3]
        return _LONG.get(name, name), (option[2] or "").strip()
    requirement = _REQUIREMENT.fullmatch(_HASH.sub("", text).strip())
    if requirement is None:
        return None
    name, extras, rest, marker = requirement.groups()
    rest = rest.strip()
    if rest.startswith("@"):
        specifier = "@ " + rest[1:].strip()
    else:
        specifier = _specifier(rest)
        if specifier is None:
            return None
    value = specifier or ANY_VERSION
    if extras and extras.strip():
        listed = ",".join(sorted(_normalised(part.strip()) for part in extras.split(",")))
        value = f"[{listed}] {value}"
    if marker and marker.strip():
        value = f"{value}; {' '.join(marker.replace(chr(34), chr(39)).split())}"
    return _normalised(name), value


def _specifier(text: str) -> str | None:
    """Sort the clauses of a version specifier; None for what is not one."""
    clauses = ["".join(clause.split()) for clause in text.strip("()").split(",")]
    if any(clause and clause[0] not in "<>=!~" for clause in clauses):
        return None
    return ",".join(sorted(clause for clause in clauses if clause))


def _normalised(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def _statements(source: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the lines with continuations joined and comments removed, each with its bytes."""
    parts: list[str] = []
    start = end = offset = 0
    for raw in source.split(b"\n"):
        text = _COMMENT.sub("", raw.decode("utf-8", "replace")).strip()
        begin, offset = offset, offset + len(raw) + 1
        if not text:
            if parts:
                yield "".join(parts), start, end
                parts = []
            continue
        if not parts:
            start = begin + len(raw) - len(raw.lstrip())
        end = begin + len(raw.rstrip())
        continued = text.endswith("\\")
        parts.append((" " if parts else "") + text.removesuffix("\\").strip())
        if not continued:
            yield "".join(parts), start, end
            parts = []
    if parts:
        yield "".join(parts), start, end
