"""Operations: everything that is done to notes, and every import, is done under one, so that it can be taken back."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from moored.model.ids import OPERATION, IdSource

if TYPE_CHECKING:
    from collections.abc import Generator

    from moored.model.clock import Clock
    from moored.model.projects import Project
    from moored.store.port import Transaction


@contextmanager
def under_way(
    transaction: Transaction,
    project: Project,
    kind: str,
    *,
    actor: str,
    clock: Clock,
    ids: IdSource,
    asked: bool = False,
    detail: str = "",
    undoes: str = "",
    lasting: bool = False,
) -> Generator[str]:
    """Begin an operation, give its id for the length of the block, and end it.

    `kind` says in a word or two what is done, `actor` who does it: `person`, `agent` or the name of a rule. `asked`
    says that a person or an agent asked for just this change, without which nothing protected changes (I-08).
    `detail` holds no words of what is remembered, since it outlives them; `lasting` says that it cannot be undone.
    """
    operation = ids.new(OPERATION)
    transaction.operations.begin(
        project, operation, kind, detail, clock.now(), actor=actor, asked=asked, undoes=undoes, lasting=lasting
    )
    yield operation
    transaction.operations.finish(project, operation)
