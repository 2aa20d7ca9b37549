"""The late interaction signal: how well each piece of a question is met by some piece of a text, or of its neighbours.

Of a text the store keeps one bit a dimension for each of its pieces that carries meaning: the sign after a fixed
rotation. The similarity of a question's piece q (a vector of length 1) to a piece with the signs b is q . b / sqrt(d),
and a text answers the piece by its best one (MaxSim, Khattab and Zaharia 2020). Where a neighbouring window answers it
better, a share of the excess counts, because a turn and the one before it are read together. The score is the mean
over the question's pieces, in which words without meaning of their own count little.

The question's numbers are rounded to multiples of 2^-12: then every sum is exact in float32, whatever the order in
which a machine adds it up (I-23).
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from moored.model.recall import HitKind
from moored.model.stopwords import is_stop_word
from moored.model.traits import FOLLOWS
from moored.recall.lexical import INDEX, Text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from moored.embed.port import Question
    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.rows import WindowRow

BUDGET = 12_000
"""Pieces that are compared for a question, those of neighbours among them."""

CHUNK = 50
"""Texts whose codes are read at once."""

BLOCK = 256
"""Pieces that are multiplied at once: their signs fit into the cache of a processor."""

SHARES = {-2: 0.2, -1: 0.5, 1: 0.5, 2: 0.3}
ANSWER_SHARES = SHARES | {-2: 0.5, -1: 0.85}
"""The share of a neighbour's excess that counts, by how far behind or ahead it is; for a window that follows a question
of another, which is best read with it, the shares of what came before are higher."""

STOP, META = 0.15, 0.3
"""What a word without meaning of its own, and one that speaks of the conversation, weigh against others."""

STEP = 2.0**-12


class Late(NamedTuple):
    """The scores of texts: `full` with what their neighbours add, `own` without."""

    full: dict[Text, float]
    own: dict[Text, float]


NOTHING = Late({}, {})


def by_pieces(
    view: View,
    project: Project,
    model: str,
    question: Question,
    weights: Sequence[float],
    order: Sequence[Text],
    windows: Mapping[int, WindowRow],
    places: Mapping[int, int],
) -> Late:
    """The scores of the first texts of `order`, as many as the budget of pieces allows.

    `weights` are those of the question's pieces, `places` the windows by their places. A text without codes is
    left out, and so is everything where the question has no pieces.
    """
    if not len(question.pieces):
        return NOTHING
    width = question.pieces.shape[1] // 8
    codes: dict[Text, bytes] = {}
    taken: list[tuple[Text, list[tuple[Text, float]]]] = []
    needed: dict[Text, None] = {}
    spent = 0
    for at in range(0, len(order), CHUNK):
        part = [(text, _beside(text, windows, places)) for text in order[at : at + CHUNK]]
        _fetch(view, project, model, width, part, codes)
        for text, beside in part:
            if text not in codes or spent >= BUDGET:
                continue
            near = [(other, share) for other, share in beside if other in codes]
            new = [one for one in (text, *(other for other, _ in near)) if one not in needed]
            needed.update(dict.fromkeys(new))
            spent += sum(len(codes[one]) for one in new) // width
            taken.append((text, near))
        if spent >= BUDGET:
            break
    if not taken:
        return NOTHING
    best = _best(question.pieces, [codes[text] for text in needed], width)
    return _scores(best, weights, taken, {text: at for at, text in enumerate(needed)})


def piece_weights(text: str, spans: Sequence[tuple[int, int]], meta: Collection[str]) -> list[float]:
    """The weight of each piece of a question: that of its word."""
    words = [(match.start(), match.end(), match[0].lower()) for match in re.finditer(r"\w+", text)]
    found: list[float] = []
    for start, _ in spans:
        word = next((word for first, last, word in words if first <= start < last), "")
        found.append(STOP if not word or is_stop_word(word) else META if word in meta else 1.0)
    return found


def _beside(text: Text, windows: Mapping[int, WindowRow], places: Mapping[int, int]) -> list[tuple[Text, float]]:
    """The windows beside a window, each with the share of its excess that counts; none of a note."""
    window = windows.get(text[1]) if text[0] is HitKind.EPISODE else None
    if window is None:
        return []
    place = window.place
    shares = ANSWER_SHARES if window.traits & FOLLOWS else SHARES
    return [
        ((HitKind.EPISODE, places[place + step]), share) for step, share in shares.items() if place + step in places
    ]


def _fetch(
    view: View,
    project: Project,
    model: str,
    width: int,
    part: Sequence[tuple[Text, Sequence[tuple[Text, float]]]],
    codes: dict[Text, bytes],
) -> None:
    """Add the codes of these texts and of those beside them, as far as they are of this width each."""
    every = {one for text, near in part for one in (text, *(other for other, _ in near))} - codes.keys()
    for kind in (HitKind.NOTE, HitKind.EPISODE):
        rows = sorted(row for its, row in every if its is kind)
        found = view.vectors.codes(project, model, INDEX[kind], rows) if rows else {}
        codes.update(((kind, row), data) for row, data in found.items() if data and not len(data) % width)


def _best(pieces: NDArray[np.float32], codes: Sequence[bytes], width: int) -> NDArray[np.float32]:
    """The similarity of each piece of the question to the best of each text: shape (texts, pieces)."""
    import numpy as np

    exact = np.ascontiguousarray((np.rint(pieces / STEP) * STEP).astype(np.float32).T)
    rows = np.frombuffer(b"".join(codes), np.uint8).reshape(-1, width)
    scores = np.empty((len(rows), len(pieces)), np.float32)
    signs = np.empty((BLOCK, width, 8), np.float32)
    for at in range(0, len(rows), BLOCK):
        part = rows[at : at + BLOCK]
        mine = signs[: len(part)]
        # Every byte is in the table; with "clip" numpy writes to `out` without a copy between.
        np.take(_signs_of_bytes(), part, axis=0, out=mine, mode="clip")
        np.matmul(mine.reshape(len(part), -1), exact, out=scores[at : at + BLOCK])
    starts = np.cumsum([0, *(len(one) // width for one in codes[:-1])])
    return np.maximum.reduceat(scores, starts, axis=0) * np.float32(1 / math.sqrt(width * 8))


@cache
def _signs_of_bytes() -> NDArray[np.float32]:
    """For each byte the signs it stands for, first bit highest: shape (256, 8), 1 and -1."""
    import numpy as np

    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
    return bits * np.float32(2) - np.float32(1)


def _scores(
    best: NDArray[np.float32],
    weights: Sequence[float],
    taken: Sequence[tuple[Text, Sequence[tuple[Text, float]]]],
    places: Mapping[Text, int],
) -> Late:
    import numpy as np

    own = best[[places[text] for text, _ in taken]].astype(np.float64)
    full = own.copy()
    for nth in range(len(SHARES)):
        rows = [at for at, (_, near) in enumerate(taken) if nth < len(near)]
        others = best[[places[taken[at][1][nth][0]] for at in rows]]
        shares = np.array([taken[at][1][nth][1] for at in rows])[:, None]
        full[rows] = np.maximum(full[rows], own[rows] + shares * (others - own[rows]))
    share = np.array(weights) / (sum(weights) or 1.0)
    texts = [text for text, _ in taken]
    whole, alone = ((numbers * share).sum(axis=1).tolist() for numbers in (full, own))
    return Late(dict(zip(texts, whole, strict=True)), dict(zip(texts, alone, strict=True)))
