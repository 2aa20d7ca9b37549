"""What a note is about, as anchors.

What the writer names is binding: a name that stands for nothing, or for several things, is an error and nothing is
written (I-03). What is found in the text is never guessed: a name becomes an anchor only if it stands for exactly
one thing, and is listed as unresolved otherwise. The hashes are those of the files as they are on disk now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.atlas import lookup
from moored.atlas.lookup import IMPORTS, Target
from moored.atlas.names import Mention, dotted, looks_like_path, mentions, split_line
from moored.errors import EmptyText, NotFound
from moored.model.facts import Fact, FactKind
from moored.model.notes import Anchor, AnchorRole, Unresolved
from moored.model.text import fold, shorten, well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.ledger.sight import FactNow, Sight
    from moored.model.projects import Project
    from moored.store.port import View

MAX_FROM_TEXT = 12
"""Targets that are taken from the text of one note; what is named explicitly is not counted."""

MAX_LOOKED_UP = 250
"""Names of one text that the ledger is asked for, so that a long list of names does not take long."""

SHOWN_EPISODE = 200
"""Characters of an episode that an anchor keeps to show what it said."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The anchors of a note, and the names in its text that became none."""

    anchors: tuple[Anchor, ...]
    unresolved: tuple[Unresolved, ...]


def resolve(view: View, sight: Sight, about: Sequence[str], text: str) -> Resolved:
    """Find what a note is about: the things named in `about`, and those that its text names.

    An item of `about` is `path::Qualified.name`, a qualified name, the last part of one if only one ends so, a
    module and a name in it (`requests.sessions.Session.send`), a path, `path:line` (the innermost symbol or key
    there), a configuration key, `$ command`, or the id of an episode or a fact.

    Raises `NotFound` (with near names), `Ambiguous` (with candidates) or `EmptyText` for an item of `about`.
    """
    named: dict[tuple[str, str], tuple[Anchor, ...]] = {}
    for item in (well_formed(item).strip() for item in about):
        if not item:
            raise EmptyText("The note is said to be about '', which names nothing. Nothing was written.")
        anchors = _explicit(view, sight, item)
        named.setdefault((anchors[0].path or anchors[0].episode, anchors[0].name), anchors)
    found, unresolved = _in_text(view, sight, text, set(named))
    return Resolved(tuple(a for group in (*named.values(), *found) for a in group), unresolved)


def command_anchor(view: View, project: Project, command: str, role: AnchorRole) -> Anchor | None:
    """The anchor to the latest outcome of a command, or None when the record holds no run of it."""
    fact = view.facts.command(project, fold(command.removeprefix("$ ")))
    return _from_fact(fact, role) if fact else None


def fact_anchors(sight: Sight, target: Target) -> tuple[Anchor, ...]:
    """Anchors to all that stands under a target's name on disk now; empty when nothing does any more."""
    imports = target.facts[0].kind in IMPORTS
    ids = {(fact.kind, fact.ordinal): fact.id for fact in target.facts}
    anchors: dict[tuple[str, str, str], Anchor] = {}
    for now in sight.find(target.path, target.name):
        if now.kind is FactKind.FILE or (now.kind in IMPORTS) == imports:
            known = now.fact or ids.get((now.kind, now.ordinal), target.facts[0].id)
            anchors.setdefault((now.kind, now.signature_hash, now.body_hash), _from_disk(now, known))
    return tuple(anchors.values())


def _explicit(view: View, sight: Sight, item: str) -> tuple[Anchor, ...]:
    project, tree = sight.tree.project, sight.tree
    if item.startswith("ep_"):
        return (_episode(view, project, item),)
    if item.startswith("fa_"):
        return _fact(view, sight, item)
    for prefix in ("$ ", "command:"):
        if item.startswith(prefix):
            return (_command(view, project, item.removeprefix(prefix)),)
    target = _named_target(view, sight, item)
    anchors = fact_anchors(sight, target)
    if not anchors:
        raise NotFound(
            f"'{item}' is {target.address} in the ledger, but it does not stand there any more. Nothing was written.",
            near=lookup.near(view, tree, target.name),
        )
    return anchors


def _named_target(view: View, sight: Sight, item: str) -> Target:
    tree = sight.tree
    left, separator, right = item.partition("::")
    if separator and (paths := lookup.files_called(view, tree, left)):
        found = lookup.in_files(view, tree, paths, dotted(right))
        if not found:
            raise lookup.unknown(view, tree, dotted(right))
        return lookup.only(found, item)
    path, line = split_line(item)
    paths = lookup.files_called(view, tree, path)
    found = [target for path in paths if (target := _in_path(view, sight, path, line))]
    found = found or lookup.named(view, tree, dotted(item))
    if found:
        return lookup.only(found, item)
    if lookup.exists(tree, path) and not paths:
        raise NotFound(f"The file '{path}' exists, but it is not indexed. Nothing was written: index it first.")
    if line and paths:
        raise NotFound(f"Nothing that is indexed stands at line {line} of {paths[0]}. Nothing was written.")
    raise lookup.unknown(view, tree, item)


def _in_path(view: View, sight: Sight, path: str, line: int) -> Target | None:
    """The target of a whole file, or of the innermost symbol or key at a line of it, as the file is now."""
    whole = lookup.file_target(view, sight.tree, path)
    if not line or whole is None:
        return whole
    here = [now for now in sight.file(path) or () if now.line <= line <= now.end_line and now.kind not in IMPORTS]
    if not here:
        return None
    inner = min(here, key=lambda now: (now.end_line - now.line, now.kind is FactKind.FILE))
    if inner.kind is FactKind.FILE:
        return whole
    return next(iter(lookup.in_files(view, sight.tree, [path], inner.name)), None)


