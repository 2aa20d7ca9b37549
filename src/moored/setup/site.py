"""This machine, as set-up sees it: its folders, and the words that call moored from a host."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from enum import StrEnum
from pathlib import Path

from moored.errors import NotFound
from moored.hosts.edits import HOOK, SERVER, Site


class Command(StrEnum):
    """How hosts call moored.

    `INSTALLED` is the absolute path of this installation: it works whatever the host's PATH is, and stays the same as
    long as the installation stays where it is. `PATH` is the bare name, for files that are shared with other machines.
    `UVX` lets uv fetch and run it.
    """

    INSTALLED = "installed"
    PATH = "path"
    UVX = "uvx"


def here(project: Path | None, command: Command = Command.INSTALLED) -> Site:
    """This machine and its user. Raises `NotFound` when the commands of this installation are nowhere."""
    home = Path.home()
    return Site(
        home=home,
        config=Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config"),
        project=project,
        environment=os.environ,
        system=sys.platform,
        server=words(SERVER, command),
        hook=words(HOOK, command),
        quote=quote_windows if sys.platform == "win32" else shlex.join,
    )


def journal_folder() -> Path:
    """Where set-up remembers what it changed. It does not move with the store: there is one for each user."""
    import platformdirs

    return Path(platformdirs.user_data_dir(SERVER)) / "setup"


def words(name: str, command: Command) -> tuple[str, ...]:
    """The words that call one of moored's commands."""
    match command:
        case Command.INSTALLED:
            return (str(installed(name)),)
        case Command.PATH:
            return (name,)
        case Command.UVX:
            return ("uvx", "--from", SERVER, name)


def is_fleeting(program: str) -> bool:
    """Whether a program stands where uv keeps what it fetched for one run and may remove at any time."""
    return any(part.startswith("archive-v") for part in Path(program).parts)


def installed(name: str) -> Path:
    """The file of one of moored's commands in this installation. Raises `NotFound`.

    Links are not followed: a link is often what stays when an installation is renewed.
    """
    file = name + (".exe" if sys.platform == "win32" else "")
    folders = (sysconfig.get_path("scripts"), Path(sys.executable).parent, Path(sys.argv[0]).absolute().parent)
    for folder in folders:
        if (place := Path(folder) / file).is_file():
            return place
    if found := shutil.which(name):
        return Path(found)
    raise NotFound(f"The command {name} is not beside {sys.executable}. Install moored again, or use --command path.")


def quote_windows(words: tuple[str, ...]) -> str:
    """Words as a line for cmd.exe or the Git Bash that hosts on Windows use: both read slashes within quotes."""
    return subprocess.list2cmdline([words[0].replace("\\", "/"), *words[1:]])
