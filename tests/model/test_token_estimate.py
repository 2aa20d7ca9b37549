"""The estimate of tokens against counts that cl100k_base gives for these texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.text import count_tokens

# Kind: (tokens by cl100k_base, text).
SAMPLES = {
    "prose": (
        63,
        (
            "We moved the session store from files to SQLite because two processes could write at once and one of "
            "the writes was lost. The old format is still read, so nobody has to convert anything by hand. If the "
            "import fails, the original stays where it is and the error names the line that could not be parsed."
        ),
    ),
    "python": (
        102,
        (
            "class Uploader:\n    def __init__(self, retry_limit: int = 5) -> None:\n"
            "        self._retry_limit = retry_limit\n        self._failed: list[str] = []\n\n"
            "    def send(self, path: str) -> bool:\n        for attempt in range(self._retry_limit):\n"
            "            if self._try_once(path, timeout=2.5 * attempt):\n                return True\n"
            '        self._failed.append(path)\n        raise UploadError(f"gave up on {path}")\n'
        ),
    ),
    "json": (
        91,
        (
            '{"name": "uploader", "version": "2.4.1", "retries": 5, "endpoints": [{"host": "eu.example.com", '
            '"port": 8443, "tls": true}, {"host": "us.example.com", "port": 8443, "tls": false}], '
            '"limits": {"max_size": 1048576, "per_minute": 120}, "owner": null}'
        ),
    ),
    "log": (
        94,
        (
            "2025-03-14 09:26:53,589 INFO  uploader.worker: sent build/report.html in 412 ms\n"
            "2025-03-14 09:26:54,101 WARN  uploader.worker: attempt 3 of 5 failed: connection reset by peer\n"
            "2025-03-14 09:26:56,732 ERROR uploader.main: gave up on dist/app.tar.gz after 5 attempts (exit 1)\n"
        ),
    ),
    "chinese": (
        57,
        "我们把会话存储从文件改成了数据库,因为两个进程可能同时写入,其中一次写入会丢失。旧的格式仍然可以读取,所以没有人需要手动转换。",
    ),
    "japanese": (
        58,
        "セッションの保存先をファイルからデータベースに変更しました。二つのプロセスが同時に書き込むと、片方が失われるためです。",
    ),
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_estimate_is_hardly_under_and_not_far_over_the_count(kind: str) -> None:
    tokens, text = SAMPLES[kind]
    assert 0.93 * tokens <= count_tokens(text) <= 1.3 * tokens


def test_only_the_empty_text_has_no_tokens() -> None:
    assert count_tokens("") == 0
    assert count_tokens(" ") == 1


@given(st.text(st.characters()), st.text(st.characters()))
def test_more_text_never_has_fewer_tokens(text: str, more: str) -> None:
    assert count_tokens(text) <= count_tokens(f"{text}\n{more}")


@given(st.text(st.characters(), min_size=1))
def test_there_are_never_more_tokens_than_three_for_each_byte(text: str) -> None:
    assert 1 <= count_tokens(text) <= 3 * len(text.encode("utf-8", "surrogatepass"))
