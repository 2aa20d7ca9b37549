"""Every question that can be asked of a store, as a table, so that a law can be proven for all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moored.model.episodes import Role
from moored.model.forgetting import Selection
from moored.model.projects import Project, Session, Tree
from moored.store.port_bundle import PARTS
from moored.store.rows import SESSION
from moored.store.sqlite.store import View

WORD = "mooring"
PATH = "src/quay.py"
SYMBOL = "Boat.moor"
TOMBSTONE = "an event that was forgotten"
TRANSCRIPT = "sessions/first.jsonl"
COMMAND = "make test"
MODEL = "lab-4"
MANY = 1_000
LATE = 10**15
_SESSIONS = "SELECT row, id, host, name FROM session WHERE project = ? ORDER BY row"


@dataclass(frozen=True)
class Place:
    """A project and the names and numbers by which what is in it can be asked for."""

    project: Project
    tree: Tree
    keys: list[str]
    episodes: list[str]
    seqs: list[int]
    windows: list[int]
    facts: list[str]
    fact_rows: list[int]
    bodies: list[str]
    notes: list[str]
    heads: list[int]
    operations: list[str]
    sessions: list[Session]


def place(view: View, key: str) -> Place:
    """Look a project up, with everything in it."""
    project = view.projects.by_key(key)
    assert project is not None
    (tree,) = view.projects.trees(project)

    def column(sql: str) -> list[str]:
        return [row[0] for row in view.connection.rows(sql, project.row)]

    def numbers(sql: str) -> list[int]:
        return [row[0] for row in view.connection.rows(sql, project.row)]

    return Place(
        project,
        tree,
        column("SELECT idempotency_key FROM episode WHERE project = ?"),
        column("SELECT id FROM episode WHERE project = ?"),
        numbers("SELECT seq FROM episode WHERE project = ?"),
        numbers("SELECT row FROM window WHERE project = ?"),
        column("SELECT id FROM fact WHERE project = ?"),
        numbers("SELECT row FROM fact WHERE project = ?"),
        column("SELECT body_hash FROM fact WHERE project = ?"),
        column("SELECT id FROM note WHERE project = ?"),
        numbers("SELECT head FROM note WHERE project = ?"),
        column("SELECT id FROM operation WHERE project = ?"),
        [Session(*row) for row in view.connection.rows(_SESSIONS, project.row)],
    )


Question = Callable[[View, Place, Place], object]
"""Asks, for the project of the first place, about what belongs to the second."""


def _each(owners: tuple[str, ...], ask: Callable[[str], Sequence[tuple[int, *tuple[float, ...]]]]) -> list[set[int]]:
    """Who was found, without the scores: BM25 counts the words of the whole table."""
    return [{found[0] for found in ask(kind)} for kind in owners]


_TEXTS = ("window", "revision")

_LISTINGS: dict[str, Callable[[View, Place], object]] = {
    "Projects.trees": lambda v, a: v.projects.trees(a.project),
    "Projects.count_sessions": lambda v, a: v.projects.count_sessions(a.project),
    "Operations.latest": lambda v, a: v.operations.latest(a.project),
    "Operations.all": lambda v, a: v.operations.all(a.project),
    "Notes.withdrawn": lambda v, a: v.notes.withdrawn(a.project),
    "Episodes.recent": lambda v, a: [
        v.episodes.recent(a.project, 2),
        v.episodes.recent(a.project, 2, session="first"),
    ],
    "Episodes.all": lambda v, a: list(v.episodes.all(a.project)),
    "Episodes.count": lambda v, a: v.episodes.count(a.project),
    "Episodes.count_hidden": lambda v, a: v.episodes.count_hidden(a.project),
    "Sessions.latest": lambda v, a: v.sessions.latest(a.project, 1),
    "Notes.newest": lambda v, a: v.notes.newest(a.project, 2),
    "Notes.suspects": lambda v, a: v.notes.suspects(a.tree),
    "Notes.files": lambda v, a: v.notes.files(a.tree),
    "Facts.file": lambda v, a: v.facts.file(a.tree, PATH),
    "Facts.files": lambda v, a: v.facts.files(a.tree),
    "Facts.count_files": lambda v, a: v.facts.count_files(a.tree),
    "Facts.has_files": lambda v, a: v.facts.has_files(a.tree),
    "Facts.files_named": lambda v, a: v.facts.files_named(a.tree, "quay.py"),
    "Facts.in_file": lambda v, a: v.facts.in_file(a.tree, PATH, gone=True),
    "Facts.named": lambda v, a: v.facts.named(a.tree, SYMBOL),
    "Facts.ending": lambda v, a: v.facts.ending(a.tree, "moor", 2),
    "Facts.at_line": lambda v, a: v.facts.at_line(a.tree, PATH, 2),
    "Facts.command": lambda v, a: v.facts.command(a.project, COMMAND),
    "Facts.near": lambda v, a: sorted(v.facts.near(a.tree, "moor", MANY)),
    "Facts.counts": lambda v, a: v.facts.counts(a.tree),
    "Notes.count_revisions": lambda v, a: v.notes.count_revisions(a.project),
    "Facts.count_commands": lambda v, a: v.facts.count_commands(a.project),
    "Graph.count": lambda v, a: v.graph.count(a.tree),
    "Graph.counts": lambda v, a: [v.graph.counts(f) for f in v.facts.in_file(a.tree, PATH)],
    "Graph.unreferenced": lambda v, a: v.graph.unreferenced(a.tree, ["method", "function"], 1),
    "Graph.resolved_pairs": lambda v, a: v.graph.resolved_pairs(a.tree),
    "Graph.map_symbols": lambda v, a: v.graph.map_symbols(a.tree),
    "Graph.symbols": lambda v, a: v.graph.symbols(a.tree, PATH),
    "Graph.ending": lambda v, a: v.graph.ending(a.tree, "moor", 2),
    "Graph.languages": lambda v, a: v.graph.languages(a.tree),
    "Graph.outline": lambda v, a: v.graph.outline(a.tree, PATH),
    "Graph.waiting": lambda v, a: v.graph.waiting(a.tree),
    "Graph.relinks": lambda v, a: v.graph.relinks(a.tree),
    "Graph.lookups": lambda v, a: v.graph.lookups(a.tree),
    "Bundle.rows": lambda v, a: [list(v.bundle.rows(part, a.project)) for part in PARTS],
    "Notes.all": lambda v, a: v.notes.all(a.project),
    "Notes.about_paths": lambda v, a: v.notes.about_paths(a.project, [PATH]),
    "Notes.count": lambda v, a: v.notes.count(a.project),
    "Pins.count": lambda v, a: v.pins.count(a.project),
    "Pins.all": lambda v, a: v.pins.all(a.project),
    "Search.trigrams": lambda v, a: [
        *(v.search.trigrams(kind, a.project, "oor", len(a.windows)) for kind in _TEXTS),
        v.search.trigrams("fact", a.project, "oor", len(a.facts), tree=a.tree.row),
    ],
    "Search.frequencies": lambda v, a: [
        *(v.search.frequencies(kind, a.project, [WORD, "nowhere"], MANY) for kind in _TEXTS),
        v.search.frequencies("fact", a.project, ["moor"], MANY, tree=a.tree.row),
    ],
    "Search.size": lambda v, a: [v.search.size(kind, a.project, MANY) for kind in (*_TEXTS, "fact")],
    "Search.postings": lambda v, a: [
        *_each(_TEXTS, lambda kind: v.search.postings(kind, a.project, WORD, len(a.windows))),
        *_each(("fact",), lambda kind: v.search.postings(kind, a.project, "moor", len(a.facts), tree=a.tree.row)),
    ],
    "Search.columns": lambda v, a: [
        *(v.search.columns(kind, a.project, WORD, len(a.windows)) for kind in _TEXTS),
        v.search.columns("fact", a.project, "moor", len(a.facts), tree=a.tree.row),
    ],
    "Search.told": lambda v, a: v.search.told(a.project, 2),
    "Search.between": lambda v, a: v.search.between(a.project, 0, LATE, 2),
    "Search.authors": lambda v, a: v.search.authors(a.project),
    "Search.tags": lambda v, a: v.search.tags(a.project, list(range(MANY))),
    "Search.tagged": lambda v, a: v.search.tagged(a.project, ["tag"], 1),
    "Search.about_files": lambda v, a: v.search.about_files(a.project, [PATH], MANY),
    "Transcripts.read": lambda v, a: v.transcripts.read(a.project, TRANSCRIPT),
    "Transcripts.known": lambda v, a: v.transcripts.known(a.project, "lab", ["user:1"]),
    "Vectors.count_waiting": lambda v, a: v.vectors.count_waiting(a.project),
    "Vectors.models": lambda v, a: v.vectors.models(a.project),
    "Vectors.signs": lambda v, a: [v.vectors.signs(a.project, MODEL, kind) for kind in _TEXTS],
    "Vectors.count_missing": lambda v, a: v.vectors.count_missing(a.project, "another model"),
    "Reminders.standing": lambda v, a: v.reminders.standing(a.project),
    "Reminders.proposed": lambda v, a: v.reminders.proposed(a.project),
    "Reminders.all": lambda v, a: v.reminders.all(a.project),
    "Reminders.failing": lambda v, a: v.reminders.failing(a.project, 0, 2),
    "Erasure.chosen": lambda v, a: v.erasure.chosen(a.project, Selection(since=0)),
    "Erasure.notes_of": lambda v, a: v.erasure.notes_of(a.project),
    "Erasure.pins_of": lambda v, a: v.erasure.pins_of(a.project),
    "Erasure.has_buried": lambda v, a: v.erasure.has_buried(a.project),
    "Erasure.buried": lambda v, a: v.erasure.buried(a.project, [TOMBSTONE]),
    "Erasure.holding": lambda v, a: v.erasure.holding(a.project, [WORD]),
    "Kin.disputes": lambda v, a: v.kin.disputes(a.project, settled=True),
    "Proposals.all": lambda v, a: v.proposals.all(a.project),
    "Proposals.standing": lambda v, a: v.proposals.standing(a.project),
    "Proposals.doubted": lambda v, a: v.proposals.doubted(a.project),
    "Aliases.any": lambda v, a: v.aliases.any(a.project),
    "Aliases.all": lambda v, a: v.aliases.all(a.project),
    "Seeds.all": lambda v, a: v.seeds.all(a.project),
    "Rules.standing": lambda v, a: v.rules.standing(a.project),
    "Aliases.of": lambda v, a: v.aliases.of(a.project, ["pier"]),
    "Profiles.read_to": lambda v, a: v.profiles.read_to(a.project),
    "Profiles.compared_to": lambda v, a: v.profiles.compared_to(a.project),
    "Profiles.turns": lambda v, a: v.profiles.turns(a.project, 0, 2),
    "Profiles.commands": lambda v, a: v.profiles.commands(a.project, 1, 2),
    "Profiles.runs": lambda v, a: v.profiles.runs(a.project, COMMAND, 2),
    "Profiles.notes": lambda v, a: [v.profiles.notes(a.project), v.profiles.notes(a.project, withdrawn=True)],
}
"""What is asked with the project alone."""

_LOOKUPS: dict[str, Question] = {
    "Kin.links": lambda v, a, of: [v.kin.links(a.project, i) for i in of.notes],
    "Kin.evidence": lambda v, a, of: [v.kin.evidence(a.project, i) for i in of.notes],
    "Kin.opponents": lambda v, a, of: v.kin.opponents(a.project, of.notes),
    "Proposals.get": lambda v, a, of: [
        found
        for row in v.connection.rows("SELECT id FROM proposal WHERE project = ?", of.project.row)
        if (found := v.proposals.get(a.project, row[0]))
    ],
    "Projects.tree": lambda v, a, of: v.projects.tree(a.project, of.tree.root),
    "Projects.called": lambda v, a, of: v.projects.called(a.project, of.project.name),
    "Projects.session": lambda v, a, of: v.projects.session(a.project, "lab", of.project.name),
    "Operations.get": lambda v, a, of: [v.operations.get(a.project, i) for i in of.operations],
    "Operations.changes": lambda v, a, of: [v.operations.changes(a.project, i) for i in of.operations],
    "Operations.of_note": lambda v, a, of: [v.operations.of_note(a.project, i) for i in of.notes],
    "Operations.later": lambda v, a, of: [
        v.operations.later(a.project, one, note) for one in of.operations for note in of.notes
    ],
    "Episodes.known": lambda v, a, of: [v.episodes.known(a.project, key) for key in of.keys],
    "Episodes.seq": lambda v, a, of: [v.episodes.seq(a.project, i) for i in of.episodes],
    "Episodes.get": lambda v, a, of: [v.episodes.get(a.project, i) for i in of.episodes],
    "Episodes.standing": lambda v, a, of: [v.episodes.standing(a.project, i) for i in of.episodes],
    "Episodes.by_seqs": lambda v, a, of: v.episodes.by_seqs(a.project, of.seqs),
    "Episodes.is_hidden": lambda v, a, of: [v.episodes.is_hidden(a.project, i) for i in of.episodes],
    "Episodes.hash_of": lambda v, a, of: [v.episodes.hash_of(a.project, i) for i in of.episodes],
    "Episodes.near": lambda v, a, of: [v.episodes.near(a.project, i[:4]) for i in of.episodes],
    "Sessions.span": lambda v, a, of: [v.sessions.span(a.project, one) for one in of.sessions],
    "Sessions.agents": lambda v, a, of: [v.sessions.agents(a.project, one) for one in of.sessions],
    "Sessions.turns": lambda v, a, of: [
        v.sessions.turns(a.project, one, role, 2) for one in of.sessions for role in (Role.USER, Role.ASSISTANT)
    ],
    "Sessions.calls": lambda v, a, of: [
        v.sessions.calls(a.project, one, 2, tools=tools) for one in of.sessions for tools in ((), ("Bash",))
    ],
    "Sessions.count": lambda v, a, of: [v.sessions.count(a.project, one) for one in of.sessions],
    "Sessions.summary": lambda v, a, of: [v.sessions.summary(a.project, one) for one in of.sessions],
    "Sessions.around": lambda v, a, of: v.sessions.around(a.project, of.episodes, 2),
    "Sessions.within": lambda v, a, of: [v.sessions.within(a.project, one, 0, of.seqs) for one in of.sessions],
    "Facts.get": lambda v, a, of: [v.facts.get(a.project, i) for i in of.facts],
    "Facts.with_body": lambda v, a, of: [v.facts.with_body(a.tree, body) for body in of.bodies],
    "Facts.of_episode": lambda v, a, of: [v.facts.of_episode(a.project, i) for i in of.episodes],
    "Facts.by_rows": lambda v, a, of: v.facts.by_rows(a.project, of.fact_rows),
    "Facts.rows": lambda v, a, of: v.facts.rows(a.project, of.facts),
    "Facts.history": lambda v, a, of: [v.facts.history(a.project, i) for i in of.facts],
    "Graph.values": lambda v, a, of: v.graph.values(a.tree, of.fact_rows),
    "Graph.numbers": lambda v, a, of: v.graph.numbers(a.project, of.facts),
    "Graph.into": lambda v, a, of: v.graph.into(a.project, of.facts),
    "Graph.out_of": lambda v, a, of: v.graph.out_of(a.project, of.facts),
    "Notes.get": lambda v, a, of: [v.notes.get(a.project, i) for i in of.notes],
    "Notes.by_heads": lambda v, a, of: v.notes.by_heads(a.project, of.heads),
    "States.uses": lambda v, a, of: v.states.uses(a.project, of.notes),
    "States.ratings": lambda v, a, of: [v.states.ratings(a.project, i) for i in of.notes],
    "States.counts": lambda v, a, of: v.states.counts(a.project, of.notes),
    "Profiles.turns_in": lambda v, a, of: v.profiles.turns_in(a.project, of.seqs),
    "Profiles.told": lambda v, a, of: v.profiles.told(a.project, of.seqs),
    "Profiles.pieces": lambda v, a, of: [one for one in v.profiles.pieces(a.project, of.notes).values() if one],
    "Notes.revisions": lambda v, a, of: [v.notes.revisions(a.project, i) for i in of.notes],
    "Notes.near": lambda v, a, of: [v.notes.near(a.project, i[:4]) for i in of.notes],
    "Search.places": lambda v, a, of: v.search.places(
        a.project, [one.row * SESSION + n for one in of.sessions for n in (0, 1)]
    ),
    "Search.window_rows": lambda v, a, of: v.search.window_rows(a.project, of.windows),
    "Search.untold": lambda v, a, of: v.search.untold(a.project, of.seqs),
    "Search.said_in": lambda v, a, of: v.search.said_in(a.project, of.seqs),
    "Search.about_facts": lambda v, a, of: v.search.about_facts(a.project, of.fact_rows, MANY),
    "Search.ids": lambda v, a, of: [
        v.search.ids("episode", a.project, of.seqs),
        v.search.ids("revision", a.project, of.heads),
        v.search.ids("fact", a.project, of.fact_rows),
    ],
    "Reminders.get": lambda v, a, of: [
        found
        for row in v.connection.rows("SELECT id FROM reminder WHERE project = ?", of.project.row)
        if (found := v.reminders.get(a.project, row[0]))
    ],
    "Erasure.kinds": lambda v, a, of: v.erasure.kinds(a.project, [*of.episodes, *of.notes]),
    "Erasure.episodes": lambda v, a, of: v.erasure.episodes(a.project, of.episodes),
    "Erasure.facts_of": lambda v, a, of: v.erasure.facts_of(a.project, of.episodes),
    "Erasure.resting_on": lambda v, a, of: v.erasure.resting_on(a.project, of.episodes, of.facts),
    "Erasure.words_of": lambda v, a, of: v.erasure.words_of(a.project, of.notes),
    "Erasure.revisions": lambda v, a, of: [v.erasure.revisions(a.project, i) for i in of.notes],
    "Erasure.texts": lambda v, a, of: v.erasure.texts(a.project, "note", of.notes),
    "Erasure.count": lambda v, a, of: v.erasure.count(a.project, of.episodes, of.notes),
    "Erasure.reminders_of": lambda v, a, of: v.erasure.reminders_of(a.project, of.episodes, of.notes),
    "Erasure.hidden_by": lambda v, a, of: [part for i in of.operations for part in v.erasure.hidden_by(a.project, i)],
    "Transcripts.captured": lambda v, a, _: v.transcripts.captured(a.project, "lab", "first"),
    "Vectors.exact": lambda v, a, of: [
        v.vectors.exact(a.project, MODEL, "window", of.windows),
        v.vectors.exact(a.project, MODEL, "revision", of.heads),
    ],
    "Vectors.codes": lambda v, a, of: [
        v.vectors.codes(a.project, MODEL, "window", of.windows),
        v.vectors.codes(a.project, MODEL, "revision", of.heads),
    ],
    "Vectors.live": lambda v, a, of: [
        v.vectors.live(a.project, "window", of.windows),
        v.vectors.live(a.project, "revision", of.heads),
    ],
}
"""What is asked with names or numbers."""


def _alone(listing: Callable[[View, Place], object]) -> Question:
    return lambda view, asker, _: listing(view, asker)


QUESTIONS: dict[str, Question] = {name: _alone(ask) for name, ask in _LISTINGS.items()} | _LOOKUPS
"""Every question, by the class and the method of the port."""

NOT_QUESTIONS: dict[str, str] = {
    "Projects.by_key": "finds the project itself",
    "Projects.by_id": "finds the project that the caller names",
    "Projects.all": "lists the projects, nothing of what is in them",
    "Projects.add": "writes",
    "Projects.add_tree": "writes",
    "Projects.add_session": "writes",
    "Operations.begin": "writes",
    "Operations.finish": "writes",
    "Operations.attribute": "writes",
    "Operations.hide": "writes",
    "Operations.show": "writes",
    "Operations.set_undone": "writes",
    "Erasure.salt": "is of the store",
    "Erasure.unfinished": "is of the files of the store",
    "Erasure.every_text": "is what a proof looks through, and tells nobody",
    "Erasure.bury": "writes",
    "Erasure.set_salt": "writes",
    "Erasure.erase_notes": "writes",
    "Erasure.erase_episodes": "writes",
    "Erasure.erase_rows": "writes",
    "Erasure.replace_episode": "writes",
    "Erasure.redact_rows": "writes",
    "Erasure.redact_said": "writes",
    "Erasure.set_unfinished": "writes",
    "Episodes.add": "writes",
    "Episodes.add_windows": "writes",
    "Kin.link": "writes",
    "Kin.reinforce": "writes",
    "Kin.dispute": "writes",
    "Kin.settle": "writes",
    "Proposals.add": "writes",
    "Proposals.decide": "writes",
    "Notes.add": "writes",
    "Notes.revise": "writes",
    "Notes.supersede": "writes",
    "Notes.withdraw": "writes",
    "Notes.protect": "writes",
    "Notes.restore": "writes",
    "States.put_uses": "writes",
    "States.rate": "writes",
    "Profiles.set_compared": "writes",
    "Profiles.set_read": "writes",
    "Pins.add": "writes",
    "Pins.remove": "writes",
    "Search.put": "writes",
    "Search.remove": "writes",
    "Transcripts.keep": "writes",
    "Transcripts.add": "writes",
    "Vectors.enqueue": "writes",
    "Vectors.put": "writes",
    "Vectors.remove": "writes",
    "Vectors.requeue_missing": "writes",
    "Vectors.drop": "writes",
    "Aliases.add": "writes",
    "Seeds.put": "writes",
    "Rules.add": "writes",
    "Aliases.remove": "writes",
    "Reminders.add": "writes",
    "Reminders.fire": "writes",
    "Reminders.snooze": "writes",
    "Reminders.finish": "writes",
    "Vectors.passages": "gives the upkeep what is to be embedded, by its place in the queue",
    "Vectors.waiting": "gives the upkeep the numbers of what waits, of all projects, and nothing of what it says",
}
"""The methods that ask nothing of a project, and why."""
