"""A model in a folder that the user names. The shipped encoder stands in for one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from moored.embed import Passage
from moored.embed.folder import from_folder
from moored.embed.minilm import FOLDER, minilm
from moored.embed.static import FOLDER as STATIC
from moored.embed.wordpieces import bert_tokenizer
from moored.errors import InvalidInput, MooredError

TEXT = "The crane lifts boxes onto the quay."
WriteJson = Callable[[str, object], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "harbour"
    place.mkdir()
    shutil.copyfile(FOLDER / "model.onnx", place / "model.onnx")
    bert_tokenizer(STATIC / "vocab.txt").save(str(place / "tokenizer.json"))
    return place


@pytest.fixture
def write(folder: Path) -> WriteJson:
    def write_json(name: str, content: object) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content))

    return write_json


def test_a_folder_with_a_model_and_a_tokenizer_is_enough(folder: Path) -> None:
    embedder = from_folder(folder)
    assert embedder.dimension == 384
    encoded, own = embedder.passages([Passage(TEXT)])[0], minilm().passages([Passage(TEXT)])[0]
    assert (encoded.vector.tobytes(), encoded.codes) == (own.vector.tobytes(), own.codes)
    assert embedder.question("crane").spans == ((0, 5),)


def test_it_is_named_by_its_folder_its_dimension_and_its_files(folder: Path) -> None:
    model = from_folder(folder).model
    assert model.startswith("harbour-384@")
    assert from_folder(folder).model == model
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + "\n")
    assert from_folder(folder).model != model


@pytest.mark.invariant("I-16")
def test_another_use_of_the_same_files_is_another_model(folder: Path) -> None:
    uses = [{}, {"pooling": "cls"}, {"passage_prefix": "passage: "}, {"question_prefix": "query: "}]
    assert len({from_folder(folder, **use).model for use in uses}) == len(uses)


def test_the_first_mark_stands_for_the_text_where_the_folder_says_so(folder: Path, write: WriteJson) -> None:
    write("1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    first, mean = from_folder(folder), from_folder(folder, pooling="mean")
    assert not np.allclose(first.encode([TEXT]), mean.encode([TEXT]), atol=0.01)
    alone, told = first.passages([Passage(TEXT), Passage(TEXT, "At night.")])
    assert alone.vector.tobytes() == told.vector.tobytes()


def test_prompts_stand_before_passages_and_questions(folder: Path, write: WriteJson) -> None:
    write("config_sentence_transformers.json", {"prompts": {"query": "query: ", "document": "passage: "}})
    prompted, plain = from_folder(folder), minilm()
    assert np.allclose(prompted.encode([TEXT]), plain.encode([f"passage: {TEXT}"]), atol=1e-6)
    asked = prompted.question(TEXT)
    assert np.allclose(asked.vector, plain.question(f"query: {TEXT}").vector, atol=1e-6)
    assert TEXT[slice(*asked.spans[0])] == "The"
    assert np.allclose(from_folder(folder, passage_prefix="").encode([TEXT]), plain.encode([TEXT]), atol=1e-6)


def test_no_more_pieces_are_read_than_the_folder_says(folder: Path, write: WriteJson) -> None:
    write("sentence_bert_config.json", {"max_seq_length": 16})
    assert len(from_folder(folder).question("crane " * 50).spans) == 14


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_model_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InvalidInput, match=r"model\.onnx and tokenizer\.json"):
        from_folder(folder)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "pooled by 'max'"),
        ("1_Pooling/config.json", {"pooling_mode": "lasttoken"}, "pooled by 'lasttoken'"),
        ("modules.json", [{"type": "sentence_transformers.models.Dense"}], "the module Dense"),
    ],
)
def test_what_cannot_be_run_is_refused(folder: Path, write: WriteJson, name: str, content: object, said: str) -> None:
    write(name, content)
    with pytest.raises(InvalidInput, match=said):
        from_folder(folder)


def test_a_file_that_is_no_model_is_an_error_that_names_it(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(b"no model")
    (folder / "config.json").write_text('{"hidden_size": 384}')
    with pytest.raises(MooredError, match=r"harbour.model\.onnx cannot be loaded"):
        from_folder(folder).encode([TEXT])


def test_a_file_that_is_no_json_is_named(folder: Path) -> None:
    (folder / "config.json").write_text("{")
    with pytest.raises(InvalidInput, match=r"config\.json cannot be read"):
        from_folder(folder)
