"""Keys of what can be looked up in another file, so that a change there finds who depends on it.

A key is the CRC-32 of a text; two texts with one key cost a needless second look and nothing else.
"""

from __future__ import annotations

import sys
from array import array
from posixpath import dirname
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable

BASES = "<bases>"
IMPORTS = "<imports>"


def member(path: str, scope: str, name: str) -> int:
    """The key of `name` in a scope of a file."""
    return crc32(f"{path}\0{scope}\0{name}".encode("utf-8", "surrogatepass"))


def leaf(name: str) -> int:
    """The key of every symbol with this last name, wherever it is."""
    return crc32(f"\0{name}".encode("utf-8", "surrogatepass"))


def place(path: str) -> int:
    """The key of a file or folder: whether it is there."""
    return crc32(f"\1{path}".encode("utf-8", "surrogatepass"))


def module(name: str) -> int:
    """The key of a module by its parts joined with `/`: which files could be meant."""
    return crc32(f"\2{name}".encode("utf-8", "surrogatepass"))


def of_path(path: str, root: str) -> set[int]:
    """The keys whose answer depends on whether a file exists. `root` is the name of the tree's own folder."""
    stem = path.rpartition(".")[0] or path
    parts = [root, *stem.split("/")]
    found = {place(path), place(stem)}
    folder = dirname(path)
    while folder:
        found.add(place(folder))
        folder = dirname(folder)
    found.add(place(""))
    for start in range(len(parts)):
        found.update(module("/".join(parts[start:end])) for end in range(start + 1, len(parts) + 1))
    return found


def packed(numbers: Iterable[int]) -> bytes:
    """Numbers in ascending order, as 32-bit little-endian integers."""
    values = array("I", sorted(numbers))
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def packed_pairs(pairs: dict[int, int]) -> bytes:
    """Pairs of key and content in ascending order of their keys."""
    values = array("I", [number for key in sorted(pairs) for number in (key, pairs[key])])
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def unpacked(data: bytes) -> array[int]:
    """The inverse of `packed`."""
    values = array("I")
    values.frombytes(data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def unpacked_pairs(data: bytes) -> dict[int, int]:
    """The inverse of `packed_pairs`."""
    values = unpacked(data)
    return dict(zip(values[::2], values[1::2], strict=True))
