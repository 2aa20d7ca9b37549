"""A bar that shows how far a long command is, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Told how much is done, and of how much when that is known."""

    def __call__(self, done: int, total: int | None = None) -> None: ...


def _silent(done: int, total: int | None = None) -> None:
    del done, total


@contextmanager
def progress(title: str) -> Generator[Advance]:
    """Give a function that is told how much is done, and of how much when that is known.

    Nothing is shown, and nothing is loaded, unless stderr is a terminal.
    """
    if not sys.stderr.isatty():
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # What is written to stdout meanwhile stays there: rich would draw it above the bar, on stderr.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    ) as bar:
        task = bar.add_task(title, total=None)

        def advance(done: int, total: int | None = None) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
