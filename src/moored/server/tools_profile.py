"""The tool of the set `life` that tells how the user and the project want things done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.atlas.profile.reading import holds, meaning
from moored.model.clock import iso
from moored.model.episodes import Trust
from moored.model.notes import State
from moored.model.profiles import PROFILE
from moored.server.arguments import text
from moored.server.tool import INTEGER, STRING, STRINGS, Answer, Tool, several, structure
from moored.server.tools_reading import budget, verdict
from moored.server.words import counted, label, one_line, packed, quoted

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.model.profiles import Entry

SHOWN = 4
"""Ids of episodes that are shown of what a line rests on."""


def profile(memory: Memory, about: str, every: str, budget: int) -> Answer:
    """Preferences, conventions and habits, the best founded first."""
    entries = memory.profile(about=about, every=every == "yes")
    lines, _ = packed((_line(one) for one in entries), budget)
    shown = entries[: len(lines)]
    omitted = len(entries) - len(shown)
    if omitted:
        lines.append(f"({omitted:,} left out)")
    head = counted(len(entries), "line") + " of the profile, the best founded first"
    return Answer("\n".join([head, *lines]), {"profile": [_data(one) for one in shown], "omitted_count": omitted})


def _line(one: Entry) -> str:
    note = one.judged.note
    plain = holds(one) and one.judged.verdict.state is not State.DISPUTED
    state = "" if plain else f"{label(one.judged.verdict)} "
    said = quoted(one_line(note.head.text, 240), one.trust is Trust.DATA)
    pieces = [piece.episode for piece in one.pieces if piece.stands][-SHOWN:]
    return "\n".join(
        (
            f"## {state}{note.id}, {note.kind}: {one_line(meaning(one))}",
            said,
            f"{one.standing} of {len(one.pieces)} pieces stand, last {iso(one.last_at)[:10]}: {', '.join(pieces)}",
        )
    )


def _data(one: Entry) -> dict[str, Any]:
    note, said = one.judged.note, one.preference
    return {
        "id": note.id,
        "kind": note.kind,
        "text": note.head.text,
        "by": "rule" if note.head.actor == PROFILE else note.head.actor,
        "key": one.key,
        "value": f"{'' if said.wanted else 'not '}{said.value}" if said else "",
        **verdict(one.judged.verdict),
        "occasions": one.occasions,
        "evidence": [piece.episode for piece in one.pieces if piece.stands],
    }


PROFILE_TOOL = Tool(
    "profile",
    "Call before you choose a tool, a style or a tone for the user: what they and this project prefer, with evidence.",
    (
        text("about", "A key, such as 'package manager'."),
        text("every", "yes: also what was replaced or lost its evidence.", choices=("yes", "no"), default="no"),
        budget,
    ),
    structure(
        ("profile", "omitted_count"),
        profile=several(
            structure(
                id=STRING,
                kind=STRING,
                text=STRING,
                by=STRING,
                key=STRING,
                value=STRING,
                state=STRING,
                why=STRING,
                now=STRING,
                occasions=INTEGER,
                evidence=STRINGS,
            )
        ),
        omitted_count=INTEGER,
    ),
    profile,
)
