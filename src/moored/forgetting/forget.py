"""`forget`: a preview of all that goes, and then that it goes.

What is erased goes in one transaction, with a note of what is still to be done to the files. A process that is killed
after it leaves that note, and the next one that forgets or does upkeep finishes the work.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import InvalidInput, NotFound, StoreLocked
from moored.forgetting import redacting
from moored.forgetting.care import backups, backups_with, entries_of
from moored.forgetting.choosing import Chosen, choose
from moored.forgetting.erasing import bury, erase, texts_of
from moored.forgetting.fragments import pieces
from moored.forgetting.hiding import WINDOW, expired, hide
from moored.forgetting.planning import plan as planned
from moored.forgetting.proving import prove
from moored.model.clock import Clock, iso
from moored.model.forgetting import Forgotten, Plan, Rebuilt, Selection
from moored.model.operations import FORGET, Operation
from moored.record.operations import under_way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.ids import IdSource
    from moored.model.projects import Project
    from moored.store.port import Store, Transaction, View


class NotProven(InvalidInput):
    """Something of what was forgotten is still there; the account of it is `forgotten`."""

    exit_code = 5

    def __init__(self, forgotten: Forgotten) -> None:
        places = "; ".join(forgotten.proof.found if forgotten.proof else ())
        super().__init__(
            f"It was erased by {forgotten.operation}, but something of it is left: {places}. Where it is the log, end "
            "other processes that read the store and run `moored forget --finish`. What stands in names of the code or "
            "in another project is taken out there first."
        )
        self.forgotten = forgotten


def preview(store: Store, project: Project, selection: Selection) -> Plan:
    """All that goes with what is chosen. Nothing is changed. Raises as `choose`."""
    with store.read() as view:
        return _plan(store, view, project, selection, choose(view, project, selection))


def forget(
    store: Store,
    project: Project,
    selection: Selection,
    *,
    hard: bool,
    token: str = "",
    actor: str,
    clock: Clock,
    ids: IdSource,
) -> Forgotten:
    """Take what is chosen, and all that goes with it, out of every answer, or with `hard` out of the store for good.

    With a `token` of a preview only exactly what that showed goes. Raises as `choose`, `InvalidInput` when something
    else would go than was shown, and `NotProven` when the scan finds something that is left.
    """
    _finish_if_possible(store)
    with store.read() as view:
        chosen = choose(view, project, selection)
    return _forget(store, project, selection, chosen, hard=hard, token=token, actor=actor, clock=clock, ids=ids)


def forget_expired(store: Store, project: Project, *, actor: str, clock: Clock, ids: IdSource) -> list[Forgotten]:
    """Erase what was forgotten so long ago that it can be restored no more."""
    with store.read() as view:
        operations = expired(view, project, clock.now())
    return forget_hidden(store, project, operations, actor=actor, clock=clock, ids=ids)


def forget_hidden(
    store: Store, project: Project, operations: Sequence[Operation], *, actor: str, clock: Clock, ids: IdSource
) -> list[Forgotten]:
    """Erase what these operations took out of every answer."""
    _finish_if_possible(store)
    done: list[Forgotten] = []
    with store.read() as view:
        hidden = [view.erasure.hidden_by(project, one.id) for one in operations]
    for episodes, notes in hidden:
        if episodes or notes:
            chosen = Chosen(tuple(episodes), tuple(notes), (), ())
            done.append(
                _forget(store, project, Selection(), chosen, hard=True, token="", actor=actor, clock=clock, ids=ids)
            )
    return done


def redact(
    store: Store,
    project: Project,
    episodes: Sequence[str],
    text: str,
    *,
    preview: bool,
    token: str = "",
    actor: str,
    clock: Clock,
    ids: IdSource,
) -> Forgotten:
    """Take a text out of the record of a project and of everything that repeats it; `episodes` must hold it.

    Raises `InvalidInput` for a text that is too short and as `forget`, and `NotFound` for an episode that does not hold
    it, and where nothing does.
    """
    texts = redacting.forms(text)
    _finish_if_possible(store)
    with store.read() as view:
        plan = redacting.plan(view, project, episodes, texts)
    held = tuple(map(str, backups(store.path)))
    plan = plan._replace(backups=held)
    if preview:
        out_of, *rest = said(plan, hard=True)
        return Forgotten("preview", plan, receipt=(f"this text, out of {out_of} and of what repeats it", *rest))
    _require(plan, token)
    with store.write() as transaction:
        with under_way(
            transaction, project, FORGET, actor=actor, asked=True, lasting=True, detail="a part", clock=clock, ids=ids
        ) as operation:
            packed = [one.stored for one in transaction.erasure.episodes(project, plan.episodes)]
            bury(transaction, project, operation, plan, Selection(), clock.now())
            changed = redacting.redact(transaction, project, operation, plan, texts, clock, ids)
            if not plan.episodes and not changed:
                raise NotFound("Nothing in this project holds that text. Nothing was changed.")
        _leave(transaction, plan, operation)
    plan = plan._replace(also=tuple(sorted(changed.items())))
    looked = [one.encode("utf-8", "surrogatepass") for one in texts]
    looked += pieces((), [one for one in packed if one[:1] == b"\x78"])
    receipt = (
        f"taken out of {counted(len(plan.episodes), 'episodes')}",
        *(f"and of {counted(n, name)}" for name, n in plan.also),
    )
    return _proven(store, Forgotten("redacted", plan, operation, receipt=receipt), looked, everywhere=len(texts))


def finish(store: Store) -> bool:
    """Finish what was left undone after something had been erased; whether there was anything.

    Raises `StoreLocked` when another process reads the store meanwhile, so that its log cannot be emptied.
    """
    with store.read() as view:
        left = view.erasure.unfinished()
    if not left:
        return False
    _files_away(json.loads(left)["files"])
    store.truncate_log()
    store.rewrite()
    if not store.truncate_log():
        raise StoreLocked(
            f"The log of {store.path} cannot be emptied, because another process is reading the store. What was erased "
            "may still be in it: end that process, and run `moored forget --finish` again."
        )
    with store.write() as transaction:
        transaction.erasure.set_unfinished("")
    return True


def _finish_if_possible(store: Store) -> None:
    """The same before something else is forgotten: what stands in the way of it does not stand in the way of that."""
    with suppress(StoreLocked):
        finish(store)


def _forget(
    store: Store,
    project: Project,
    selection: Selection,
    chosen: Chosen,
    *,
    hard: bool,
    token: str,
    actor: str,
    clock: Clock,
    ids: IdSource,
) -> Forgotten:
    with store.read() as view:
        plan = _plan(store, view, project, selection, chosen)
    _require(plan, token)
    looked: list[bytes] = []
    with store.write() as transaction:
        if _plan(store, transaction, project, selection, chosen, plan).token != plan.token:
            raise InvalidInput("Something was written meanwhile that would go as well. Nothing was changed: try again.")
        with under_way(
            transaction, project, FORGET, actor=actor, asked=True, lasting=hard, clock=clock, ids=ids
        ) as operation:
            bury(transaction, project, operation, plan, selection, clock.now())
            if hard:
                looked = _pieces(transaction, project, plan)
                erase(transaction, project, operation, plan, clock, ids)
                _leave(transaction, plan, operation)
            else:
                hide(transaction, project, operation, plan, clock, ids)
    receipt = said(plan, hard=hard)
    if hard:
        return _proven(store, Forgotten("erased", plan, operation, receipt=receipt), looked)
    until = clock.now() + WINDOW
    restorable = f"`undo {operation}` restores it until {iso(until)}"
    return Forgotten("hidden", plan, operation, until, receipt=(*receipt, restorable))


def _plan(
    store: Store, view: View, project: Project, selection: Selection, chosen: Chosen, known: Plan | None = None
) -> Plan:
    """The plan with its files; those of a plan that is known already are not looked for again."""
    plan = planned(view, project, chosen)
    if known:
        return plan._replace(backups=known.backups, entries=known.entries)
    episodes = view.erasure.episodes(project, plan.episodes)
    ids = (*plan.episodes, *plan.notes, *plan.pins, *plan.reminders, *(r for one in plan.rebuilt for r in one.erased))
    return plan._replace(
        backups=tuple(map(str, backups_with(store.path, ids))),
        entries=tuple(map(str, entries_of(store.path, episodes, selection))),
    )


def _require(plan: Plan, token: str) -> None:
    if token and token != plan.token:
        raise InvalidInput(
            f"What would go is not what the preview {token} showed. Nothing was changed: look at a new preview."
        )


def _pieces(transaction: Transaction, project: Project, plan: Plan) -> list[bytes]:
    """By what a scan is to know that all of a plan is gone."""
    episodes = transaction.erasure.episodes(project, plan.episodes)
    said = (*texts_of(transaction, project, plan), *(one.tool_input for one in episodes))
    texts = [text.encode("utf-8", "surrogatepass") for text in said]
    packed = [one.stored for one in episodes if one.stored != one.content]
    return pieces([*(one.content for one in episodes), *texts], packed)


def _leave(transaction: Transaction, plan: Plan, operation: str) -> None:
    """Note what is still to be done to the files."""
    left = transaction.erasure.unfinished()
    before: list[str] = json.loads(left)["files"] if left else []
    todo = {"operation": operation, "files": [*before, *plan.backups, *plan.entries]}
    transaction.erasure.set_unfinished(json.dumps(todo))


def _proven(store: Store, forgotten: Forgotten, looked: Sequence[bytes], *, everywhere: int = 0) -> Forgotten:
    """Remove the files that held it, and prove that it is gone. Raises `NotProven`."""
    _files_away([*forgotten.plan.backups, *forgotten.plan.entries])
    proof = prove(store, looked, everywhere=bool(everywhere))
    done = forgotten._replace(proof=proof)
    if proof.found:
        raise NotProven(done)
    with store.write() as transaction:
        transaction.erasure.set_unfinished("")
    size = f"{counted(len(proof.files), 'files')} ({proof.size:,} bytes)"
    line = f"proven: {counted(proof.fragments - proof.common, 'pieces')} of it looked for, none is left in {size}"
    common = f"{counted(proof.common, 'pieces')} of it found in what remains as well, which says the same"
    return done._replace(receipt=(*done.receipt, *([common] if proof.common else []), line))


def _files_away(files: Sequence[str]) -> None:
    for file in files:
        with suppress(FileNotFoundError):
            Path(file).unlink()


def said(plan: Plan, *, hard: bool) -> tuple[str, ...]:
    """What a plan does, in words."""
    going = {
        "episodes": len(plan.episodes),
        "notes": len(plan.notes),
        "pins": len(plan.pins),
        "reminders": len(plan.reminders),
    }
    lines = [", ".join(counted(number, name) for name, number in going.items() if number) or "nothing"]
    if plan.also:
        lines.append("with that " + ", ".join(counted(number, name) for name, number in plan.also))
    lines += [f"{one.note} stays, {_how(one)}" for one in plan.rebuilt]
    if hard:
        lines += [f"the backup {file} holds some of it and is removed" for file in plan.backups]
        lines += [f"the captured event {file} is removed" for file in plan.entries]
    return tuple(lines)


def _how(left: Rebuilt) -> str:
    """What becomes of a note that stays."""
    if not left.erased:
        return "without that to rest on"
    return f"without {len(left.erased):,} of its revisions" + (", and says again what is left" if left.text else "")


def counted(number: int, name: str) -> str:
    """A number with what it counts, which is named in the plural: "1 piece of evidence", "2 aliases"."""
    if number == 1:
        first, *rest = re.split(r"(?= (?:of|in) )", name, maxsplit=1)
        name = "".join(({"aliases": "alias"}.get(first, first.removesuffix("s")), *rest))
    return f"{number:,} {name}"
