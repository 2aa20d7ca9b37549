"""Where a program begins: commands that are installed, main functions, images and services."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from moored.model.facts import FactKind
from moored.model.places import own
from moored.model.text import shorten
from moored.seeding.found import Seed, Weight, seed
from moored.seeding.ground import texts_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.facts import Fact
    from moored.seeding.components import Component
    from moored.seeding.ground import Ground

SHOWN = 12

_TABLES = {
    "pyproject.toml": ("project.scripts", "project.gui-scripts", "tool.poetry.scripts", "project.entry-points"),
    "package.json": ("bin",),
    "setup.cfg": ("options.entry_points",),
    "composer.json": ("bin",),
}
_SINGLE = {"package.json": ("bin", "main", "module", "exports", "types"), "deno.json": ("exports",)}
_BIN = re.compile(r"bin\[\d+\]\.name")
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|spec|examples?|benches|bench|scripts?|tools?|docs?|e2e|demos?)/|_test\.|\.test\."
)
_MAIN = re.compile(
    r"(?:^|/)(?:__main__\.py|manage\.py|main\.(?:py|go|rs|c|cc|cpp|kt|java|swift|ts|js|dart)|[A-Z]\w*Application\.(?:java|kt))$"
    r"|(?:^|/)src/bin/[^/]+\.rs$|(?:^|/)(?:Main|Program)\.(?:java|cs|kt|scala)$"
)
_NEEDS_FUNCTION = re.compile(r"(?:^|/)main\.(?:py|go|rs|c|cc|cpp|kt|java|swift|dart)$")
_FUNCTIONS = (FactKind.FUNCTION, FactKind.METHOD)
_IMAGE = re.compile(r"(?:^|/)(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.dockerfile$", re.IGNORECASE)
_SERVICES = re.compile(r"(?:^|/)(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml$")


def read(ground: Ground, parts: Sequence[Component]) -> Iterator[Seed]:
    """The seeds of entry points."""
    for part in parts:
        yield from _installed(ground, part)
    yield from _mains(ground, parts)
    for path in ground.paths:
        if not own(path) or _ASIDE.search(path):
            continue
        if _IMAGE.search(path):
            yield from _image(ground, path)
        elif _SERVICES.search(path):
            yield from _services(ground, path)


def _installed(ground: Ground, part: Component) -> Iterator[Seed]:
    for path in part.manifests:
        name, keys = PurePosixPath(path).name.lower(), ground.keys(path)
        found = [
            fact for fact in keys.values() if fact.parent in _TABLES.get(name, ()) and not fact.value.startswith("{")
        ]
        found += [keys[key] for key in _SINGLE.get(name, ()) if key in keys and not keys[key].value.startswith("{")]
        found += [fact for key, fact in keys.items() if name == "cargo.toml" and _BIN.fullmatch(key)]
        if found:
            told = "; ".join(f"{fact.name} = {shorten(fact.value, 100)}" for fact in found[:SHOWN])
            weight = Weight.ENTRY if not part.folder else Weight.COMPONENT - 2
            text = f"Entry points of {part.inline} (`{path}`): {told}."
            yield seed("entry", path, text, tuple(found), weight, "entry", *part.tags)


def _mains(ground: Ground, parts: Sequence[Component]) -> Iterator[Seed]:
    """Files and functions with which a program begins by their name, a note for each component that has any."""
    folders = sorted((part.folder for part in parts), key=len, reverse=True)
    found: dict[str, list[tuple[str, Fact]]] = {}
    for path in ground.paths:
        if _MAIN.search(path) and own(path) and not _ASIDE.search(path):
            folder = next((one for one in folders if not one or path.startswith(f"{one}/")), "")
            fact = _main(ground, path)
            if fact:
                found.setdefault(folder, []).append((path, fact))
    for folder, mains in found.items():
        kept = sorted(mains, key=lambda one: (one[0].count("/"), one[0]))[:SHOWN]
        told = ", ".join(f"`{path}`" for path, _ in kept)
        more = f" and {len(mains) - SHOWN} more" if len(mains) > SHOWN else ""
        weight = Weight.ENTRY - 1 if not folder else Weight.COMPONENT - 4
        where = f" in `{folder}`" if folder else ""
        text = f"Programs{where} begin in {told}{more}."
        tags = (folder.lower(),) if 0 < len(folder) <= 64 else ()
        yield seed("main", folder, text, tuple(fact for _, fact in kept), weight, "entry", *tags, taken=())


def _main(ground: Ground, path: str) -> Fact | None:
    """The main function of a file, where the language has it in a class the method, else the file."""
    named = [
        fact for fact in ground.facts(path) if fact.kind in _FUNCTIONS and fact.name.split(".")[-1].lower() == "main"
    ]
    plain = [fact for fact in named if "." not in fact.name or path.endswith((".java", ".kt", ".cs", ".scala"))]
    # A module called main is a program only where it has the function; a script is one by its name.
    return plain[0] if plain else None if _NEEDS_FUNCTION.search(path) else ground.whole(path)


def _image(ground: Ground, path: str) -> Iterator[Seed]:
    keys = ground.keys(path)
    last = [fact for fact in keys.values() if fact.name.endswith(".FROM")][-1:]
    starts = [fact for key, fact in keys.items() if key.rpartition(".")[2] in ("ENTRYPOINT", "CMD")]
    exposed = [fact for key, fact in keys.items() if key.endswith(".EXPOSE")]
    if starts:
        told = "; ".join(f"{fact.name.rpartition('.')[2]} {_command(fact.value)}" for fact in starts)
        ports = f"; it listens on {', '.join(fact.value for fact in exposed)}" if exposed else ""
        base = f", from {last[0].value}" if last else ""
        text = f"The image of `{path}`{base} starts with {told}{ports}."
        yield seed("image", path, text, (*starts, *exposed, *last), Weight.ENTRY - 3 - path.count("/"), "entry")


def _command(value: str) -> str:
    return f"`{shorten(' '.join(texts_in(value)) or value, 120)}`"


def _services(ground: Ground, path: str) -> Iterator[Seed]:
    keys = ground.keys(path)
    services = [fact for fact in keys.values() if fact.parent == "services"]
    told: list[str] = []
    about: list[Fact] = []
    for service in services[:SHOWN]:
        of = next(
            (keys[f"{service.name}.{key}"] for key in ("image", "build") if f"{service.name}.{key}" in keys), None
        )
        what = f" ({of.name.rpartition('.')[2]} {shorten(of.value, 60)})" if of else ""
        told.append(f"{service.name.removeprefix('services.')}{what}")
        about.append(of or service)
    if told:
        more = f" and {len(services) - SHOWN} more" if len(services) > SHOWN else ""
        text = f"`{path}` runs the services {', '.join(told)}{more}."
        yield seed("services", path, text, tuple(about), Weight.ENTRY - 4 - path.count("/"), "entry")
