"""What an acknowledged write has survived."""

from __future__ import annotations

from enum import Enum


class Durability(Enum):
    """The durability class of a transaction (I-01).

    `FULL`: once acknowledged, it survives the death of the process, of the system and of the power. One flush to
    the disk for each transaction.

    `GROUP`: it survives the death of the process; a power cut may take the last transactions since the latest
    flush, whole ones and only the last, never a part. For captures of hooks and for what can be derived again.
    """

    FULL = 2
    GROUP = 1
