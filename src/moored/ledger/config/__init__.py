"""Configuration files as facts.

The formats form a closed list, tried in this order; the first that knows the file's name reads it. All readers
are pure functions of the bytes: they resolve no include, expand no variable and execute nothing.
"""

from __future__ import annotations

import fnmatch
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from moored.model.facts import Extraction

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is not read; its extraction says so by one error."""
MAX_LOCK_BYTES = 16 * 1024 * 1024
"""The same for lock files, which grow larger and are read faster."""

_ENV = (".env", ".env.*", "*.env")
_PROPERTIES = ("*.properties",)
_DOCKERFILE = ("dockerfile", "dockerfile.*", "*.dockerfile", "containerfile", "containerfile.*")
_REQUIREMENTS = ("requirements*.txt", "requirements*.in", "constraints*.txt", "*-requirements.txt", "*requirements.txt")
_MAKEFILE = ("makefile", "gnumakefile", "*.mk", "makefile.*")
_TOML = ("*.toml", "pipfile")
_JSON = (
    "*.json",
    "*.jsonc",
    "*.json5",
    "*.webmanifest",
    "*.code-workspace",
    ".babelrc",
    ".eslintrc",
    ".prettierrc",
    ".stylelintrc",
    ".swcrc",
    ".jshintrc",
)
_YAML = ("*.yaml", "*.yml", ".clang-format", ".clang-tidy", ".clangd", "citation.cff")
_GIT = (".gitconfig", ".gitmodules", ".editorconfig")
_INI = (
    "*.ini",
    "*.cfg",
    "*.conf",
    ".flake8",
    ".pylintrc",
    ".coveragerc",
    ".npmrc",
    ".pypirc",
    "*.desktop",
    "*.service",
)


def handles(path: str) -> bool:
    """Say whether a file of this path is configuration that can be read."""
    return _format_of(path) is not None


def extract(path: str, source: bytes) -> Extraction | None:
    """Read a configuration file into facts of kind `config_key`, or give None for a file that is none.

    Never raises: what does not parse is counted in `errors`, what is over the cap in `omitted`.
    """
    found = _format_of(path)
    if found is None:
        return None
    if len(source) > (MAX_LOCK_BYTES if found == "lockfile" else MAX_BYTES):
        return Extraction(found, errors=1)
    return _READERS[found](PurePosixPath(path.replace("\\", "/")).name, source)


def _format_of(path: str) -> str | None:
    from moored.ledger.config.lockfiles import is_lockfile

    posix = PurePosixPath(path.replace("\\", "/"))
    name = posix.name.lower()
    if is_lockfile(name):
        return "lockfile"
    if name == "config" and posix.parent.name == ".git":
        return "gitconfig"
    for language, patterns in _PATTERNS:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            return language
    return None


def _lockfile(name: str, source: bytes) -> Extraction:
    from moored.ledger.config import lockfiles

    return lockfiles.extract(name, source)


def _dockerfile(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import dockerfile

    return dockerfile.extract(source)


def _requirements(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import requirements

    return requirements.extract(source)


def _makefile(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import makefile

    return makefile.extract(source)


def _dotenv(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import assignments

    return assignments.extract_env(source)


def _properties(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import assignments

    return assignments.extract_properties(source)


def _toml(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import toml_keys

    return toml_keys.extract(source)


def _json(name: str, source: bytes) -> Extraction:
    from moored.ledger.config import json_keys, yaml_keys

    # Files such as `.prettierrc` are JSON or YAML; only one in braces is certain to be JSON.
    if name.startswith(".") and "." not in name[1:] and not source.lstrip().startswith((b"{", b"/")):
        return yaml_keys.extract(source)
    return json_keys.extract(source)


def _yaml(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import yaml_keys

    return yaml_keys.extract(source)


def _gitconfig(_: str, source: bytes) -> Extraction:
    from moored.ledger.config import ini_keys

    return ini_keys.extract(source, trailing_comments=True)


def _ini(name: str, source: bytes) -> Extraction:
    from moored.ledger.config import ini_keys

    if name.lower().endswith(".conf") and not ini_keys.is_sections_and_keys(source):
        return Extraction("conf")
    return ini_keys.extract(source)


_PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("dotenv", _ENV),
    ("properties", _PROPERTIES),
    ("dockerfile", _DOCKERFILE),
    ("requirements", _REQUIREMENTS),
    ("makefile", _MAKEFILE),
    ("toml", _TOML),
    ("json", _JSON),
    ("yaml", _YAML),
    ("gitconfig", _GIT),
    ("ini", _INI),
)
_READERS: dict[str, Callable[[str, bytes], Extraction]] = {
    "lockfile": _lockfile,
    "dotenv": _dotenv,
    "properties": _properties,
    "dockerfile": _dockerfile,
    "requirements": _requirements,
    "makefile": _makefile,
    "toml": _toml,
    "json": _json,
    "yaml": _yaml,
    "gitconfig": _gitconfig,
    "ini": _ini,
}
