"""Makefiles: targets (`target:test`, hashed over prerequisites and recipe) and variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from moored.ledger.config.keys import capped, pair_fact, scalar_hash, shown
from moored.ledger.config.lines import Lines
from moored.model.facts import ExtractedFact, Extraction, FactKind

_VARIABLE = re.compile(r"(?:export\s+|override\s+)*([\w.\-]+)\s*(?:[:?+!]|::)?=\s*(.*)", re.DOTALL)
_RULE = re.compile(r"([^:=#\s][^:=#]*)::?(?!=)([^=;]*)(?:;(.*))?", re.DOTALL)
_DIRECTIVES = ("include ", "-include ", "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "define", "endef")


@dataclass(slots=True)
class _Rule:
    targets: list[str]
    prerequisites: str
    start: int
    end: int
    recipe: list[str] = field(default_factory=list[str])


def extract(source: bytes) -> Extraction:
    """Read the rules and the top-level variables of a Makefile; nothing is expanded."""
    lines = Lines(source)
    facts: list[ExtractedFact] = []
    rule: _Rule | None = None
    offset = 0
    physical = source.split(b"\n")
    index = 0
    while index < len(physical):
        start, raw = offset, physical[index]
        index, offset = index + 1, offset + len(raw) + 1
        text = raw.decode("utf-8", "replace").rstrip()
        while text.endswith("\\") and index < len(physical):
            more = physical[index]
            text = text[:-1].rstrip() + " " + more.decode("utf-8", "replace").strip()
            index, offset = index + 1, offset + len(more) + 1
        end = start + len(source[start : offset - 1].rstrip())
        if raw.startswith(b"\t"):
            if rule is not None and text.strip() and not text.strip().startswith("#"):
                rule.recipe.append(text.strip())
                rule.end = end
            continue
        if not text.strip() or text.lstrip().startswith("#") or text.lstrip().startswith(_DIRECTIVES):
            continue
        facts.extend(_rule_facts(rule, lines))
        rule, variable = _statement(text, start, end)
        if variable is not None:
            facts.append(pair_fact(*variable, lines, start, end))
    facts.extend(_rule_facts(rule, lines))
    return capped("makefile", facts)


def _statement(text: str, start: int, end: int) -> tuple[_Rule | None, tuple[str, str] | None]:
    """Read one line outside recipes as a variable, a rule or neither."""
    variable = _VARIABLE.fullmatch(text)
    if variable is not None:
        return None, (variable[1], " ".join(variable[2].split()))
    match = _RULE.fullmatch(text)
    if match is None:
        return None, None
    recipe = [match[3].strip()] if match[3] and match[3].strip() else []
    prerequisites = " ".join(match[2].partition("#")[0].split())
    return _Rule(match[1].split(), prerequisites, start, end, recipe), None


def _rule_facts(rule: _Rule | None, lines: Lines) -> list[ExtractedFact]:
    if rule is None:
        return []
    text = "\n".join([rule.prerequisites, *rule.recipe])
    value = shown(text.strip() or "no recipe")
    span = lines.span(rule.start, rule.end)
    return [
        ExtractedFact(FactKind.CONFIG_KEY, f"target:{target}", value, scalar_hash("rule", text), span)
        for target in rule.targets
    ]
