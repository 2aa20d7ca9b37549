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
        help="speed and imports (the default), agents, edits, rot, longmemcode, recall, life, scale, forgetting, "
        "encryption, backup",
    )
    parser.add_argument("--write", action="store_true", help="put the figures into bench/RESULTS.md")
    parser.add_argument(
        "--small",
        action="store_true",
        help="without the largest store: speed of 100,000, imports of 500 MB, scale of 1,000,000, forgetting in 1 GB",
    )
    parser.add_argument("--packages", nargs="+", default=[], help="rot: only these packages")
    parser.add_argument("--questions", type=Path, help="longmemcode: the file of questions")
    parser.add_argument("--source", type=Path, help="longmemcode: the fastapi package folder they are about")
    parser.add_argument("--peer", type=Path, help="agents: the script of server-memory, to start it in turn")
    parser.add_argument(
        "--folder",
        type=Path,
        help="agents: a folder with a tree and a store from before; scale and forgetting: one to keep the store in",
    )
    parser.add_argument("--data", type=Path, help="recall, life: the folder of the data sets")
    parser.add_argument(
        "--cache", type=Path, help="recall, life: a folder in which vectors are kept between measurements"
    )
    parser.add_argument("--ablate", nargs="+", default=[], help="recall: signals to leave out, as for `moored bench`")
    arguments = parser.parse_args()
    for what in arguments.what:
        if what not in _PARTS:
            parser.error(f"there is no part '{what}': choose from {', '.join(_PARTS)}")
        made = _PARTS[what](arguments)
        for section in [made] if isinstance(made, Section) else made:
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


def _recall(arguments: argparse.Namespace) -> list[Section]:
    from bench.recall import run

    if not arguments.data:
        raise SystemExit("recall needs --data; see bench/README.md")
    return run(arguments.data, cache=arguments.cache, ablate=arguments.ablate)


def _life(arguments: argparse.Namespace) -> Section:
    from bench.life import run

    if not arguments.data:
        raise SystemExit("life needs --data; see bench/README.md")
    return run(arguments.data / "beam", cache=arguments.cache)


def _scale(arguments: argparse.Namespace) -> Section:
    from bench.scale import SIZES, run

    return run(SIZES[:-1] if arguments.small else SIZES, folder=arguments.folder)


def _forgetting(arguments: argparse.Namespace) -> Section:
    from bench.forgetting import run

    return run(0.1 if arguments.small else 1.0, folder=arguments.folder)


def _encryption(arguments: argparse.Namespace) -> Section:
    from bench.encryption import TURNS, run

    return run(TURNS // 10 if arguments.small else TURNS)


def _backup(arguments: argparse.Namespace) -> Section:
    from bench.backup import run

    return run(0.1 if arguments.small else 1.0, folder=arguments.folder)


def _admission(arguments: argparse.Namespace) -> Section:
    from bench.admission import run

    return run(large=not arguments.small)


_PARTS: dict[str, Callable[[argparse.Namespace], Section | list[Section]]] = {
    "speed": _speed,
    "imports": _imports,
    "agents": _agents,
    "edits": _edits,
    "rot": _rot,
    "longmemcode": _longmemcode,
    "recall": _recall,
    "life": _life,
    "scale": _scale,
    "forgetting": _forgetting,
    "encryption": _encryption,
    "backup": _backup,
    "admission": _admission,
}

if __name__ == "__main__":
    main()
