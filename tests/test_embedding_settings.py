"""Which embedder a project's settings and the user's environment ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from moored.embed import default_embedder, embedder, first_embedder
from moored.errors import InvalidInput
from moored.memory import open_memory
from moored.model.embedding import Embedding
from moored.settings import EMBEDDING_VARIABLE, FILE_NAME, read_settings

URL = "https://quay.example/v1"


@pytest.fixture(autouse=True)
def _nothing_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(EMBEDDING_VARIABLE, raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    root = tmp_path / "quay"
    root.mkdir()
    return root / FILE_NAME


def said(file: Path, table: str) -> Embedding:
    file.write_text(f"[embedding]\n{table}\n")
    return read_settings(file).embedding


def test_the_encoder_is_used_where_nothing_is_said(file: Path) -> None:
    assert read_settings(file).embedding == Embedding()
    assert embedder(Embedding()) is default_embedder()


def test_a_project_can_choose_among_the_models_that_come_with_moored(file: Path) -> None:
    assert embedder(said(file, 'model = "static"')) is first_embedder()
    assert embedder(said(file, 'model = "minilm"')) is default_embedder()
    assert embedder(said(file, 'model = "off"')) is None


def test_a_memory_uses_the_model_of_its_project(file: Path, tmp_path: Path) -> None:
    said(file, 'model = "static"')
    with open_memory(file.parent, store=tmp_path / "moored.db") as memory:
        memory.record("The crane lifts boxes.")
        assert memory.status().vectors == {first_embedder().model: 1}
        assert memory.status().waiting == 0


def test_a_project_can_name_a_folder_outside_of_it(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    assert said(file, f"model = '{folder}'").model == str(folder)
    with pytest.raises(InvalidInput, match=r"must hold an embedding model"):
        embedder(Embedding(str(folder)))


@pytest.mark.invariant("I-24")
def test_an_endpoint_in_the_files_of_a_project_counts_only_when_the_user_names_it_too(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = f'model = "{URL}"\nname = "tide"\ndimension = 8'
    with pytest.raises(InvalidInput, match=f"set the environment variable {EMBEDDING_VARIABLE}"):
        said(file, table)
    monkeypatch.setenv(EMBEDDING_VARIABLE, URL)
    asked = embedder(said(file, table))
    assert asked is not None
    assert asked.model == "tide-8@quay.example"


@pytest.mark.invariant("I-24")
@pytest.mark.parametrize("place", ["models", "./models", "../quay/models"])
def test_a_model_among_the_files_of_a_project_is_not_run(file: Path, place: str) -> None:
    for folder in (place, str(file.parent / place)):
        with pytest.raises(InvalidInput, match="not in the tree itself"):
            said(file, f"model = '{folder}'")


def test_what_the_user_says_stands_above_what_a_project_says(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EMBEDDING_VARIABLE, "static")
    assert read_settings(file).embedding.model == "static"
    assert said(file, 'model = "minilm"').model == "static"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("modle = 'static'", "sets 'modle'"),
        ("model = 3", "must be of type str"),
        ("dimension = true", "must be of type int"),
    ],
)
def test_a_setting_that_cannot_be_understood_is_named(file: Path, table: str, expected: str) -> None:
    with pytest.raises(InvalidInput, match=rf"(?s){expected}.*|.*\[embedding\].*{expected}"):
        said(file, table)


def test_a_table_that_is_none_is_named(file: Path) -> None:
    file.write_text('embedding = "minilm"\n')
    with pytest.raises(InvalidInput, match="'embedding' in"):
        read_settings(file)


def test_prefixes_reach_the_endpoint(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setenv(EMBEDDING_VARIABLE, URL)
    asked = embedder(said(file, 'name = "tide"\ndimension = 8\nquestion_prefix = "query: "'))
    assert asked is not None
    assert asked.model == "tide-8@quay.example '' 'query: '"