def _in_text(
    view: View, sight: Sight, text: str, taken: set[tuple[str, str]]
) -> tuple[list[tuple[Anchor, ...]], tuple[Unresolved, ...]]:
    found: dict[tuple[str, str], tuple[Anchor, ...]] = {}
    unresolved: dict[str, Unresolved] = {}
    mentioned = mentions(text)
    for mention in mentioned[:MAX_LOOKED_UP]:
        outcome = _mentioned(view, sight, mention)
        if isinstance(outcome, Unresolved):
            unresolved.setdefault(outcome.name, outcome)
        elif outcome:
            key = (outcome[0].path, outcome[0].name)
            if key not in taken:
                found.setdefault(key, outcome)
    detailed = {path for path, name in (*found, *taken) if name != path}
    kept = [anchors for (path, name), anchors in found.items() if not (path and name == path and path in detailed)]
    for anchors in kept[MAX_FROM_TEXT:]:
        address = anchors[0].address
        unresolved[address] = Unresolved(address, f"over the cap of {MAX_FROM_TEXT} taken from a text")
    for mention in mentioned[MAX_LOOKED_UP:]:
        unresolved.setdefault(mention.text, Unresolved(mention.text, f"not looked up: over {MAX_LOOKED_UP} names"))
    return kept[:MAX_FROM_TEXT], tuple(unresolved.values())


def _mentioned(view: View, sight: Sight, mention: Mention) -> tuple[Anchor, ...] | Unresolved | None:
    """What a mention stands for: anchors, a reason why not, or None when it need not be a name at all."""
    command = mention.command or (mention.name if mention.marked else "")
    found = _candidates(view, sight, mention)
    if not found:
        ran = command_anchor(view, sight.tree.project, command, AnchorRole.ABOUT) if command else None
        return (ran,) if ran else _missing(sight, mention)
    if len(found) > 1:
        return Unresolved(mention.text, f"it could be any of {len(found)}", lookup.addresses(found))
    anchors = fact_anchors(sight, found[0])
    return anchors or Unresolved(mention.text, f"{found[0].address} does not stand there any more")


def _candidates(view: View, sight: Sight, mention: Mention) -> list[Target]:
    tree = sight.tree
    if mention.path:
        paths = lookup.files_called(view, tree, mention.path)
        if mention.name:
            return lookup.in_files(view, tree, paths, mention.name)
        return [target for path in paths if (target := _in_path(view, sight, path, mention.line))]
    if not mention.name:
        return []
    written = mention.text.removeprefix("./")
    paths = lookup.files_called(view, tree, written) if mention.marked or looks_like_path(written) else []
    files = [target for path in paths if (target := lookup.file_target(view, tree, path))]
    return files or lookup.named(view, tree, mention.name, bare=True)


def _missing(sight: Sight, mention: Mention) -> Unresolved | None:
    if mention.path:
        if lookup.exists(sight.tree, mention.path):
            reason = "changed since it was indexed" if mention.path in sight.changed else "not indexed"
            return Unresolved(mention.text, reason if not mention.name else f"no such name in {mention.path}")
        return Unresolved(mention.text, "no such file") if looks_like_path(mention.path.rpartition("/")[2]) else None
    return Unresolved(mention.text, "not found") if mention.marked and mention.name else None


def _episode(view: View, project: Project, episode_id: str) -> Anchor:
    episode, content_hash = view.episodes.get(project, episode_id), view.episodes.hash_of(project, episode_id)
    if episode is None or content_hash is None:
        raise NotFound(
            f"There is no episode {episode_id} in this project. Nothing was written.",
            near=view.episodes.near(project, episode_id),
        )
    shown = shorten(episode.text, SHOWN_EPISODE)
    return Anchor(AnchorRole.ABOUT, episode=episode_id, body_hash=content_hash, value=shown)


def _fact(view: View, sight: Sight, fact_id: str) -> tuple[Anchor, ...]:
    fact = view.facts.get(sight.tree.project, fact_id)
    if fact is None:
        raise NotFound(f"There is no fact {fact_id} in this project. Nothing was written: name it by its address.")
    if not fact.path:
        return (_from_fact(fact, AnchorRole.ABOUT),)
    anchors = fact_anchors(sight, Target(fact.path, fact.name, (fact,)))
    if not anchors:
        raise NotFound(f"The fact {fact_id} ({fact.address}) does not stand there any more. Nothing was written.")
    return anchors


def _command(view: View, project: Project, command: str) -> Anchor:
    anchor = command_anchor(view, project, command.strip(), AnchorRole.ABOUT)
    if anchor is None:
        raise NotFound(
            f"The record holds no run of the command '{command.strip()}'. Nothing was written: run it under a host "
            "that records it, or leave it out."
        )
    return anchor


def _from_fact(fact: Fact, role: AnchorRole) -> Anchor:
    return Anchor(
        role, fact=fact.id, path=fact.path, kind=fact.kind, name=fact.name, signature_hash=fact.signature_hash,
        body_hash=fact.body_hash, value=fact.value,
    )  # fmt: skip


def _from_disk(now: FactNow, fact_id: str) -> Anchor:
    return Anchor(
        AnchorRole.ABOUT, fact=fact_id, path=now.path, kind=now.kind, name=now.name,
        signature_hash=now.signature_hash, body_hash=now.body_hash, value=now.value,
    )  # fmt: skip
