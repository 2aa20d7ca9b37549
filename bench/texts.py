"""Texts that read like a project's sessions, made from the words of a source tree by a seeded generator."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.oracle import Release, read

_SENTENCE = re.compile(r"[A-Z][^.!?\n]{25,180}[.!?](?=\s|$)")
_VERBS = ("Fixed", "Refs", "Refactored", "Added tests for", "Documented", "Reverted the change to", "Simplified")
_TURNS = ("Why does", "Please look at", "Can you change", "Something is wrong with", "Where is the caller of")
_LESSONS = ("Decided to leave", "It turned out that callers rely on", "Do not change", "Remember to test", "Slow path:")
_ROLES = ("user", "assistant", "assistant", "tool", "tool")


@dataclass(frozen=True, slots=True)
class Words:
    """What texts are made of: sentences of the documentation, and the addresses of what is defined."""

    sentences: tuple[str, ...]
    addresses: tuple[tuple[str, str], ...]


def words_of(root: Path, package: str) -> Words:
    """Collect the sentences and definitions of the Python files of one package of a tree, in a fixed order."""
    release = read(root / package)
    sentences = dict.fromkeys(_sentences(release))
    return Words(tuple(sentences), tuple(sorted((f"{package}/{path}", name) for path, name in release.definitions)))


def _sentences(release: Release) -> Iterator[str]:
    for key in sorted(release.definitions):
        for definition in release.definitions[key]:
            text = " ".join((ast.get_docstring(definition.node) or "").split())
            yield from _SENTENCE.findall(text)


class Writer:
    """Writes texts; the same seed writes the same ones."""

    def __init__(self, words: Words, seed: int) -> None:
        self._words = words
        self._random = random.Random(seed)  # noqa: S311 - texts, not secrets

    def episode(self) -> tuple[str, str]:
        """The role and content of one thing that happened: a turn, a commit message, or the output of a tool."""
        role = self._random.choice(_ROLES)
        path, name = self._random.choice(self._words.addresses)
        said = " ".join(self._random.choices(self._words.sentences, k=self._random.randint(1, 5)))
        if role == "user":
            return role, f"{self._random.choice(_TURNS)} {name}? {said}"
        if role == "assistant":
            return (
                role,
                f"{self._random.choice(_VERBS)} #{self._random.randint(100, 36_000)} -- {name} in {path}. {said}",
            )
        line = self._random.randint(1, 900)
        return role, f"{path}:{line}: in {name.rpartition('.')[2]}\n{said}\n{self._random.randint(0, 9)} failed"

    def note(self, number: int) -> tuple[str, str]:
        """The text of a note and the address it is about."""
        path, name = self._random.choice(self._words.addresses)
        leaf = name.rpartition(".")[2]
        said = self._random.choice(self._words.sentences)
        return f"{self._random.choice(_LESSONS)} {leaf}: {said} ({number})", f"{path}::{name}"

    def query(self) -> str:
        """A question; every other one names a symbol."""
        said = self._random.choice(self._words.sentences).split()
        start = self._random.randrange(max(len(said) - 6, 1))
        words = " ".join(said[start : start + 6])
        if self._random.random() < 0.5:
            return words
        return f"{self._random.choice(_TURNS)} {self._random.choice(self._words.addresses)[1]} {words}?"

    def sized(self, size: int) -> str:
        """A text of about `size` bytes."""
        text = ""
        while len(text) < size:
            text += self._random.choice(self._words.sentences) + " "
        return text[:size]
