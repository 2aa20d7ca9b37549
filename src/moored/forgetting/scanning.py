"""Looking for pieces of bytes in files, whatever these are, in one pass over each.

A piece that is long enough covers a whole aligned machine word wherever it lies. So only those words of a file are
looked at, by a table of hashes: where one is marked, the pieces are compared byte for byte. That takes about a second
for a gigabyte, however many pieces there are. Shorter pieces are looked for by shorter words, and the shortest one by
one.

It runs in a process of its own: a process that opens and closes a database that it has open as well gives up its locks.
`python -m moored.forgetting.scanning` reads a request from its standard input and answers on its standard output, both
as JSON; the pieces, and the keys of encrypted files, are on no command line and in no file.
"""

from __future__ import annotations

import json
import mmap
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from moored.store.sqlite.pages import decrypted, is_encrypted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

WORDS = (8, 4)
"""Bytes of the words of a file that are looked at: the longer ones are rarer, the shorter ones fit shorter pieces."""

BITS = 20
"""Bits of a hash: the table has so many places, and few of them are marked."""

FACTORS = {8: 0x9E3779B97F4A7C15, 4: 0x9E3779B1}
"""The multipliers of the hash, 2^64 and 2^32 divided by the golden ratio (Knuth, TAOCP 3, 6.4)."""

CHUNK = 1 << 22
"""Words that are hashed at once."""

SAMPLE = 1 << 20
"""Words of a file by which those are chosen that are rare in it."""

GATHERED = (1 << 16, 1 << 26)
"""Bytes of texts that are looked through at once: few at first, as most of what is found stands near the beginning."""


AGAIN = 5
"""How often the process that looks is begun again: a file that others make smaller while it is mapped ends it."""

MAPPED = 1 << 26
"""Bytes from which on a file is mapped. Smaller ones, as logs are that others empty, are read."""


class Hits(NamedTuple):
    """What was found in one file: its size, and pieces by their number with the byte at which they lie.

    `trouble` says why it could not be read, empty when it could.
    """

    file: str
    size: int
    places: tuple[tuple[int, int], ...]
    trouble: str = ""


def scan(files: Sequence[Path], pieces: Sequence[bytes], keys: Sequence[str] = ()) -> list[Hits]:
    """Look for pieces in files, in another process. Raises `RuntimeError` when that process fails.

    Encrypted files are looked through decrypted, with one of these keys.
    """
    told = [piece.hex() for piece in pieces]
    request = {"files": [str(file) for file in files], "pieces": told, "keys": list(keys)}
    done = _looked_elsewhere(request)
    for _ in range(AGAIN):
        if done.returncode < 0:
            done = _looked_elsewhere(request)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")[-400:]
        raise RuntimeError(f"The scan for what is left ended with {done.returncode}. {said}")
    return [
        Hits(one["file"], one["size"], tuple((piece, at) for piece, at in one["places"]), one["trouble"])
        for one in json.loads(done.stdout)
    ]


def _looked_elsewhere(request: dict[str, list[str]]) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "moored.forgetting.scanning"]
    told = json.dumps(request).encode()
    return subprocess.run(command, input=told, capture_output=True, check=False)  # noqa: S603 - our own module


def standing(texts: Iterable[bytes], pieces: Sequence[bytes]) -> set[bytes]:
    """Those of these pieces that one of these texts holds, as it is or in lower case, as an index has it."""
    found: set[bytes] = set()
    for texts_at_once in _gathered(texts):
        for data in (texts_at_once, texts_at_once.lower()):
            missing = [piece for piece in pieces if piece not in found]
            found |= {missing[number] for number, _ in _places(data, missing)}
        if len(found) == len(pieces):
            break
    return found


