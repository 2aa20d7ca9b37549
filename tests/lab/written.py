"""JSON documents as somebody may have written them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

KEYS = st.text(max_size=6)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
BLANKS = st.sampled_from(["", " ", "\n", "\r\n", "  \t", " // note\n", "/* a, [b] {c: */", '\n  // "x": 1,\n  '])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A JSON object as somebody may have written it: with comments, odd blanks and trailing commas."""

    def written(value: Any) -> str:
        if isinstance(value, dict | list) and value:
            opening, closing = "{}" if isinstance(value, dict) else "[]"
            items = (
                [f"{json.dumps(key)}{draw(BLANKS)}:{draw(BLANKS)}{written(item)}" for key, item in value.items()]
                if isinstance(value, dict)
                else [written(item) for item in value]
            )
            body = ",".join(draw(BLANKS) + item + draw(BLANKS) for item in items)
            return opening + body + draw(st.sampled_from(["", ",", ",\n"])) + draw(BLANKS) + closing
        return json.dumps(value)

    root = draw(st.dictionaries(KEYS, VALUES, max_size=5))
    return draw(st.sampled_from(["", "\ufeff"])) + draw(BLANKS) + written(root) + draw(BLANKS)
