"""Hostile bytes: what a parser knows, spoilt, and tokens in any order."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

TOKENS = (
    *(b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b'"', b"'", b"`", b"\\", b"/", b"//", b"/*", b"*/", b"#", b"--"),
    *(b",", b":", b";", b"=", b"==", b"|", b"&", b"*", b"&a", b"*a", b"<<: *a", b"- ", b"? ", b"!!", b"%", b"$", b"${"),
    *(
        b"\n",
        b"\r\n",
        b"\r",
        b"\t",
        b" ",
        b"\0",
        b"\x1b[",
        b"\x1b]",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
    ),
    *(b"\\ud800", b"\\u0000", b"\xe2\x80\xa8", b"\xf0\x9f\x9a\xa2", b"\xd9\xa3", b"\xc2\xb2", b"0", b"-1", b"1e999"),
    *(
        b"9" * 30,
        b"9" * 5_000,
        b"0x",
        b"NaN",
        b"null",
        b"true",
        b"1999-13-32",
        b"2026-02-30T25:61",
        b"a",
        b"id",
        b"name",
    ),
    *(b"@@ -1,2 +1,2 @@\n", b"diff --git a/x b/x\n", b"+++ ", b"--- ", b"<<EOF\n", b"FROM ", b"[a.b]\n", b"a.b.c = "),
    *(
        b"HTTP/1.1 200 OK\r\n",
        b"GET /mcp HTTP/1.1\r\n",
        b"Host: ",
        b"Content-Length: ",
        b"TAP version 13\n",
        b"not ok 1 - ",
    ),
    *(
        b"=== 1 failed, 2 passed in 3s ===",
        b"FAILED a::b - ",
        b"test result: ",
        b"<testsuite ",
        b"<testcase ",
        b"]]>",
        b"&#x",
    ),
    *(b"every ", b"in 9999999999 years", b"on the 31st of February", b"before ", b"when ", b"remind me ", b"last week"),
    *(
        b"if ",
        b"def f(",
        b"class ",
        b"function ",
        b"import ",
        b"select * from ",
        b"path=",
        b"text~",
        b" and not ",
        b"**/",
    ),
    *(b"<private>", b"</private>", b"<moored-memory ", b"AKIA", b"ghp_", b"Bearer ", b"password=", b"-----BEGIN "),
    *(b'{"type":"user","message":{"content":', b'"timestamp":', b'"tool_input":', b'{"jsonrpc":"2.0","id":1,"method":'),
)
"""What the languages that are read are made of."""


def composed(rng: random.Random, most: int = 60) -> bytes:
    """Tokens in any order."""
    return b"".join(rng.choices(TOKENS, k=rng.randint(1, most)))


def spoilt(rng: random.Random, sample: bytes) -> bytes:
    """A sample of which something is cut out, doubled, swapped, or replaced by tokens and bytes."""
    data = bytearray(sample)
    for _ in range(rng.randint(1, 8)):
        at = rng.randint(0, len(data))
        end = min(len(data), at + rng.choice((0, 1, 4, 64, 1_000)))
        piece = bytes(data[at:end])
        other = rng.randint(0, len(data))
        data[at:end] = rng.choice((b"", piece * 2, composed(rng, 3), rng.randbytes(3), bytes(data[other : other + 40])))
    return bytes(data)


VALUES: tuple[object, ...] = (
    *(
        None,
        True,
        0,
        -1,
        1.5,
        10**30,
        1e308,
        float("nan"),
        "",
        " ",
        "\0",
        "\ud800",
        "x" * 5_000,
        "../../etc/passwd",
        "{",
        "9",
    ),
    *(
        [],
        {},
        [[]],
        [{}],
        [None],
        {"type": "text"},
        {"text": {}},
        [{"type": "text", "text": None}],
        {"": ""},
        "2026-99-99T",
    ),
)
"""What may stand in JSON where a host writes something else."""


def reshaped(rng: random.Random, sample: bytes) -> bytes:
    """A sample in JSON or in lines of JSON of which some members have a value of another type; else spoilt."""
    lines = [line for line in sample.splitlines() if line.strip()]
    try:
        values = [json.loads(sample)] if sample[:1] in b"{[" and b"\n{" not in sample else [*map(json.loads, lines)]
    except ValueError:
        return spoilt(rng, sample)
    changed = [_changed(rng, value) for value in values]
    return b"\n".join(json.dumps(value).encode() for value in changed)


def _changed(rng: random.Random, value: object) -> object:
    if rng.random() < 0.04:
        return rng.choice(VALUES)
    if isinstance(value, dict):
        return {key: _changed(rng, member) for key, member in value.items() if rng.random() > 0.02}
    if isinstance(value, list):
        return [_changed(rng, member) for member in value]
    return value


def hostile(rng: random.Random, samples: Sequence[bytes]) -> bytes:
    """A sample that was reshaped or spoilt, or tokens in any order."""
    if not samples:
        return composed(rng)
    return rng.choice((reshaped, spoilt, lambda rng, _: composed(rng)))(rng, rng.choice(samples))
