"""A store of each released schema, made by the code of its time, is brought up to date with all that it held."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.attacks.migrate import GOLDENS, OLDER, flaws, laid
from moored.store.sqlite.migrations import MIGRATIONS
from moored.store.sqlite.store import Store


@pytest.mark.parametrize("file", GOLDENS.values(), ids=lambda file: file.stem)
def test_a_store_of_a_released_schema_is_whole_once_it_was_opened(tmp_path: Path, file: Path) -> None:
    laid(tmp_path, file)
    assert list(flaws(tmp_path)) == []


@pytest.mark.parametrize("file", OLDER, ids=lambda file: file.stem)
def test_the_copy_from_before_an_upgrade_can_be_used_as_it_is(tmp_path: Path, file: Path) -> None:
    Store(laid(tmp_path / "first", file)).close()
    (copy,) = (tmp_path / "first").glob("moored.db.before-*")
    copy.replace(laid(tmp_path / "again", file))
    assert list(flaws(tmp_path / "again")) == []


def test_there_is_a_store_of_no_schema_that_is_not_known() -> None:
    assert GOLDENS
    assert max(GOLDENS) <= len(MIGRATIONS)
