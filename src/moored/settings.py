"""What may be set, and where a path belongs: the store, the project and its tree.

A project is the git common directory, so that sub-folders and all work trees of one clone are one project; outside
git it is the folder; `project = "id"` in `.moored.toml` joins clones on purpose. Names of folders identify nothing.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from moored.errors import InvalidInput, NotFound
from moored.ledger.git import repository
from moored.ledger.walk import MAX_FILE_SIZE

FILE_NAME = ".moored.toml"
STORE_VARIABLE = "MOORED_STORE"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a project, as `.moored.toml` in its root gives them.

    `project` is an explicit project id; `ignore` are patterns, in the syntax of `.gitignore`, of files that the
    ledger is not to read; files above `max_file_size` bytes are skipped.
    """

    project: str = ""
    ignore: tuple[str, ...] = ()
    max_file_size: int = MAX_FILE_SIZE


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path belongs: the key and name of its project, the root of its tree, and the settings there."""

    key: str
    name: str
    root: Path
    settings: Settings


def locate(path: Path) -> Place:
    """Find the project and tree that a file or folder belongs to.

    Raises `NotFound` when the path does not exist, `InvalidInput` when `.moored.toml` cannot be understood.
    """
    folder = path.resolve()
    if folder.is_file():
        folder = folder.parent
    if not folder.is_dir():
        raise NotFound(f"There is no folder {path}. Name the root of a project.")
    repo = repository(folder)
    root = Path(os.path.realpath(repo.root)) if repo else _configured_root(folder)
    settings = read_settings(root / FILE_NAME)
    if settings.project:
        key = f"id:{settings.project}"
    elif repo:
        key = f"git:{repo.common_dir}"
    else:
        key = f"dir:{root}"
    return Place(key, root.name or str(root), root, settings)


def default_store() -> Path:
    """The store's file: `$MOORED_STORE`, or `moored.db` in the user's data folder."""
    if configured := os.environ.get(STORE_VARIABLE):
        return Path(configured).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("moored")) / "moored.db"


def read_settings(file: Path) -> Settings:
    """Read `.moored.toml`; the defaults when there is none. Raises `InvalidInput` naming what is wrong in it."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}. Mend it or remove it.") from error
    known = {"project": str, "ignore": list, "max_file_size": int}
    for key, value in content.items():
        if key not in known:
            raise InvalidInput(f"{file} sets '{key}', which moored does not know. It knows {', '.join(known)}.")
        if not isinstance(value, known[key]):
            raise InvalidInput(f"'{key}' in {file} must be of type {known[key].__name__}, not {value!r}.")
    ignore = cast(list[Any], content.get("ignore", []))
    return Settings(
        project=content.get("project", ""),
        ignore=tuple(str(pattern) for pattern in ignore),
        max_file_size=content.get("max_file_size", MAX_FILE_SIZE),
    )


def _configured_root(folder: Path) -> Path:
    """Outside git, the nearest folder upwards that has a `.moored.toml`, else the folder itself."""
    for candidate in (folder, *folder.parents):
        if (candidate / FILE_NAME).is_file():
            return candidate
    return folder
