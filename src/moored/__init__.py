"""Memory for coding agents that stays tied to its source.

import moored

with moored.open("path/to/project") as memory:
    memory.index()
    memory.remember("`Session.send` retries only idempotent requests", kind="decision")
    for hit in memory.recall("which requests are retried").hits:
        print(hit.verdict.state, hit.text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.errors import (
    Ambiguous,
    EmptyText,
    InvalidInput,
    MooredError,
    NotFound,
    PinOverflow,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
    TooLarge,
)

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.memory import open_memory as open  # noqa: A004 - `moored.open`, as `gzip.open`

__all__ = [
    "Ambiguous",
    "EmptyText",
    "InvalidInput",
    "Memory",
    "MooredError",
    "NotFound",
    "PinOverflow",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "StoreReadOnly",
    "StoreTooNew",
    "TooLarge",
    "open",
]


def __getattr__(name: str) -> Any:
    """Load the facade at its first use, so that importing a part of moored stays light."""
    if name == "open":
        from moored.memory import open_memory

        return open_memory
    if name == "Memory":
        from moored.memory import Memory

        return Memory
    raise AttributeError(f"module 'moored' has no attribute {name!r}")
