"""Making reminders and ending them: by call, or by accepting what was proposed from a user's words.

The words of a reminder are an episode, admitted as any other (I-12), unless they are those of a note. Making one is an
operation and can be undone. Only a person or an agent makes one, never words that came in as data (I-21).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from moored.atlas.drafts import event_of, require_left
from moored.atlas.lookup import files_called, in_files, named, only, relative
from moored.atlas.notes import get, trust_of
from moored.atlas.reminders import NOTE
from moored.errors import EmptyText, InvalidInput, MooredError, NotFound, TooLarge
from moored.model.characters import well_formed
from moored.model.episodes import Trust
from moored.model.ids import REMINDER
from moored.model.reminders import MOST, MOST_RECURRING, Reminder, ReminderKind, When
from moored.model.schedule import kept
from moored.model.schedule import read as read_schedule
from moored.model.text import shorten
from moored.record.admission import Admitted, admit, write
from moored.record.cleaning import cleaned_text
from moored.record.operations import under_way
from moored.record.reminding import when_of
from moored.store.durability import Durability

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.projects import Project, Tree
    from moored.store.port import Store, View

ACTORS = ("person", "agent")
MAX_TEXT = 2_000
"""Characters of a reminder: it is told beside other things."""

MAX_WHEN = 300
"""Characters of the words for an occasion."""

MAX_MOST = 10_000
PATIENCE_MS = 50
"""How long the count of what was told waits for another writer; it is no loss where it is not kept."""

KINDS = (
    "a time (`every Monday at 9`, `in 2 days`), an event (`a test fails`, `command fails: make *`, `branch release/*`),"
    " a path, a symbol, or words; or name the kind: `keyword: deploy staging`"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A reminder before it is made.

    `text` may be left out where `note` is given: then its words are told. `when` and `expires` are in words. `most` is
    how often it is told, None for the usual.
    """

    text: str
    when: str
    note: str = ""
    most: int | None = None
    expires: str = ""
    actor: str = "person"
    host: str = ""
    session: str = ""


def remind(store: Store, tree: Tree, wanted: Wanted, *, clock: Clock, ids: IdSource, zone: tzinfo) -> Reminder:
    """Make a reminder.

    Raises `EmptyText`, `TooLarge`, `InvalidInput` (who makes it, when, how often, a note that is data), `NotFound` (the
    note) and `Ambiguous` (a symbol that stands for several things); then nothing was written.
    """
    _require_actor(wanted.actor)
    if not wanted.text.strip() and not wanted.note:
        raise EmptyText("The reminder has no text. Say what is to be told; nothing was written.")
    if len(wanted.text) > MAX_TEXT:
        raise TooLarge(
            f"The reminder has {len(wanted.text):,} characters; it may have {MAX_TEXT:,}. Nothing was written: write a "
            "note and give its id."
        )
    now, project = clock.now(), tree.project
    admitted = _admitted(wanted) if wanted.text.strip() else None
    with store.read() as view:
        when = occasion(view, tree, wanted.when, now, zone)
        if wanted.note and trust_of(view, project, get(view, project, wanted.note)) is Trust.DATA:
            raise InvalidInput(
                f"The note {wanted.note} came in as data, which makes no reminder. Say it in words of your own."
            )
    most = _most(wanted.most, when, zone)
    expires = _moment(wanted.expires, "expiry", now, zone) if wanted.expires else None
    with (
        store.write() as transaction,
        under_way(transaction, project, "remind", actor=wanted.actor, asked=True, clock=clock, ids=ids) as operation,
    ):
        note = get(transaction, project, wanted.note) if wanted.note else None
        if admitted:
            episode = write(transaction, project, admitted, clock, ids).episode
            transaction.operations.attribute(project, operation, [episode])
            text = admitted.event.content.decode()
        else:
            head = get(transaction, project, wanted.note).head
            episode, text = head.episode, shorten(head.text, NOTE)
        made = Reminder(
            ids.new(REMINDER), when.kind, when.pattern, text, episode, note.id if note else "", wanted.actor, False,
            clock.now(), expires, most,
        )  # fmt: skip
        transaction.reminders.add(project, made, operation)
    return made


def accept(
    store: Store, tree: Tree, reminder_id: str, *, actor: str, clock: Clock, ids: IdSource, zone: tzinfo
) -> Reminder:
    """Make a reminder of a proposal; it gets an id of its own, so that undoing this leaves the proposal as it was.

    Raises `NotFound` for no proposal, `InvalidInput` for who cannot accept, `Ambiguous`.
    """
    _require_actor(actor)
    project = tree.project
    with store.write() as transaction:
        proposal = next((one for one in transaction.reminders.proposed(project) if one.id == reminder_id), None)
        if proposal is None:
            near = tuple(one.id for one in transaction.reminders.proposed(project))
            raise NotFound(f"There is no proposed reminder {reminder_id} in this project.", near=near)
        when = _resolved(transaction, tree, When(proposal.kind, proposal.pattern))
        with under_way(transaction, project, "remind", actor=actor, asked=True, clock=clock, ids=ids) as operation:
            made = proposal._replace(
                id=ids.new(REMINDER),
                kind=when.kind,
                pattern=when.pattern,
                actor=actor,
                proposed=False,
                created_at=clock.now(),
                most=_most(None, when, zone),
            )
            transaction.reminders.add(project, made, operation)
    return made


