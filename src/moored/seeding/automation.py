"""How a project is built, tested and run: the commands that its files define, and what its pipelines run.

Each command is told with the fact that defines it, so that the note goes stale when that changes.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from moored.model.facts import FactKind
from moored.model.places import own
from moored.model.text import fold, shorten
from moored.seeding.found import Seed, Weight, seed
from moored.seeding.ground import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.facts import Fact
    from moored.seeding.components import Component
    from moored.seeding.ground import Ground

    _Command = tuple[str, str, Fact]
    """How a command is called, what it does, and the fact that says so."""

COMMANDS = 12
"""Commands of one file that are told, those with the most usual names first."""

STEPS = 8
JOBS = 8
VALUE = 110

_USUAL = (
    *("test", "tests", "check", "build", "lint", "format", "fmt", "typecheck", "dev", "start", "run", "serve"),
    *("install", "setup", "bench", "docs", "coverage", "ci", "clean", "deploy", "release", "publish", "migrate"),
)
_TARGET = re.compile(r"target:([\w-][\w.:-]*)")
_RECIPE = re.compile(r"(?m)^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:=\n]*)?:(?!=)")
_SCRIPTED = frozenset({"package.json", "composer.json", "deno.json"})
_SCRIPT_TABLES = {
    "tool.poe.tasks": "poe",
    "tool.pdm.scripts": "pdm run",
    "tool.taskipy.tasks": "task",
    "tool.rye.scripts": "rye run",
    "tool.hatch.envs.default.scripts": "hatch run",
}
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
_PIPELINES = {
    ".gitlab-ci.yml": "GitLab",
    ".circleci/config.yml": "CircleCI",
    "azure-pipelines.yml": "Azure Pipelines",
    ".travis.yml": "Travis CI",
    "bitbucket-pipelines.yml": "Bitbucket Pipelines",
    "appveyor.yml": "AppVeyor",
}
_WORKFLOW = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
_RUN = re.compile(r"(?:^|\.)(?:run|script|before_script|bash|powershell|command|run\.command)(?:\[\d+\])?$")
_NOT_JOBS = frozenset(
    {
        "after_script",
        "before_script",
        "cache",
        "default",
        "image",
        "include",
        "services",
        "stages",
        "variables",
        "workflow",
    }
)


def read(ground: Ground, parts: Sequence[Component]) -> Iterator[Seed]:
    """The seeds of commands and of pipelines."""
    for part in parts:
        yield from _commands(ground, part)
    for path in ground.paths:
        if _WORKFLOW.fullmatch(path):
            yield from _pipeline(ground, path, "GitHub Actions")
        elif path in _PIPELINES:
            yield from _pipeline(ground, path, _PIPELINES[path])


def _commands(ground: Ground, part: Component) -> Iterator[Seed]:
    for path in ground.inside(part.folder):
        found = [*_defined(ground, part, path)]
        if not found or not own(path):
            continue
        found.sort(key=lambda one: _usualness(one[0]))
        kept = found[:COMMANDS]
        more = f" and {len(found) - COMMANDS} more" if len(found) > COMMANDS else ""
        lines = "\n".join(f"- `{command}`" + (f": {does}" if does else "") for command, does, _ in kept)
        text = f"Commands of `{path}`{more}, to build, test and run {part.inline}:\n{lines}"
        weight = Weight.COMMANDS if not part.folder else Weight.COMPONENT - 3
        yield seed("commands", path, text, tuple(fact for *_, fact in kept), weight, "commands", *part.tags)
    yield from _by_convention(ground, part)


def _usualness(command: str) -> tuple[int, str]:
    name = command.rsplit(maxsplit=1)[-1]
    return (_USUAL.index(name) if name in _USUAL else len(_USUAL), command)


def _defined(ground: Ground, part: Component, path: str) -> Iterator[_Command]:
    """The commands that a file defines."""
    name = PurePosixPath(path).name.lower()
    if name in _SCRIPTED:
        runner = {
            "package.json": f"{_manager(ground, part)} run",
            "composer.json": "composer",
            "deno.json": "deno task",
        }
        yield from _table(ground, path, "tasks" if name == "deno.json" else "scripts", runner[name])
    elif name == "pyproject.toml":
        for table, runner in _SCRIPT_TABLES.items():
            yield from _table(ground, path, table, runner)
    elif name in _READERS:
        yield from _READERS[name](ground, path)


def _make(ground: Ground, path: str) -> Iterator[_Command]:
    for key, fact in ground.keys(path).items():
        if target := _TARGET.fullmatch(key):
            does = [line for line in fact.value.split("\n") if line.strip()]
            yield f"make {target[1]}", "" if does == ["no recipe"] else _value("; ".join(does)), fact


def _task(ground: Ground, path: str) -> Iterator[_Command]:
    keys = ground.keys(path)
    for key, fact in keys.items():
        if fact.parent == "tasks" and key.count(".") == 1:
            does = keys.get(f"{key}.cmd") or keys.get(f"{key}.cmds") or keys.get(f"{key}.desc")
            yield f"task {key.removeprefix('tasks.')}", _value(_joined(does)), fact


def _just(ground: Ground, path: str) -> Iterator[_Command]:
    whole = ground.whole(path)
    if whole:
        yield from ((f"just {recipe}", "", whole) for recipe in dict.fromkeys(_RECIPE.findall(ground.text(path))))


def _tox(ground: Ground, path: str) -> Iterator[_Command]:
    for key, fact in ground.keys(path).items():
        if key.startswith("testenv") and key.endswith(".commands"):
            env = key.removesuffix(".commands").removeprefix("testenv").removeprefix(":")
            yield f"tox -e {env}" if env else "tox", _value("; ".join(fact.value.split("\n"))), fact


def _nox(ground: Ground, path: str) -> Iterator[_Command]:
    for fact in ground.facts(path):
        if fact.kind is FactKind.FUNCTION and "." not in fact.name and not fact.name.startswith("_"):
            yield f"nox -s {fact.name}", shorten(fact.doc, VALUE) if fact.doc else "", fact


_READERS = {
    "makefile": _make,
    "gnumakefile": _make,
    "taskfile.yml": _task,
    "taskfile.yaml": _task,
    "justfile": _just,
    ".justfile": _just,
    "tox.ini": _tox,
    "noxfile.py": _nox,
}


def _table(ground: Ground, path: str, table: str, runner: str) -> Iterator[_Command]:
    for key, fact in ground.keys(path).items():
        if fact.parent == table:
            script = key.removeprefix(f"{table}.").strip('"')
            if not script.startswith(("pre", "post")) or script in ("preview", "prettier", "prepare", "postcss"):
                yield f"{runner} {script}", _value(fact.value), fact


def _manager(ground: Ground, part: Component) -> str:
    """The package manager of JavaScript: the one that is named, else that of the lock file, nearest first."""
    for folder in dict.fromkeys((part.folder, "")):
        package = f"{folder}/package.json" if folder else "package.json"
        named = ground.keys(package).get("packageManager")
        if named:
            return named.value.partition("@")[0]
        for path in ground.inside(folder):
            if (lock := path.rpartition("/")[2]) in _LOCKS:
                return _LOCKS[lock]
    return "npm"


def _by_convention(ground: Ground, part: Component) -> Iterator[Seed]:
    """What a manifest lets be run without saying so: the commands of the tool that reads it."""
    here = {path.rpartition("/")[2].lower(): path for path in ground.inside(part.folder)}
    for name, tool, commands in (
        ("cargo.toml", "Cargo", ("cargo build", "cargo test")),
        ("go.mod", "Go", ("go build ./...", "go test ./...")),
        ("pom.xml", "Maven", ("./mvnw test", "./mvnw package") if "mvnw" in here else ("mvn test", "mvn package")),
        ("build.gradle", "Gradle", ("./gradlew build", "./gradlew test")),
        ("build.gradle.kts", "Gradle", ("./gradlew build", "./gradlew test")),
        ("manage.py", "Django", ("python manage.py runserver", "python manage.py test")),
    ):
        if name in here and not part.folder:
            about = (_anchor(ground, here[name]),)
            told = ", ".join(f"`{one}`" for one in commands)
            text = f"`{here[name]}` is read by {tool}, so these work here: {told}."
            yield seed("usual", here[name], text, about, Weight.COMMANDS - 3, "commands", taken=())
    for name in ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg"):
        keys = ground.keys(here[name]) if name in here else {}
        options = next((keys[key] for key in ("tool.pytest.ini_options", "pytest", "tool:pytest") if key in keys), None)
        if options:
            where = next(
                (keys[f"{options.name}.{one}"] for one in ("testpaths",) if f"{options.name}.{one}" in keys), None
            )
            at = f", tests in {_value(_joined(where))}" if where else ""
            text = f"The tests of {part.inline} run with `pytest` (`{here[name]}`{at})."
            yield seed("usual", here[name], text, (where or options,), Weight.COMMANDS - 2, "commands", *part.tags)
            return


def _anchor(ground: Ground, path: str) -> Fact | None:
    """What of a manifest stays as long as it is of its kind: the name in it, else the file."""
    keys = ground.keys(path)
    return next(
        (keys[key] for key in ("package.name", "workspace.members", "module") if key in keys), ground.whole(path)
    )


def _pipeline(ground: Ground, path: str, service: str) -> Iterator[Seed]:
    """When a pipeline runs, and what each of its jobs does."""
    keys = ground.keys(path)
    jobs = [fact for fact in keys.values() if fact.parent == "jobs"]
    if not jobs:
        sections = (fact for key, fact in keys.items() if not fact.parent and "[" not in key and key not in _NOT_JOBS)
        jobs = [fact for fact in sections if any(one.startswith(f"{fact.name}.script") for one in keys)]
        jobs = jobs or [keys[key] for key in ("script", "steps", "stages") if key in keys]
    lines = [
        f"- {job.name.removeprefix('jobs.')}: {steps}" for job in jobs if (steps := _steps(ground, path, job.name))
    ]
    if not lines:
        return
    # YAML 1.1 reads the key `on` as a truth value; both spellings stand for it.
    on = keys.get("on") or keys.get("true")
    triggers = _triggers(keys, on) if on else ""
    named = keys.get("name")
    called = f", {named.value}" if named and "." not in named.name else ""
    more = f"\n- and {len(lines) - JOBS} more jobs" if len(lines) > JOBS else ""
    text = (
        f"CI ({service}, `{path}`{called}){f' runs on {triggers}' if triggers else ''}:\n"
        + "\n".join(lines[:JOBS])
        + more
    )
    yield seed("ci", path, text, (on, *jobs[:JOBS]), Weight.PIPELINE, "ci")


def _triggers(keys: dict[str, Fact], on: Fact) -> str:
    below = [key.removeprefix(f"{on.name}.") for key, fact in keys.items() if fact.parent == on.name]
    return ", ".join(below or listed(on))


def _steps(ground: Ground, path: str, job: str) -> str:
    runs: list[str] = []
    for fact in ground.facts(path):
        name = fact.name
        itself = name == job and not fact.value.startswith("{")
        if itself or (name.startswith((f"{job}.", f"{job}[")) and _RUN.search(name)):
            runs += listed(fact)
    lines = [line.strip() for run in runs for line in run.split("\n")]
    told = [f"`{shorten(line, 80)}`" for line in dict.fromkeys(lines) if line and not line.startswith(("#", "set -"))]
    more = f" and {len(told) - STEPS} more" if len(told) > STEPS else ""
    return ", ".join(told[:STEPS]) + more


def _joined(fact: Fact | None) -> str:
    return " && ".join(listed(fact)) or (fact.value if fact else "")


def _value(text: str) -> str:
    return shorten(fold(text), VALUE)
