"""The scan finds every piece wherever it lies, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.forgetting.fragments import pieces
from moored.forgetting.scanning import look, scan

pytestmark = pytest.mark.invariant("I-10")

_BYTES = st.binary(max_size=200)


@given(before=_BYTES, piece=st.binary(min_size=1, max_size=40), after=_BYTES)
def test_a_piece_is_found_at_any_place_of_a_file(before: bytes, piece: bytes, after: bytes) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "file")
        file.write_bytes(before + piece + after)
        ((number, at),) = look(file, [piece]).places
        assert number == 0
        assert (before + piece + after)[at : at + len(piece)] == piece


@given(data=st.binary(max_size=400), wanted=st.lists(st.binary(min_size=1, max_size=30), max_size=8))
def test_what_is_found_is_what_a_plain_search_finds(data: bytes, wanted: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "file")
        file.write_bytes(data)
        found = {number for number, _ in look(file, wanted).places}
    assert found == {number for number, piece in enumerate(wanted) if piece in data}


def test_a_scan_in_another_process_tells_of_every_file(tmp_path: Path) -> None:
    (tmp_path / "with").write_bytes(b"x" * 1_001 + b"the piece that is looked for" + b"y" * 77)
    (tmp_path / "without").write_bytes(b"the piece that is not")
    (tmp_path / "empty").touch()
    names = ("with", "without", "empty", "gone")
    hits = scan([tmp_path / name for name in names], [b"nowhere to be found", b"the piece that is looked for"])
    assert [(Path(one.file).name, one.size, one.places) for one in hits] == [
        ("with", 1_106, ((1, 1_001),)),
        ("without", 21, ()),
        ("empty", 0, ()),
        ("gone", 0, ()),
    ]


def test_a_file_that_cannot_be_read_is_no_file_in_which_nothing_was_found(tmp_path: Path) -> None:
    assert look(tmp_path, [b"a piece of something"]).trouble


@given(text=st.text(min_size=12, max_size=3_000))
def test_every_piece_stands_in_the_text_that_it_is_of(text: str) -> None:
    data = text.encode()
    for piece in pieces([data]):
        assert piece in data or piece in text.lower().encode()
        assert len(piece) >= 12


def test_a_text_of_several_lines_is_known_by_pieces_from_all_over_it() -> None:
    text = "\n".join(f"line {number} says {number * 7919} in so many words" for number in range(500))
    found = pieces([text.encode()])
    places = sorted(text.encode().find(piece) for piece in found)
    assert len(found) >= 8
    assert places[0] < len(text) / 4
    assert places[-1] > len(text) * 3 / 4
    assert pieces([b"too short"]) == []
    assert pieces([b"just as long"]) == [b"just as long"]


def test_a_scan_that_a_shrinking_file_ended_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "moored.db"
    file.write_bytes(b"the watchman's word")
    ran = subprocess.run
    ended = iter([-7, -7])

    def run(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[bytes]:
        code = next(ended, None)
        return ran(*arguments, **options) if code is None else subprocess.CompletedProcess((), code, b"", b"")

    monkeypatch.setattr(subprocess, "run", run)
    (hits,) = scan([file], [b"watchman"])
    assert hits.places == ((0, 4),)


def test_a_scan_that_is_ended_every_time_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess((), -7, b"", b""))
    with pytest.raises(RuntimeError, match="ended with -7"):
        scan([tmp_path / "moored.db"], [b"watchman"])
