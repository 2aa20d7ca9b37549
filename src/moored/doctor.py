"""Doctor: examine a store and what it stands on, and say what to do about each thing that is wrong.

It answers for a store that cannot be opened too: `explain` says why, and examines what can be examined without it.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from moored.errors import MooredError, NotFound, StoreCorrupt, StoreFull, StoreLocked, StoreReadOnly, StoreTooNew
from moored.hosts import log
from moored.model.batching import batches
from moored.model.forgetting import REDACTED, Selection
from moored.model.projects import Project, Tree
from moored.record.inbox import Inbox
from moored.record.tombstones import lines_of, of_episode, salted
from moored.status import sqlite_version
from moored.store.port import Store, View

if TYPE_CHECKING:
    from moored.embed.port import Embedder
    from moored.store.port_erasure import ErasableEpisode

Condition = Literal["ok", "warning", "problem"]

LOW_SPACE = 500 * 1024 * 1024
"""Free bytes below which the disk is reported as filling up."""

NO_SPACE = 50 * 1024 * 1024
"""Free bytes below which the next import or index may fail."""

OLDEST_SQLITE = (3, 51, 3)
"""The first release without the race between a checkpoint and a writer that resets the log ("WAL-reset bug")."""

OLDEST_GIT = (2, 31)
"""The first git whose settings can be overridden through its environment (GIT_CONFIG_COUNT)."""

MANY_WAITING = 1_000
"""Texts without a vector above which recall by meaning is noticeably incomplete."""

READ_AT_ONCE = 500
"""Episodes that are read together to see whether they were forgotten."""

SHOWN = 3

NETWORK_FILE_SYSTEMS = frozenset(
    (
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs"),
        *("nfs4", "ocfs2", "orangefs", "smb3", "smbfs"),
        *("fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
    )
)
"""Types of file system on which the locks and the shared memory that SQLite needs are not dependable."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was examined. `remedy` says what to do, empty when `state` is `ok`."""

    name: str
    state: Condition
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was examined, in a fixed order. `deep` says whether every index was read and compared."""

    checks: tuple[Check, ...]
    deep: bool

    @property
    def healthy(self) -> bool:
        """Whether nothing is a problem; warnings may remain."""
        return all(check.state != "problem" for check in self.checks)


def diagnose(store: Store, tree: Tree, embedder: Embedder | None, *, deep: bool = False) -> Diagnosis:
    """Examine an open store and a project's tree in it. `embedder` is the one in use, None when there is none.

    `deep` also reads every index of the file and asks whether rows, indexes, vectors and queue agree (I-16), whether
    the life of notes is whole, and whether anything that was forgotten is there again (I-10).
    """
    checks = [
        _opened(store),
        *_around(store.path),
        _journal(store),
        _attempt("integrity", lambda: _integrity(store, deep)),
        *_machine(),
        _root(tree),
        _attempt("parsing", lambda: _parsing(store, tree)),
        _attempt("forgetting", lambda: _forgetting(store, deep)),
        _attempt("vectors", lambda: _vectors(store, tree, embedder)),
    ]
    return Diagnosis(tuple(checks), deep)


def explain(path: Path, error: MooredError) -> Diagnosis:
    """Say why the store at `path` could not be opened, or a project not be found in it."""
    name = "project" if isinstance(error, NotFound) else "store"
    cause = Check(name, "problem", str(error), _remedy(error, path))
    return Diagnosis((cause, *_around(path), *_machine()), deep=False)


def _remedy(error: MooredError, path: Path) -> str:
    match error:
        case StoreTooNew():
            return "Upgrade moored."
        case StoreCorrupt():
            return (
                f"Move {path} away together with its -wal and -shm files, and put a copy of it back or begin anew with "
                "`moored init`. The damaged file can still hold readable rows: keep it."
            )
        case StoreLocked():
            return "Let the process that holds it finish, or end it."
        case StoreReadOnly():
            return "Give write permission to the file and its folder."
        case StoreFull():
            return "Free some space on the disk."
        case NotFound():
            return "Run `moored init`."
        case _:
            return f"See that {path} is a file, and its folder exists and is yours."


def _attempt(name: str, check: Callable[[], Check]) -> Check:
    """The outcome of a check that reads the store; an error of the store is its outcome as well."""
    try:
        return check()
    except MooredError as error:
        return Check(name, "problem", str(error), "See what is said of the store itself, and ask again.")


def _forgetting(store: Store, deep: bool) -> Check:
    with store.read() as view:
        left = view.erasure.unfinished()
        back = [one for project in view.projects.all() for one in _come_back(view, project)] if deep else []
    if left:
        return Check(
            "forgetting",
            "problem",
            "Something was erased, and the files of the store were not seen to afterwards: some may be left in them.",
            "Run `moored forget --finish`.",
        )
    if back:
        return Check(
            "forgetting",
            "problem",
            f"{len(back)} episodes were forgotten and are in the record: {_some(back, ', ')}.",
            "Forget them again with `moored forget ID --hard`, and see what wrote them past moored.",
        )
    if deep:
        return Check(
            "forgetting", "ok", "Nothing that was erased is left to be seen to, and none of it is there again."
        )
    return Check("forgetting", "ok", "Nothing that was erased is left to be seen to.")


def _come_back(view: View, project: Project) -> list[str]:
    """The episodes that are answered, and of which a tombstone says that they were forgotten."""
    if not view.erasure.has_buried(project):
        return []
    salt = view.erasure.salt()
    return [
        one.id
        for some in batches(view.erasure.chosen(project, Selection(everything=True)), READ_AT_ONCE)
        for one in view.erasure.episodes(project, some)
        if view.erasure.buried(project, salted(_own_lines(one), salt))
        and not _was_redacted(one)
        and view.episodes.standing(project, one.id)
    ]


def _own_lines(episode: ErasableEpisode) -> tuple[str, ...]:
    """What is buried of this episode and of no other: its id and its key. Others may share its words, and stay."""
    key = of_episode(episode).always[:1] if episode.host_event else ()
    return (*lines_of([episode])[:1], *key)


def _was_redacted(episode: ErasableEpisode) -> bool:
    """Whether only a part of an episode was forgotten: the rest stays under its id."""
    texts = (episode.content.decode("utf-8", "replace"), episode.tool_input, episode.tool_name, episode.author)
    return any(REDACTED in text for text in texts)


def _opened(store: Store) -> Check:
    if store.read_only:
        return Check(
            "store",
            "warning",
            f"{store.path} is open for reading only: nothing can be remembered.",
            "Give write permission to the file and its folder.",
        )
    return Check("store", "ok", f"{store.path} is open.")


def _around(path: Path) -> Iterator[Check]:
    """What can be examined of a store without opening it."""
    if path.exists():
        yield _mode(path)
    yield _inbox(path)
    yield _hooks(path)
    folder = next(folder for folder in (path.parent, *path.parent.parents) if folder.exists())
    yield _file_system(folder)
    yield _space(folder)


def _inbox(path: Path) -> Check:
    inbox = Inbox(path)
    waiting, failed = inbox.waiting(), inbox.failed()
    if failed:
        return Check(
            "inbox",
            "warning",
            f"{len(failed)} captured events were refused by the record, and {len(waiting)} wait.",
            f"The log of the hooks says why. Move the files out of {failed[0].parent} into the folder above it to try "
            "again, or remove them.",
        )
    if waiting:
        return Check(
            "inbox",
            "warning",
            f"{len(waiting)} captured events wait in {waiting[0].parent} and are not in the record yet.",
            "They are taken in with the next event or command, as soon as the store can be written.",
        )
    return Check("inbox", "ok", "Nothing that hooks captured waits.")


def _hooks(path: Path) -> Check:
    troubles = log.lines(path)
    if not troubles:
        return Check("hooks", "ok", "No trouble is logged.")
    return Check(
        "hooks",
        "warning",
        f"{len(troubles)} lines of trouble are logged; the last: {_some(troubles[-SHOWN:], ' | ')}",
        f"Read {path.name}{log.SUFFIX} beside the store, and remove it when that is dealt with.",
    )


def _mode(path: Path) -> Check:
    if os.name == "nt":
        return Check("file mode", "ok", "Windows keeps the store in the folder of its user.")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Check("file mode", "warning", f"Others can get at {path} (mode {mode:03o}).", f"Run `chmod 600 {path}`.")
    return Check("file mode", "ok", f"Only its owner can read the store (mode {mode:03o}).")


def _file_system(folder: Path) -> Check:
    kind = file_system_of(folder)
    if kind is None:
        return Check("file system", "ok", "Its type is unknown: only Linux tells it.")
    if kind in NETWORK_FILE_SYSTEMS:
        return Check(
            "file system",
            "warning",
            f"{folder} is on a network file system ({kind}), whose locks SQLite cannot depend on.",
            "Keep the store on a local disk: set MOORED_STORE.",
        )
    return Check("file system", "ok", f"The store is on {kind}.")


def file_system_of(folder: Path, mounts: Path = Path("/proc/mounts")) -> str | None:
    """The type of the file system that holds a folder, by the kernel's table of mounts (proc(5)); None elsewhere."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    real = Path(os.path.realpath(folder))
    best, kind = -1, None
    for line in lines:
        _, point, type_, *_ = line.split(" ")
        mounted = Path(point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
        if real.is_relative_to(mounted) and len(mounted.parts) >= best:
            best, kind = len(mounted.parts), type_
    return kind


def _space(folder: Path) -> Check:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Check("free space", "warning", f"It cannot be told: {error}.", f"See whether {folder} can be read.")
    detail = f"{free // (1024 * 1024):,} MB are free."
    if free < LOW_SPACE:
        return Check("free space", "problem" if free < NO_SPACE else "warning", detail, "Free some space on the disk.")
    return Check("free space", "ok", detail)


def _journal(store: Store) -> Check:
    """Tell by the log beside the file, which is there while anybody has the store open in that mode.

    The file's own header is not read: opening and closing it here would drop this process's locks on it.
    """
    try:
        with store.read() as view:
            view.projects.all()
            logged = store.path.with_name(store.path.name + "-wal").exists()
    except MooredError as error:
        return Check("journal", "problem", str(error), "See what is said of the store itself, and ask again.")
    if logged:
        return Check("journal", "ok", "Writing goes through a log, so that readers and a writer do not wait.")
    if store.read_only:
        return Check("journal", "ok", "The store is read at rest, without a log.")
    return Check(
        "journal",
        "warning",
        "The store is open and has no log beside it: readers and writers wait for each other.",
        "Keep the store on a local disk: set MOORED_STORE.",
    )


def _integrity(store: Store, deep: bool) -> Check:
    found = store.check(deep=deep)
    if found:
        return Check(
            "integrity",
            "problem",
            _some(found, "; "),
            f"Keep {store.path} as it is, export what can be read with `moored export`, and put a copy back.",
        )
    if deep:
        return Check(
            "integrity",
            "ok",
            "The file is sound, rows, indexes, vectors and queue agree, and the life of notes is whole.",
        )
    return Check("integrity", "ok", "The file is sound. `--deep` also compares the indexes with the rows.")


def _machine() -> Iterator[Check]:
    yield _sqlite()
    yield _model()
    yield _git()


def _sqlite() -> Check:
    version = sqlite_version()
    if _numbers(version) < OLDEST_SQLITE:
        return Check("SQLite", "warning", f"Version {version} can damage a log.", "Upgrade apsw-sqlite3mc.")
    return Check("SQLite", "ok", f"Version {version}, brought along; Python {sys.version.split()[0]}.")


def _model() -> Check:
    from moored.embed.minilm import FOLDER as MINILM
    from moored.embed.static import FOLDER as STATIC

    for folder in (MINILM, STATIC):
        if wrong := damaged_files(folder):
            remedy = "Install moored again."
            return Check("embedding model", "problem", f"{_some(wrong, ', ')} of {folder} differ.", remedy)
    return Check("embedding model", "ok", f"The files of {MINILM.name} and {STATIC.name} are as they were built.")


def damaged_files(folder: Path) -> list[str]:
    """The files of a model whose SHA-256 is not the one in its SHA256SUMS, or that are missing."""
    try:
        sums = (folder / "SHA256SUMS").read_text(encoding="ascii")
    except OSError:
        return ["SHA256SUMS"]
    wrong: list[str] = []
    for line in sums.splitlines():
        expected, _, name = line.partition("  ")
        file = folder / name
        if not file.is_file() or sha256(file.read_bytes()).hexdigest() != expected:
            wrong.append(name)
    return wrong


def _git() -> Check:
    program = shutil.which("git")
    remedy = "Install git 2.31 or newer. Without it, ignore rules are read by moored and history is not imported."
    if program is None:
        return Check("git", "warning", "It was not found.", remedy)
    try:
        done = subprocess.run(  # noqa: S603  # a fixed program, a list of arguments and no shell
            [program, "--version"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Check("git", "warning", f"{program} does not run: {error}.", remedy)
    version = done.stdout.strip().removeprefix("git version ")
    if _numbers(version) < OLDEST_GIT:
        return Check("git", "warning", f"Version {version} is too old to be called safely; it is not used.", remedy)
    return Check("git", "ok", f"Version {version}.")


def _root(tree: Tree) -> Check:
    if Path(tree.root).is_dir():
        return Check("tree", "ok", f"{tree.root} is there.")
    return Check(
        "tree",
        "problem",
        f"The folder {tree.root} is gone. Notes about its files are unverifiable.",
        "Put it back, or call moored in the folder where the files are now.",
    )


def _parsing(store: Store, tree: Tree) -> Check:
    with store.read() as view:
        files = sorted(view.facts.files(tree).values(), key=lambda file: file.path)
    if not files:
        return Check("parsing", "warning", "No file was read yet.", "Run `moored index`.")
    partial = [file.path for file in files if file.errors]
    if partial:
        return Check(
            "parsing",
            "warning",
            f"{len(partial)} of {len(files)} files were read in part: {_some(partial, ', ')}.",
            "See whether they are complete; what could be parsed is in the ledger.",
        )
    return Check("parsing", "ok", f"Every file was read whole, {len(files)} in number.")


def _vectors(store: Store, tree: Tree, embedder: Embedder | None) -> Check:
    with store.read() as view:
        waiting = view.vectors.count_waiting(tree.project)
        bare = view.vectors.count_waiting(tree.project, bare=True)
        missing = view.vectors.count_missing(tree.project, embedder.model) if embedder else 0
        models = view.vectors.models(tree.project)
    detail = ", ".join(f"{count} of {model}" for model, count in models.items()) or "none yet"
    if embedder is None:
        return Check("vectors", "ok", f"{detail}; no embedder is in use, texts are found by words alone.")
    if missing:
        return Check(
            "vectors",
            "warning",
            f"{detail}; {_texts(missing, 'has', 'have')} none of {embedder.model} and no place in the queue.",
            "Run `moored index`: it gives every text a vector of the model in use.",
        )
    if bare >= MANY_WAITING:
        return Check(
            "vectors", "warning", f"{detail}; {bare} texts wait and are found by words alone.", "Run `moored index`."
        )
    if waiting:
        return Check("vectors", "ok", f"{detail}; {_texts(waiting, 'waits', 'wait')} for one of {embedder.model}.")
    return Check("vectors", "ok", f"{detail}; no text waits.")


def _texts(count: int, one: str, several: str) -> str:
    return f"1 text {one}" if count == 1 else f"{count} texts {several}"


def _some(found: list[str], between: str) -> str:
    more = len(found) - SHOWN
    return between.join(found[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _numbers(version: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in version.split(".")[:3]:
        digits = "".join(character for character in part if character.isdigit())
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
