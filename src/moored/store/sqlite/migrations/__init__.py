"""The migrations in order: small named steps, each applied in one transaction together with its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.store.sqlite.migrations import (
    m0001_projects,
    m0002_record,
    m0003_ledger,
    m0004_graph,
    m0005_atlas,
    m0006_search,
    m0007_sessions,
    m0008_transcripts,
    m0009_recall,
    m0010_aliases,
    m0011_life,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from moored.store.sqlite.connection import Connection

MIGRATIONS: tuple[tuple[str, str], ...] = tuple(
    (module.__name__.rpartition(".")[2], module.STATEMENTS)
    for module in (
        m0001_projects,
        m0002_record,
        m0003_ledger,
        m0004_graph,
        m0005_atlas,
        m0006_search,
        m0007_sessions,
        m0008_transcripts,
        m0009_recall,
        m0010_aliases,
        m0011_life,
    )
)
"""Name and SQL of every step. A released step is never edited: what changes gets a step of its own."""

UPGRADES: dict[str, Callable[[Connection], None]] = {
    "m0009_recall": m0009_recall.upgrade,
    "m0011_life": m0011_life.upgrade,
}
"""What a step does after its SQL, where SQL alone cannot: it reads texts as the rest of the program does."""
