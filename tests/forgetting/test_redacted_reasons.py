"""A text that is taken out of the record goes out of what was said about notes as well (I-10)."""

from __future__ import annotations

import pytest

from forgetting.conftest import raw
from moored.memory import Memory

CODE = "Zr7-parrot/9481"

pytestmark = pytest.mark.invariant("I-10")


def test_the_reasons_of_ratings_rejections_and_rules_are_redacted(memory: Memory) -> None:
    note = memory.remember("The gate is old.").id
    memory.rate(note, useful=False, because=f"it is opened with {CODE} now")
    (proposed,) = memory.review().proposals
    memory.reject(proposed.proposal.id, f"{CODE} is not for it")
    memory.add_rule("damp", "text~gate", reason=f"since {CODE}")
    memory.redact(CODE)
    assert not [file for file, held in raw(memory).items() if CODE.encode() in held]


def test_the_reason_of_a_protection_is_redacted(memory: Memory) -> None:
    note = memory.remember("The gate is old.").id
    memory.protect(note, f"it is opened with {CODE}")
    memory.redact(CODE)
    assert CODE not in memory.note(note).protected
