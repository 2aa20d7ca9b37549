"""Taking in a bundle: all of it or nothing, and nothing of what is there is changed (docs/export.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from moored.atlas.indexing import index_words
from moored.bundle import FORMAT, MANIFEST, VERSION
from moored.errors import InvalidInput, MooredError, NotFound
from moored.model.episodes import Channel, Event, Role, Trust
from moored.model.projects import Session
from moored.model.redaction import redact
from moored.record.admission import MAX_SIZE, admit, write_kept
from moored.store.port_bundle import PARTS
from moored.store.sqlite.store import Store as SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

    from moored.model.projects import Project
    from moored.store.port import Store, Transaction
    from moored.store.port_bundle import Row, Taking

LONGEST = 2 * MAX_SIZE
"""Bytes that a line may have."""

DENSEST = 500
"""How many times smaller a part of more than `LONGEST` bytes may be packed: what is written by people is not."""

AT_ONCE = 1_000
"""Episodes after which what waits for the index is written out."""

SHOWN = 20
"""Conflicts that are named; all are counted."""

_WORDS = {
    "operation": ("detail",),
    "fact": ("value", "doc"),
    "fact_version": ("value",),
    "note": ("protected",),
    "revision": ("text", "tags", "cause", "proof"),
    "anchor": ("value",),
    "link": ("reason",),
    "dispute": ("reason",),
    "proposal": ("text", "reason", "evidence"),
    "decision": ("because",),
    "rating": ("reason",),
    "rule": ("condition", "reason"),
    "reminder": ("pattern", "text"),
    "alias": ("name", "name_folded", "alias", "alias_folded"),
    "pin": ("text",),
}
"""What is said in rows other than episodes, from which secrets are taken out."""


@dataclass(frozen=True, slots=True)
class Unbundled:
    """What came of the rows of a bundle, by part: how many are new, were known, or were left out.

    Left out is what was forgotten here, with what rests on it. `others` counts rows of which something else is here
    under their id, which stays, and `conflicts` names the first of them.
    """

    projects: tuple[str, ...]
    new: dict[str, int]
    known: dict[str, int]
    left_out: dict[str, int]
    others: dict[str, int]
    conflicts: tuple[str, ...]


@dataclass(slots=True)
class _Account:
    projects: list[str] = field(default_factory=list[str])
    outcomes: dict[str, Counter[str]] = field(
        default_factory=lambda: {name: Counter() for name in ("new", "known", "left out", "other")}
    )
    conflicts: list[str] = field(default_factory=list[str])


def unbundle_into(path: Path, file: Path) -> Unbundled:
    """Take in a bundle as `unbundle` does; the store comes into being if it is not there."""
    _refuse_without(file)
    with closing(SqliteStore(path)) as store:
        return unbundle(store, file)


def unbundle(store: Store, file: Path) -> Unbundled:
    """Take in a bundle, by ids: what is there stays as it is, and what was forgotten here does not come back.

    Everything is checked before anything is written, and all is one transaction. Raises `NotFound` when there is no
    file, `InvalidInput` for one that is no bundle, is damaged, or would break a promise, and errors of the store.
    """
    _refuse_without(file)
    try:
        with zipfile.ZipFile(file) as packed:
            manifest = _checked(packed)
            with store.write() as transaction:
                account = _take(transaction, packed, str(manifest["salt"]))
                _refuse_unsound(transaction)
    except InvalidInput as error:
        raise InvalidInput(f"The bundle {file} cannot be taken in. {error} Nothing was changed.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InvalidInput(
            f"The file {file} is no whole bundle ({error}). Nothing was changed; take another copy of it."
        ) from error
    except OSError as error:
        raise MooredError(f"The bundle {file} cannot be read ({error.strerror}). Nothing was changed.") from error
    new, known, left_out, others = (dict(account.outcomes[name]) for name in ("new", "known", "left out", "other"))
    return Unbundled(tuple(account.projects), new, known, left_out, others, tuple(account.conflicts))


def _refuse_without(file: Path) -> None:
    if not file.is_file():
        raise NotFound(f"There is no file {file}. Name a bundle that `moored export --bundle` wrote.")


def _refuse_unsound(transaction: Transaction) -> None:
    if found := transaction.problems():
        raise InvalidInput(f"With it the store would not be sound: {found[0].words}.")


def _checked(packed: zipfile.ZipFile) -> dict[str, Any]:
    """The manifest of a bundle of which every part is as it says."""
    try:
        with packed.open(MANIFEST) as stream:
            manifest = json.loads(stream.read(LONGEST))
        kind = manifest["format"], manifest["version"]
        bytes.fromhex(manifest["salt"])
        wanted = {one["part"]: (one["rows"], one["bytes"], one["sha256"]) for one in manifest["parts"]}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InvalidInput(f"Its manifest is missing or cannot be understood ({error}).") from error
    if kind != (FORMAT, VERSION):
        raise InvalidInput(f"It is of the format {kind}; this moored reads {FORMAT}, {VERSION}. Upgrade moored.")
    if wanted.keys() != {*PARTS} or {*packed.namelist()} != {MANIFEST, *(f"{part}.jsonl" for part in PARTS)}:
        raise InvalidInput("It has other parts than a bundle of this version.")
    for part in PARTS:
        info = packed.getinfo(f"{part}.jsonl")
        if info.file_size > LONGEST and info.file_size > DENSEST * info.compress_size:
            raise InvalidInput(f"Its part {part} is packed far more densely than anything that was said.")
        rows, size, digest = 0, 0, hashlib.sha256()
        for line in _lines(packed, part):
            rows, size = rows + 1, size + len(line)
            digest.update(line)
        if (rows, size, digest.hexdigest()) != wanted[part]:
            raise InvalidInput(f"Its part {part} is not what its manifest says: it was damaged or changed.")
    return manifest


def _lines(packed: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    with packed.open(f"{part}.jsonl") as stream:
        while line := stream.readline(LONGEST):
            if len(line) >= LONGEST:  # a limited read may go a little further
                raise InvalidInput(f"A line of its part {part} is longer than {LONGEST:,} bytes.")
            yield line


def _rows(packed: zipfile.ZipFile, part: str) -> Iterator[Row]:
    for line in _lines(packed, part):
        try:
            row = json.loads(line)
            if part == "episode":
                said = row["content"]
                utf8 = row.pop("encoding") == "utf-8"
                row["content"] = said.encode() if utf8 else base64.b64decode(said, validate=True)
            row.keys()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InvalidInput(f"A line of its part {part} cannot be understood ({error}).") from error
        yield row


def _take(transaction: Transaction, packed: zipfile.ZipFile, salt: str) -> _Account:
    account = _Account()
    here = transaction.erasure.salt()
    with transaction.taking() as taking:
        work = _Work(transaction, taking)
        for part in PARTS:
            for row in _rows(packed, part):
                if part == "project":
                    account.projects.append(str(row.get("id")))
                foreign = part == "tombstone" and here not in ("", salt)
                outcome = "left out" if foreign else work.put(part, row)
                account.outcomes[outcome][part] += 1
                if outcome == "other" and len(account.conflicts) < SHOWN:
                    account.conflicts.append(f"{part} {row.get('id') or row.get('note', '')}")
        if salt and not here:
            transaction.erasure.set_salt(salt)
        heads, broken = taking.end()
        account.outcomes["new"]["note"] -= broken
        account.outcomes["left out"]["note"] += broken
        for number, head, text, tags in heads:
            index_words(transaction, work.projects[number], head, text, tags)
        taking.flush()
    account.outcomes = {name: +counts for name, counts in account.outcomes.items()}
    return account


class _Work:
    """What taking in one bundle has to remember: projects and sessions by number, and contents that were changed."""

    def __init__(self, transaction: Transaction, taking: Taking) -> None:
        self.projects: dict[int, Project] = {}
        self._transaction = transaction
        self._taking = taking
        self._sessions: dict[str, Session] = {}
        self._changed: dict[str, tuple[str, str]] = {}
        self._episodes = 0

    def put(self, part: str, row: Row) -> str:
        if part == "episode":
            return self._put_episode(row)
        for name in _WORDS.get(part, ()):
            if isinstance(value := row.get(name), str):
                row[name] = redact(value).text
        if (
            part == "anchor"
            and (hashes := self._changed.get(row.get("episode") or ""))
            and row["body_hash"] == hashes[0]
        ):
            row["body_hash"] = hashes[1]
        outcome = self._taking.put(part, row)
        if part == "project":
            number = self._taking.number(part, row["id"])
            self.projects |= {one.row: one for one in self._transaction.projects.all() if one.row == number}
        elif part == "session" and (number := self._taking.number(part, row["id"])):
            self._sessions[row["id"]] = Session(number, row["id"], row["host"], row["name"])
        return outcome

    def _put_episode(self, row: Row) -> str:
        taking = self._taking
        if there := taking.there("episode", row):
            return there
        project, session = taking.number("project", row["project"]), self._sessions.get(row["session"])
        if project is None or session is None:
            raise InvalidInput(f"Episode {row['id']} is of no project or session of the bundle.")
        try:
            event = Event(
                row["content"],
                Role(row["role"]),
                Channel(row["channel"]),
                Trust(row["trust"]),
                session.host,
                session.name,
                row["host_event"],
                row["tool_name"],
                row["tool_input"],
                row["exit_status"],
                occurred_at=row["occurred_at"],
                author=row["author"],
            )
            admitted = admit(event)
        except (ValueError, TypeError, AttributeError) as error:
            raise InvalidInput(f"Episode {row['id']} is none ({error}).") from error
        if admitted.content_hash != row["content_hash"]:
            if admitted.event.content == row["content"]:
                raise InvalidInput(f"Episode {row['id']} is not what was said: its hash is another.")
            self._changed[row["id"]] = row["content_hash"], admitted.content_hash
        seq = write_kept(
            self._transaction,
            self.projects[project],
            admitted,
            session=session,
            id_=row["id"],
            key=row["idempotency_key"],
            corrects=taking.number("episode", row["corrects"]) if row["corrects"] else None,
            recorded_at=row["recorded_at"],
        )
        self._episodes += 1
        if self._episodes % AT_ONCE == 0:
            self._taking.flush()
        return "left out" if seq is None else "new"
