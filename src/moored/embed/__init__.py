"""Vectors for texts: the embedder port and the offline default.

Importing this package loads neither numpy nor a model; that happens when an embedder is first used.
"""

from moored.embed.fake import HashingEmbedder
from moored.embed.port import Embedder
from moored.embed.static import StaticEmbedder, default_embedder

__all__ = ["Embedder", "HashingEmbedder", "StaticEmbedder", "default_embedder"]
