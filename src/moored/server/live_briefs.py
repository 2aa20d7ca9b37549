"""Briefs for hooks, computed by a server that has the embedder and its vectors loaded.

A request names the moment and the folder the host works in (`cwd`), and what that moment's method of `Memory` takes:

- `"moment": "start"`: `host`, `session`, `source`;
- `"moment": "prompt"`: `prompt`, `host`, `session`;
- `"moment": "edit"`: `paths`, `names`, `text`, `session`;

and for each, where it is not to be the usual one, `budget`. The answer is `{"text": ..., "tokens": ...}`; the text is
empty where there is nothing to say. Where reminders are in it, `reminded` are their ids: whoever hands it out counts
them as told.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from moored.errors import InvalidInput, NotFound
from moored.memory import Memory
from moored.model.clock import Clock, SystemClock
from moored.model.ids import RandomIds
from moored.scope import recognised
from moored.server.access import Identity, identity
from moored.settings import Place, likely, locate

if TYPE_CHECKING:
    from moored.context.brief import Brief
    from moored.embed.port import Embedder
    from moored.model.embedding import Embedding
    from moored.store.sqlite.store import Store

KEPT = 4
"""Memories that are kept open, each with the vectors of its project."""


class Briefs:
    """Answers requests for briefs from any project of one store. Callable from several threads."""

    def __init__(
        self, store: Path, embedder: Callable[[Embedding], Embedder | None], *, clock: Clock | None = None
    ) -> None:
        self._path = store
        self._embedder = embedder
        self._clock = clock or SystemClock()
        self._memories: OrderedDict[Place, Memory] = OrderedDict()
        self._store: Store | None = None
        self._file: Identity | None = None
        self._guard = threading.Lock()

    def __call__(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Answer a request. Raises `InvalidInput`, `NotFound` (store, project) and the errors of the store."""
        memory = self._memory(Path(_text(request, "cwd")))
        brief = _brief(memory, request)
        reminded = {"reminded": list(brief.reminded)} if brief.reminded else {}
        return {"text": brief.text, "tokens": brief.tokens, **reminded}

    def close(self) -> None:
        """End the connections to the store."""
        with self._guard:
            self._memories.clear()
            if self._store is not None:
                self._store.close()
                self._store = None

    def _memory(self, cwd: Path) -> Memory:
        guess = likely(cwd)
        with self._guard:
            store = self._opened()
            known = guess is not None and (guess in self._memories or recognised(store, guess))
            place = guess if guess and known else locate(cwd)
            memory = self._memories.get(place)
            if memory is None:
                ids, embedder = RandomIds(self._clock), self._embedder(place.settings.embedding)
                memory = Memory(store, place, clock=self._clock, ids=ids, embedder=embedder, create=False)
                self._memories[place] = memory
            self._memories.move_to_end(place)
            if len(self._memories) > KEPT:
                self._memories.popitem(last=False)
        return memory

    def _opened(self) -> Store:
        """The store, opened, and anew where its file was replaced: the one before ends with the last answer from it."""
        if self._store is None or identity(self._path) != self._file:
            self._memories.clear()
            from moored.store.sqlite.store import Store

            if not self._path.exists():
                raise NotFound(f"There is no store {self._path} yet. Run `moored init` in the project to begin one.")
            self._store = Store(self._path, clock=self._clock)
            self._file = identity(self._path)
        return self._store


def _brief(memory: Memory, request: Mapping[str, Any]) -> Brief:
    budget = {"budget": _number(request, "budget")} if "budget" in request else {}
    match request.get("moment"):
        case "start":
            source = _text(request, "source", "startup")
            return memory.start(host=_text(request, "host"), session=_text(request, "session"), source=source, **budget)
        case "prompt":
            prompt, host, session = (_text(request, name) for name in ("prompt", "host", "session"))
            return memory.before_prompt(prompt, host=host, session=session, **budget)
        case "edit":
            paths, names = _texts(request, "paths"), _texts(request, "names")
            return memory.before_edit(
                paths, names=names, text=_text(request, "text", ""), session=_text(request, "session", ""), **budget
            )
        case other:
            raise InvalidInput(f"There is no brief for the moment {other!r}. There are start, prompt and edit.")


def _text(request: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = request.get(name, default)
    if not isinstance(value, str):
        raise InvalidInput(f"A request for a brief needs the text '{name}'.")
    return value


def _texts(request: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values: object = request.get(name, [])
    if not isinstance(values, list):
        raise InvalidInput(f"'{name}' of a request for a brief is a list of texts.")
    listed = cast(list[object], values)
    texts = tuple(value for value in listed if isinstance(value, str))
    if len(texts) < len(listed):
        raise InvalidInput(f"'{name}' of a request for a brief holds something that is no text.")
    return texts


def _number(request: Mapping[str, Any], name: str) -> int:
    value = request[name]
    if type(value) is not int or value < 0:
        raise InvalidInput(f"'{name}' of a request for a brief is a number from 0 on.")
    return value
