"""All that goes when something is forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.atlas.profile.remaining import remaining
from moored.atlas.profile.standing import is_learned
from moored.forgetting.choosing import Chosen
from moored.forgetting.lineage import without
from moored.model.forgetting import Plan, Rebuilt
from moored.model.hashing import digest
from moored.model.notes import AnchorRole
from moored.model.profiles import PROFILE
from moored.model.terms import fts_query, query_terms
from moored.model.text import fold, shorten

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.port_erasure import ErasableEpisode

SHOWN = 20
"""Texts that a plan shows the beginnings of."""

SAME_WORDS = 200
"""Windows with all the words of a note that are compared with it."""

LENGTH = 80
"""Characters of such a beginning."""


@dataclass(slots=True)
class _Growing:
    """What goes, as far as it is known."""

    episodes: dict[str, ErasableEpisode]
    notes: dict[str, None]
    rebuilt: dict[str, Rebuilt]
    facts: list[str]


def plan(
    view: View, project: Project, chosen: Chosen, *, backups: tuple[str, ...] = (), entries: tuple[str, ...] = ()
) -> Plan:
    """Find everything that rests on what was chosen, until nothing more is found.

    A note that goes takes the episodes along that were recorded for its words alone; an episode that goes takes along
    the notes that rest on nothing else.
    """
    going = _grow(view, project, chosen)
    erasure = view.erasure
    episodes, notes = tuple(going.episodes), tuple(sorted(going.notes))
    reminders = tuple(dict.fromkeys((*chosen.reminders, *erasure.reminders_of(project, episodes, notes))))
    rebuilt = tuple(going.rebuilt[note] for note in sorted(going.rebuilt))
    also = erasure.count(project, episodes, notes)
    parts = ("|".join(one) for one in (episodes, notes, chosen.pins, reminders))
    token = digest("\n".join((*parts, *(f"{one.note} {one.erased} {one.text}" for one in rebuilt))))[:12]
    return Plan(
        episodes,
        notes,
        rebuilt,
        chosen.pins,
        reminders,
        tuple(sorted(also.items())),
        backups,
        entries,
        _shown(view, project, going, chosen, reminders),
        token,
    )


def _grow(view: View, project: Project, chosen: Chosen) -> _Growing:
    going = _Growing({}, dict.fromkeys(chosen.notes), {}, [])
    new = [*chosen.episodes, *view.erasure.words_of(project, [], chosen.reminders)]
    looked: set[str] = set()
    while True:
        notes = [note for note in going.notes if note not in looked]
        looked |= set(notes)
        words = [*view.erasure.words_of(project, notes), *_said_again(view, project, notes)]
        new = [one for one in (*new, *words) if one not in going.episodes]
        going.episodes |= {one.id: one for one in view.erasure.episodes(project, list(dict.fromkeys(new)))}
        going.facts = view.erasure.facts_of(project, list(going.episodes))
        before = len(going.notes)
        new = _judge_notes(view, project, going)
        if len(going.notes) == before and not new:
            going.episodes = dict(sorted(going.episodes.items(), key=lambda item: item[1].seq))
            return going


def _said_again(view: View, project: Project, notes: list[str]) -> list[str]:
    """The episodes that were recorded for these very words again, though no note came of it.

    What was learned for a profile is said in a turn of the user's, which is more than the words of a note.
    """
    found: dict[str, None] = {}
    revisions = [revision for note in notes for revision in view.erasure.revisions(project, note)]
    texts = {revision.text for revision in revisions if revision.actor != PROFILE}
    for text in sorted(texts):
        if terms := query_terms(text):
            every = " AND ".join(fts_query([term]) for term in terms)
            windows = view.search.postings("window", project, every, SAME_WORDS)
            said = view.episodes.by_seqs(project, sorted({window.episode for window in windows}))
            found |= dict.fromkeys(one.id for one in said.values() if one.text == text)
    return [one.id for one in view.erasure.episodes(project, list(found)) if not one.host_event]


def _judge_notes(view: View, project: Project, going: _Growing) -> list[str]:
    """Find out what is left of the notes that rest on what goes; return the episodes of words that go with them."""
    more: list[str] = []
    said = {id_: one.content.decode("utf-8", "replace") for id_, one in going.episodes.items()}
    for note in view.erasure.resting_on(project, list(going.episodes), going.facts):
        if note in going.notes:
            continue
        revisions = view.erasure.revisions(project, note)
        seen = view.notes.get(project, note, withdrawn=True)
        head = seen.head.id if seen else revisions[-1].id
        sources = {a.episode for one in revisions for a in one.anchors if a.role is AnchorRole.SOURCE} - {""}
        sources |= {one.episode for one in revisions}
        words = {
            one.id: one.content.decode("utf-8", "replace")
            for one in view.erasure.episodes(project, sorted(sources))
            if not one.host_event
        }
        left = without(revisions, head, said, going.facts, words)
        if seen and is_learned(seen) and (left is None or left.sources):
            rest = remaining(view, project, seen, said)
            every = tuple(one.id for one in revisions)
            left = Rebuilt(note, every, rest.text, "", (rest.episode,)) if rest else None
        going.rebuilt.pop(note, None)
        if left is None:
            going.notes[note] = None
        else:
            going.rebuilt[note] = left
            gone = [one for one in revisions if one.id in left.erased]
            more += [one.episode for one in gone if words.get(one.episode) == one.text and one.episode not in said]
    return more


def _shown(
    view: View, project: Project, going: _Growing, chosen: Chosen, reminders: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """The beginnings of the first texts that go."""
    texts = {
        **view.erasure.texts(project, "note", list(going.notes)[:SHOWN]),
        **view.erasure.texts(project, "pin", chosen.pins[:SHOWN]),
        **view.erasure.texts(project, "reminder", reminders[:SHOWN]),
    }
    for id_, one in list(going.episodes.items())[:SHOWN]:
        texts[id_] = one.content[: 8 * LENGTH].decode("utf-8", "replace") or f"{one.tool_name} {one.tool_input}"
    return tuple((id_, shorten(fold(text), LENGTH)) for id_, text in list(texts.items())[:SHOWN])
