"""Variants of a policy in which signals have no weight: what each signal earns is what is lost without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.errors import InvalidInput
from moored.recall.policy import RANKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from moored.recall.policy import Policy

EACH = "each"
ONLY = "only:"
COMPARED = ("only:dense", "author+role+directive")
"""Always measured beside the whole: plain search by vectors, and what is found without knowing who speaks or orders."""


class Variant(NamedTuple):
    """Some signals, joined by `+`, that are left out together, or, after `only:`, that are left alone."""

    name: str
    without: frozenset[str]

    @property
    def title(self) -> str:
        kept = self.name.removeprefix(ONLY)
        return f"only {kept}" if kept != self.name else f"without {', '.join(self.name.split('+'))}"

    def of(self, policy: Policy) -> Policy:
        """The policy with no weight for what is left out."""
        return policy._replace(weights=policy.weights._replace(**dict.fromkeys(self.without, 0.0)))


def signals() -> tuple[str, ...]:
    """The names of the signals that have a weight."""
    return RANKING.weights._fields


def variants(asked: Iterable[str]) -> tuple[Variant, ...]:
    """The variants that are asked for by name, each once, after those that are always compared.

    `each` stands for every signal alone. Raises `InvalidInput` for a signal that there is not.
    """
    names: dict[str, None] = dict.fromkeys(COMPARED)
    for text in asked:
        for name in text.replace(" ", "").split(","):
            names.update(dict.fromkeys(signals() if name == EACH else (name,)))
    return tuple(_variant(name) for name in names if name)


def _variant(name: str) -> Variant:
    named = frozenset(name.removeprefix(ONLY).split("+"))
    if unknown := sorted(named.difference(signals())):
        raise InvalidInput(f"There is no signal '{unknown[0]}' to leave out. There are {', '.join(signals())}.")
    return Variant(name, frozenset(signals()) - named if name.startswith(ONLY) else named)
