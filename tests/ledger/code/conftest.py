"""One small source per language with what is expected of it, read from `samples/*.toml`.

`run` names the function that the edits change. `body_edit` and `signature_edit` replace one text by another in
it, `rename` is its own name as written, `layout` lists replacements that only lay the source out differently,
`comment` is a comment line of the language.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Sample:
    path: str
    source: str
    symbols: list[list[str]]
    run: str
    signature: str
    doc: str
    body_edit: list[str]
    signature_edit: list[str]
    rename: str
    layout: list[list[str]]
    comment: str
    calls: list[list[str]]
    bindings: list[list[str]]
    inherits: list[list[str]]


SAMPLES = {
    path.stem: Sample(**tomllib.loads(path.read_text("utf-8")))
    for path in sorted((Path(__file__).parent / "samples").glob("*.toml"))
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "sample" in metafunc.fixturenames:
        metafunc.parametrize("sample", SAMPLES.values(), ids=SAMPLES.keys())
