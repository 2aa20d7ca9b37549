"""The commands that measure: what they print, what they write, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import made_up
import pytest
from click.testing import CliRunner, Result

from moored.bench.variants import variants
from moored.cli.main import cli
from moored.embed import HashingPieceEmbedder


@pytest.fixture(autouse=True)
def small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moored.embed.default_embedder", HashingPieceEmbedder)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


@pytest.mark.parametrize("name", ["locomo", "beam", "longmemeval", "devbench"])
def test_a_set_is_measured_by_its_command(tmp_path: Path, name: str) -> None:
    data = getattr(made_up, name)(tmp_path)
    done = call("bench", name, data, "--run", tmp_path / "run.jsonl", "--cache", tmp_path / "vectors")
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"## {'LoCoMo' if name == 'locomo' else ''}")
    assert "| only dense |" in done.output
    assert (tmp_path / "run.jsonl").exists()
    assert list((tmp_path / "vectors").iterdir())


def test_the_json_of_a_report_has_every_measure_of_every_variant(tmp_path: Path) -> None:
    done = call("bench", "locomo", made_up.locomo(tmp_path), "--split", "test", "--ablate", "late", "--json")
    report = json.loads(done.stdout)
    assert (report["name"], report["half"], report["questions"]) == ("locomo", "test", 1)
    (items, *_) = report["rankings"]
    assert {one["variant"] for one in items["groups"]} == {"moored", *(one.title for one in variants(["late"]))}
    assert items["groups"][0]["measures"]["recall@10"] == 1.0
    assert len(report["data_hash"]) == 32


def test_an_unknown_signal_is_bad_usage_and_nothing_is_measured(tmp_path: Path) -> None:
    done = call("bench", "devbench", made_up.devbench(tmp_path), "--ablate", "luck", "--run", tmp_path / "run.jsonl")
    assert done.exit_code == 2
    assert "no signal 'luck'" in done.output
    assert not (tmp_path / "run.jsonl").exists()


def test_data_of_another_set_is_bad_input(tmp_path: Path) -> None:
    done = call("bench", "locomo", made_up.devbench(tmp_path))
    assert done.exit_code == 2
    assert "LoCoMo" in done.output
