"""What a note that does not hold would say, made of its present sources alone.

No model is asked and nothing is guessed. A value takes the place of the old one where that stands in the text as a
whole, once; an address that of what was renamed or moved; a signature comes in a line of its own. Where no text
follows, the sources are shown and somebody says it. A question that was asked is no source.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.drafts import MAX_TEXT
from moored.atlas.values import VALUE, bare, proposed_value_text
from moored.atlas.verdict import called, locate
from moored.model.episodes import Trust
from moored.model.facts import FactKind
from moored.model.notes import AnchorRole, Change, State
from moored.model.proposals import Ground, GroundKind
from moored.model.text import fold, shorten

if TYPE_CHECKING:
    from moored.ledger.sight import FactNow, Sight
    from moored.model.notes import Anchor, JudgedAnchor, JudgedNote
    from moored.model.projects import Project
    from moored.store.port import View

SHOWN = 200
"""Characters of a value, or of what was said, that are shown as evidence."""

SIGNATURE = 300
"""Characters of a signature that is put into a text."""

_NOW = "now: "
_SIGNED = frozenset({Change.SIGNATURE, Change.SIGNATURE_AND_BODY})
_PLACED = frozenset({Change.MOVED, Change.RENAMED})


class Regenerated(NamedTuple):
    """What follows from the sources of a note.

    `text` is what it would say, empty where that does not follow; it may be what it says now, about other places.
    `gone` says that nothing is left of what it is about. `grounds` are what is not as it was, `said` the same in words.
    Without grounds nothing follows but that the note is to be read again.
    """

    text: str
    gone: bool
    grounds: tuple[Ground, ...]
    said: tuple[str, ...]


def regenerate(view: View, sight: Sight, judged: JudgedNote) -> Regenerated:
    """What the present sources say of a note that does not hold."""
    project, head = sight.tree.project, judged.note.head
    text = head.text
    follows = True
    grounds: dict[Ground, str] = {}
    for one in judged.anchors:
        if one.verdict.state is not State.STALE:
            continue
        now = locate(sight, view, project, one.anchor, head.created_at).now if one.anchor.path else None
        ground, said = _ground(view, project, one, now)
        if ground is None:
            continue
        grounds[ground] = said
        if ground.kind is GroundKind.EPISODE:
            made = _corrected(view, project, one.anchor, ground.id, head.text)
        else:
            made = _rewritten(text, one, now)
        follows = follows and made is not None
        text = made or text
    about = [one for one in judged.anchors if one.anchor.role is AnchorRole.ABOUT]
    gone = bool(about) and all(one.verdict.change is Change.GONE for one in about)
    fits = follows and bool(grounds) and not gone and len(text.encode()) <= MAX_TEXT
    return Regenerated(text if fits else "", gone, tuple(grounds), tuple(grounds.values()))


def _ground(view: View, project: Project, one: JudgedAnchor, now: FactNow | None) -> tuple[Ground | None, str]:
    """What is not as it was, and in words; None where that only another body tells, from which nothing follows."""
    anchor, change = one.anchor, one.verdict.change
    if change is Change.CORRECTED:
        by = _correcting(view, project, anchor)
        return Ground(GroundKind.EPISODE, by), f"{one.verdict.reason}: {one.verdict.current}"
    stands = f"{now.path}::{now.name}" if now and now.kind is not FactKind.FILE else now.path if now else ""
    if change is Change.BODY and (now is None or _constant(anchor, now) is None):
        return None, ""
    was, value = shorten(anchor.value, SHOWN), stands if change in _PLACED else one.verdict.current
    mark = _mark(now) if now and change not in _PLACED else ""
    ground = Ground(GroundKind.FACT, anchor.fact or anchor.episode, called(anchor), was, shorten(value, SHOWN), mark)
    if change is Change.GONE:
        return ground, f"{called(anchor)} is gone; it was {was}"
    return ground, f"{called(anchor)}: was {was}, now {ground.now}"


def _mark(now: FactNow) -> str:
    """By what it is known that a value is still the same. The body of a function is no part of what is said of it."""
    signed = now.signature_hash and now.kind is not FactKind.CONSTANT
    return now.signature_hash if signed else now.body_hash


def _rewritten(text: str, one: JudgedAnchor, now: FactNow | None) -> str | None:
    """The text with what became of one target, None where that cannot be said surely."""
    anchor, change = one.anchor, one.verdict.change
    if change is Change.GONE or change is Change.AMBIGUOUS:
        return None
    if now is None:
        return _with_value(text, anchor.value, one.verdict.current)
    if change in _PLACED:
        text = _with_address(text, anchor, now)
        signed = anchor.kind is now.kind and anchor.signature_hash != now.signature_hash
        return _with_signature(text, anchor, now) if signed and anchor.signature_hash else text
    if change in _SIGNED:
        constant = _constant(anchor, now)
        return _with_value(text, *constant) if constant else _with_signature(text, anchor, now)
    constant = _constant(anchor, now)
    return _with_value(text, *(constant or (anchor.value, now.value)))


def _constant(anchor: Anchor, now: FactNow) -> tuple[str, str] | None:
    """The value of a constant, as it was and as it is; None for anything else and where it is the same."""
    if anchor.kind is not FactKind.CONSTANT or now.kind is not FactKind.CONSTANT:
        return None
    (_, said, was), (_, says, value) = anchor.value.partition(" = "), now.value.partition(" = ")
    return (bare(was), bare(value)) if said and says and was != value else None


def _with_value(text: str, was: str, value: str) -> str | None:
    if not value.strip() or len(value) > VALUE or "\n" in value:
        return None
    return proposed_value_text(text, was, value)


def _with_address(text: str, anchor: Anchor, now: FactNow) -> str:
    """The text with the present address in place of the old one, and the name in place of the name, as code."""
    if anchor.kind is FactKind.FILE:
        return _replaced(text, anchor.path, now.path)
    text = _replaced(text, f"{anchor.path}::{anchor.name}", f"{now.path}::{now.name}")
    if anchor.name == now.name:
        return text
    was, name = anchor.name, now.name
    if "." in was:
        text = _replaced(text, was, name)
    was, name = was.rpartition(".")[2], name.rpartition(".")[2]
    # A bare name is often a word of the language as well: only where it is written as code it is the name.
    if was == name:
        return text
    if "_" in was.strip("_"):
        return _replaced(text, was, name)
    return re.sub(rf"(?<=`){re.escape(was)}(?=`|\()|(?<![\w.]){re.escape(was)}(?=\(\))", lambda _: name, text)


def _replaced(text: str, was: str, value: str) -> str:
    return re.sub(rf"(?<![\w./:-]){re.escape(was)}(?![\w:]|[./-]\w)", lambda _: value, text)


def _with_signature(text: str, anchor: Anchor, now: FactNow) -> str:
    """The text with the present signature: in place of the old one, else in a line of its own."""
    was, value = anchor.value, shorten(now.value, SIGNATURE)
    if was and text.count(was) == 1:
        return text.replace(was, value)
    lines = [line for line in text.rstrip().splitlines() if line != f"{_NOW}{shorten(was, SIGNATURE)}"]
    return "\n".join((*lines, f"{_NOW}{value}"))


def _correcting(view: View, project: Project, anchor: Anchor) -> str:
    """The id of the episode by which what an anchor rests on was corrected."""
    fact = view.facts.get(project, anchor.fact) if anchor.fact else None
    standing = view.episodes.standing(project, fact.episode if fact else anchor.episode)
    return standing.corrected_by if standing else ""


def _corrected(view: View, project: Project, anchor: Anchor, by: str, words: str) -> str | None:
    """What the correction says, where it corrects the very words of a note and is nobody's data (I-21)."""
    said = view.episodes.get(project, anchor.episode) if anchor.episode else None
    correcting = view.episodes.get(project, by)
    if said is None or correcting is None or fold(said.text) != fold(words) or correcting.trust is Trust.DATA:
        return None
    return correcting.text
