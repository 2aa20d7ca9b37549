"""Answers as short lines for people: plain text, no colours. What came in as data is quoted with `> ` (I-21)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moored.cli.render_care import counted
from moored.model.clock import iso
from moored.model.episodes import Episode, Trust
from moored.model.facts import Fact, FactVersion
from moored.model.notes import (
    CURRENT,
    AnchorRole,
    JudgedAnchor,
    JudgedNote,
    Note,
    Pin,
    Remembered,
    Revision,
    State,
    Verdict,
)
from moored.model.recall import HitKind
from moored.model.text import shorten

if TYPE_CHECKING:
    from moored.atlas.affected import Affected
    from moored.atlas.stale import StaleReport
    from moored.ledger.refresh import Refreshed
    from moored.model.aliases import Alias
    from moored.model.operations import Operation, Undone
    from moored.model.recall import Hit, Recall, Receipt, Turn
    from moored.model.reminders import Due

SHOWN = 3
WIDTH = 100


def label(verdict: Verdict) -> str:
    """The state of a verdict with what changed, in brackets."""
    return f"[{verdict.state}: {verdict.change}]" if verdict.change else f"[{verdict.state}]"


def refreshed(done: Refreshed) -> Iterator[str]:
    """What an index did."""
    parts = [f"{counted(done.files, 'file')} looked at", f"{done.parsed:,} read"]
    for number, what in (
        (done.born, "new facts"),
        (done.changed, "changed"),
        (done.moved, "moved"),
        (done.gone, "gone"),
        (done.removed, "files removed"),
    ):
        if number:
            parts.append(f"{number:,} {what}")
    yield ", ".join(parts)
    if done.partial:
        yield f"{counted(done.partial, 'file')} could be parsed only in part"
    if done.skipped:
        reasons: dict[str, int] = {}
        for item in done.skipped:
            reasons[item.reason] = reasons.get(item.reason, 0) + 1
        yield "not read: " + ", ".join(f"{count:,} {reason}" for reason, count in sorted(reasons.items()))


def remembered(done: Remembered) -> Iterator[str]:
    """What became of a note that was handed in."""
    yield f"{done.outcome} {done.id}"
    for line in done.receipt:
        yield f"  {line}"
    for name in done.unresolved:
        candidates = f" ({', '.join(name.candidates)})" if name.candidates else ""
        yield f"  not anchored: {name.name}, {name.reason}{candidates}"
    for one in done.related:
        yield f"  see {one.id}, {one.why}: {one.text}"
    yield from _reminders(done.reminders)


def _reminders(due: Sequence[Due]) -> Iterator[str]:
    """The reminders that are told beside an answer, under their heading."""
    if due:
        from moored.model.reminders import told

        yield "reminders:"
        for one in due:
            yield from told(one).splitlines()


def recall(answer: Recall) -> Iterator[str]:
    """The reminders that the question calls up, the hits, best first, and the receipt."""
    if answer.reminders:
        yield from _reminders(answer.reminders)
        yield ""
    for number, hit in enumerate(answer.hits, 1):
        yield from _hit(number, hit)
        yield ""
    receipt = answer.receipt
    if not answer.hits:
        yield _unanswered(receipt)
    parts = [
        f"{receipt.matched:,} matched",
        f"{receipt.returned:,} returned",
        f"{receipt.omitted_count:,} left out",
        f"{receipt.stale:,} stale",
        f"{receipt.tokens:,} of {receipt.budget:,} tokens",
    ]
    yield "receipt: " + ", ".join(parts)
    if receipt.context_omitted:
        yield f"  {counted(receipt.context_omitted, 'turn')} of the context left out for want of room"
    for reason in receipt.degraded:
        yield f"  degraded: {reason}"
    if receipt.other_projects:
        yield f"  {counted(receipt.other_projects, 'other project')} of the store not looked at"


def _unanswered(receipt: Receipt) -> str:
    """Why there is no hit."""
    if not receipt.matched:
        return "nothing was found"
    reasons = sorted({one.reason for one in receipt.omitted})
    if "budget" in reasons:
        return f"nothing fits a budget of {counted(receipt.budget, 'token')}"
    return f"all that was found is left out: {', '.join(reasons)}"


def _hit(number: int, hit: Hit) -> Iterator[str]:
    where = next((evidence.where for evidence in hit.evidence if evidence.where), "")
    # What was said is so for ever: only what was taken back since has a state.
    state = "" if hit.kind is HitKind.EPISODE and hit.verdict == CURRENT else f"{label(hit.verdict)} "
    yield f"{number}. {state}{hit.kind} {hit.id}" + (f" at {where}" if where else "")
    data = bool(hit.evidence) and hit.evidence[0].trust == Trust.DATA  # the first one is where the text comes from
    yield from quoted(hit.text, data, "   ")
    yield from _verdict(hit.verdict, "   ")
    about = [one for one in hit.anchors if one.anchor.role is not AnchorRole.SOURCE]
    for one in about[:SHOWN]:
        yield f"   {'proved by' if one.anchor.role is AnchorRole.PROOF else 'about'} {_place(one)}"
    if len(about) > SHOWN:
        yield f"   and {len(about) - SHOWN} more"
    for turn in hit.context:
        yield from _turn(turn)


def _turn(turn: Turn) -> Iterator[str]:
    """A turn of the context, on one line and its text on the next."""
    corrected = f", corrected by {turn.corrected_by}" if turn.corrected_by else ""
    who = turn.author or turn.role
    yield f"   {'before' if turn.before else 'after'}: {who}, {iso(turn.at)}, {turn.id}{corrected}"
    yield from quoted(turn.text, turn.trust == Trust.DATA, "      ")


def _verdict(verdict: Verdict, indent: str) -> Iterator[str]:
    if verdict.reason:
        yield f"{indent}why: {verdict.reason}"
    if verdict.current:
        yield f"{indent}now: {shorten(verdict.current, 2 * WIDTH)}"


def _place(one: JudgedAnchor) -> str:
    line = f" (line {one.line})" if one.line else ""
    state = "" if one.verdict.state is State.CURRENT else f" {label(one.verdict)}"
    command = "$ " if one.anchor.kind == "command" else ""
    return f"{command}{one.anchor.address}{line}{state}"


def quoted(text: str, data: bool, indent: str = "") -> Iterator[str]:
    """The lines of a text; those of data are marked as a quotation, so that none reads as an instruction."""
    for line in text.splitlines() or [""]:
        yield f"{indent}{'> ' if data else ''}{line}"


def shown(value: Episode | JudgedNote | Fact) -> Iterator[str]:
    """One thing whole."""
    if isinstance(value, Episode):
        yield from _episode(value)
    elif isinstance(value, JudgedNote):
        yield from _note(value)
    else:
        yield from _fact(value)


def _episode(episode: Episode) -> Iterator[str]:
    yield f"episode {episode.id}"
    source = " ".join(part for part in (episode.host, episode.session) if part)
    yield f"  {episode.role} by {episode.channel}, trusted as {episode.trust}" + (f", from {source}" if source else "")
    if episode.author:
        yield f"  said by {episode.author}"
    yield f"  happened {iso(episode.occurred_at)}, recorded {iso(episode.recorded_at)}"
    if episode.tool_name or episode.tool_input:
        yield f"  tool {episode.tool_name} {shorten(episode.tool_input, WIDTH) if episode.tool_input else ''}".rstrip()
    if episode.exit_status is not None:
        yield f"  exit status {episode.exit_status}"
    if episode.corrects:
        yield f"  corrects {episode.corrects}"
    if episode.corrected_by:
        yield f"  corrected by {episode.corrected_by}"
    yield ""
    yield from quoted(episode.text, episode.trust is Trust.DATA)


def _note(judged: JudgedNote) -> Iterator[str]:
    head = judged.note.head
    yield f"{judged.note.kind} {judged.note.id} {label(judged.verdict)}"
    yield f"  revision {head.number} by {head.actor}, {iso(head.created_at)}: {head.cause}"
    if head.tags:
        yield f"  tags: {', '.join(head.tags)}"
    if judged.note.protected:
        yield f"  protected: {judged.note.protected}"
    yield from quoted(head.text, data=False, indent="  ")
    yield from _verdict(judged.verdict, "  ")
    for one in judged.anchors:
        yield f"  {one.anchor.role} {_place(one)}"


def _fact(fact: Fact) -> Iterator[str]:
    yield f"{fact.kind} {fact.address} ({fact.id})"
    yield from quoted(fact.value, data=not fact.path, indent="  ")
    if fact.path:
        yield f"  {fact.path}, lines {fact.span.line} to {fact.span.end_line}"
    if fact.doc:
        yield f"  {shorten(fact.doc, 2 * WIDTH)}"
    yield f"  as it is since {iso(fact.since)}"
    if fact.gone_at is not None:
        yield f"  gone since {iso(fact.gone_at)}"


def history(versions: Sequence[Revision] | Sequence[FactVersion], note: Note | None = None) -> Iterator[str]:
    """Every revision of a note, or version of a fact, oldest first, and what the note is beside that."""
    for version in versions:
        if isinstance(version, Revision):
            yield f"{version.number}. {version.id} {iso(version.created_at)} by {version.actor}: {version.cause}"
            yield from quoted(version.text, data=False, indent="   ")
        else:
            until = iso(version.until) if version.until is not None else "now"
            yield f"{iso(version.since)} to {until} {_address(version)}"
            yield f"   {shorten(version.value, WIDTH)}" + (f" (then: {version.change})" if version.change else "")
    if note and note.protected:
        yield f"protected: {note.protected}"
    if note and note.superseded_by:
        yield f"replaced by {note.superseded_by}"
    if note and note.withdrawn:
        yield f"taken out of every answer by {note.withdrawn}; `undo` of that brings it back"


def _address(version: FactVersion) -> str:
    if not version.path:
        return version.name
    name = "" if version.name == version.path else f"::{version.name}"
    return f"{version.path}{name}, line {version.line}"


def stale(report: StaleReport) -> Iterator[str]:
    """How many notes hold, and those that do not."""
    if not report.total:
        yield "no notes"
        return
    rate = "none of them can be judged, so how many hold is unknown"
    if report.rate is not None:
        hold = f"of which {report.rate:.0%} do not hold" if report.rate else "all of which hold"
        rate = f"{report.judged:,} can be judged, {hold}"
    yield f"{counted(report.total, 'note')}, {rate}"
    for one in report.notes:
        yield f"{label(one.verdict)} {one.note.id} {shorten(one.note.head.text, WIDTH)}"
        yield from _verdict(one.verdict, "   ")
    for proof in report.proofs:
        yield f"prove {proof.note} again: {proof.command}"


def affected(report: Affected) -> Iterator[str]:
    """What a change puts at risk."""
    base = report.base[:12] if report.base else "nothing committed yet"
    yield f"{counted(len(report.files), 'file')} changed since {base}, {counted(len(report.notes), 'note')} at risk"
    for one in report.notes:
        yield f"{label(one.judged.verdict)} {one.judged.note.id} {shorten(one.judged.note.head.text, WIDTH)}"
        for change in one.changes:
            yield f"   {change.address}: {change.change or 'new'}"
            if change.now:
                yield f"   now: {shorten(change.now, WIDTH)}"
    for mention in report.mentions:
        yield f"mentions {', '.join(mention.names)}: {mention.id} {shorten(mention.text, WIDTH)}"


def pins(standing: Sequence[Pin]) -> Iterator[str]:
    """The pins that stand, whole."""
    if not standing:
        yield "no pins"
    for pin in standing:
        yield f"{pin.id} by {pin.actor}, {counted(pin.tokens, 'token')}"
        yield from quoted(pin.text, data=False, indent="  ")


def aliases(known: Sequence[Alias]) -> Iterator[str]:
    """Other names of things, each with who gave it or where it was read."""
    if not known:
        yield "no aliases"
    for one in known:
        source = (
            f"read in {one.episode}"
            if one.origin == "text"
            else f"given by {'an agent' if one.origin == 'agent' else 'a person'}"
        )
        yield f"{one.alias} = {one.name}, {source}, {iso(one.at)[:10]}"


def operations(done: Sequence[Operation]) -> Iterator[str]:
    """What was done that can be undone."""
    if not done:
        yield "no operations"
    for one in done:
        undone = f", undone {iso(one.undone_at)}" if one.undone_at is not None else ""
        what = f"{one.kind} by {one.actor}" + (f" of {one.undoes}" if one.undoes else "")
        did = (one.detail, counted(one.notes, "note"), counted(one.episodes, "episode"))
        yield f"{one.id} {iso(one.started_at)} {what}: {', '.join(part for part in did if part)}{undone}"


def undone(done: Undone) -> Iterator[str]:
    """What an undo gave back."""
    yield f"undone: {done.undone}, by {done.operation}"
    if done.notes:
        yield f"given back: {', '.join(done.notes)}"
    yield f"{counted(done.hidden, 'episode')} hidden, {done.shown:,} shown again"
