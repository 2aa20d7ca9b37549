"""The migrations in order: small named steps, each applied in one transaction together with its record."""

from __future__ import annotations

from moored.store.sqlite.migrations import (
    m0001_projects,
    m0002_record,
    m0003_ledger,
    m0004_graph,
    m0005_atlas,
    m0006_search,
    m0007_sessions,
    m0008_transcripts,
)

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
    )
)
"""Name and SQL of every step. A released step is never edited: what changes gets a step of its own."""