def snooze(store: Store, project: Project, reminder_id: str, until: str, *, clock: Clock, zone: tzinfo) -> Reminder:
    """Tell a reminder no more until a moment in words. Raises `NotFound`, `InvalidInput`, also for one that is done."""
    at = _moment(until, "moment", clock.now(), zone)
    with store.write() as transaction:
        if _existing(transaction, project, reminder_id).done_at is not None:
            raise InvalidInput(
                f"The reminder {reminder_id} is done and is told no more, so nothing was put off. Make it anew with "
                "`moored remind` to be told again."
            )
        transaction.reminders.snooze(project, reminder_id, at)
        return _existing(transaction, project, reminder_id)


def finish(store: Store, project: Project, reminder_id: str, *, clock: Clock) -> Reminder:
    """Tell a reminder never again, or turn a proposal down. Raises `NotFound`."""
    with store.write() as transaction:
        if _existing(transaction, project, reminder_id).done_at is None:
            transaction.reminders.finish(project, reminder_id, clock.now())
        return _existing(transaction, project, reminder_id)


def count_told(store: Store, project: Project, reminder_ids: Sequence[str], *, at: int) -> None:
    """Count that reminders were told, after the answer (I-11); where the store cannot be written now, nothing fails."""
    if not reminder_ids or store.read_only:
        return
    try:
        with store.write(Durability.GROUP, patience_ms=PATIENCE_MS) as transaction:
            transaction.reminders.fire(project, reminder_ids, at)
    except MooredError:
        return


def occasion(view: View, tree: Tree, text: str, now: int, zone: tzinfo) -> When:
    """On what a reminder is to be told, from words. Raises `InvalidInput` for words that name nothing, `Ambiguous`."""
    words = cleaned_text(well_formed(text)).text
    when = when_of(words, now, zone) if len(words) <= MAX_WHEN else None
    if when is None:
        raise InvalidInput(
            f"'{shorten(text, 80)}' names nothing to come on which to remind. Nothing was written: give {KINDS}."
        )
    return _resolved(view, tree, when)


def _admitted(wanted: Wanted) -> Admitted:
    """The words of a reminder, which propose none besides. Raises `EmptyText` when nothing is left of them."""
    admitted = admit(event_of(well_formed(wanted.text), wanted.actor, None, wanted.host, wanted.session))
    require_left(admitted.withheld)
    return replace(admitted, proposes=False)


def _resolved(view: View, tree: Tree, when: When) -> When:
    """What a path or the name of a symbol stands for in the tree."""
    match when.kind:
        case ReminderKind.FILE | ReminderKind.DIRECTORY:
            return _path(view, tree, when)
        case ReminderKind.SYMBOL:
            return _symbol(view, tree, when.pattern) or when
        case _:
            return when


def _path(view: View, tree: Tree, when: When) -> When:
    path = relative(tree, when.pattern)
    parts = path.rstrip("/").split("/")
    if path.startswith("/") or ".." in parts or "\0" in path:
        raise InvalidInput(f"'{when.pattern}' lies outside of {tree.root}. Nothing was written: name a path inside it.")
    if "*" in path or "?" in path:
        return When(when.kind, path)
    if when.kind is ReminderKind.DIRECTORY or Path(tree.root, path).is_dir():
        return When(ReminderKind.DIRECTORY, path.rstrip("./") or "**")
    if Path(tree.root, path).is_file():
        return When(ReminderKind.FILE, path)
    found = files_called(view, tree, path)
    if len(found) == 1:
        return When(ReminderKind.FILE, found[0])
    # `Boat.moor` has the form of a file and is a symbol where there is one.
    symbol = None if "/" in path or found else _symbol(view, tree, path)
    return symbol or When(ReminderKind.FILE, path)


def _symbol(view: View, tree: Tree, name: str) -> When | None:
    """A symbol of the ledger, kept by the id of its fact and its address now; None where there is none."""
    path, _, inside = name.rpartition("::")
    files = files_called(view, tree, path) if path else []
    targets = in_files(view, tree, files, inside) if path else named(view, tree, name)
    if not targets:
        return None
    target = only(targets, name)
    return When(ReminderKind.SYMBOL, f"{target.facts[0].id} {target.address}")


def _most(most: int | None, when: When, zone: tzinfo) -> int:
    if most is not None and not 1 <= most <= MAX_MOST:
        raise InvalidInput(f"A reminder is told 1 to {MAX_MOST:,} times, not {most:,}. Nothing was written.")
    recurs = when.kind is ReminderKind.TIME and kept(when.pattern, zone).recurs
    once = when.kind is ReminderKind.TIME and not recurs
    return 1 if once else most or (MOST_RECURRING if recurs else MOST)


def _moment(text: str, what: str, now: int, zone: tzinfo) -> int:
    schedule = read_schedule(text, now, zone)
    if schedule is None or schedule.at is None:
        raise InvalidInput(
            f"'{shorten(text, 80)}' is no {what} to come. Nothing was written: say it as `tomorrow at 9`, `in 2 weeks` "
            "or `2030-05-07`."
        )
    return schedule.at


def _existing(view: View, project: Project, reminder_id: str) -> Reminder:
    found = view.reminders.get(project, reminder_id)
    if found is None:
        near = tuple(one.id for one in view.reminders.standing(project))[-3:]
        raise NotFound(f"There is no reminder {reminder_id} in this project.", near=near)
    return found


def _require_actor(actor: str) -> None:
    if actor not in ACTORS:
        raise InvalidInput(f"Only a person or an agent makes a reminder, not '{actor}'. Nothing was written.")
