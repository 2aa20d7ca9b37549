"""Cutting a stream into lists, as `itertools.batched` does from Python 3.12 on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items, the last one with what is left."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
