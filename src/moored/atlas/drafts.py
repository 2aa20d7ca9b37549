"""What is handed in to become a note or its next revision, and the rules that it must meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.errors import EmptyText, InvalidInput, TooLarge
from moored.model.episodes import Channel, Event, Role
from moored.model.text import fold, well_formed
from moored.record.cleaning import cleaned_text

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TEXT = 32 * 1024
"""Bytes that the text of a note may have. What is longer belongs into the record, as an episode."""

MAX_KIND = 40
MAX_TAGS = 32
MAX_TAG = 64
MAX_ACTOR = 64
MAX_PROOF = 2_000
MAX_CAUSE = 500

PERSON = "person"
AGENT = "agent"

_ROLES = {PERSON: Role.USER, AGENT: Role.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Draft:
    """A new note as it is handed in.

    `about` is as in `about.resolve`. `actor` is `person`, `agent` or the name of a rule; `channel` is the way by which
    the words came in, by default that of the actor: it sets how far the note is trusted (I-21). `proof` is the
    command that proved it, `supersedes` the id of the note that it replaces. `names` is what its subject is called, the
    proper name first. `host` and `session` are as the host calls them.
    """

    text: str
    about: Sequence[str] = ()
    kind: str = "note"
    tags: Sequence[str] = ()
    actor: str = AGENT
    channel: Channel | None = None
    proof: str = ""
    supersedes: str = ""
    names: Sequence[str] = ()
    cause: str = "remembered"
    host: str = ""
    session: str = ""
    insist: bool = False


@dataclass(frozen=True, slots=True)
class Amendment:
    """The next revision of a note as it is handed in. What is None stays as it is.

    With `about` None the note keeps its targets, with their hashes of now, and gains those that a new text names.
    """

    text: str | None = None
    about: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    proof: str | None = None
    cause: str = "revised"
    actor: str = AGENT
    channel: Channel | None = None
    host: str = ""
    session: str = ""


def checked_text(text: str) -> str:
    """The text as it is handed to admission: verbatim, but for characters that no store takes.

    Raises `EmptyText`, `TooLarge`.
    """
    if not text.strip():
        raise EmptyText("The note has no text. Say what is to be remembered; nothing was written.")
    kept = well_formed(text)
    size = len(kept.encode())
    if size > MAX_TEXT:
        raise TooLarge(
            f"The note has {size:,} bytes; a note may have {MAX_TEXT:,}. Nothing was written: record the text as an "
            "episode and note what follows from it."
        )
    return kept


def require_left(withheld: bool) -> None:
    """Raises `EmptyText` when there is nothing in a text but what is private or was recalled."""
    if withheld:
        raise EmptyText(
            "The note has no text but what is marked as private or was recalled from memory. Nothing was written: say "
            "what is to be remembered in words that may be kept."
        )


def checked_kind(kind: str) -> str:
    """The kind in lower case, on one line. Raises `InvalidInput` when it is empty or too long."""
    return _checked_word("kind", kind, MAX_KIND).lower()


def checked_actor(actor: str) -> str:
    """The actor's name on one line. Raises `InvalidInput` when it is empty or too long."""
    return _checked_word("actor", actor, MAX_ACTOR)


def checked_cause(cause: str) -> str:
    """The cause on one line. Raises `InvalidInput` when it is empty or too long."""
    return _checked_word("cause", cause, MAX_CAUSE)


def checked_proof(proof: str) -> str:
    """The command on one line as the record names it, without a leading `$`; it may be empty.

    Raises `InvalidInput` when it is too long.
    """
    command = fold(well_formed(proof)).removeprefix("$ ")
    return _checked_word("proof", command, MAX_PROOF) if command else ""


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags in lower case, on one line, without a leading `#`, each once. Raises `InvalidInput` over the caps."""
    named = (cleaned_text(fold(well_formed(tag))).text for tag in tags)
    kept = tuple(dict.fromkeys(tag for name in named if (tag := name.lstrip("#").strip().lower())))
    if len(kept) > MAX_TAGS or any(len(tag) > MAX_TAG for tag in kept):
        raise InvalidInput(
            f"A note may have {MAX_TAGS} tags of {MAX_TAG} characters each. Nothing was written: use fewer or shorter "
            "ones."
        )
    return kept


def event_of(text: str, actor: str, channel: Channel | None, host: str, session: str) -> Event:
    """The event by which the words of a note enter the record. A rule speaks by the channel of documents."""
    return Event(text.encode(), _ROLES.get(actor, Role.SYSTEM), channel=channel, host=host, session=session)


def _checked_word(what: str, word: str, limit: int) -> str:
    kept = cleaned_text(fold(well_formed(word))).text
    if not kept or len(kept) > limit:
        raise InvalidInput(
            f"The {what} of a note has 1 to {limit} characters, not {len(kept)}. Nothing was written: name it shortly."
        )
    return kept
