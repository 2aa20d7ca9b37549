"""The one hash: BLAKE2b with 16 bytes, as 32 hexadecimal digits."""

from __future__ import annotations

from hashlib import blake2b


def digest(data: bytes | str) -> str:
    """Hash bytes, or a text as UTF-8 (lone surrogates kept)."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16).hexdigest()
