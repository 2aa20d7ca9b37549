"""What manifests and settings say: what a component is, what it needs, what it is built on, and how code is to look."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from moored.model.text import shorten
from moored.seeding.components import ECOSYSTEMS
from moored.seeding.found import Seed, Weight, seed
from moored.seeding.ground import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from moored.model.facts import Fact
    from moored.seeding.components import Component
    from moored.seeding.ground import Ground

DEPENDENCIES = 16
"""Names of dependencies that are told of one component."""

SETTINGS = 10
VALUE = 80


class _Manifest(NamedTuple):
    """Where a manifest says what: keys for name, description, needed versions, and what it depends on."""

    name: tuple[str, ...]
    about: tuple[str, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    on: tuple[str, ...] = ()


_MANIFESTS: Mapping[str, _Manifest] = {
    "package.json": _Manifest(
        ("name",), ("description",), (("engines.node", "Node.js"), ("packageManager", "")), ("dependencies",)
    ),
    "deno.json": _Manifest(("name",), (), (), ("imports",)),
    "pyproject.toml": _Manifest(
        ("project.name", "tool.poetry.name"),
        ("project.description", "tool.poetry.description"),
        (("project.requires-python", "Python"), ("tool.poetry.dependencies.python", "Python")),
        ("project.dependencies", "tool.poetry.dependencies"),
    ),
    "setup.cfg": _Manifest(("metadata.name",), ("metadata.description",), (("options.python_requires", "Python"),)),
    "cargo.toml": _Manifest(
        ("package.name",),
        ("package.description",),
        (("package.rust-version", "Rust"), ("package.edition", "Rust edition")),
        ("dependencies", "workspace.dependencies"),
    ),
    "go.mod": _Manifest(("module",), (), (("go", "Go"),)),
    "composer.json": _Manifest(("name",), ("description",), (("require.php", "PHP"),), ("require",)),
    "pubspec.yaml": _Manifest(("name",), ("description",), (("environment.sdk", "Dart"),), ("dependencies",)),
}

_STYLE: Mapping[str, tuple[str, ...]] = {
    "pyproject.toml": (
        *("tool.ruff.line-length", "tool.ruff.target-version", "tool.ruff.lint.select", "tool.ruff.format.quote-style"),
        *("tool.black.line-length", "tool.isort.profile", "tool.mypy.strict", "tool.pyright.typeCheckingMode"),
        *("tool.pytest.ini_options.testpaths", "tool.pytest.ini_options.addopts", "tool.coverage.report.fail_under"),
    ),
    "ruff.toml": ("line-length", "target-version", "lint.select"),
    "setup.cfg": ("flake8.max-line-length", "isort.profile", "tool:pytest.testpaths", "tool:pytest.addopts"),
    "tox.ini": ("tox.envlist", "flake8.max-line-length"),
    "pytest.ini": ("pytest.testpaths", "pytest.addopts"),
    ".editorconfig": ("*.indent_style", "*.indent_size", "*.end_of_line", "*.max_line_length"),
    ".prettierrc": ("printWidth", "tabWidth", "singleQuote", "semi", "trailingComma"),
    ".prettierrc.json": ("printWidth", "tabWidth", "singleQuote", "semi", "trailingComma"),
    "tsconfig.json": ("compilerOptions.strict", "compilerOptions.target", "compilerOptions.module"),
    "biome.json": ("formatter.indentStyle", "formatter.lineWidth", "javascript.formatter.quoteStyle"),
    "package.json": ("type",),
    "rustfmt.toml": ("max_width", "edition"),
    ".rustfmt.toml": ("max_width", "edition"),
    "rust-toolchain.toml": ("toolchain.channel",),
    ".clang-format": ("BasedOnStyle", "ColumnLimit", "IndentWidth"),
    ".golangci.yml": ("linters.enable",),
    "cargo.toml": ("workspace.package.rust-version", "workspace.lints.rust.unsafe_code", "lints.rust.unsafe_code"),
}
_PINNED = {".nvmrc": "Node.js", ".node-version": "Node.js", ".python-version": "Python", ".ruby-version": "Ruby"}
_REQUIREMENT = re.compile(r'"([A-Za-z0-9][\w.-]*)')
_ARTIFACT = re.compile(r"(?s)<parent>.*?</parent>|<artifactId>\s*([^<\s]+)\s*</artifactId>")
_ABOUT = re.compile(r"<description>([^<]+)</description>")


def read(ground: Ground, parts: Sequence[Component]) -> Iterator[Seed]:
    """The seeds that stand in manifests and settings."""
    names = {name: part.folder for part in parts for name in (name_of(ground, part),) if name and part.folder}
    for part in parts:
        yield from _identity(ground, part, names)
        yield from _stack(ground, part, names)
        yield from _style(ground, part)


def name_of(ground: Ground, part: Component) -> str:
    """The name by which other components depend on one, empty when its manifests say none."""
    return next((fact.value for path in part.manifests for fact in _first(ground, path, "name")), "")


def name_facts(ground: Ground, part: Component) -> tuple[Fact, ...]:
    """What says that a component is there: the names in its manifests, else its first manifest."""
    found = tuple(fact for path in part.manifests for fact in _first(ground, path, "name"))
    whole = ground.whole(part.manifests[0]) if part.manifests else None
    return found[:1] or ((whole,) if whole else ())


def _first(ground: Ground, path: str, what: str) -> tuple[Fact, ...]:
    known = _MANIFESTS.get(PurePosixPath(path).name.lower())
    if known is None:
        return ()
    keys = ground.keys(path)
    return tuple(keys[name] for name in getattr(known, what) if name in keys)[:1]


def _identity(ground: Ground, part: Component, names: Mapping[str, str]) -> Iterator[Seed]:
    about: list[Fact | None] = []
    told: list[str] = []
    taken: tuple[str, ...] | None = None
    for path in part.manifests[:3]:
        kind = PurePosixPath(path).name.lower()
        name, says = _first(ground, path, "name"), _first(ground, path, "about")
        needs = [
            (f"{label} {fact.value}".strip(), fact)
            for key, label in (_MANIFESTS[kind].needs if kind in _MANIFESTS else ())
            if (fact := ground.keys(path).get(key))
        ]
        if kind == "pom.xml":
            named, described = _from_pom(ground.text(path))
            line = f"{named} (Maven)" + (f": {shorten(described, 200)}" if described else "")
            about.append(ground.whole(path))
            taken = (named, shorten(described, 200))
        elif name or says or needs:
            line = f"{name[0].value if name else 'unnamed'} ({ECOSYSTEMS[kind]})"
            line += f": {shorten(says[0].value, 200).rstrip('.')}" if says else ""
        else:
            continue
        line += f"; needs {', '.join(one for one, _ in needs)}" if needs else ""
        told.append(line)
        about += [*name, *says, *(fact for _, fact in needs)]
    inside = [(folder, fact) for name, folder, fact in _uses(ground, part, names) if name and folder != part.folder]
    if inside:
        told.append("it uses " + ", ".join(f"`{folder}`" for folder, _ in inside[:8]))
        about += [fact for _, fact in inside[:8]]
    if told:
        weight = Weight.COMPONENT - min(part.folder.count("/"), 3) if part.folder else Weight.IDENTITY
        text = f"{part.called} is {'; '.join(told).rstrip('.')}."
        topic = "component" if part.folder else "project"
        yield seed(topic, part.folder, text, tuple(about), weight, *part.tags, taken=taken)


def _uses(ground: Ground, part: Component, names: Mapping[str, str]) -> Iterator[tuple[str, str, Fact]]:
    """The other components that one depends on: name, folder, and the key that says so."""
    for path in part.manifests:
        known = _MANIFESTS.get(PurePosixPath(path).name.lower())
        keys = ground.keys(path) if known else {}
        for section in known.on if known else ():
            direct = {key.removeprefix(f"{section}.").strip('"'): fact for key, fact in keys.items() if key != section}
            for name, folder in names.items():
                if name in direct and direct[name].name.startswith(f"{section}."):
                    yield name, folder, direct[name]
            if section in keys and keys[section].value.startswith("["):
                named = set(_REQUIREMENT.findall(keys[section].value))
                yield from ((name, names[name], keys[section]) for name in sorted(named & names.keys()))


def _stack(ground: Ground, part: Component, names: Mapping[str, str]) -> Iterator[Seed]:
    for path in part.manifests:
        for fact in _first(ground, path, "on"):
            plain = fact.value.startswith("[")
            inside = (fact_.name for fact_ in ground.facts(path) if fact_.parent == fact.name)
            found = _REQUIREMENT.findall(fact.value) if plain else [
                one.removeprefix(f"{fact.name}.").strip('"') for one in inside
            ]  # fmt: skip
            outside = [one for one in dict.fromkeys(found) if one not in names and one != "python"]
            if outside:
                more = f" and {len(outside) - DEPENDENCIES} more" if len(outside) > DEPENDENCIES else ""
                text = f"{part.called} is built on {', '.join(outside[:DEPENDENCIES])}{more} (`{path}`)."
                weight = Weight.STACK - 5 * bool(part.folder)
                yield seed("stack", path, text, (fact,), weight, *part.tags)


def _style(ground: Ground, part: Component) -> Iterator[Seed]:
    for path in ground.inside(part.folder):
        name = PurePosixPath(path).name.lower()
        if name in _PINNED and (version := ground.text(path).strip()) and len(version) < 40:
            text = f"`{path}` asks for {_PINNED[name]} {shorten(version, 40)}."
            yield seed("style", path, text, (ground.whole(path),), Weight.STYLE, *part.tags)
        keys = ground.keys(path) if name in _STYLE else {}
        set_to = [keys[key] for key in _STYLE.get(name, ()) if key in keys][:SETTINGS]
        if set_to:
            told = "; ".join(f"{fact.name} = {_value(fact)}" for fact in set_to)
            weight = Weight.STYLE - 10 * bool(part.folder)
            yield seed("style", path, f"`{path}` sets {told}.", tuple(set_to), weight, *part.tags)


def _value(fact: Fact) -> str:
    return shorten(", ".join(listed(fact)) or fact.value, VALUE)


def _from_pom(text: str) -> tuple[str, str]:
    """The artifact and the description of a Maven project, not those of its parent."""
    name = next((found for found in _ARTIFACT.findall(text) if found), "unnamed")
    described = _ABOUT.search(text)
    return name, described[1].strip() if described else ""
