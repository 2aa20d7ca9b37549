"""Families of languages that find names in the same way."""

from __future__ import annotations

from moored.ledger.graph.families.c import C
from moored.ledger.graph.families.ecma import ECMA
from moored.ledger.graph.families.family import Family
from moored.ledger.graph.families.go import GO
from moored.ledger.graph.families.packages import CSHARP, JVM, PHP
from moored.ledger.graph.families.python import PYTHON
from moored.ledger.graph.families.rust import RUST
from moored.ledger.graph.families.script import BASH, LUA, RUBY

__all__ = ["FAMILY_OF", "Family"]

FAMILY_OF: dict[str, Family] = {
    language: family
    for family in (PYTHON, ECMA, GO, JVM, CSHARP, PHP, RUST, C, RUBY, LUA, BASH)
    for language in family.languages
}
"""The family of each language that has references."""
