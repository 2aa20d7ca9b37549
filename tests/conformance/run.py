"""The official conformance suite and the inspector, run against moored. See docs/http.md and the Makefile.

    python run.py NODE TOOLS

`NODE` is the program, `TOOLS` the folder in which package-lock.json of this folder was installed. Exits with 1 when a
scored scenario fails, and prints what passed.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from proxy import proxy

HERE = Path(__file__).parent
REVISIONS = ("2026-07-28", "2025-11-25")
LIMIT_S = 300.0

WITHOUT_FIXTURES = {
    "2026-07-28": (
        "tools-list",
        "resources-list",
        "prompts-list",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "caching",
        "server-sse-multiple-streams",
        "http-header-validation",
        "input-required-result-unsupported-methods",
    ),
    "2025-11-25": (
        "server-initialize",
        "ping",
        "tools-list",
        "resources-list",
        "resources-subscribe",
        "resources-unsubscribe",
        "prompts-list",
        "dns-rebinding-protection",
        "server-sse-multiple-streams",
        "server-session-lifecycle",
    ),
}
"""The scenarios that ask for nothing which a product does not have: they are run against `moored serve` itself."""

SCENARIO = re.compile(r"^. (?P<name>[\w-]+): (?P<passed>\d+) passed, (?P<failed>\d+) failed$", re.MULTILINE)
"""A line of the suite's summary."""

INSPECTED = {
    "tools/list": ("--strict",),
    "resources/list": (),
    "resources/templates/list": (),
    "prompts/list": (),
}
"""What the inspector lists, with its strict look at the schemas where there are any."""

ERAS = ("legacy", "modern")


@dataclass(frozen=True, slots=True)
class Tools:
    """The programs of others."""

    node: Path
    conformance: Path
    inspector: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run of the suite or the inspector ended."""

    what: str
    passed: int
    failed: int
    told: str

    def __str__(self) -> str:
        return f"{self.what}: {self.passed} passed, {self.failed} failed"


@asynccontextmanager
async def serving(command: Sequence[str], home: Path) -> AsyncIterator[int]:
    """Run an HTTP server of ours behind the proxy that adds its token, and yield the port of the proxy."""
    process = await asyncio.create_subprocess_exec(*command, env=surroundings(home), stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        said = (await asyncio.wait_for(process.stderr.readline(), LIMIT_S)).decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp; the token is in (.+)\n", said)
        if found is None:
            raise SystemExit(f"The server did not start: {said}{(await process.stderr.read()).decode()}")
        drained = asyncio.create_task(process.stderr.read())
        async with proxy(int(found[1]), Path(found[2]).read_text().strip()) as port:
            yield port
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), LIMIT_S)
    errors = (await drained).decode()
    if process.returncode != 0 or "Traceback" in errors:
        raise SystemExit(f"The server ended with {process.returncode}: {errors}")


def surroundings(home: Path) -> dict[str, str]:
    """The environment of a user who has never used moored."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOORED_", "XDG_"))}
    return {**kept, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "XDG_DATA_HOME": str(home / "data")}


