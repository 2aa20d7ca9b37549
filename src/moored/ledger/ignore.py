"""What a walk leaves out: ignored paths, folders that tools fill, and files that hold secrets.

Ignore patterns have the syntax and the precedence of `.gitignore` (gitignore(5)): the file nearest to a path
decides first, and in one file the last pattern that matches. `.mooredignore` in the root of a tree names what no part
of moored may read, tracked by git or not.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import InvalidInput, MooredError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pathspec import GitIgnoreSpec

TOOL_FOLDERS = frozenset(
    {
        ".cache",
        ".eggs",
        ".git",
        ".gradle",
        ".hg",
        ".hypothesis",
        ".mypy_cache",
        ".next",
        ".nox",
        ".nuxt",
        ".parcel-cache",
        ".pytest_cache",
        ".ruff_cache",
        ".svelte-kit",
        ".svn",
        ".terraform",
        ".tox",
        ".turbo",
        ".venv",
        "__pycache__",
        "bower_components",
        "node_modules",
        "venv",
    }
)
"""Names of folders that tools fill and nobody writes by hand; left out where git does not decide."""

CACHE_TAG = "CACHEDIR.TAG"
"""A folder with a file of this name is a cache that can be made again (the Cache Directory Tagging convention)."""

OWN_FILE = ".mooredignore"
"""The file in the root of a tree that names what is never read."""

_SECRET_NAMES = frozenset(
    {
        ".boto",
        ".credentials",
        ".credentials.json",
        ".dockercfg",
        ".env",
        ".envrc",
        ".git-credentials",
        ".htpasswd",
        ".my.cnf",
        ".netrc",
        ".npmrc",
        ".pgpass",
        ".pypirc",
        ".s3cfg",
        ".vault-token",
        "_netrc",
        "application_default_credentials.json",
        "client_secret.json",
        "client_secrets.json",
        "credentials",
        "credentials.json",
        "service-account.json",
        "service_account.json",
    }
)
_KEY_NAMES = ("id_dsa", "id_ecdsa", "id_ed25519", "id_rsa")
_COPY_ENDINGS = ("", "bak", "old", "orig")
_ENV_KIN = (".env-", ".env.", ".env_")
_SECRET_ENDINGS = (".jks", ".kdbx", ".key", ".keystore", ".p12", ".p8", ".pem", ".pfx", ".ppk")
_SAMPLE_ENDINGS = (".default", ".defaults", ".dist", ".example", ".sample", ".template", ".tmpl")
_PRIVATE_KEY = re.compile(rb"\s*-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----")


def is_secret(name: str) -> bool:
    """Tell by its name, without its folder, whether a file is made to hold passwords or private keys.

    `.env` and its variants (`.env.production`) are, a sample of one (`.env.example`) is not; `id_rsa` and its variants
    (`id_rsa_work`) are, the public half (`id_rsa.pub`) is not.
    """
    name = name.lower()
    if name.startswith(_ENV_KIN):
        return not name.endswith(_SAMPLE_ENDINGS)
    if name.startswith(_KEY_NAMES):
        return name.partition(".")[2] in _COPY_ENDINGS or name.endswith(_SECRET_ENDINGS)
    return name in _SECRET_NAMES or name.endswith(_SECRET_ENDINGS)


def begins_private_key(head: bytes) -> bool:
    """Tell whether a text begins as a private key in PEM, OpenSSH or PGP armour."""
    return _PRIVATE_KEY.match(head) is not None


@dataclass(frozen=True, slots=True)
class Patterns:
    """The ignore patterns that hold below `folder` (empty: the root)."""

    folder: str
    spec: GitIgnoreSpec

    def verdict(self, path: str) -> bool | None:
        """Return whether `path` is ignored, or None when no pattern matches it. A folder ends in a slash."""
        inside = path[len(self.folder) + 1 :] if self.folder else path
        return self.spec.check_file(inside).include


def ignored(path: str, chain: Sequence[Patterns]) -> bool:
    """Tell whether `path` is ignored by patterns given from the root inwards. A folder ends in a slash."""
    for patterns in reversed(chain):
        verdict = patterns.verdict(path)
        if verdict is not None:
            return verdict
    return False


def read_patterns(folder: str, text: str) -> Patterns:
    """Read a `.gitignore` file of `folder`. As git does, a line that is no pattern is passed over."""
    parsed = (_parse(line) for line in text.splitlines())
    return _combine(folder, [spec for spec in parsed if spec is not None])


def configured_patterns(lines: Sequence[str]) -> Patterns | None:
    """Read patterns from the configuration, relative to the root; None when there are none.

    Raises:
        InvalidInput: a line is not a pattern.
    """
    specs: list[GitIgnoreSpec] = []
    for line in lines:
        spec = _parse(line)
        if spec is None:
            raise InvalidInput(f"{line!r} is not an ignore pattern. Write it as in a .gitignore file.")
        specs.append(spec)
    return _combine("", specs) if specs else None


def tree_patterns(root: Path, lines: Sequence[str] = ()) -> Patterns | None:
    """The patterns of the configuration and of `.mooredignore` in `root`; None when there are none.

    Raises:
        InvalidInput: a line of the configuration is not a pattern. In `.mooredignore` it is passed over, as git does.
        MooredError: `.mooredignore` cannot be read.
    """
    configured = configured_patterns(lines)
    file = root / OWN_FILE
    try:
        text = file.read_text("utf-8", "surrogateescape") if file.is_file() else ""
    except OSError as error:
        raise MooredError(f"{file} cannot be read, so what it keeps away is unknown: {error.strerror}.") from error
    if not text.strip():
        return configured
    own = read_patterns("", text)
    return own if configured is None else Patterns("", configured.spec + own.spec)


def never_read(root: Path, lines: Sequence[str] = ()) -> Callable[[str], bool]:
    """A test for paths of files in a tree that are never read: by name they hold secrets, or a pattern names them.

    Raises what `tree_patterns` raises.
    """
    patterns = tree_patterns(root, lines)
    return lambda path: is_secret(path.rpartition("/")[2]) or (patterns is not None and patterns.verdict(path) is True)


def _parse(line: str) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        # A bracket expression that Python may read differently one day would warn on standard error.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            return GitIgnoreSpec.from_lines([line])
        except (ValueError, re.error):
            return None


def _combine(folder: str, specs: Iterable[GitIgnoreSpec]) -> Patterns:
    from pathspec import GitIgnoreSpec

    return Patterns(folder, GitIgnoreSpec([pattern for spec in specs for pattern in spec.patterns]))
