"""`make lab`: attack what is promised, in the long form, and show what came of it.

It ends with 1 when anything is worse than promised, or was not attacked as often as it is to be.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic

from lab.attacks import ATTACKS
from lab.running import run, table

GUARANTEES = Path(__file__).parents[2] / "docs" / "guarantees.md"
BEGIN, END = "<!-- begin lab -->", "<!-- end lab -->"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab", description=__doc__)
    parser.add_argument("attacks", nargs="*", help=f"the attacks to make (all): {', '.join(ATTACKS)}")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--minutes", type=float, default=60, help="begin no trial after so long (60)")
    parser.add_argument("--state", type=Path, default=Path(".lab.jsonl"), help="where trials are kept, to go on later")
    parser.add_argument("--write", action="store_true", help="put the table into docs/guarantees.md")
    arguments = parser.parse_args()
    if unknown := set(arguments.attacks) - set(ATTACKS):
        parser.error(f"there is no attack '{min(unknown)}': choose from {', '.join(ATTACKS)}")
    chosen = [ATTACKS[name] for name in arguments.attacks or ATTACKS]
    begun, tallies = monotonic(), []
    for at, attack in enumerate(chosen, 1):
        # What time an attack leaves is for those after it.
        end = begun + 60 * arguments.minutes * at / len(chosen)
        tallies.append(run(attack, arguments.state, first=arguments.seed, in_time=lambda end=end: monotonic() < end))
        print(f"{attack.name}: {table(tallies[-1:])[-1]}", file=sys.stderr, flush=True)
    lines = table(tallies)
    print("\n".join(lines))
    if arguments.write:
        _write(lines)
    return int(not all(tally.held and tally.whole for tally in tallies))


def _write(lines: list[str]) -> None:
    text = GUARANTEES.read_text(encoding="utf-8")
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise SystemExit(f"{GUARANTEES} has no place for the table between {BEGIN} and {END}.")
    GUARANTEES.write_text("\n".join([before + BEGIN, *lines, END + after]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
