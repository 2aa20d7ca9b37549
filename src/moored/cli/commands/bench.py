"""Commands that measure: bench longmemcode."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from moored.cli.output import emit
from moored.cli.session import json_option


@click.group("bench")
def bench_command() -> None:
    """Measure moored against published questions.

    \b
    Example:
      moored bench longmemcode questions.json site-packages/fastapi
    """


@bench_command.command("longmemcode")
@click.argument("data", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("source", type=click.Path(path_type=Path, exists=True, file_okay=False))
@json_option
def longmemcode_command(data: Path, source: Path, as_json: bool) -> None:
    """Answer the questions of LongMemCode.

    They are in DATA; the answers come from the package folder SOURCE, with a store of its own.

    \b
    Example:
      moored bench longmemcode questions.json site-packages/fastapi
    """
    from moored.bench.longmemcode import run
    from moored.cli import shapes

    with tempfile.TemporaryDirectory(prefix="moored-bench-") as folder:
        report = run(data, source, Path(folder) / "bench.db")
    emit(as_json, shapes.plain(report), report.text().splitlines())
