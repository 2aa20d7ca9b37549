"""An endpoint that gives vectors. A server on this machine stands in for one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np
import pytest

from moored.embed.endpoint import ATTEMPTS, BATCH, EndpointEmbedder
from moored.embed.fake import HashingEmbedder
from moored.errors import InvalidInput, MooredError


class Endpoint:
    """A server that answers with `answers` first, each a status, headers and a body, and with vectors after them."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append((self.path, dict(self.headers), body))
                status, headers, answer = endpoint.answers.pop(0) if endpoint.answers else (200, {}, vectors(body))
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(timeout=10)
        self._server.server_close()


def vectors(body: dict[str, Any]) -> bytes:
    rows = HashingEmbedder(8).encode(body["input"]) * 3
    data = [{"index": at, "embedding": row.tolist()} for at, row in enumerate(rows)]
    return json.dumps({"data": data[::-1]}).encode()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


def embedder(endpoint: Endpoint, **more: Any) -> EndpointEmbedder:
    return EndpointEmbedder(endpoint.url, "tide", 8, **{"sleep": lambda _: None, **more})


def test_rows_have_length_one_and_stand_in_the_order_of_the_texts(endpoint: Endpoint) -> None:
    texts = ["crane", "", "quay wall"]
    rows = embedder(endpoint).encode(texts)
    assert np.allclose(rows, HashingEmbedder(8).encode(texts), atol=1e-6)
    path, headers, body = endpoint.asked[0]
    assert (path, body["model"], body["input"]) == ("/v1/embeddings", "tide", ["crane", "quay wall"])
    assert "Authorization" not in headers


def test_many_texts_go_in_several_requests(endpoint: Endpoint) -> None:
    assert embedder(endpoint).encode(["crane"] * (BATCH + 1)).all(axis=0).any()
    assert [len(body["input"]) for _, _, body in endpoint.asked] == [BATCH, 1]


def test_blank_texts_are_not_sent(endpoint: Endpoint) -> None:
    assert not embedder(endpoint).encode(["", " \n"]).any()
    assert endpoint.asked == []


def test_the_key_comes_from_the_variable_that_is_named(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    keyed = embedder(endpoint, key_variable="HARBOUR_KEY")
    monkeypatch.delenv("HARBOUR_KEY", raising=False)
    with pytest.raises(InvalidInput, match="HARBOUR_KEY"):
        keyed.encode(["crane"])
    monkeypatch.setenv("HARBOUR_KEY", "open-sesame")
    keyed.encode(["crane"])
    assert [headers["Authorization"] for _, headers, _ in endpoint.asked] == ["Bearer open-sesame"]


def test_prefixes_stand_before_passages_and_questions(endpoint: Endpoint) -> None:
    prompted = embedder(endpoint, passage_prefix="passage: ", question_prefix="query: ")
    prompted.encode(["crane"])
    assert prompted.question("quay").pieces.shape == (0, 8)
    assert [body["input"] for _, _, body in endpoint.asked] == [["passage: crane"], ["query: quay"]]
    assert prompted.model != embedder(endpoint).model


def test_a_passing_trouble_is_tried_again_after_the_wait_that_is_asked_for(endpoint: Endpoint) -> None:
    waits: list[float] = []
    endpoint.answers = [(429, {"Retry-After": "3"}, b"slow down"), (503, {}, b"")]
    assert embedder(endpoint, sleep=waits.append).encode(["crane"]).any()
    assert waits == [3.0, 1.0]


def test_trouble_that_lasts_is_an_error_that_says_what_came(endpoint: Endpoint) -> None:
    endpoint.answers = [(500, {}, b"out of memory")] * ATTEMPTS
    with pytest.raises(MooredError, match="HTTP 500, out of memory"):
        embedder(endpoint).encode(["crane"])
    assert len(endpoint.asked) == ATTEMPTS


def test_a_refusal_is_not_tried_again(endpoint: Endpoint) -> None:
    endpoint.answers = [(401, {}, b"who are you")]
    with pytest.raises(MooredError, match="HTTP 401, who are you"):
        embedder(endpoint).encode(["crane"])
    assert len(endpoint.asked) == 1


def test_a_question_is_asked_once(endpoint: Endpoint) -> None:
    endpoint.answers = [(503, {}, b"")]
    with pytest.raises(MooredError, match="HTTP 503"):
        embedder(endpoint).question("crane")
    assert len(endpoint.asked) == 1


@pytest.mark.invariant("I-24")
def test_texts_do_not_follow_a_redirect(endpoint: Endpoint) -> None:
    with Endpoint() as other:
        for status in (301, 302, 303, 307, 308):
            endpoint.answers = [(status, {"Location": f"{other.url}/embeddings"}, b"")]
            with pytest.raises(MooredError, match=f"HTTP {status}"):
                embedder(endpoint).encode(["crane"])
        assert other.asked == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>", "something else than vectors"),
        (b'{"data": []}', "shape"),
        (b'{"data": [{"index": 0, "embedding": [1, 2]}]}', r"shape \(1, 2\) for 1 texts of 8"),
        (b'{"data": [{"index": 0, "embedding": [NaN, 0, 0, 0, 0, 0, 0, 0]}]}', "shape"),
        (b'{"data": [{"embedding": "none"}]}', "something else than vectors"),
    ],
)
def test_an_answer_without_sound_vectors_is_an_error(endpoint: Endpoint, answer: bytes, said: str) -> None:
    endpoint.answers = [(200, {}, answer)]
    with pytest.raises(MooredError, match=said):
        embedder(endpoint).encode(["crane"])


def test_an_endpoint_that_is_not_there_is_an_error_that_names_it() -> None:
    with Endpoint() as gone:
        url = gone.url
    with pytest.raises(MooredError, match=url):
        EndpointEmbedder(url, "tide", 8, sleep=lambda _: None).encode(["crane"])


@pytest.mark.parametrize(
    ("url", "name", "dimension", "key", "said"),
    [
        ("ftp://quay/v1", "tide", 8, "", "no URL"),
        ("http://", "tide", 8, "", "no URL"),
        ("http://quay.example/v1", "tide", 8, "KEY", "not encrypted"),
        ("https://quay.example/v1", "", 8, "", "`name` and `dimension`"),
        ("https://quay.example/v1", "tide", 0, "", "`name` and `dimension`"),
    ],
)
def test_settings_that_cannot_work_are_refused(url: str, name: str, dimension: int, key: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        EndpointEmbedder(url, name, dimension, key_variable=key)
