"""Commands that measure: bench locomo, longmemeval, beam, devbench, precision, longmemcode."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from moored.cli.output import emit
from moored.cli.session import json_option
from moored.model.embedding import MINILM, STATIC


@click.group("bench")
def bench_command() -> None:
    """Measure moored against published questions.

    The data sets are not part of moored; docs/benchmarks.md says where each is to be had. Everything is put into a
    store of its own through the usual ways, and asked as an agent asks.

    \b
    Example:
      moored bench locomo locomo10.json --split test
      moored bench longmemcode questions.json site-packages/fastapi
    """


def _ranked(data_is_folder: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The argument and options of a set that is measured by its rankings."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in (
            json_option,
            click.option("--cache", type=click.Path(path_type=Path, file_okay=False), help="Keep vectors here."),
            click.option(
                "--ablate",
                multiple=True,
                metavar="SIGNALS",
                help="Measure without these as well: a,b separately, a+b together, only:a, or each.",
            ),
            click.option(
                "--run", type=click.Path(path_type=Path, dir_okay=False), help="Write the rankings, a line a question."
            ),
            click.option(
                "--model", type=click.Choice([MINILM, STATIC]), default=MINILM, help="What makes the vectors."
            ),
            click.option("--split", type=click.Choice(["tune", "test"]), help="Measure one half of the set."),
            click.argument(
                "data",
                type=click.Path(path_type=Path, exists=True, dir_okay=data_is_folder, file_okay=not data_is_folder),
            ),
        ):
            command = option(command)
        return command

    return decorate


@bench_command.command("locomo")
@_ranked(data_is_folder=False)
def locomo_command(data: Path, **options: Any) -> None:
    """Find the turns of people's talk that answer questions.

    DATA is LoCoMo's file of conversations.

    \b
    Example:
      moored bench locomo locomo10.json --split test --run run.jsonl
    """
    _measure("locomo", data, **options)


@bench_command.command("longmemeval")
@_ranked(data_is_folder=False)
def longmemeval_command(data: Path, **options: Any) -> None:
    """Find the sessions and turns that answer questions.

    DATA is LongMemEval's file of questions with their sessions. Each question has a memory of its own to be filled, so
    this takes hours; a folder for vectors helps the second time.

    \b
    Example:
      moored bench longmemeval longmemeval_s.json --cache vectors
    """
    _measure("longmemeval", data, **options)


@bench_command.command("beam")
@_ranked(data_is_folder=True)
def beam_command(data: Path, **options: Any) -> None:
    """Find the messages of long chats that answer questions.

    DATA is BEAM's folder of chats of one size.

    \b
    Example:
      moored bench beam chats/100K --split test --ablate each
    """
    _measure("beam", data, **options)


@bench_command.command("devbench")
@_ranked(data_is_folder=False)
def devbench_command(data: Path, **options: Any) -> None:
    """Find a project's notes, and nothing where there is none.

    DATA is devbench's file of memories and questions.

    \b
    Example:
      moored bench devbench devbench_dataset.json
    """
    _measure("devbench", data, **options)


def _measure(
    name: str,
    data: Path,
    *,
    split: str | None,
    run: Path | None,
    ablate: tuple[str, ...],
    cache: Path | None,
    model: str,
    as_json: bool,
) -> None:
    from moored.bench.measuring import measure
    from moored.bench.sets import SETS
    from moored.bench.variants import variants
    from moored.cli import shapes
    from moored.cli.progress import progress
    from moored.embed import default_embedder, first_embedder

    with progress("questions") as advance:
        report = measure(
            SETS[name],
            data,
            embedder=default_embedder() if model == MINILM else first_embedder(),
            half=split or "",
            variants=variants(ablate),
            run=run,
            cache=cache,
            progress=advance,
        )
    emit(as_json, lambda: shapes.plain(report), report.text().splitlines())


@bench_command.command("precision")
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--cache", type=click.Path(path_type=Path, file_okay=False), help="Keep vectors here.")
@json_option
def precision_command(data: Path, cache: Path | None, as_json: bool) -> None:
    """See that what belongs comes back, and nothing else.

    DATA is the folder of PrecisionMemBench with its beliefs and cases.

    \b
    Example:
      moored bench precision fixtures
    """
    from moored.bench.cached import CachedEmbedder
    from moored.bench.precision import run
    from moored.embed import default_embedder

    embedder = default_embedder()
    report = run(data, embedder=CachedEmbedder(embedder, cache) if cache else embedder)
    emit(as_json, report.as_json, report.text().splitlines())


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
