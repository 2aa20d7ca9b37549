"""Tools of the set `care`: whether everything is sound, reading the tree anew, other projects, other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.errors import InvalidInput
from moored.server.arguments import called, names, text
from moored.server.tool import BOOLEAN, INTEGER, STRING, Answer, Tool, several, structure
from moored.server.words import counted, some

if TYPE_CHECKING:
    from moored.memory import Memory


def doctor(memory: Memory, depth: str) -> Answer:
    """Each thing that was examined, and what to do."""
    found = memory.doctor(deep=depth == "deep")
    lines = [
        f"{check.state} {check.title}: {check.detail}" + (f" {check.remedy}" if check.remedy else "")
        for check in found.checks
    ]
    checks = [
        {"name": check.title, "state": check.state, "detail": check.detail, "remedy": check.remedy}
        for check in found.checks
    ]
    return Answer("\n".join(lines), {"healthy": found.healthy, "checks": checks})


def index(memory: Memory, paths: tuple[str, ...] | None) -> Answer:
    """Read what changed in the tree."""
    done = memory.index(paths=paths)
    counts = {
        "files": done.files,
        "parsed": done.parsed,
        "born": done.born,
        "changed": done.changed,
        "moved": done.moved,
        "gone": done.gone,
        "skipped": len(done.skipped),
    }
    said = ", ".join(f"{number:,} {what}" for what, number in counts.items())
    if done.skipped:
        said += f"; not read: {some([f'{item.path} ({item.reason})' for item in done.skipped])}"
    return Answer(said, counts, ("map", "stale", "brief", "status"))


def projects(memory: Memory) -> Answer:
    """The projects of the store, by name and id."""
    known = memory.projects()
    lines = [f"{one.name} ({one.id})" + (" (this one)" if one.id == memory.project.id else "") for one in known]
    listed = [{"id": one.id, "name": one.name} for one in known]
    return Answer("\n".join([counted(len(known), "project"), *lines]), {"projects": listed})


def alias(memory: Memory, name: str, other: str, remove: str) -> Answer:
    """Give a thing another name, or take one from it; without names, list those that are known."""
    if bool(name) != bool(other):
        raise InvalidInput("Give 'name' and 'other' together, or neither to list what is known.")
    if name and remove == "yes":
        memory.unalias(name, other)
    elif name:
        memory.alias(name, other, actor="agent")
    known = memory.aliases()
    lines = [f"{one.alias} = {one.name} ({one.origin}{f', {one.episode}' if one.episode else ''})" for one in known]
    listed = [{"name": one.name, "alias": one.alias, "origin": one.origin, "episode": one.episode} for one in known]
    said = "\n".join([counted(len(known), "alias", "aliases"), *lines])
    return Answer(said, {"aliases": listed}, ("brief",) if name else ())


DOCTOR = Tool(
    "doctor",
    "Call when an answer says degraded, or an error names the store: examines it and says what to do.",
    (text("depth", "deep also proves the promises of all that is kept.", choices=("usual", "deep"), default="usual"),),
    structure(
        ("healthy", "checks"),
        healthy=BOOLEAN,
        checks=several(structure(name=STRING, state=STRING, detail=STRING, remedy=STRING)),
    ),
    doctor,
)

INDEX = Tool(
    "index",
    "Call when a symbol or file is not known though it is there: reads what changed in the tree.",
    (names("paths", "Only these.", default=None),),
    structure(
        ("files",),
        files=INTEGER,
        parsed=INTEGER,
        born=INTEGER,
        changed=INTEGER,
        moved=INTEGER,
        gone=INTEGER,
        skipped=INTEGER,
    ),
    index,
    writes=True,
)

PROJECTS = Tool(
    "projects",
    "Call when the user asks what another project's memory holds: its id, for `recall` with `project`.",
    (),
    structure(("projects",), projects=several(structure(id=STRING, name=STRING))),
    projects,
)

ALIAS = Tool(
    "alias",
    "Call when the user says that two names are one thing: questions by either find both. Without names it lists them.",
    (
        called("name", "The proper name: Kubernetes.", required=False),
        called("other", "Another name of it: k8s.", required=False),
        text("remove", "yes takes the other name away.", choices=("no", "yes"), default="no"),
    ),
    structure(("aliases",), aliases=several(structure(name=STRING, alias=STRING, origin=STRING, episode=STRING))),
    alias,
    writes=True,
)

CARE_SET = (DOCTOR, INDEX, PROJECTS, ALIAS)
