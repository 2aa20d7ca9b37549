"""The ground that readers stand on: the files and facts that the ledger has of a tree, and the texts of documents.

Only files that the ledger has read are read again, so what is ignored, holds secrets or is too large stays unread here
as it does there. Configuration is asked of the ledger and never parsed again.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, cast

from moored.errors import MooredError
from moored.ledger.disk import stat_of
from moored.ledger.walk import Skipped, read_text_candidate
from moored.model.facts import Fact, FactKind
from moored.model.redaction import redact

if TYPE_CHECKING:
    from moored.model.projects import Tree
    from moored.store.port import View

MAX_READ = 256 * 1024
"""Bytes of a document that are read: what a newcomer is to know stands at its beginning."""


class Ground:
    """What readers may know of a tree. Each file is asked for once.

    `unread` are documents that the ledger knows and that could not be read just now: what they say is not known, which
    is not the same as that they say nothing (I-22).
    """

    def __init__(self, view: View, tree: Tree) -> None:
        self.view = view
        self.tree = tree
        self.files = view.facts.files(tree)
        self.paths = sorted(self.files)
        self.unread: set[str] = set()
        self._facts: dict[str, list[Fact]] = {}
        self._texts: dict[str, str] = {}
        self._folders: dict[str, list[str]] = {}
        for path in self.paths:
            self._folders.setdefault(path.rpartition("/")[0], []).append(path)

    @property
    def root(self) -> Path:
        return Path(self.tree.root)

    def facts(self, path: str) -> list[Fact]:
        """What the ledger holds of a file, in order of appearance; nothing of one that it does not know."""
        if path not in self._facts:
            self._facts[path] = self.view.facts.in_file(self.tree, path) if path in self.files else []
        return self._facts[path]

    def whole(self, path: str) -> Fact | None:
        """The fact of a file itself."""
        return next((fact for fact in self.view.facts.named(self.tree, path, path=path) if _is_file(fact)), None)

    def keys(self, path: str) -> dict[str, Fact]:
        """The configuration keys of a file by name, in order of appearance; of a name that is there twice the first."""
        found: dict[str, Fact] = {}
        for fact in self.facts(path):
            if fact.kind is FactKind.CONFIG_KEY:
                found.setdefault(fact.name, fact)
        return found

    def text(self, path: str) -> str:
        """What a document says, without secrets and with plain line ends; empty for one that cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def called(self, *names: str, folder: str = "") -> list[str]:
        """The files of a folder with one of these names, by whatever case, in the order of the names."""
        here = {PurePosixPath(path).name.lower(): path for path in self.inside(folder)}
        return [here[name] for name in names if name in here]

    def inside(self, folder: str) -> list[str]:
        """The files that stand directly in a folder (empty: the root)."""
        return self._folders.get(folder, [])

    def below(self, folder: str) -> list[str]:
        """The files of a folder and of those in it."""
        if not folder:
            return self.paths
        # The character after the slash ends the stretch of paths that begin with the folder and a slash.
        return self.paths[bisect_left(self.paths, f"{folder}/") : bisect_left(self.paths, f"{folder}0")]

    def _read(self, path: str) -> str:
        if path not in self.files:
            return ""
        try:
            seen = stat_of(self.root, path)
            content = read_text_candidate(self.root, seen, max_file_size=self.tree.max_file_size) if seen else None
        except MooredError:
            content = None
        if content is None or isinstance(content, Skipped):
            self.unread.add(path)
            return ""
        # The last word may be half a secret, which nothing would recognise.
        kept = content if len(content) <= MAX_READ else content[:MAX_READ].rsplit(maxsplit=1)[0]
        text = kept.decode("utf-8", "replace").removeprefix("\ufeff")
        return redact(text.replace("\r\n", "\n")).text


def listed(fact: Fact | None) -> tuple[str, ...]:
    """The texts in the value of a key that is a list, or the one that it is; nothing where it was too long to show."""
    if fact is None or fact.value.startswith("["):
        return texts_in(fact.value) if fact else ()
    return (fact.value,) if fact.value and not fact.value.startswith("{") else ()


def texts_in(value: str) -> tuple[str, ...]:
    """The texts in a list as the ledger shows one; nothing in what is none, or was too long to show."""
    try:
        items = cast("list[object]", json.loads(value)) if value.startswith("[") else []
    except ValueError:
        return ()
    return tuple(item for item in items if isinstance(item, str))


def _is_file(fact: Fact) -> bool:
    return fact.kind is FactKind.FILE
