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
) -> Late:
    """The scores of the first texts of `order`, as many as the budget of pieces allows.

    `weights` are those of the question's pieces. A text without codes is left out, and so is everything where the
    question has no pieces.
    """
    if not len(question.pieces) or not order:
        return NOTHING
    codes, near = _codes(view, project, model, order, windows)
    taken: list[Text] = []
    needed: dict[Text, None] = {}
    spent = 0
    width = question.pieces.shape[1] // 8
    for text in order:
        if text not in codes:
            continue
        for one in (text, *(beside for beside, _ in near.get(text, ()) if beside in codes)):
            if one not in needed:
                needed[one] = None
                spent += len(codes[one]) // width
        taken.append(text)
        if spent >= BUDGET:
            break
    if not taken:
        return NOTHING
    best = _best(question.pieces, [codes[text] for text in needed], width)
    places = {text: at for at, text in enumerate(needed)}
    return _scores(best, weights, taken, places, near)


def piece_weights(text: str, spans: Sequence[tuple[int, int]], meta: Collection[str]) -> list[float]:
    """The weight of each piece of a question: that of its word."""
    words = [(match.start(), match.end(), match[0].lower()) for match in re.finditer(r"\w+", text)]
    found: list[float] = []
    for start, _ in spans:
        word = next((word for first, last, word in words if first <= start < last), "")
        found.append(STOP if not word or is_stop_word(word) else META if word in meta else 1.0)
    return found


def _codes(
    view: View, project: Project, model: str, order: Sequence[Text], windows: Mapping[int, WindowRow]
) -> tuple[dict[Text, bytes], dict[Text, list[tuple[Text, float]]]]:
    """The codes of the texts and of the windows beside them, and which those are, with the share that they count."""
    mine = [windows[row] for kind, row in order if kind is HitKind.EPISODE and row in windows]
    wanted = {(window.session, window.ordinal + step) for window in mine for step in SHARES}
    at = view.search.places(project, sorted(wanted)) if wanted else {}
    near: dict[Text, list[tuple[Text, float]]] = {}
    for window in mine:
        near[HitKind.EPISODE, window.row] = [
            ((HitKind.EPISODE, at[place].row), share)
            for step, share in (ANSWER_SHARES if window.traits & FOLLOWS else SHARES).items()
            if (place := (window.session, window.ordinal + step)) in at
        ]
    codes: dict[Text, bytes] = {}
    for kind in (HitKind.NOTE, HitKind.EPISODE):
        rows = {row for its, row in order if its is kind}
        if kind is HitKind.EPISODE:
            rows.update(window.row for window in at.values())
        if rows:
            found = view.vectors.codes(project, model, INDEX[kind], sorted(rows))
            codes.update(((kind, row), data) for row, data in found.items() if data)
    return codes, near


def _best(pieces: NDArray[np.float32], codes: Sequence[bytes], width: int) -> NDArray[np.float32]:
    """The similarity of each piece of the question to the best of each text: shape (texts, pieces)."""
    import numpy as np

    exact = (np.rint(pieces / STEP) * STEP).astype(np.float32)
    rows = np.frombuffer(b"".join(codes), np.uint8).reshape(-1, width)
    signs = np.take(_signs_of_bytes(), rows, axis=0).reshape(len(rows), width * 8)
    starts = np.cumsum([0, *(len(one) // width for one in codes[:-1])])
    return np.maximum.reduceat(signs @ exact.T, starts, axis=0) * np.float32(1 / math.sqrt(width * 8))


def _signs_of_bytes() -> NDArray[np.float32]:
    """For each byte the signs it stands for, first bit highest: shape (256, 8), 1 and -1."""
    import numpy as np

    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
    return bits * np.float32(2) - np.float32(1)


def _scores(
    best: NDArray[np.float32],
    weights: Sequence[float],
    taken: Sequence[Text],
    places: Mapping[Text, int],
    near: Mapping[Text, Sequence[tuple[Text, float]]],
) -> Late:
    import numpy as np

    share = np.array(weights) / (sum(weights) or 1.0)
    scores = Late({}, {})
    for text in taken:
        own = best[places[text]].astype(np.float64)
        full = own
        for beside, part in near.get(text, ()):
            if beside in places:
                full = np.maximum(full, own + part * (best[places[beside]] - own))
        scores.full[text], scores.own[text] = float(full @ share), float(own @ share)
    return scores
