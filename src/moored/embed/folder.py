"""An embedding model in a folder that the user names: an ONNX file, its tokenizer, and what says how to use them.

The folder is laid out as sentence-transformers saves a model: `model.onnx` (or `onnx/model.onnx`) and
`tokenizer.json`, and, where they are there, `modules.json`, `1_Pooling/config.json` (pooling),
`sentence_bert_config.json` (how many pieces are read), `config_sentence_transformers.json` (prompts), `config.json`
(dimension).
"""

from __future__ import annotations

import json
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from moored.embed.encoder import MAX_PIECES, EncoderEmbedder, Recipe, open_session
from moored.errors import InvalidInput

if TYPE_CHECKING:
    from tokenizers import Tokenizer

POOLINGS = ("mean", "cls")

MOST_PIECES = 512
"""Word pieces that are read at most, whatever a model allows: a window has about a hundred."""

MODULES = ("Transformer", "Pooling", "Normalize")
"""The modules of sentence-transformers that are carried out here."""


def from_folder(
    folder: Path, *, pooling: str = "", passage_prefix: str | None = None, question_prefix: str | None = None
) -> EncoderEmbedder:
    """The embedder of a folder. What is given replaces what the folder says. The model is loaded at its first use.

    It is identified by the folder's name, its dimension and a hash of its files and of how they are used. Raises
    `InvalidInput` for a folder without a model, or with one that moored cannot run.
    """
    file = next((folder / name for name in ("model.onnx", "onnx/model.onnx") if (folder / name).is_file()), None)
    tokenizer = folder / "tokenizer.json"
    if file is None or not tokenizer.is_file():
        raise InvalidInput(f"The folder {folder} must hold an embedding model: model.onnx and tokenizer.json.")
    _refuse_modules(folder)
    prompts = _table(_json(folder / "config_sentence_transformers.json").get("prompts"))
    recipe = Recipe(
        file,
        partial(_tokenizer, tokenizer),
        pooling=_pooling(folder, pooling),
        passage_prefix=_prefix(passage_prefix, prompts, ("document", "passage")),
        question_prefix=_prefix(question_prefix, prompts, ("query",)),
        max_pieces=_pieces(folder),
    )
    dimension = _dimension(folder, file)
    return EncoderEmbedder(f"{folder.name}-{dimension}@{_fingerprint(recipe, tokenizer)}", dimension, recipe)


def _tokenizer(file: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises nothing more special
        raise InvalidInput(f"{file} cannot be read as a tokenizer: {error}.") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _refuse_modules(folder: Path) -> None:
    try:
        modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{folder / 'modules.json'} cannot be read: {error}.") from error
    for module in cast(list[dict[str, Any]], modules):
        name = str(module.get("type", "")).rsplit(".", 1)[-1]
        if name not in MODULES:
            raise InvalidInput(f"The model in {folder} has the module {name}, which moored cannot run.")


def _pooling(folder: Path, given: str) -> str:
    config = _json(folder / "1_Pooling" / "config.json")
    modes = [key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for key in config]
    said = [
        mode for mode, value in zip(modes, config.values(), strict=True) if value is True and mode != "include_prompt"
    ]
    pooling = given or str(config.get("pooling_mode", "")) or "+".join(said) or "mean"
    if pooling not in POOLINGS:
        raise InvalidInput(f"The model in {folder} is pooled by {pooling!r}. moored knows {' and '.join(POOLINGS)}.")
    return pooling


def _prefix(given: str | None, prompts: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((str(prompts[name]) for name in names if name in prompts), "") if given is None else given


def _pieces(folder: Path) -> int:
    most = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    return min(most, MOST_PIECES) if isinstance(most, int) and most > 0 else MAX_PIECES


def _dimension(folder: Path, file: Path) -> int:
    configured = (
        _json(folder / "config.json").get("hidden_size"),
        _json(folder / "1_Pooling" / "config.json").get("word_embedding_dimension"),
    )
    for size in configured:
        if isinstance(size, int):
            return size
    size = open_session(file).get_outputs()[0].shape[-1]
    if not isinstance(size, int):
        raise InvalidInput(f"Nothing in {folder} says how many numbers a vector has. Give hidden_size in config.json.")
    return size


def _fingerprint(recipe: Recipe, tokenizer: Path) -> str:
    """The beginning of a hash of all that decides the vectors."""
    uses = (recipe.pooling, recipe.passage_prefix, recipe.question_prefix, recipe.max_pieces)
    digest = sha256(json.dumps(uses).encode())
    for file in (*sorted(recipe.file.parent.glob(f"{recipe.file.name}*")), tokenizer):
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:12]


def _json(file: Path) -> dict[str, Any]:
    """The object in a file; an empty one where there is no file. Raises `InvalidInput`."""
    try:
        return _table(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}.") from error


def _table(value: object) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