def _gathered(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Texts joined to a size that is quickly looked through."""
    waiting: list[bytes] = []
    size, (enough, most) = 0, GATHERED
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= enough:
            yield b"\0".join(waiting)
            waiting, size, enough = [], 0, min(2 * enough, most)
    yield b"\0".join(waiting)


def look(file: Path, pieces: Sequence[bytes], keys: Sequence[str] = ()) -> Hits:
    """Look for pieces in a file, in this process; as `scan`."""
    try:
        size = file.stat().st_size
        if size and is_encrypted(file):
            return Hits(str(file), size, tuple(_places_in(decrypted(file, keys), pieces)))
        with file.open("rb") as opened:
            if size < MAPPED:
                return Hits(str(file), size, tuple(_places(opened.read(), pieces)))
            with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return Hits(str(file), size, tuple(_places(data, pieces)))
    except FileNotFoundError:
        return Hits(str(file), 0, ())
    except OSError as error:
        return Hits(str(file), 0, (), str(error))


def _places_in(parts: Iterable[bytes], pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """As `_places`, in parts of a file that follow each other. No piece lies in two, as no page goes on in the next."""
    found: dict[int, int] = {}
    before = 0
    for part in parts:
        for number, at in _places(part, pieces):
            found.setdefault(number, before + at)
        before += len(part)
    return sorted(found.items())


def _places(data: mmap.mmap | bytes, pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pieces by their number, each with one place at which it lies."""
    found: dict[int, int] = {}
    for number, at in _every_place(data, list(enumerate(pieces))):
        found.setdefault(number, at)
        if len(found) == len(pieces):
            break
    return sorted(found.items())


def _every_place(data: mmap.mmap | bytes, pieces: Sequence[tuple[int, bytes]]) -> Iterator[tuple[int, int]]:
    """By words of the first size that a piece covers wholly wherever it lies; the shortest pieces by themselves."""
    for size in WORDS:
        yield from _by_words(data, size, [one for one in pieces if len(one[1]) >= 2 * size - 1])
        pieces = [one for one in pieces if len(one[1]) < 2 * size - 1]
    for number, piece in pieces:
        at = data.find(piece)
        if at >= 0:
            yield number, at


def _by_words(data: mmap.mmap | bytes, size: int, pieces: Sequence[tuple[int, bytes]]) -> Iterator[tuple[int, int]]:
    import numpy as np

    if not pieces:
        return
    whole = len(data) // size
    every: Any = np.frombuffer(data, dtype=f"<u{size}", count=whole)
    try:
        common = np.bincount(_hashed(every[:: max(whole // SAMPLE, 1)], size).astype(np.int64), minlength=1 << BITS)
        words: dict[int, list[tuple[int, bytes, int]]] = {}
        for number, piece in pieces:
            for begin in _aligned(piece, size, common):
                words.setdefault(int.from_bytes(piece[begin : begin + size], "little"), []).append(
                    (number, piece, begin)
                )
        known = np.array(list(words), dtype=every.dtype)
        marked, also = np.zeros(1 << BITS, dtype=bool), np.zeros(1 << BITS, dtype=bool)
        marked[_hashed(known, size)] = True
        also[_hashed(known ^ (known >> known.dtype.type(4 * size)), size)] = True
        for begin in range(0, whole, CHUNK):
            chunk = every[begin : begin + CHUNK]
            likely = np.flatnonzero(marked[_hashed(chunk, size)])
            values = chunk[likely]
            sure = also[_hashed(values ^ (values >> values.dtype.type(4 * size)), size)]
            for index, value in zip(likely[sure].tolist(), values[sure].tolist(), strict=True):
                for number, piece, ahead in words.get(value, ()):
                    at = (begin + index) * size - ahead
                    if at >= 0 and data[at : at + len(piece)] == piece:
                        yield number, at
            del chunk, values
    finally:
        del every


def _aligned(piece: bytes, size: int, common: NDArray[Any]) -> list[int]:
    """For each way in which a piece may lie to the words of a file, where the rarest word begins that it covers.

    `common` says how often the words of each hash are in a sample of the file.
    """
    import numpy as np

    starts = range(len(piece) - size + 1)
    words = np.array([int.from_bytes(piece[at : at + size], "little") for at in starts], dtype=f"<u{size}")
    often = common[_hashed(words, size)].tolist()
    return [min(range(shift, len(starts), size), key=often.__getitem__) for shift in range(size)]


def _hashed(words: NDArray[Any], size: int) -> NDArray[Any]:
    return (words * words.dtype.type(FACTORS[size])) >> words.dtype.type(8 * size - BITS)


def main() -> None:
    """Answer one request."""
    request = json.load(sys.stdin)
    pieces = [bytes.fromhex(piece) for piece in request["pieces"]]
    found = [look(Path(file), pieces, request["keys"]) for file in request["files"]]
    sys.stdout.write(json.dumps([one._asdict() for one in found]))


if __name__ == "__main__":
    main()
