"""Admission: the one way into the record (I-12).

`admit` checks an event, takes out of it what must not be kept (I-20) and reads the rest, without touching the store;
`write` puts the result into one transaction: the episode, its windows in the full-text indexes, its place in the queue
for vectors, and the facts found in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from moored.errors import EmptyText, InvalidInput, NotFound, TooLarge
from moored.ledger.episodes import EpisodeFacts, outcome, write_episode_facts
from moored.ledger.output import extract
from moored.model.aliases import Alias
from moored.model.clock import Clock, local_zone
from moored.model.episodes import CHANNEL_TRUST, ROLE_CHANNEL, Channel, Event, Recorded, Role, Trust
from moored.model.facts import ExtractedFact, Extraction
from moored.model.forgetting import FORGOTTEN
from moored.model.hashing import digest
from moored.model.ids import EPISODE, REMINDER, SESSION, IdSource
from moored.model.projects import Project, Session
from moored.model.reminders import MOST, Reminder
from moored.model.text import fold, well_formed
from moored.model.tokens import count_tokens
from moored.model.windowing import Window, cut, embedded
from moored.record.cleaning import cleaned
from moored.record.commands import command_of
from moored.record.naming import names_in
from moored.record.operations import under_way
from moored.record.reminding import proposed
from moored.record.suggestions import suggested_pins
from moored.record.tombstones import episode_line, is_forgotten, salted, seen
from moored.store.port import Transaction, View
from moored.store.rows import NewEpisode

MAX_SIZE = 64 * 1024 * 1024
"""Bytes that the content and the tool input of one episode may have together."""

TIMES = (-62_135_596_800_000, 253_402_300_799_999)
"""The first and the last millisecond of the years 1 to 9999, the calendar of RFC 3339, from the Unix epoch."""

STATUSES = (-(2**31), 2**32 - 1)
"""The exit statuses of any system: signed or unsigned, of 32 bits."""

SPEAKERS = (Role.USER, Role.ASSISTANT)
SPOKEN = (Channel.USER, Channel.ASSISTANT, Channel.IMPORT)
"""Whose words give things other names, and the ways by which they come in: never what tools or documents say."""

WITHHELD = "withheld"
"""The outcome of an event of which nothing was left to keep."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """An event that passed, with all that was read from it, ready to be written.

    `event` is what is left of it; `redacted` is as in `Recorded`. `names` are the other names of things that it gives,
    where somebody says it (see `naming`). `withheld` says that nothing is left to be written, `proposes` that
    reminders may be read in it.
    """

    event: Event
    channel: Channel
    trust: Trust
    content_hash: str
    tokens: int
    windows: tuple[Window, ...]
    extraction: Extraction
    ran: ExtractedFact | None
    names: tuple[tuple[str, str], ...] = ()
    redacted: tuple[str, ...] = ()
    withheld: bool = False
    proposes: bool = True


def admit(event: Event, *, max_size: int = MAX_SIZE) -> Admitted:
    """Check an event, take out what must not be kept, and read what is left.

    Raises `EmptyText` for an event without content, `TooLarge` above `max_size` bytes, `InvalidInput` for a trust
    that its channel does not allow (I-21), and for a time or an exit status that there is not.
    """
    event = _whole(event)
    size = len(event.content) + len(event.tool_input.encode())
    if not event.content.strip() and not event.tool_input.strip():
        raise EmptyText("The event has no content. Hand in what was said or printed; nothing was recorded.")
    if size > max_size:
        raise TooLarge(
            f"The event has {size:,} bytes; at most {max_size:,} are kept in one episode. "
            "Nothing was recorded: hand it in in parts."
        )
    for what, number, (least, most) in (
        ("time", event.occurred_at or 0, TIMES),
        ("exit status", event.exit_status or 0, STATUSES),
    ):
        if not least <= number <= most:
            raise InvalidInput(f"The {what} {number} is none: it is {least} to {most}. Nothing was recorded.")
    channel = event.channel or ROLE_CHANNEL[event.role]
    trust = event.trust or CHANNEL_TRUST[channel]
    if trust.level > CHANNEL_TRUST[channel].level:
        raise InvalidInput(
            f"What comes in by the channel '{channel}' can be trusted as '{CHANNEL_TRUST[channel]}' at most, "
            f"not as '{trust}'. Nothing was recorded."
        )
    event, redacted, withheld = cleaned(event)
    text = event.content.decode("utf-8", "replace")
    command = command_of(event.tool_input) if event.exit_status is not None else ""
    extraction = Extraction("")
    if _is_parsed(channel, event.role):
        extraction = extract(event.content, tool=event.tool_name, command=command, exit_status=event.exit_status)
    return Admitted(
        event,
        channel,
        trust,
        digest(event.content),
        count_tokens(text),
        cut(
            text,
            role=event.role,
            channel=channel,
            author=event.author,
            tool_name=event.tool_name,
            tool_input=event.tool_input,
            exit_status=event.exit_status,
        ),
        extraction,
        outcome(command, event.exit_status) if command and event.exit_status is not None else None,
        names_in(text) if event.role in SPEAKERS and channel in SPOKEN else (),
        redacted,
        withheld,
    )


def write(transaction: Transaction, project: Project, admitted: Admitted, clock: Clock, ids: IdSource) -> Recorded:
    """Write an admitted event. An event that the host named and that is known already changes nothing (I-17).

    Nothing is written of an event that is withheld, or that was forgotten and comes from a host again: the outcome says
    so, and there is no episode.

    Raises `NotFound` when the episode that it corrects does not exist.
    """
    return write_all(transaction, project, [admitted], clock, ids)[0]


def write_all(
    transaction: Transaction, project: Project, admitted: Sequence[Admitted], clock: Clock, ids: IdSource
) -> list[Recorded]:
    """Write admitted events, each as `write` does, in less time than one by one."""
    recorded = [_write(transaction, project, one, clock, ids) for one in admitted]
    new = [(at, facts) for at, (_, facts) in enumerate(recorded) if facts is not None]
    counts = write_episode_facts(transaction, project, [facts for _, facts in new], ids)
    accounts = [account for account, _ in recorded]
    for (at, _), count in zip(new, counts, strict=True):
        accounts[at] = accounts[at]._replace(facts=count)
    return accounts


def _write(
    transaction: Transaction, project: Project, admitted: Admitted, clock: Clock, ids: IdSource
) -> tuple[Recorded, EpisodeFacts | None]:
    """Write the episode of an event; give what is to be written of its facts, None when there is no new episode."""
    event, now = admitted.event, clock.now()
    if admitted.withheld:
        why = "nothing was kept: there was nothing in it but what is private or was recalled"
        return Recorded("", WITHHELD, 0, 0, why, 0, redacted=admitted.redacted), None
    episode_id = ids.new(EPISODE)
    key = _idempotency_key(admitted) or episode_id
    if known := transaction.episodes.known(project, key):
        account = Recorded(known[1], "duplicate", admitted.tokens, 0, "known already", 0, redacted=admitted.redacted)
        return account, None
    if event.host_event and _is_forgotten(transaction, project, admitted, key):
        why = "nothing was kept: it was forgotten, and a host hands it in again"
        return Recorded("", FORGOTTEN, 0, 0, why, 0, redacted=admitted.redacted), None
    corrects = _corrected(transaction, project, event.corrects)
    session = _session(transaction, project, event, ids, now)
    seq = transaction.episodes.add(project, _new_episode(admitted, episode_id, session, key, corrects, now))
    _put_windows(transaction, project, seq, admitted)
    for name, other in admitted.names:
        transaction.aliases.add(project, Alias(name, other, episode_id, "text", now))
    _propose(transaction, project, admitted, episode_id, clock, ids)
    account = Recorded(
        episode_id,
        "recorded",
        admitted.tokens,
        0,
        _structure(admitted),
        admitted.extraction.omitted,
        suggested_pins(event.content.decode("utf-8", "replace"), admitted.channel),
        admitted.redacted,
    )
    return account, EpisodeFacts(seq, admitted.extraction, admitted.ran, now)


def write_kept(
    transaction: Transaction,
    project: Project,
    admitted: Admitted,
    *,
    session: Session,
    id_: str,
    key: str,
    corrects: int | None,
    recorded_at: int,
) -> int | None:
    """Write an admitted event as the episode that it is in another store; return its number.

    None, and nothing is written, when it is withheld or was forgotten here. Its facts, names and reminders are rows of
    that store.
    """
    if admitted.withheld or _was_forgotten(transaction, project, admitted, id_, key):
        return None
    seq = transaction.episodes.add(project, _new_episode(admitted, id_, session, key, corrects, recorded_at))
    _put_windows(transaction, project, seq, admitted)
    return seq


def _was_forgotten(view: View, project: Project, admitted: Admitted, id_: str, key: str) -> bool:
    if not view.erasure.has_buried(project):
        return False
    hashes = salted([episode_line(id_)], view.erasure.salt())
    return bool(view.erasure.buried(project, hashes)) or _is_forgotten(view, project, admitted, key)


def _put_windows(transaction: Transaction, project: Project, seq: int, admitted: Admitted) -> None:
    spans = [(one.start, one.end) for one in admitted.windows]
    rows = transaction.episodes.add_windows(project, seq, spans, [one.traits for one in admitted.windows])
    for row, one in zip(rows, admitted.windows, strict=True):
        transaction.search.put("window", row, one.words, one.fragments)
    transaction.vectors.enqueue(project, "window", embedded(rows))


def _propose(
    transaction: Transaction, project: Project, admitted: Admitted, episode_id: str, clock: Clock, ids: IdSource
) -> None:
    """Keep what a user asks in passing to be reminded of, as proposals: none is told before it is accepted (I-21)."""
    if not admitted.proposes:
        return
    now = clock.now() if admitted.event.occurred_at is None else admitted.event.occurred_at
    text = admitted.event.content.decode("utf-8", "replace")
    found = proposed(text, admitted.channel, admitted.trust, now, local_zone())
    if not found:
        return
    with under_way(transaction, project, "propose reminders", actor="reminding", clock=clock, ids=ids) as operation:
        for one in found:
            reminder = Reminder(
                ids.new(REMINDER), *one.when, one.text, episode_id, "", "person", True, clock.now(), None, MOST
            )
            transaction.reminders.add(project, reminder, operation)


def _whole(event: Event) -> Event:
    """The event with names and tool input that a store takes. The content is bytes and stays as it is."""
    return event._replace(
        host=well_formed(event.host),
        session=well_formed(event.session),
        host_event=well_formed(event.host_event),
        tool_name=well_formed(event.tool_name),
        tool_input=well_formed(event.tool_input),
        author=fold(well_formed(event.author)),
    )


def _new_episode(
    admitted: Admitted, episode_id: str, session: Session, key: str, corrects: int | None, now: int
) -> NewEpisode:
    event = admitted.event
    return NewEpisode(
        id=episode_id,
        session=session,
        role=event.role,
        channel=admitted.channel,
        trust=admitted.trust,
        host_event=event.host_event,
        idempotency_key=key,
        content=event.content,
        content_hash=admitted.content_hash,
        tokens=admitted.tokens,
        tool_name=event.tool_name,
        tool_input=event.tool_input,
        exit_status=event.exit_status,
        corrects=corrects,
        occurred_at=now if event.occurred_at is None else event.occurred_at,
        recorded_at=now,
        author=event.author,
    )


def _idempotency_key(admitted: Admitted) -> str:
    """From host, session, event and content; empty when the host gave no id, as then two equal events are two."""
    event = admitted.event
    if not event.host_event:
        return ""
    return digest(f"{event.host}\0{event.session}\0{event.host_event}\0{admitted.content_hash}")


def _is_forgotten(view: View, project: Project, admitted: Admitted, key: str) -> bool:
    event = admitted.event
    known = seen(
        host=event.host,
        session=event.session,
        key=key,
        host_event=event.host_event,
        role=event.role,
        content_hash=admitted.content_hash,
        size=len(event.content),
        tool_name=event.tool_name,
        tool_input=event.tool_input,
    )
    return is_forgotten(view, project, known, event.occurred_at)


def _session(transaction: Transaction, project: Project, event: Event, ids: IdSource, now: int) -> Session:
    known = transaction.projects.session(project, event.host, event.session)
    return known or transaction.projects.add_session(ids.new(SESSION), project, event.host, event.session, now)


def _corrected(view: View, project: Project, episode_id: str) -> int | None:
    if not episode_id:
        return None
    seq = view.episodes.seq(project, episode_id)
    if seq is None:
        raise NotFound(
            f"There is no episode {episode_id} in this project to correct. Nothing was recorded.",
            near=view.episodes.near(project, episode_id),
        )
    return seq


def _is_parsed(channel: Channel, role: Role) -> bool:
    """Whether parsers look for facts: in documents and in what tools print, also when it is brought in later."""
    return channel in (Channel.TOOL, Channel.DOCUMENT) or (channel is Channel.IMPORT and role is Role.TOOL)


def _structure(admitted: Admitted) -> str:
    """What the parsers found, in words."""
    if not _is_parsed(admitted.channel, admitted.event.role):
        return "not looked for: only tool output and documents are parsed"
    if not admitted.extraction.facts:
        return "no structure found"
    counts = Counter(str(fact.kind).replace("_", " ") for fact in admitted.extraction.facts)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())
