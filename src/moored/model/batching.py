"""Cutting a stream into lists, as `itertools.batched` does from Python 3.12 on."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items, the last one with what is left."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
