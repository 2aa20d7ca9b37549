"""Tombstones: salted hashes by which an event is known that was forgotten, and is handed in again.

They hold nothing of what was said. An event is known by its key, by the name that its host gave it in a session, by
what it says in its session, and, of a tool, by what that was asked. Whole sessions are known as well. A name or a key
never comes back; words do only when they were said after they were forgotten, and so does what else happens in a
session.

Only what a host names is kept out: hooks, imports and replays. What a person or an agent records or notes without such
a name is said anew, on purpose, and is let in.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.port_erasure import ErasableEpisode

SHORTEST = 12
"""Bytes that words must have to be known by themselves: shorter ones are said again by chance."""


class Seen(NamedTuple):
    """By what an event is known: `always` whenever it comes, `said` and `session` when it happened before that.

    `said` are its words and what a tool was asked, `session` is all of its session.
    """

    always: tuple[str, ...]
    said: tuple[str, ...]
    session: str


def seen(
    *,
    host: str,
    session: str,
    key: str,
    host_event: str,
    role: str,
    content_hash: str,
    size: int,
    tool_name: str,
    tool_input: str,
    events: Iterable[str] = (),
) -> Seen:
    """By what an event is known again."""
    always = [_line("key", key)] if key else []
    always += [_line("event", host, session, name) for name in dict.fromkeys((host_event, *events)) if name]
    said = [_line("words", host, session, role, content_hash)] if size >= SHORTEST else []
    if tool_input:
        said.append(_line("call", host, session, tool_name, tool_input))
    return Seen(tuple(always), tuple(said), session_line(host, session))


def of_episode(episode: ErasableEpisode) -> Seen:
    """By what the event of an episode is known again."""
    return seen(
        host=episode.host,
        session=episode.session,
        key=episode.idempotency_key if episode.host_event else "",
        host_event=episode.host_event,
        role=episode.role,
        content_hash=episode.content_hash,
        size=len(episode.content),
        tool_name=episode.tool_name,
        tool_input=episode.tool_input,
        events=episode.events,
    )


def new_salt() -> str:
    """A salt for the tombstones of a store."""
    return os.urandom(16).hex()


def salted(lines: Iterable[str], salt: str) -> list[str]:
    """The hashes under which tombstones are kept."""
    return [
        blake2b(line.encode("utf-8", "surrogatepass"), digest_size=16, key=bytes.fromhex(salt)).hexdigest()
        for line in lines
    ]


def is_forgotten(view: View, project: Project, event: Seen, happened_at: int | None) -> bool:
    """Whether an event was forgotten.

    One that does not say when it happened counts as said before, and as new in a session that goes on.
    """
    if not view.erasure.has_buried(project):
        return False
    salt = view.erasure.salt()
    always, said, session = (salted(lines, salt) for lines in (event.always, event.said, [event.session]))
    set_at = view.erasure.buried(project, [*always, *said, *session])
    return (
        any(one in set_at for one in always)
        or any(one in set_at and (happened_at is None or happened_at <= set_at[one]) for one in said)
        or any(one in set_at and happened_at is not None and happened_at <= set_at[one] for one in session)
    )


def session_line(host: str, session: str) -> str:
    """By what a whole session is known again."""
    return _line("session", host, session)


def episode_line(episode: str) -> str:
    """By what an episode is known again that comes back from another store."""
    return _line("episode", episode)


def lines_of(episodes: Sequence[ErasableEpisode]) -> list[str]:
    """What tombstones are set of for these episodes."""
    lines: list[str] = []
    for episode in episodes:
        known = of_episode(episode)
        lines += [episode_line(episode.id), *known.always, *known.said]
    return list(dict.fromkeys(lines))


def _line(*parts: str) -> str:
    return "\0".join(parts)
