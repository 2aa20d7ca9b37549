"""The default embedder: all-MiniLM-L6-v2 with eight-bit weights.

The model stands in `minilm/` beside this module; its README says where it comes from. It shares the word pieces of
the static model, which stand in `static_minilm/`.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from moored.embed.encoder import EncoderEmbedder, Recipe
from moored.embed.static import FOLDER as STATIC
from moored.embed.wordpieces import bert_tokenizer

FOLDER = Path(__file__).parent / "minilm"


@cache
def minilm() -> EncoderEmbedder:
    """The embedder, one for the whole process."""
    recipe = Recipe(FOLDER / "model.onnx", partial(bert_tokenizer, STATIC / "vocab.txt"))
    return EncoderEmbedder("minilm-l6-384@1", 384, recipe)
