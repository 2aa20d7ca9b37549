"""Reading the lines of a transcript from a file of any size, within a bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import BinaryIO

MAX_LINE = 64 * 1024 * 1024
"""Bytes of the longest line that is read; a longer one is counted as a bad line."""

CHUNK = 1024 * 1024

_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: its number, where it begins and ends in bytes, and its content, None when it is too long.

    A line that is not `ended` is the last one, and its host may be writing it still.
    """

    number: int
    start: int
    end: int
    content: bytes | None
    ended: bool


def lines(
    file: BinaryIO, start: int = 0, number: int = 0, *, longest: int = MAX_LINE, chunk: int = CHUNK
) -> Iterator[Line]:
    """The lines from byte `start` on, before which there are `number` lines, reading `chunk` bytes at a time."""
    file.seek(start)
    held: list[bytes] = []
    length = 0
    while data := file.read(chunk):
        begin = 0
        while (found := data.find(b"\n", begin)) >= 0:
            held.append(data[begin:found])
            length += found - begin
            number += 1
            yield Line(number, start, start + length + 1, _joined(held, length <= longest), ended=True)
            start, begin, length = start + length + 1, found + 1, 0
            held.clear()
        held.append(data[begin:])
        length += len(data) - begin
        if length > longest:
            held.clear()
    if length:
        yield Line(number + 1, start, start + length, _joined(held, length <= longest), ended=False)


def _joined(held: list[bytes], fits: bool) -> bytes | None:
    return b"".join(held) if fits else None


def decoded(content: bytes | None) -> object:
    """What a line or a document holds. Bytes that are not UTF-8 become the replacement character.

    Raises `ValueError` saying what is wrong with it.
    """
    if content is None or len(content) > MAX_LINE:
        raise ValueError(f"longer than {MAX_LINE:,} bytes")
    try:
        return _DECODER.decode(content.decode("utf-8", "replace").strip("\ufeff \t\r\n\0"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError as error:
        raise ValueError("no JSON") from error


def prefix_hash(file: BinaryIO, length: int) -> str:
    """The hash of the first `length` bytes of a file, or of the whole of a shorter one."""
    running = blake2b(digest_size=16)
    file.seek(0)
    while length > 0 and (chunk := file.read(min(CHUNK, length))):
        running.update(chunk)
        length -= len(chunk)
    return running.hexdigest()
