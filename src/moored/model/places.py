"""Places of a tree by what their names say: whose they are, and whether what stands there is said of the project."""

from __future__ import annotations

import re

FOREIGN = frozenset(
    {
        *("__fixtures__", "__snapshots__", "fixture", "fixtures", "node_modules", "snapshots", "template", "templates"),
        *("test-data", "test_data", "testdata", "third-party", "third_party", "vendor", "vendored"),
    }
)
"""Folders whose manifests and documents are of other projects, or are examples of such."""

_TRIAL = frozenset(
    {
        *("__tests__", "bench", "benches", "benchmark", "benchmarks", "demo", "demos", "doc", "docs", "e2e"),
        *("example", "examples", "sample", "samples", "spec", "specs", "test", "tests"),
    }
)
_TRIAL_FILE = re.compile(
    r"^(?:test_|conftest\.)|[._-](?:test|tests|spec|example|sample|dist|template)(?:\.|$)", re.IGNORECASE
)


def own(path: str) -> bool:
    """Whether a file is of this project: not in a folder of examples for tests or of other people's code."""
    return FOREIGN.isdisjoint(path.split("/")[:-1])


def in_earnest(path: str) -> bool:
    """Whether what a file of this project says is so when it runs, and not only in a test, an example or a demo."""
    *folders, name = path.split("/")
    return own(path) and _TRIAL.isdisjoint(folders) and not _TRIAL_FILE.search(name)