async def told(*command: str | Path, home: Path) -> tuple[int, str]:
    """Run a program; its exit code and all that it printed."""
    process = await asyncio.create_subprocess_exec(
        *command, env=surroundings(home), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    printed, _ = await asyncio.wait_for(process.communicate(), LIMIT_S)
    return process.returncode or 0, printed.decode(errors="replace")


async def required(tools: Tools, revision: str, port: int, home: Path) -> Outcome:
    """All that a revision requires of a server.

    The suite runs extensions and drafts as well, says that it does not score them, and exits with 0 when all that it
    scores has passed.
    """
    into = home / "results" / revision
    code, text = await told(
        tools.node,
        tools.conformance,
        "server",
        *("--url", f"http://127.0.0.1:{port}/mcp", "--requirements", revision, "-o", into),
        home=home,
    )
    _, _, unscored = text.partition("Not scored")
    runs = [found for found in SCENARIO.finditer(text) if f" {found['name']} (" not in unscored]
    passed = sum(int(found["passed"]) for found in runs)
    failed = sum(int(found["failed"]) for found in runs)
    return Outcome(f"the suite for {revision}, {len(runs)} scenarios", passed, failed, text if code or failed else "")


async def one(tools: Tools, scenario: str, revision: str, port: int, home: Path) -> Outcome:
    """One scenario of the suite."""
    into = home / "results" / f"{revision}-{scenario}"
    code, text = await told(
        tools.node,
        tools.conformance,
        "server",
        *("--url", f"http://127.0.0.1:{port}/mcp", "--scenario", scenario, "--spec-version", revision, "-o", into),
        home=home,
    )
    passed, failed = counted(into)
    return Outcome(scenario, passed, failed, text if code or failed or not passed else "")


def counted(folder: Path) -> tuple[int, int]:
    """How many checks of all scenarios with results in a folder passed and failed; a warning is no failure."""
    states = [check["status"] for file in folder.rglob("checks.json") for check in json.loads(file.read_text())]
    return states.count("SUCCESS"), states.count("FAILURE")


async def inspected(tools: Tools, command: Sequence[str], home: Path) -> Iterable[Outcome]:
    """What the inspector lists over stdio in both eras, with its strict look at schemas."""
    outcomes: list[Outcome] = []
    for era in ERAS:
        for method, strictly in INSPECTED.items():
            code, text = await told(
                tools.node,
                tools.inspector,
                "--cli",
                *command,
                *("--method", method, *strictly, "--format", "json", "--protocol-era", era),
                home=home,
            )
            outcomes.append(
                Outcome(f"inspector {method} ({era})", int(code == 0), int(code != 0), text if code else "")
            )
    return outcomes


async def everything(tools: Tools, home: Path) -> list[Outcome]:
    project = home / "project"
    project.mkdir()
    (project / "greet.py").write_text("def greet(name):\n    return f'Hello, {name}!'\n")
    moored = (sys.executable, "-m", "moored", "--project", str(project), "--store", str(home / "moored.db"))
    subprocess.run([*moored, "init"], env=surroundings(home), check=True, stdout=subprocess.DEVNULL)
    outcomes: list[Outcome] = []
    host = (sys.executable, str(HERE / "host.py"), str(home / "moored.db"), str(project))
    async with serving(host, home) as port:
        outcomes += [await required(tools, revision, port, home) for revision in REVISIONS]
    async with serving((*moored, "serve", "--http", "127.0.0.1:0"), home) as port:
        for revision in REVISIONS:
            runs = [await one(tools, name, revision, port, home) for name in WITHOUT_FIXTURES[revision]]
            outcomes.append(together(f"moored serve --http, {len(runs)} scenarios of {revision}", runs))
    runs = await inspected(tools, (*moored, "serve"), home)
    outcomes.append(together("moored serve, the inspector in both eras", runs))
    return outcomes


def together(what: str, runs: Iterable[Outcome]) -> Outcome:
    runs = list(runs)
    failures = "\n".join(f"{run.what}\n{run.told}" for run in runs if run.told)
    return Outcome(what, sum(run.passed for run in runs), sum(run.failed for run in runs), failures)


def main() -> int:
    node, folder = (Path(argument).resolve() for argument in sys.argv[1:])
    packages = folder / "node_modules" / "@modelcontextprotocol"
    tools = Tools(node, packages / "conformance/dist/index.js", packages / "inspector/clients/launcher/build/index.js")
    home = Path(tempfile.mkdtemp(prefix="moored-conformance-"))
    try:
        outcomes = asyncio.run(everything(tools, home))
    finally:
        shutil.rmtree(home)
    lines = [*(outcome.told for outcome in outcomes if outcome.told), *map(str, outcomes)]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(any(outcome.told or outcome.failed or not outcome.passed for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
