"""Which embedder the settings ask for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from moored.model.embedding import MINILM, OFF, STATIC

if TYPE_CHECKING:
    from moored.embed.port import Embedder
    from moored.model.embedding import Embedding


@cache
def embedder(wanted: Embedding) -> Embedder | None:
    """The embedder of these settings, one for the whole process; None where there is to be none.

    Raises `InvalidInput` for a folder or an endpoint that cannot be used as it is described.
    """
    if wanted.model == OFF:
        return None
    if wanted.model == STATIC:
        return first_embedder()
    if wanted.model == MINILM:
        return default_embedder()
    if wanted.is_endpoint:
        from moored.embed.endpoint import EndpointEmbedder

        return EndpointEmbedder(
            wanted.model,
            wanted.name,
            wanted.dimension,
            key_variable=wanted.key_variable,
            passage_prefix=wanted.passage_prefix or "",
            question_prefix=wanted.question_prefix or "",
        )
    from moored.embed.folder import from_folder

    return from_folder(
        Path(wanted.model).expanduser(),
        pooling=wanted.pooling,
        passage_prefix=wanted.passage_prefix,
        question_prefix=wanted.question_prefix,
    )


def default_embedder() -> Embedder:
    """The embedder where nothing is said."""
    from moored.embed.minilm import minilm

    return minilm()


def first_embedder() -> Embedder:
    """The embedder of the first pass, which gives texts a vector while they wait for that of the configured one."""
    from moored.embed.static import static_minilm

    return static_minilm()
