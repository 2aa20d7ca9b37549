"""Tool output as facts, each with the bytes it was read from.

The extractors form a closed list and run in this order: how the command ended, test runs, HTTP responses, diffs,
JSON, tables. None of them reads prose: an output in no known form has no facts.
"""

from __future__ import annotations

from moored.model.facts import Extraction

LANGUAGE = "output"


def extract(content: bytes, *, tool: str = "", command: str = "", exit_status: int | None = None) -> Extraction:
    """Read the output of a tool into facts.

    `tool` is the name of the tool as the host calls it, `command` what it ran, `exit_status` how that ended,
    where the host says so. Spans are offsets in `content`; the bytes there hold the value, except for the exit
    status that the host gave (an empty span) and for counted results (all lines that were counted). `omitted`
    counts what was over a cap. Facts stand in order of appearance. Never raises.
    """
    from moored.ledger.output import csv_columns, diffs, http_headers, json_fields, runs
    from moored.ledger.output import exit_status as ending
    from moored.ledger.output.view import View

    view = View(content)
    ended = ending.extract(view, tool, exit_status)
    tests = runs.extract(view)
    parts = [ended, tests, http_headers.extract(view), diffs.extract(view)]
    # The events of a test run are told by its summary; as JSON they would drown it.
    if not tests.facts:
        parts.append(json_fields.extract(view))
    if not any(part.facts for part in parts[1:]):
        parts.append(csv_columns.extract(view, command))
    facts = sorted((fact for part in parts for fact in part.facts), key=lambda fact: fact.span.start)
    return Extraction(LANGUAGE, tuple(facts), omitted=sum(part.omitted for part in parts))
