"""Completion: ids of notes and episodes, and names of symbols, as they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread
from mcp_types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from moored.errors import MooredError
from moored.model.ids import EPISODE, NOTE
from moored.model.text import fts_query
from moored.server.changes import SCHEME

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from moored.memory import Memory
    from moored.server.access import Access

MOST = 100
"""Values of one answer; the protocol allows no more."""

LOOKED_AT = 400
SHORTEST = 3
"""Letters from which names of symbols are looked for."""


def add_completions(server: MCPServer[object], access: Access) -> None:
    """Complete the variables of the templates, and the last word of a prompt's task."""

    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion:
        del context  # no template has a second variable
        begun = argument.value
        try:
            if isinstance(ref, PromptReference):
                before, blank, word = begun.rpartition(" ")
                found = [before + blank + name for name in await anyio.to_thread.run_sync(_symbols, access, word)]
            elif ref.uri.startswith(f"{SCHEME}symbol/"):
                found = await anyio.to_thread.run_sync(_symbols, access, begun)
            else:
                kind = EPISODE if ref.uri.startswith(f"{SCHEME}episode/") else NOTE
                found = await anyio.to_thread.run_sync(_ids, access, kind, begun)
        except MooredError:
            found = []  # nothing to offer is what a field that is being typed can show of it
        return Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)

    server.completion()(complete)


def _ids(access: Access, kind: str, begun: str) -> list[str]:
    """Ids that begin so, newest first."""
    memory: Memory = access.memory()
    prefix = begun or f"{kind}_"
    with memory.store.read() as view:
        table = view.episodes if kind == EPISODE else view.notes
        return [one for one in table.near(memory.project, prefix, LOOKED_AT) if one.startswith(begun)]


def _symbols(access: Access, begun: str) -> list[str]:
    """Names in the tree that begin with what is typed or have a part that does, the shortest first."""
    if len(begun) < SHORTEST:
        return []
    memory: Memory = access.memory()
    pieces = tuple(dict.fromkeys(begun[at : at + 3] for at in range(len(begun) - 2)))
    with memory.store.read() as view:
        names = view.facts.near(memory.tree, fts_query(pieces), LOOKED_AT)
    typed = begun.lower()
    fitting = [name for name in names if typed in name.lower()]
    return sorted(fitting, key=lambda name: (not name.lower().startswith(typed), len(name), name))
