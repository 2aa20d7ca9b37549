"""A store of each released schema, made by the code of its time, is brought up to date with all that it held."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.attacks.migrate import GOLDEN, flaws, laid
from moored.store.sqlite.migrations import MIGRATIONS
from moored.store.sqlite.store import Store

GOLDENS = {int(file.name.removeprefix("schema-").partition(".")[0]): file for file in sorted(GOLDEN.iterdir())}


@pytest.mark.parametrize("schema", GOLDENS)
def test_a_store_of_a_released_schema_is_whole_once_it_was_opened(tmp_path: Path, schema: int) -> None:
    laid(tmp_path, GOLDENS[schema])
    assert list(flaws(tmp_path)) == []


@pytest.mark.parametrize("schema", [schema for schema in GOLDENS if schema < len(MIGRATIONS)])
def test_the_copy_from_before_an_upgrade_can_be_used_as_it_is(tmp_path: Path, schema: int) -> None:
    Store(laid(tmp_path / "first", GOLDENS[schema])).close()
    (copy,) = (tmp_path / "first").glob("moored.db.before-*")
    copy.replace(laid(tmp_path / "again", GOLDENS[schema]))
    assert list(flaws(tmp_path / "again")) == []


def test_there_is_a_store_of_no_schema_that_is_not_known() -> None:
    assert GOLDENS
    assert max(GOLDENS) <= len(MIGRATIONS)
