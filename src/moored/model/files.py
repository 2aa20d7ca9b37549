"""Files of a tree as the ledger knows them."""

from __future__ import annotations

from typing import NamedTuple


class IndexedFile(NamedTuple):
    """One file as it was when its facts were read. Times of the file system are in nanoseconds."""

    row: int
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    content_hash: str
    language: str
    errors: int
    omitted: int
    indexed_at_ns: int
