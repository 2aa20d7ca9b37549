"""Setting up one host, or taking its set-up back: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from moored.errors import InvalidInput
from moored.hosts.edits import Setup, Target, Whole
from moored.setup import edits, files
from moored.setup.edits import Entry
from moored.setup.journal import Claim, Journal, Kept, digest

EDITED = "edited since it was set up; left as it is"
GONE = "not there any more"


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds and what it is to hold, None where it is not there.

    `note` says why it is left alone. A `private` file is its owner's alone when it is made: hosts keep keys in theirs.
    """

    file: Path
    before: bytes | None
    after: bytes | None
    note: str = ""
    private: bool = False

    @property
    def changes(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done for one host, and what the journal says once it is done."""

    host: str
    changes: tuple[Change, ...]
    journal: Journal


def plan_setup(host: str, setup: Setup, journal: Journal, project: Path | None) -> Plan:
    """What setting a host up would do. Nothing is written.

    Raises `InvalidInput`, naming the file and the place in it, when a file cannot be read, understood or written.
    """
    changes: list[Change] = []
    journal = adopted(host, setup, journal, project)
    known: dict[str, Kept] = dict(journal.files)
    made = list(journal.made)
    fresh = dict(journal.fresh)
    for target in setup.targets:
        place = files.real(target.file)
        kept = known.get(str(place))
        change, entries = _wanted(host, target, place, kept)
        change = replace(change, private=project is None)
        changes.append(change)
        if change.note or (not change.changes and (kept is None or host in kept.claims)):
            continue
        if change.changes:
            files.check_writable(place)
            made += [str(folder) for folder in files.missing_folders(place) if str(folder) not in made]
        original = _original(kept, change)
        if isinstance(original, bytes):
            original = _named(original, fresh)
        claims = {**(kept.claims if kept else {}), host: _claim(kept, entries, project)}
        known[str(place)] = Kept(original, digest(change.after or b""), claims)
    return Plan(host, tuple(changes), replace(journal, files=known, made=tuple(made), fresh=fresh))


def plan_removal(host: str, journal: Journal, projects: Iterable[str] | None) -> Plan:
    """What taking a host's set-up back would do. Nothing is written.

    `projects` are the roots of the projects it is meant for, with "" for the user's own set-up; None is all of them.
    Raises `InvalidInput`, naming the file, when a file was edited since and cannot be understood any more.
    """
    changes: list[Change] = []
    known: dict[str, Kept] = dict(journal.files)
    for path, kept in journal.files.items():
        claim = kept.claims.get(host)
        if claim is None or (projects is not None and claim.project not in projects):
            continue
        change = _restored(Path(path), kept, host, journal)
        changes.append(change)
        rest = kept.without(host)
        if not rest.claims:
            del known[path]
        elif change.before is not None and change.after is not None and digest(change.before) == kept.left:
            known[path] = replace(rest, left=digest(change.after))
        else:
            known[path] = rest
    return Plan(host, tuple(changes), replace(journal, files=known))


def adopted(host: str, setup: Setup, journal: Journal, project: Path | None) -> Journal:
    """The journal with what a set-up left in files of which it does not know, because it was lost.

    Nobody but set-up writes our hooks, blocks and whole files. A server is taken for ours where one of these is found:
    it may as well be written by hand. A file that cannot be understood holds nothing of which we know.
    """
    found: dict[str, tuple[str, tuple[Entry, ...]]] = {}
    for target in setup.targets:
        with suppress(InvalidInput):
            place = files.real(target.file)
            held = files.content(place)
            if held is not None and str(place) not in journal.files:
                text = files.text(place, held)
                parts = tuple(part for edit in target.edits if (part := edits.ours(text, edit)))
                found |= {str(place): (text, parts)} if parts else {}
    if all(part.kind in ("member", "table") for _, parts in found.values() for part in parts):
        return journal
    known, fresh = dict(journal.files), dict(journal.fresh)
    for place, (text, parts) in found.items():
        rest = _without(text, Path(place), parts)
        original = None if edits.is_empty(rest) else _named(rest.encode(), fresh)
        known[place] = Kept(original, digest(text.encode()), {host: Claim(str(project or ""), parts)})
    return replace(journal, files=known, fresh=fresh)


def carry_out(plan: Plan, before: Journal) -> Journal:
    """Do what a plan says, and return the journal as it is then.

    When a file cannot be written, those that were are put back. Raises `InvalidInput` naming the file.
    """
    if not any(change.changes for change in plan.changes) and plan.journal == before:
        return before
    replace(plan.journal, files={**before.files, **plan.journal.files}).save()
    done: list[Change] = []
    try:
        for change in plan.changes:
            if change.changes:
                _write(change)
                done.append(change)
    except (OSError, InvalidInput) as error:
        for change in reversed(done):
            _write(replace(change, before=change.after, after=change.before))
        files.remove_empty([Path(folder) for folder in plan.journal.made if folder not in before.made])
        before.save()
        reason = (error.strerror or error) if isinstance(error, OSError) else error
        raise InvalidInput(f"Nothing was changed for {plan.host}: {reason}") from error
    used = {str(parent) for path in plan.journal.files for parent in Path(path).parents}
    idle = [Path(folder) for folder in plan.journal.made if folder not in used]
    kept = {str(folder) for folder in files.remove_empty(idle)}
    made = tuple(one for one in plan.journal.made if one in used or one in kept)
    journal = replace(plan.journal, made=made, fresh={})
    journal.save()
    journal.sweep()
    return journal


def _write(change: Change) -> None:
    place = files.real(change.file)
    if files.content(place) != change.before:
        raise InvalidInput(f"{change.file} changed while it was to be written. Try again.")
    if change.after is None:
        files.remove(place)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        files.write(place, change.after, private=change.private)


def _wanted(host: str, target: Target, place: Path, kept: Kept | None) -> tuple[Change, tuple[Entry, ...]]:
    """What a file is to hold, and our parts of it."""
    before = files.content(place)
    if isinstance(target.edits[0], Whole):
        return _whole(target.edits[0], target.file, before, kept)
    text = "" if before is None else files.text(target.file, before)
    entries: list[Entry] = []
    for edit in target.edits:
        try:
            text, entry = edits.apply(text, edit)
        except InvalidInput as error:
            raise _refused(target.file, error, f"Nothing was changed for {host}.") from error
        entries.append(entry)
    return Change(target.file, before, text.encode()), tuple(entries)


def _whole(edit: Whole, file: Path, before: bytes | None, kept: Kept | None) -> tuple[Change, tuple[Entry, ...]]:
    after = edit.text.encode()
    if before is not None and before != after:
        if kept is None:
            raise InvalidInput(f"{file} is there already and is not from moored. Move it away and try again.")
        if digest(before) != kept.left:
            return Change(file, before, before, EDITED), ()
    return Change(file, before, after), (Entry("whole"),)


def _claim(kept: Kept | None, entries: tuple[Entry, ...], project: Path | None) -> Claim:
    """What the host has in the file now; containers that came with an earlier set-up are still ours."""
    earlier = {(entry.kind, entry.path): entry.made for entry in _entries(kept)}
    now = tuple(
        replace(entry, made=tuple(dict.fromkeys((*earlier.get((entry.kind, entry.path), ()), *entry.made))))
        for entry in entries
    )
    return Claim(str(project) if project else "", now)


def _original(kept: Kept | None, change: Change) -> bytes | str | None:
    """What a file would hold without us, or the digest of it when it is known; None when it would not be there.

    What others edited since the file was set up is part of it.
    """
    if kept is None or change.before is None:
        return change.before
    if digest(change.before) == kept.left:
        return kept.original
    text = _without(files.text(change.file, change.before), change.file, _entries(kept))
    return None if kept.original is None and edits.is_empty(text) else text.encode()


def _named(held: bytes, fresh: dict[str, bytes]) -> str:
    """The digest of an original, which is added to those that are to be written down."""
    fresh[name := digest(held)] = held
    return name


def _restored(place: Path, kept: Kept, host: str, journal: Journal) -> Change:
    """What a file holds without a host."""
    before = files.content(place)
    others = _entries(kept.without(host))
    if before is None:
        return Change(place, None, None, GONE)
    if digest(before) == kept.left and not others:
        after = None if kept.original is None else journal.original(kept.original)
    elif digest(before) == kept.original:
        after = before
    else:
        shared = {(entry.kind, entry.path) for entry in others}
        own = [entry for entry in kept.claims[host].entries if (entry.kind, entry.path) not in shared]
        if any(entry.kind == "whole" for entry in own):
            return Change(place, before, before, EDITED)
        text = _without(files.text(place, before), place, own)
        after = None if kept.original is None and edits.is_empty(text) else text.encode()
    if after != before:
        files.check_writable(place)
    return Change(place, before, after)


def _without(text: str, file: Path, entries: Iterable[Entry]) -> str:
    for entry in reversed(list(entries)):
        try:
            text = edits.take_back(text, entry)
        except InvalidInput as error:
            raise _refused(file, error, "It was edited since it was set up.") from error
    return text


def _entries(kept: Kept | None) -> list[Entry]:
    return [] if kept is None else [entry for claim in kept.claims.values() for entry in claim.entries]


def _refused(file: Path, error: InvalidInput, more: str) -> InvalidInput:
    return InvalidInput(f"{file}, {error}. {more} Put it right and try again.")
