"""Python's collector of reference cycles, while much is made that lives on."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def uncollected() -> Generator[None]:
    """Let the collector of cycles rest, for work that keeps very many objects and leaves no cycles behind.

    Each of its rounds looks at everything that is alive: a quarter of the time of linking, to find nothing. It rests
    for the whole process; objects outside of cycles are freed as ever.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
