"""Every error moored raises on purpose.

    MooredError
    ├── InvalidInput            the request cannot be carried out as asked; nothing was written
    │   ├── EmptyText
    │   ├── TooLarge
    │   └── PinOverflow
    ├── NotFound                an id, symbol, path or project that does not exist (carries near names)
    ├── Ambiguous               a name that fits several things (carries the candidates)
    └── StoreError              the store cannot be used
        ├── StoreLocked
        ├── StoreReadOnly
        ├── StoreFull
        ├── StoreCorrupt
        ├── StoreTooNew
        └── StoreEncrypted

A message says what happened, to what, and what to do next. `MooredError.exit_code` is what the command line
returns for it.
"""

from __future__ import annotations


class MooredError(Exception):
    """Base of all deliberate errors."""

    exit_code = 1


class InvalidInput(MooredError):
    """The request cannot be carried out as asked; nothing was written."""

    exit_code = 2


class EmptyText(InvalidInput):
    """A text that must say something is empty or blank."""


class TooLarge(InvalidInput):
    """A text is over the cap of its kind."""


class PinOverflow(InvalidInput):
    """The pins alone do not fit the token budget (I-15)."""


class NotFound(MooredError):
    """Something that was named does not exist.

    `near` lists existing names that resemble it, best first.
    """

    exit_code = 3

    def __init__(self, message: str, *, near: tuple[str, ...] = ()) -> None:
        if near:
            message = f"{message} Did you mean: {', '.join(near)}?"
        super().__init__(message)
        self.near = near


class Ambiguous(MooredError):
    """A name fits several things; `candidates` lists them so that the caller can choose one."""

    exit_code = 3

    def __init__(self, message: str, *, candidates: tuple[str, ...]) -> None:
        super().__init__(f"{message} It could be: {', '.join(candidates)}. Name one of them in full.")
        self.candidates = candidates


class StoreError(MooredError):
    """The store cannot be used as asked."""

    exit_code = 4


class StoreLocked(StoreError):
    """Another process held the store for longer than the bounded wait."""


class StoreReadOnly(StoreError):
    """The store, or the file system it is on, does not accept writes."""


class StoreFull(StoreError):
    """There is no room left on the device."""


class StoreCorrupt(StoreError):
    """The file is not a sound store. It is never replaced or repaired silently."""


class StoreTooNew(StoreError):
    """The store was written by a newer moored."""


class StoreEncrypted(StoreError):
    """The store is encrypted, and the key that fits it cannot be had."""
