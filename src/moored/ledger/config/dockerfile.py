"""Dockerfiles: one fact for each instruction, named by its stage, and one for each stage.

A stage is called by its `AS` name, else `stage0`, `stage1`... in order; what stands before the first FROM has no
stage. ENV, ARG and LABEL are named with their key: `builder.ENV.PATH`. Repeated instructions share a name.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from moored.ledger.config.keys import capped, join, pair_fact, scalar_hash, shown
from moored.ledger.config.lines import Lines
from moored.model.facts import ExtractedFact, Extraction, FactKind
from moored.model.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTRUCTION = re.compile(r"([A-Za-z]+)\s+(.*)", re.DOTALL)
_STAGE = re.compile(r"(.*?)\s+[aA][sS]\s+(\S+)", re.DOTALL)
_PAIR = re.compile(
    r"""(?<![\w.\-/])([\w.\-/]+)=((?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^']*+'|\\.|[^\s"'\\])*+)""", re.DOTALL
)
_HEREDOC = re.compile(rb"""(?<!\S)\d*<<-?([\"']?)([A-Za-z_]\w*)\1|\"(?:[^\"\\]|\\.)*+\"|'[^']*+'""")
"""The word that ends a here-document; what stands in quotes is passed over."""

_ESCAPE = re.compile(rb"(?:[ \t]*#[^\n]*\n)*?[ \t]*#[ \t]*escape[ \t]*=[ \t]*([\\`])[ \t\r]*(?:\n|\Z)", re.IGNORECASE)
_QUOTED = re.compile(r"\\(.)|[\"']", re.DOTALL)
_INSTRUCTIONS = frozenset(
    [
        "ADD",
        "ARG",
        "CMD",
        "COPY",
        "ENTRYPOINT",
        "ENV",
        "EXPOSE",
        "FROM",
        "HEALTHCHECK",
        "LABEL",
        "MAINTAINER",
        "ONBUILD",
        "RUN",
        "SHELL",
        "STOPSIGNAL",
        "USER",
        "VOLUME",
        "WORKDIR",
    ]
)
_KEYED = frozenset({"ENV", "ARG", "LABEL"})
_KEYED_WORDS = tuple(f"{word} ".encode() for word in sorted(_KEYED))
_HEREDOC_USERS = ("RUN", "COPY", "ADD")


@dataclass(slots=True)
class _Stage:
    name: str
    image: str
    start: int
    end: int
    digests: list[str] = field(default_factory=list[str])


def extract(source: bytes) -> Extraction:
    """Read the instructions of a Dockerfile."""
    lines = Lines(source)
    facts: list[ExtractedFact] = []
    errors = 0
    stages: list[_Stage] = []
    for text, start, end in _statements(source):
        match = _INSTRUCTION.fullmatch(text)
        word = match[1].upper() if match else ""
        if match is None or word not in _INSTRUCTIONS:
            errors += 1
            continue
        rest = match[2]
        if word == "FROM":
            rest, alias = _from(rest)
            stages.append(_Stage(alias or f"stage{len(stages)}", rest, start, end))
        stage = stages[-1].name if stages else ""
        found = [
            pair_fact(_named(stage, name), value, lines, start, end, parent=stage) for name, value in _pairs(word, rest)
        ]
        facts.extend(found)
        if stages:
            stages[-1].end = end
            stages[-1].digests.extend(fact.name + fact.body_hash for fact in found)
    facts.extend(_stage_fact(stage, lines) for stage in stages)
    facts.sort(key=lambda fact: (fact.span.start, -fact.span.end))
    return capped("dockerfile", facts, errors)


def _stage_fact(stage: _Stage, lines: Lines) -> ExtractedFact:
    return ExtractedFact(
        kind=FactKind.CONFIG_KEY,
        name=join("", stage.name),
        value=shown(f"FROM {redact(stage.image).text} {{{len(stage.digests)} instructions}}"),
        body_hash=scalar_hash("stage", "\n".join(stage.digests)),
        span=lines.span(stage.start, stage.end),
    )


def _named(stage: str, path: tuple[str, ...]) -> str:
    name = join("", stage) if stage else ""
    for part in path:
        name = join(name, part)
    return name


def _from(rest: str) -> tuple[str, str]:
    """Give the image (with its platform, if any) and the alias of a stage."""
    match = _STAGE.fullmatch(rest)
    return (match[1].strip(), match[2]) if match else (rest.strip(), "")


def _pairs(word: str, rest: str) -> Iterator[tuple[tuple[str, ...], str]]:
    if word not in _KEYED:
        yield (word,), _canonical(rest)
        return
    found = _PAIR.findall(rest)
    if found:
        for key, value in found:
            yield (word, key), _QUOTED.sub(lambda match: match[1] or "", value)
        return
    key, _, value = rest.partition(" ")
    yield (word, key), value.strip()


def _canonical(rest: str) -> str:
    """Give an argument with single spaces, or the exec form as compact JSON."""
    if rest.startswith("["):
        try:
            return json.dumps(json.loads(rest), ensure_ascii=False, separators=(",", ":"))
        except (ValueError, RecursionError):
            pass
    return rest


def _statements(source: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield each instruction as one line, here-documents included, with its bytes.

    Blanks are folded save where they may stand in the quotes of a value.
    """
    directive = _ESCAPE.match(source)
    escape = directive[1] if directive else b"\\"
    parts: list[str] = []
    start = end = offset = 0
    keyed = False
    waiting: list[bytes] = []
    for raw in source.split(b"\n"):
        body = raw.strip()
        begin, offset = offset, offset + len(raw) + 1
        if waiting:
            parts.append("\n" + body.decode("utf-8", "replace"))
            end = begin + len(raw.rstrip())
            if body == waiting[-1]:
                waiting.pop()
            if waiting:
                continue
            yield "".join(parts), start, end
            parts = []
            continue
        if not body or body.startswith(b"#"):
            continue
        if not parts:
            start = begin + len(raw) - len(raw.lstrip())
            keyed = body.upper().startswith(_KEYED_WORDS)
        end = begin + len(raw.rstrip())
        continued = body.endswith(escape)
        kept = body[:-1].rstrip() if continued else body
        text = (kept if keyed else b" ".join(kept.split())).decode("utf-8", "replace")
        parts.append((" " if parts else "") + text)
        if continued:
            continue
        if parts[0].upper().startswith(_HEREDOC_USERS) and any("<<" in part for part in parts):
            statement = "".join(parts).encode("utf-8", "replace")
            waiting = [found[2] for found in _HEREDOC.finditer(statement) if found[2]][::-1]
        if not waiting:
            yield "".join(parts).strip(), start, end
            parts = []
    if parts:
        yield "".join(parts).strip(), start, end
