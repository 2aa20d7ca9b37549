"""An embedding model behind an endpoint that speaks OpenAI's embeddings protocol, as many local servers do.

https://platform.openai.com/docs/api-reference/embeddings. Texts are sent there and nowhere else, and only because the
user gave its URL (I-24).
"""

from __future__ import annotations

import json
import os
import time
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, cast
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from moored.embed.port import Question, WholeTexts, no_pieces
from moored.errors import InvalidInput, MooredError
from moored.model.characters import well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

BATCH = 64
"""Texts in one request."""

LONGEST = 8_000
"""Characters of a text that are sent."""

TIMEOUT = 30.0
"""Seconds that a request for passages may take."""

ASKING_TIMEOUT = 5.0
"""Seconds that the request for a question may take: somebody waits for the answer."""

ATTEMPTS = 3
"""How often passages are sent before it is given up."""

LONGEST_WAIT = 10.0
"""Seconds between two attempts at most."""

LARGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of an answer that are read."""

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class EndpointEmbedder(WholeTexts):
    """Asks an endpoint for vectors. Safe to use from many threads.

    `url` is what stands before `/embeddings`, such as `http://localhost:11434/v1`; `name` is the model's name there,
    and `dimension` how many numbers its vectors have. The key is in the environment variable `key_variable`; without
    one no key is sent.
    """

    instant = False

    def __init__(
        self,
        url: str,
        name: str,
        dimension: int,
        *,
        key_variable: str = "",
        passage_prefix: str = "",
        question_prefix: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(f"{url!r} is no URL of an embedding endpoint. It looks like http://localhost:11434/v1.")
        if key_variable and parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise InvalidInput(f"{url} is not encrypted: no key is sent there. Use https, or leave the key out.")
        if not name or dimension <= 0:
            raise InvalidInput(f"The endpoint {url} needs `name` and `dimension` of its model in the settings.")
        self.model = f"{name}-{dimension}@{parts.netloc.rpartition('@')[2]}"
        if passage_prefix or question_prefix:
            self.model += f" {passage_prefix!r} {question_prefix!r}"
        self.dimension = dimension
        self._url = url.rstrip("/") + "/embeddings"
        self._name = name
        self._key_variable = key_variable
        self._prefixes = passage_prefix, question_prefix
        self._sleep = sleep
        self._opener = _opener()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`."""
        return self._rows([self._prefixes[0] + text if text.strip() else "" for text in texts], TIMEOUT, ATTEMPTS)

    def question(self, text: str) -> Question:
        """See `Embedder.question`. It is asked once."""
        row = self._rows([self._prefixes[1] + text if text.strip() else ""], ASKING_TIMEOUT, 1)[0]
        return Question(row, no_pieces(self.dimension))

    def _rows(self, texts: list[str], timeout: float, attempts: int) -> NDArray[np.float32]:
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        said = [at for at, text in enumerate(texts) if text]
        for first in range(0, len(said), BATCH):
            owners = said[first : first + BATCH]
            answer = self._ask([well_formed(texts[at])[:LONGEST] for at in owners], timeout, attempts)
            rows[owners] = self._vectors(answer, len(owners))
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return np.divide(rows, lengths, out=rows, where=lengths > 0)

    def _ask(self, texts: list[str], timeout: float, attempts: int) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._key_variable:
            key = os.environ.get(self._key_variable)
            if not key:
                raise InvalidInput(f"The key for {self._url} must be in the environment variable {self._key_variable}.")
            headers["Authorization"] = f"Bearer {key}"
        body = json.dumps({"model": self._name, "input": texts, "encoding_format": "float"}).encode()
        request = Request(self._url, body, headers)  # noqa: S310  # the scheme was checked when this was made
        trouble = ""
        for attempt in range(1, attempts + 1):
            try:
                with self._opener.open(request, timeout=timeout) as answer:
                    return answer.read(LARGEST_ANSWER)
            except HTTPError as error:
                said = error.read(300).decode("utf-8", "replace").strip()
                trouble, wait = f"HTTP {error.code}, {said or error.reason}", _wait(error, attempt)
                if error.code not in PASSING:
                    break
            except (OSError, HTTPException) as error:
                trouble, wait = str(error) or type(error).__name__, _wait(None, attempt)
            if attempt < attempts:
                self._sleep(wait)
        raise MooredError(
            f"The embedding endpoint {self._url} did not give vectors: {trouble}. "
            "Texts wait until it does; see that it runs and that its settings are right."
        )

    def _vectors(self, answer: bytes, count: int) -> NDArray[np.float32]:
        import numpy as np

        try:
            data = cast(list[dict[str, Any]], json.loads(answer)["data"])
            ordered = sorted(data, key=lambda item: int(item["index"]))
            rows = np.array([item["embedding"] for item in ordered], np.float32)
            sound = rows.shape == (count, self.dimension) and bool(np.isfinite(rows).all())
        except (ValueError, TypeError, KeyError):
            raise MooredError(
                f"The embedding endpoint {self._url} answered with something else than vectors."
            ) from None
        if not sound:
            raise MooredError(
                f"The embedding endpoint {self._url} gave vectors of shape {rows.shape} for {count} texts of "
                f"{self.dimension} numbers. See that `dimension` in the settings is that of its model."
            )
        return rows


def _opener() -> OpenerDirector:
    """What opens URLs but follows no redirect: texts go to the host that was named."""
    opener = OpenerDirector()
    for handler in (ProxyHandler, HTTPHandler, HTTPSHandler, HTTPDefaultErrorHandler, HTTPErrorProcessor):
        opener.add_handler(handler())
    return opener


def _wait(error: HTTPError | None, attempt: int) -> float:
    """Seconds until the next attempt: what the endpoint asks for, else twice as long each time."""
    asked = error.headers.get("Retry-After", "") if error else ""
    return min(float(asked) if asked.isdigit() else 0.5 * 2 ** (attempt - 1), LONGEST_WAIT)
