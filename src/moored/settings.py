"""What may be set, and where a path belongs: the store, the project and its tree.

A project is the git common directory, so that sub-folders and all work trees of one clone are one project; outside
git it is the folder; `project = "id"` in `.moored.toml` joins clones on purpose. Names of folders identify nothing.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

from moored.errors import InvalidInput, NotFound
from moored.model.characters import is_unicode, well_formed
from moored.model.embedding import Embedding
from moored.model.projects import MAX_FILE_SIZE

FILE_NAME = ".moored.toml"
STORE_VARIABLE = "MOORED_STORE"
EMBEDDING_VARIABLE = "MOORED_EMBEDDING"
"""The environment variable with the embedding model of a user. It stands above what a project says."""

LARGEST = 2**31 - 1
"""Bytes that `max_file_size` may allow."""

LONGEST = 64 * 1024
"""Bytes that `.moored.toml` may have."""

KNOWN: dict[str, type] = {"project": str, "ignore": list, "max_file_size": int, "embedding": dict}
EMBEDDING: dict[str, type] = {
    "model": str,
    "name": str,
    "dimension": int,
    "key_variable": str,
    "pooling": str,
    "passage_prefix": str,
    "question_prefix": str,
}


class Settings(NamedTuple):
    """The settings of a project, as `.moored.toml` in its root gives them.

    `project` is an explicit project id; `ignore` are patterns, in the syntax of `.gitignore`, of files that the
    ledger is not to read; files above `max_file_size` bytes are skipped; `embedding` says what gives texts their
    vectors.
    """

    project: str = ""
    ignore: tuple[str, ...] = ()
    max_file_size: int = MAX_FILE_SIZE
    embedding: Embedding = Embedding()


class Place(NamedTuple):
    """Where a path belongs: the key and name of its project, the root of its tree, and the settings there."""

    key: str
    name: str
    root: Path
    settings: Settings


def locate(path: Path) -> Place:
    """Find the project and tree that a file or folder belongs to.

    Raises `NotFound` when the path does not exist, `InvalidInput` when `.moored.toml` cannot be understood.
    """
    from moored.ledger.git import repository

    folder = _folder(path)
    repo = repository(folder)
    root = Path(os.path.realpath(repo.root)) if repo else _configured_root(folder)
    if not is_unicode(str(root)):
        raise InvalidInput(f"The name of the folder {str(root)!r} is not UTF-8, which no store keeps. Rename it.")
    return _place(root, repo.common_dir if repo else None)


def likely(path: Path) -> Place | None:
    """Where a path belongs as far as it can be told without asking git, which takes longer than many an answer.

    It is to be believed only of a project and tree that the store knows, as `locate` found them once. None where
    there is no sign of git.

    Raises as `locate` does.
    """
    folder = _folder(path)
    for root in (folder, *folder.parents):
        sign = root / ".git"
        with suppress(OSError, ValueError):
            if sign.is_dir():
                return _place(root, Path(os.path.realpath(sign)))
            if sign.is_file():
                # A linked work tree: the file names a folder of its own in the shared one, and that names the shared.
                own = root / sign.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
                shared = own / (own / "commondir").read_text(encoding="utf-8").strip()
                return _place(root, Path(os.path.realpath(shared)))
    return None


def default_store() -> Path:
    """The store's file: `$MOORED_STORE`, or `moored.db` in the user's data folder."""
    if configured := os.environ.get(STORE_VARIABLE):
        return Path(configured).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("moored")) / "moored.db"


def read_settings(file: Path) -> Settings:
    """Read `.moored.toml`; the defaults when there is none. Raises `InvalidInput` naming what is wrong in it."""
    try:
        text = _text(file)
        import tomllib

        content = tomllib.loads(text)
    except FileNotFoundError:
        return Settings(embedding=_embedding(file, {}))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}. Mend it or remove it.") from error
    _check(content, KNOWN, str(file))
    ignore = cast(list[Any], content.get("ignore", []))
    size = content.get("max_file_size", MAX_FILE_SIZE)
    if not all(isinstance(pattern, str) for pattern in ignore):
        raise InvalidInput(f"'ignore' in {file} must be a list of patterns as in .gitignore, not {ignore!r}.")
    if not 0 < size <= LARGEST:
        raise InvalidInput(f"'max_file_size' in {file} must be from 1 to {LARGEST:,} bytes, not {size!r}.")
    embedding = _embedding(file, content.get("embedding", {}))
    return Settings(well_formed(content.get("project", "")).strip(), tuple(ignore), size, embedding)


def _text(file: Path) -> str:
    """The text of a file that came with a repository: a link in its place must not lead to a pipe or a device.

    Raises `OSError`, or `ValueError` for what is no text or more than is read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(file, flags), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise ValueError("it is no regular file")
        content = opened.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError(f"it has more than {LONGEST:,} bytes")
    return content.decode("utf-8")


def _embedding(file: Path, table: dict[str, Any]) -> Embedding:
    """What the table and the user's environment say together.

    A repository may come from anybody, and what it says must not send a user's texts away or run a file that came
    with it: an endpoint counts only when the environment names the same, and a folder only outside of the tree.
    """
    _check(table, EMBEDDING, f"[embedding] in {file}")
    embedding = Embedding(**table)
    own = os.environ.get(EMBEDDING_VARIABLE, "").strip()
    if own:
        return embedding._replace(model=own)
    if embedding.is_endpoint:
        raise InvalidInput(
            f"{file} names the embedding endpoint {embedding.model}, to which texts of this project would be sent. If "
            f"you want that, set the environment variable {EMBEDDING_VARIABLE} to it; else take it out of the file."
        )
    if embedding.is_folder:
        folder = Path(embedding.model).expanduser()
        if not folder.is_absolute() or folder.resolve().is_relative_to(file.parent.resolve()):
            raise InvalidInput(
                f"'model' in [embedding] of {file} must be minilm, static, off, the URL of an endpoint, or the full "
                f"path of a folder that is not in the tree itself, not {embedding.model!r}."
            )
    return embedding


def _check(table: dict[str, Any], known: dict[str, type], where: str) -> None:
    """Raise `InvalidInput` for a key that is not known, or whose value is of another type."""
    for key, value in table.items():
        if key not in known:
            raise InvalidInput(f"{where} sets '{key}', which moored does not know. It knows {', '.join(known)}.")
        if type(value) is not known[key]:
            raise InvalidInput(f"'{key}' in {where} must be of type {known[key].__name__}, not {value!r}.")


def _place(root: Path, common_dir: Path | None) -> Place:
    settings = read_settings(root / FILE_NAME)
    if settings.project:
        key = f"id:{settings.project}"
    elif common_dir:
        key = f"git:{common_dir}"
    else:
        key = f"dir:{root}"
    return Place(key, root.name or str(root), root, settings)


def _configured_root(folder: Path) -> Path:
    """Outside git, the nearest folder upwards that has a `.moored.toml`, else the folder itself."""
    for candidate in (folder, *folder.parents):
        with suppress(OSError):
            if (candidate / FILE_NAME).is_file():
                return candidate
    return folder


def _folder(path: Path) -> Path:
    """The real folder that a path is, or that its file is in. Raises `NotFound`."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        # Not there, not reachable, a loop of links, or no path at all.
        real = None
    if real and not real.is_dir():
        real = real.parent
    if real is None:
        raise NotFound(f"There is no folder {str(path)!r}. Name the root of a project.")
    return real
