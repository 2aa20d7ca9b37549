"""What a deep look finds in a store, by the promise that it breaks."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that is wrong with a store, in words.

    `promise` is the id of the invariant (docs/invariants.md) that does not hold; it is empty where the file itself is
    damaged, or what the database refuses is not refused any more.
    """

    promise: str
    words: str
