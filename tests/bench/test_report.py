"""Sections of the results are replaced in place, and figures are not rounded up."""

from __future__ import annotations

from pathlib import Path

from bench.report import Section, ratio, table, write


def test_a_section_is_replaced_where_it_stands(tmp_path: Path) -> None:
    results = tmp_path / "RESULTS.md"
    for name, text in (("a", "first"), ("b", "other"), ("a", "second")):
        write(Section(name, name.upper(), [text]), results)
    found = results.read_text()
    assert "first" not in found
    assert found.index("second") < found.index("other")
    assert found.count("<!-- begin a -->") == 1


def test_a_ratio_is_cut_and_not_rounded() -> None:
    assert ratio(99_999, 100_000) == "0.9999"
    assert ratio(3, 3) == "1.0000"
    assert ratio(0, 0) == ""


def test_a_table_escapes_bars_and_sets_numbers_to_the_right() -> None:
    assert table(["what", "count"], [["a|b", 1200]]) == ["| what | count |", "| --- | ---: |", "| a\\|b | 1,200 |"]
