"""The components of a repository: the members of its workspaces, else the folders that have a manifest.

A workspace says which folders are members (npm, pnpm, yarn and bun `workspaces`, Cargo `members`, `go.work`, uv, Maven
`<module>`, Gradle `include`). Where an ecosystem has a workspace, its other manifests are examples or fixtures and are
left out; where it has none, every folder with a manifest counts.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from moored.model.places import own
from moored.seeding.ground import listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from moored.seeding.ground import Ground

ECOSYSTEMS = {
    "package.json": "npm",
    "deno.json": "deno",
    "pyproject.toml": "python",
    "setup.cfg": "python",
    "setup.py": "python",
    "cargo.toml": "cargo",
    "go.mod": "go",
    "pom.xml": "maven",
    "build.gradle": "gradle",
    "build.gradle.kts": "gradle",
    "composer.json": "composer",
    "pubspec.yaml": "pub",
    "gemfile": "ruby",
    "mix.exs": "mix",
}
"""The ecosystem of a manifest by its name in lower case, the best source of an ecosystem first."""

MAX_DEPTH = 6
"""Folders below the root in which manifests are looked for."""

ASIDE = frozenset(
    {
        *("bench", "benches", "benchmark", "benchmarks", "demo", "demos", "doc", "docs", "e2e", "example", "examples"),
        *("sample", "samples", "script", "scripts", "spec", "test", "tests"),
    }
)
"""Folders whose manifests are of no component unless a workspace names them."""

_GO_USE = re.compile(r"(?ms)^use\s*\(([^)]*)\)|^use\s+(\S+)")
_MODULE = re.compile(r"<module>\s*([^<\s]+)\s*</module>")
_INCLUDE = re.compile(r"(?m)^\s*include\b\s*\(?([^)\n]*(?:,\s*\n[^)\n]*)*)")
_QUOTED = re.compile(r"""["']([^"']+)["']""")


class Component(NamedTuple):
    """A part of the repository with manifests of its own. `folder` is empty for the root."""

    folder: str
    manifests: tuple[str, ...]

    @property
    def called(self) -> str:
        """How a sentence calls it that begins with it."""
        return f"`{self.folder}`" if self.folder else "This project"

    @property
    def inline(self) -> str:
        """How a sentence calls it further on."""
        return f"`{self.folder}`" if self.folder else "this project"

    @property
    def tags(self) -> tuple[str, ...]:
        """The tag by which the notes about it are found; the root needs none."""
        return (self.folder.lower(),) if 0 < len(self.folder) <= 64 else ()


def components(ground: Ground) -> tuple[Component, ...]:
    """The components of a tree by folder, the root first, which is one even without a manifest."""
    manifests = [path for path in ground.paths if _is_manifest(path) and own(path) and path.count("/") <= MAX_DEPTH]
    found: dict[str, list[str]] = {"": []}
    members = {name: read(ground) for name, read in _WORKSPACES.items()}
    for path in manifests:
        folder = path.rpartition("/")[0]
        patterns = members.get(_ecosystem(path), ())
        counts = _is_member(folder, patterns) if patterns else ASIDE.isdisjoint(folder.split("/"))
        if not folder or (counts and not _is_module(ground, path)):
            found.setdefault(folder, []).append(path)
    order = list(ECOSYSTEMS)
    return tuple(
        Component(folder, tuple(sorted(paths, key=lambda path: order.index(_name(path)))))
        for folder, paths in sorted(found.items())
    )


def _name(path: str) -> str:
    return PurePosixPath(path).name.lower()


def _is_manifest(path: str) -> bool:
    return _name(path) in ECOSYSTEMS


def _ecosystem(path: str) -> str:
    return ECOSYSTEMS[_name(path)]


def _is_module(ground: Ground, path: str) -> bool:
    """Whether a `setup.py` is a module of a package, and no manifest."""
    return _name(path) == "setup.py" and bool(ground.called("__init__.py", folder=path.rpartition("/")[0]))


def _is_member(folder: str, patterns: tuple[str, ...]) -> bool:
    """Whether the patterns of a workspace name a folder; one that begins with `!` takes folders out again."""
    named = False
    for pattern in patterns:
        plain = pattern.removeprefix("!").removeprefix("./").strip("/")
        if _matches(folder.split("/"), plain.split("/")):
            named = not pattern.startswith("!")
    return named


def _matches(parts: list[str], pattern: list[str]) -> bool:
    """Compare a path with a glob part by part; `**` stands for any number of folders."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[skip:], pattern[1:]) for skip in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _npm(ground: Ground) -> tuple[str, ...]:
    package = ground.keys("package.json")
    own_list = listed(package.get("workspaces")) or listed(package.get("workspaces.packages"))
    return (*own_list, *listed(ground.keys("pnpm-workspace.yaml").get("packages")))


def _cargo(ground: Ground) -> tuple[str, ...]:
    keys = ground.keys("Cargo.toml")
    return (*listed(keys.get("workspace.members")), *(f"!{one}" for one in listed(keys.get("workspace.exclude"))))


def _uv(ground: Ground) -> tuple[str, ...]:
    keys = ground.keys("pyproject.toml")
    left_out = listed(keys.get("tool.uv.workspace.exclude"))
    return (*listed(keys.get("tool.uv.workspace.members")), *(f"!{one}" for one in left_out))


def _go(ground: Ground) -> tuple[str, ...]:
    found = _GO_USE.findall(ground.text("go.work"))
    return tuple(path for block, one in found for path in (block or one).split() if not path.startswith("//"))


def _maven(ground: Ground) -> tuple[str, ...]:
    """The modules of the root and, as Maven aggregates them, those of the modules."""
    found: list[str] = []
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        modules = _MODULE.findall(ground.text(f"{folder}/pom.xml" if folder else "pom.xml"))
        inside = [f"{folder}/{module}" if folder else module for module in modules]
        fresh = [path.strip("/") for path in inside if path.strip("/") not in found]
        found += fresh
        waiting += fresh
    return tuple(found)


def _gradle(ground: Ground) -> tuple[str, ...]:
    text = ground.text("settings.gradle") + ground.text("settings.gradle.kts")
    named = (name for group in _INCLUDE.findall(text) for name in _QUOTED.findall(group))
    return tuple(name.strip(":").replace(":", "/") for name in named)


_WORKSPACES: dict[str, Callable[[Ground], tuple[str, ...]]] = {
    "npm": _npm,
    "cargo": _cargo,
    "python": _uv,
    "go": _go,
    "maven": _maven,
    "gradle": _gradle,
}
