"""The proof: a scan of every file in our care for pieces of what was forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.forgetting.care import files
from moored.forgetting.scanning import Hits, scan, standing
from moored.model.forgetting import Proof, Scanned
from moored.store.keys import keys_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from moored.store.port import Store

TOLD = 20
"""Places of residue that are told one by one."""


def prove(store: Store, pieces: Sequence[bytes], *, everywhere: bool = False) -> Proof:
    """Empty the log, look through all files, and say what of these pieces is left.

    A piece that also stands in a row that remains proves nothing and is left out, unless it is to be gone `everywhere`.
    When the database holds one that no row has (SQLite leaves copies of what it moves in unused bytes of a page), the
    file is written anew, which takes longer, and is looked through again.
    """
    store.truncate_log()
    keys = [key for key in keys_of(store.path) if key]
    hits = scan(files(store.path), pieces, keys)
    common: set[bytes] = set()
    if found := _found(hits, pieces, common):
        with store.read() as view:
            told = standing(view.erasure.every_text(), sorted(found))
        if not everywhere:
            common = told
        if any(hit.places and hit.file == str(store.path) for hit in hits) and found - told:
            store.rewrite()
            store.truncate_log()
            hits = scan(files(store.path), pieces, keys)
    return Proof(
        tuple(Scanned(hit.file, hit.size) for hit in hits), len(pieces), len(common), _places(hits, pieces, common)
    )


def _found(hits: Sequence[Hits], pieces: Sequence[bytes], common: Collection[bytes]) -> set[bytes]:
    return {pieces[number] for hit in hits for number, _ in hit.places} - set(common)


def _places(hits: Sequence[Hits], pieces: Sequence[bytes], common: Collection[bytes]) -> tuple[str, ...]:
    """Where there is residue, in words that do not tell it."""
    told = [f"{hit.file} cannot be read: {hit.trouble}" for hit in hits if hit.trouble]
    for hit in hits:
        told += [
            f"{hit.file} holds {len(pieces[number])} bytes of it at byte {at:,}"
            for number, at in hit.places
            if pieces[number] not in common
        ]
    more = [f"and {len(told) - TOLD:,} more"] if len(told) > TOLD else []
    return (*told[:TOLD], *more)
