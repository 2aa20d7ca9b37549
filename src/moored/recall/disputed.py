"""The order of hits that contradict each other: the newer side of a dispute comes before the older."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.model.recall import Hit


def newer_first(hits: Sequence[Hit], newer: Mapping[str, Sequence[str]]) -> list[Hit]:
    """The hits in their order, but none before one that disputes it and is newer: that one moves up to it.

    `newer` has, for the ids of notes that are the older side of open disputes, those of the newer sides. Hits that no
    dispute moves keep their order, whatever the scores.
    """
    at = {hit.id: hit for hit in hits}
    placed: dict[str, Hit] = {}
    waiting: list[str] = []
    for hit in hits:
        waiting.append(hit.id)
        while waiting:
            last = waiting[-1]
            before = next((one for one in newer.get(last, ()) if one in at and one not in {*placed, *waiting}), "")
            if before:
                waiting.append(before)
            else:
                waiting.pop()
                placed.setdefault(last, at[last])
    return list(placed.values())
