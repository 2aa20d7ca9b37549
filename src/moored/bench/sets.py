"""The sets that can be measured by their rankings."""

from __future__ import annotations

from moored.bench import beam, devbench, locomo, longmemeval
from moored.bench.cases import DataSet
from moored.bench.metrics import CHUNKS, ITEMS, SESSIONS

ALTERNATING = "Of the {}, the first, third and so on are for tuning, the others test."

SETS = {
    data_set.name: data_set
    for data_set in (
        DataSet(
            "locomo", "LoCoMo", locomo.read, (ITEMS, CHUNKS, SESSIONS), ALTERNATING.format("conversations of the file")
        ),
        DataSet("longmemeval", "LongMemEval", longmemeval.read, (ITEMS, SESSIONS), ALTERNATING.format("questions")),
        DataSet("beam", "BEAM", beam.read, (ITEMS,), "Chats with an odd number are for tuning, the others test."),
        DataSet("devbench", "devbench", devbench.read, (ITEMS,), "It is not split."),
    )
}
"""Every set by the name of its command."""
