"""What can be examined of a store without opening it: its files, the inbox of the hooks, and the disk beneath."""

from __future__ import annotations

import glob
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from moored.doctor.check import SHOWN, Check, some
from moored.errors import StoreEncrypted
from moored.hosts import log
from moored.record.inbox import Inbox
from moored.store.keys import keeping

LOW_SPACE = 500 * 1024 * 1024
"""Free bytes below which the disk is reported as filling up."""

NO_SPACE = 50 * 1024 * 1024
"""Free bytes below which the next import or index may fail."""

NETWORK_FILE_SYSTEMS = frozenset(
    (
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs"),
        *("nfs4", "ocfs2", "orangefs", "smb3", "smbfs"),
        *("fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
    )
)
"""Types of file system on which the locks and the shared memory that SQLite needs are not dependable."""


def around(path: Path) -> Iterator[Check]:
    """What can be examined of a store without opening it."""
    if path.exists():
        yield _mode(path)
    yield _encryption(path)
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
        f"{len(troubles)} lines of trouble are logged; the last: {some(troubles[-SHOWN:], ' | ')}",
        f"Read {path.name}{log.SUFFIX} beside the store, and remove it when that is dealt with.",
    )


def _mode(path: Path) -> Check:
    if os.name == "nt":
        return Check("file mode", "ok", "Windows keeps the store in the folder of its user.")
    files = sorted(path.parent.glob(glob.escape(path.name) + "*"))
    if shared := [f"{file} (mode {mode:03o})" for file in files if (mode := _permitted(file)) & 0o077]:
        return Check("file mode", "warning", f"Others can get at {some(shared, ', ')}.", f"Run `chmod go= {path}*`.")
    return Check("file mode", "ok", "Only its owner can get at the store and what lies beside it.")


def _encryption(path: Path) -> Check:
    try:
        said = keeping(path)
    except StoreEncrypted as error:
        return Check("encryption", "problem", str(error), "Do what is said there.")
    if said.changing:
        command = "moored encrypt" if said.now else "moored decrypt"
        return Check(
            "encryption",
            "problem",
            "A change of the key was interrupted: something of the store or its copies is still as it was.",
            f"Run `{command}`: it finishes the change.",
        )
    if said.now is None:
        return Check("encryption", "ok", "The store is not encrypted.")
    if missed := log.not_kept(path):
        return Check(
            "encryption",
            "warning",
            f"{missed} events were not kept, as hooks could not have the key from {said.now.where}.",
            f"See that the hosts that call hooks can have it; then remove {path.name}{log.SUFFIX} beside the store.",
        )
    return Check("encryption", "ok", f"The store is encrypted, with the key {said.now.check} in {said.now.where}.")


def _permitted(file: Path) -> int:
    """The permissions of a file; none where it has gone meanwhile, as the log of a store may."""
    try:
        return stat.S_IMODE(file.stat().st_mode)
    except FileNotFoundError:
        return 0


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
