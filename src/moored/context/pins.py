"""Pins: constraints of the user's that stand verbatim and whole in every brief (I-15).

Nothing is pinned by itself: only a person or an agent pins, never words that came in as data (I-21).
"""

from __future__ import annotations

from moored.errors import EmptyText, InvalidInput, NotFound, TooLarge
from moored.model.clock import Clock
from moored.model.episodes import CHANNEL_TRUST, Channel, Trust
from moored.model.ids import PIN, IdSource
from moored.model.notes import Pin
from moored.model.projects import Project
from moored.model.text import count_tokens, shorten, well_formed
from moored.record.cleaning import cleaned_text
from moored.store.port import Store

ACTORS = ("person", "agent")
MAX_BYTES = 8 * 1024


def pin(
    store: Store,
    project: Project,
    text: str,
    *,
    actor: str,
    channel: Channel = Channel.USER,
    clock: Clock,
    ids: IdSource,
) -> Pin:
    """Pin a text as it is, but for secrets and what is private.

    When the very same text is pinned already, that pin is answered and nothing is written.

    Raises `EmptyText`, `TooLarge` over `MAX_BYTES`, `InvalidInput` when anyone but a person or an agent would pin, or
    when the words came in as data (I-21).
    """
    kept, _, withheld = cleaned_text(well_formed(text))
    if withheld:
        raise EmptyText("The pin has no text that may be kept. Say what must always hold; nothing was pinned.")
    if actor not in ACTORS or CHANNEL_TRUST[channel] is Trust.DATA:
        raise InvalidInput(
            f"Only a person or an agent can pin, in words of their own: '{actor}' by the channel '{channel}' cannot. "
            "Nothing was pinned."
        )
    if (size := len(kept.encode())) > MAX_BYTES:
        raise TooLarge(
            f"The pin has {size:,} bytes; a pin may have {MAX_BYTES:,}, since it stands in every brief. "
            "Nothing was pinned: say it shorter, or make it a note."
        )
    with store.write() as transaction:
        for known in transaction.pins.all(project):
            if known.text == kept:
                return known
        new = Pin(ids.new(PIN), kept, actor, count_tokens(kept), clock.now())
        transaction.pins.add(project, new)
    return new


def unpin(store: Store, project: Project, pin_id: str, *, clock: Clock) -> None:
    """Take a pin out of every brief. Raises `NotFound` with the pins that stand."""
    with store.write() as transaction:
        if transaction.pins.remove(project, pin_id, clock.now()):
            return
        standing = [f"{known.id} ({shorten(known.text, 40)})" for known in transaction.pins.all(project)]
    listed = f"Pinned are: {', '.join(standing)}." if standing else "Nothing is pinned."
    raise NotFound(f"There is no pin {pin_id} in this project, so none was removed. {listed}")
