"""Makefiles: targets (`target:test`, hashed over prerequisites and recipe) and variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from moored.ledger.config.keys import capped, pair_fact, scalar_hash, shown
from moored.ledger.config.lines import Lines
from moored.model.facts import ExtractedFact, Extraction, FactKind
from moored.model.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARIABLE = re.compile(r"(?:export\s+|override\s+)*([\w.\-]+)\s*(?:[:?+!]|::)?=\s*(.*)", re.DOTALL)
_RULE = re.compile(r"([^:=#\s][^:=#]*)::?(?!=)((?:\\#|[^=;#])*)(?:#.*|;(.*))?", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)#.*", re.DOTALL)
_DIRECTIVES = ("include ", "-include ", "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif")


@dataclass(slots=True)
class _Rule:
    targets: list[str]
    prerequisites: str
    start: int
    end: int
    recipe: list[str] = field(default_factory=list[str])


def extract(source: bytes) -> Extraction:
    """Read the rules and the top-level variables of a Makefile; nothing is expanded, and `define` is passed over."""
    lines = Lines(source)
    facts: list[ExtractedFact] = []
    rule: _Rule | None = None
    defining = False
    for text, start, end in _logical_lines(source):
        said = text.strip()
        if defining or said.startswith("define "):
            defining = not said.startswith("endef")
            continue
        if text.startswith("\t"):
            if rule is not None and said and not said.startswith("#"):
                rule.recipe.append(said)
                rule.end = end
            continue
        if not said or said.startswith(("#", *_DIRECTIVES)):
            continue
        facts.extend(_rule_facts(rule, lines))
        rule, variable = _statement(text, start, end)
        if variable is not None:
            facts.append(pair_fact(*variable, lines, start, end))
    facts.extend(_rule_facts(rule, lines))
    return capped("makefile", facts)


def _logical_lines(source: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield each line with those that continue it, and its bytes."""
    parts: list[str] = []
    start = offset = 0
    physical = source.split(b"\n")
    for number, raw in enumerate(physical):
        end = offset + len(raw.rstrip())
        text = raw.decode("utf-8", "replace").rstrip()
        if parts:
            text = text.lstrip()
        else:
            start = offset
        offset += len(raw) + 1
        if text.endswith("\\") and number + 1 < len(physical):
            parts.append(text[:-1].rstrip())
            continue
        yield " ".join([*parts, text]), start, max(start, end)
        parts = []


def _statement(text: str, start: int, end: int) -> tuple[_Rule | None, tuple[str, str] | None]:
    """Read one line outside recipes as a variable, a rule or neither."""
    variable = _VARIABLE.fullmatch(text)
    if variable is not None:
        return None, (variable[1], " ".join(_COMMENT.sub("", variable[2]).split()))
    match = _RULE.fullmatch(text)
    if match is None:
        return None, None
    recipe = [match[3].strip()] if match[3] and match[3].strip() else []
    return _Rule(match[1].split(), " ".join(match[2].split()), start, end, recipe), None


def _rule_facts(rule: _Rule | None, lines: Lines) -> list[ExtractedFact]:
    if rule is None:
        return []
    text = "\n".join([rule.prerequisites, *rule.recipe])
    value = shown(redact(text.strip()).text or "no recipe")
    span = lines.span(rule.start, rule.end)
    return [
        ExtractedFact(FactKind.CONFIG_KEY, f"target:{target}", value, scalar_hash("rule", text), span)
        for target in rule.targets
    ]
