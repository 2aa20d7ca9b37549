"""Bundles: all of a project that cannot be derived again, as JSON Lines with checksums (docs/export.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zipfile
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from moored.errors import MooredError
from moored.forgetting.care import BESIDE
from moored.forgetting.forget import forget_hidden
from moored.forgetting.hiding import hiding
from moored.model.clock import Clock, iso
from moored.model.ids import IdSource
from moored.store.keys import SUFFIX, keeping, say
from moored.store.port_bundle import PARTS
from moored.store.removal import blot
from moored.store.sqlite.copying import appearing
from moored.store.sqlite.store import Store as SqliteStore

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

    from moored.model.operations import Operation
    from moored.model.projects import Project
    from moored.store.port import Store, View
    from moored.store.port_bundle import Row

FORMAT = "moored-bundle"
VERSION = 1
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Bundled:
    """A bundle that was written: its file, its size in bytes, its projects, and how many rows each part has."""

    file: str
    size: int
    projects: tuple[str, ...]
    parts: dict[str, int]


def bundle(store: Store, projects: Sequence[Project], target: Path, clock: Clock, ids: IdSource) -> Bundled:
    """Write all of these projects that cannot be derived again to a file, for its owner only.

    It holds nothing that was forgotten, not even what could still be restored. It is of one moment, appears when it is
    whole, and is the same byte for byte when nothing was changed. Raises `MooredError` when it cannot be written, and
    errors of the store.
    """
    try:
        with (
            appearing(target) as partial,
            _without_forgotten(store, projects, clock, ids) as cleared,
            cleared.read() as view,
            _private(partial) as stream,
            zipfile.ZipFile(stream, "w") as packed,
        ):
            parts = _write(view, projects, packed)
    except OSError as error:
        raise MooredError(
            f"The bundle {target} cannot be written ({error.strerror}). Choose another path, or free some space."
        ) from error
    return Bundled(str(target), target.stat().st_size, tuple(one.id for one in projects), parts)


@contextmanager
def _without_forgotten(store: Store, projects: Iterable[Project], clock: Clock, ids: IdSource) -> Generator[Store]:
    """The store, or, where something was forgotten for a while, a copy in which it is forgotten for good."""
    with store.read() as view:
        hidden = [(one, found) for one in projects if (found := _hiding(view, one))]
    if not hidden:
        yield store
        return
    stamp = iso(clock.now()).replace(":", "").replace(".", "")
    path = store.path.with_name(f"{store.path.name}.before-bundle-{stamp}")
    try:
        store.backup(path)
        say(path, keeping(store.path))
        with closing(SqliteStore(path, clock=clock)) as copy:
            for project, operations in hidden:
                forget_hidden(copy, project, operations, actor="person", clock=clock, ids=ids)
            yield copy
    finally:
        for end in ("", *BESIDE, SUFFIX):
            blot(path.with_name(path.name + end))


def _hiding(view: View, project: Project) -> list[Operation]:
    """The operations of which something is still there to be restored."""
    return [one for one in hiding(view, project) if any(view.erasure.hidden_by(project, one.id))]


@contextmanager
def _private(file: Path) -> Generator[IO[bytes]]:
    """A new file for its owner only, flushed at the end."""
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _write(view: View, projects: Sequence[Project], packed: zipfile.ZipFile) -> dict[str, int]:
    parts: list[dict[str, Any]] = []
    for part in PARTS:
        count, size, digest = 0, 0, hashlib.sha256()
        with packed.open(_member(f"{part}.jsonl"), "w", force_zip64=True) as stream:
            for project in projects:
                for row in view.bundle.rows(part, project):
                    line = _line(row)
                    stream.write(line)
                    digest.update(line)
                    count, size = count + 1, size + len(line)
        parts.append({"part": part, "rows": count, "bytes": size, "sha256": digest.hexdigest()})
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "projects": [one.id for one in projects],
        "salt": view.erasure.salt(),
        "parts": parts,
    }
    packed.writestr(_member(MANIFEST), json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    return {one["part"]: one["rows"] for one in parts}


def _line(row: Row) -> bytes:
    """A row as a line; a content that is no UTF-8 is in base 64."""
    content = row.get("content")
    if isinstance(content, bytes):
        try:
            row |= {"content": content.decode("utf-8"), "encoding": "utf-8"}
        except UnicodeDecodeError:
            row |= {"content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _member(name: str) -> zipfile.ZipInfo:
    """A file of the bundle, of no time: what is equal is to be equal byte for byte."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info
