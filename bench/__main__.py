"""`python -m bench [PART ...]`: measure, print, and with `--write` keep it in RESULTS.md."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from bench.report import Section, write


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "what",
        nargs="*",
        default=["speed", "imports"],
        help="speed and imports (the default), agents, edits, rot, longmemcode",
    )
    parser.add_argument("--write", action="store_true", help="put the figures into bench/RESULTS.md")
    parser.add_argument(
        "--small", action="store_true", help="speed: without the store of 100,000; imports: without that of 500 MB"
    )
    parser.add_argument("--packages", nargs="+", default=[], help="rot: only these packages")
    parser.add_argument("--questions", type=Path, help="longmemcode: the file of questions")
    parser.add_argument("--source", type=Path, help="longmemcode: the fastapi package folder they are about")
    parser.add_argument("--peer", type=Path, help="agents: the script of server-memory, to start it in turn")
    parser.add_argument("--folder", type=Path, help="agents: a folder with a tree and a store from before")
    arguments = parser.parse_args()
    for what in arguments.what:
        if what not in _PARTS:
            parser.error(f"there is no part '{what}': choose from {', '.join(_PARTS)}")
        section = _PARTS[what](arguments)
        print(section.render())
        if arguments.write:
            write(section)


def _speed(arguments: argparse.Namespace) -> Section:
    from bench.speed import run

    return run(large=not arguments.small)


def _agents(arguments: argparse.Namespace) -> Section:
    from bench.agents import run

    return run(peer=arguments.peer, folder=arguments.folder)


def _imports(arguments: argparse.Namespace) -> Section:
    from bench.imports import run

    return run(large=not arguments.small)


def _edits(_: argparse.Namespace) -> Section:
    from bench.edits.run import run

    return run()


def _rot(arguments: argparse.Namespace) -> Section:
    from bench.rot import RELEASES, run

    return run({name: RELEASES[name] for name in arguments.packages} or RELEASES)


def _longmemcode(arguments: argparse.Namespace) -> Section:
    from bench.longmemcode import run

    if not (arguments.questions and arguments.source):
        raise SystemExit("longmemcode needs --questions and --source; see bench/README.md")
    return run(arguments.questions, arguments.source)


_PARTS: dict[str, Callable[[argparse.Namespace], Section]] = {
    "speed": _speed,
    "imports": _imports,
    "agents": _agents,
    "edits": _edits,
    "rot": _rot,
    "longmemcode": _longmemcode,
}

if __name__ == "__main__":
    main()
