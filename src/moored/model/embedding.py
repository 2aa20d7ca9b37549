"""What a user and a project say about the model that gives texts their vectors."""

from __future__ import annotations

from typing import NamedTuple

MINILM, STATIC, OFF = "minilm", "static", "off"
"""The models that come with moored, and to have none."""


class Embedding(NamedTuple):
    """The table `[embedding]` of `.moored.toml`.

    `model` is `minilm`, `static`, `off`, the folder of a model or the URL of an endpoint; the other values are for
    these two. `name` and `dimension` are those of the endpoint's model, and `key_variable` is the environment variable
    with its key. `pooling` is how the vectors of pieces become that of a text. The prefixes stand before a passage
    and a question; None is what the model's own folder says.
    """

    model: str = MINILM
    name: str = ""
    dimension: int = 0
    key_variable: str = ""
    pooling: str = ""
    passage_prefix: str | None = None
    question_prefix: str | None = None

    @property
    def is_endpoint(self) -> bool:
        """Whether the model is the URL of an endpoint."""
        return self.model.startswith(("http://", "https://"))

    @property
    def is_folder(self) -> bool:
        """Whether the model is a folder."""
        return not self.is_endpoint and self.model not in (MINILM, STATIC, OFF)
