"""A store of each released schema, made by the code of its time, is brought up to date with all that it held."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.attacks.migrate import GOLDEN, flaws, laid
from moored.store.sqlite.migrations import MIGRATIONS


@pytest.mark.parametrize("file", sorted(GOLDEN.iterdir()), ids=lambda file: file.name)
def test_a_store_of_an_older_schema_is_whole_after_its_upgrade(tmp_path: Path, file: Path) -> None:
    laid(tmp_path / "first", file)
    assert list(flaws(tmp_path / "first")) == []
    (copy,) = (tmp_path / "first").glob("moored.db.before-*")
    copy.replace(laid(tmp_path / "again", file))
    assert list(flaws(tmp_path / "again")) == [], "the copy from before the upgrade can be used as it is"


def test_every_golden_store_is_of_a_schema_that_there_was() -> None:
    schemas = [int(file.name.removeprefix("schema-").partition(".")[0]) for file in sorted(GOLDEN.iterdir())]
    assert schemas
    assert max(schemas) < len(MIGRATIONS)
