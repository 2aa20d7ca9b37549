"""Cutting a text into the word pieces of BERT's uncased vocabulary, and which pieces carry meaning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.stopwords import STOP_WORDS, is_stop_word

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Tokenizer

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"

# What is left of a contraction when the apostrophe is cut off: it's, don't, we're, we've, we'll, I'd, I'm.
_ENDINGS = frozenset({"s", "t", "re", "ve", "ll", "d", "m"})

_SPEAKS = re.compile(r"\w")
_NOT = re.compile(r"['\u2019]t\b", re.IGNORECASE)


def bert_tokenizer(vocabulary: Path) -> Tokenizer:
    """A tokenizer over a file with a piece a line, in the order of their ids."""
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece

    pieces = vocabulary.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    numbered = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(WordPiece(numbered, unk_token=UNKNOWN, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing((END, numbered[END]), (BEGIN, numbered[BEGIN]))
    return tokenizer


def carries_meaning(text: str, start: int, end: int) -> bool:
    """Whether the piece of a text that stands for these characters is more than punctuation or a function word.

    Part of a longer word is never a function word, whatever its letters; the end of a contraction always is.
    """
    piece = text[start:end].strip().lower()
    if not _SPEAKS.search(piece):
        return False
    if _NOT.match(text, end) and is_stop_word(f"{piece}'t"):
        return False
    if piece not in STOP_WORDS and piece not in _ENDINGS:
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    return bool(_SPEAKS.match(before) or _SPEAKS.match(after))
