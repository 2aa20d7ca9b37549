"""The page of each host says what its adapter does."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from moored.hosts.port import Adapter

PAGES = sorted((Path(__file__).parents[2] / "docs" / "hosts").glob("*.md"))
ROW = re.compile(r"^\| `([\w.]+)` \| ([\w -]+) \| .+ \| (yes|no) \|$", re.MULTILINE)
HEADINGS = ("What is read", "What is not read, and why", "Verified how", "What is not supported")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_table_of_a_page_is_what_the_adapter_reads_and_answers(page: Path) -> None:
    adapter: Adapter = import_module(f"moored.hosts.{page.stem.replace('-', '_')}").ADAPTER
    told = [(event, moment, takes == "yes") for event, moment, takes in ROW.findall(page.read_text(encoding="utf-8"))]
    assert told == [(name, at.value, adapter.answer(name, "text") is not None) for name, at in adapter.moments.items()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_is_read_and_what_is_not_and_how_that_is_known(page: Path) -> None:
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading in headings if heading in HEADINGS] == list(HEADINGS)


def test_every_host_has_a_page() -> None:
    fixtures = Path(__file__).parent / "fixtures"
    assert {page.stem for page in PAGES} == {folder.name.replace("_", "-") for folder in fixtures.iterdir()}
