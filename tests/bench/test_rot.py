"""The comparison of the product with the oracle, on two tiny releases of our own."""

from __future__ import annotations

from pathlib import Path

from bench.oracle import Fate
from bench.rot import measure
from bench.rot import run as run_rot

KEPT = "def kept(a):\n    return a\n\n\n"
LONG = (
    "    found = [one for one in values if one > 3]\n    return sorted(found, key=lambda one: -one) + [len(values)]\n"
)


def test_product_and_oracle_agree_on_each_fate(tmp_path: Path) -> None:
    older, newer = _releases(tmp_path)
    tally = measure(older, newer, "1 -> 2")
    assert not tally.disagreements
    assert tally.notes == 4
    assert {fate: tally.both(fate) for fate in (Fate.CURRENT, Fate.CHANGED, Fate.MOVED, Fate.GONE)} == {
        Fate.CURRENT: 1,
        Fate.CHANGED: 1,
        Fate.MOVED: 1,
        Fate.GONE: 1,
    }
    assert (tally.file_alerts, tally.file_catches) == (4, 3)


def test_the_section_shows_precision_recall_and_the_cost_of_alerts(tmp_path: Path, monkeypatch) -> None:
    older, newer = _releases(tmp_path)
    monkeypatch.setenv("MOORED_BENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("bench.rot.unpacked", lambda _, version: {"1": older, "2": newer}[version])
    text = run_rot({"own": ("1", "2")}).render()
    assert "| own | 4 | 1.0000 | 1.0000 | 1.0000 |" in text
    assert "| own | 3 | 1.0000 | 1.0000 | 1.3333 | 1.0000 | 1.3333 | 1.0000 |" in text


def _releases(folder: Path) -> tuple[Path, Path]:
    older, newer = folder / "older", folder / "newer"
    older.mkdir()
    newer.mkdir()
    changed = "def changed(a):\n    return a + {}\n\n\n"
    (older / "a.py").write_text(f"{KEPT}{changed.format(1)}def left(a):\n    return a\n\n\ndef went(values):\n{LONG}")
    (newer / "a.py").write_text(KEPT + changed.format(2))
    (newer / "b.py").write_text(f"def went(values):\n{LONG}")
    return older, newer
