"""Vectors for texts: the embedder port, the models that come with moored, and those that a user names.

Importing this package loads neither numpy nor a model; that happens when an embedder is first used.
"""

import os

from moored.embed.choice import default_embedder, embedder, first_embedder
from moored.embed.fake import HashingEmbedder, HashingPieceEmbedder
from moored.embed.port import Embedder, Encoded, Passage, Question
from moored.embed.static import StaticEmbedder

__all__ = [
    "Embedder",
    "Encoded",
    "HashingEmbedder",
    "HashingPieceEmbedder",
    "Passage",
    "Question",
    "StaticEmbedder",
    "default_embedder",
    "embedder",
    "first_embedder",
]

# Matrices here are small: a thread a core, which numpy's OpenBLAS would start and keep spinning, doubles the time of a
# question on a busy machine. It is read when numpy is first loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
