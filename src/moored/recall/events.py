"""When an event was that a question is bounded by: "before the release", "since we merged the parser".

It is looked for where things are done or told to be done: in the subject of a commit, in a command that was run, in
what the user said to have done. Its words must make up a good part of what stands there: a commit that mends the notes
of a release is no release. Where nothing like that is found, the words bound nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.episodes import Role
from moored.model.terms import fts_query, query_terms
from moored.model.traits import EVENT, traits_of
from moored.recall.lexical import weight
from moored.recall.when import event_bounds, event_period
from moored.record.commands import command_of, only_looks
from moored.record.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import tzinfo

    from moored.model.episodes import Episode
    from moored.model.projects import Project
    from moored.recall.when import Period
    from moored.store.port import View
    from moored.store.rows import WindowRow

MOST = 0.75
"""The part of the weight of an event's words that must stand where it is told."""

DENSE = 0.3
"""The part of a subject or command that an event's words must be."""

NEWEST = 200
"""Windows that are looked at for each word, the newest first."""

READ = 40
"""Windows that are read, those with most of the weight and then the newest first."""

_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")


def event_periods(view: View, project: Project, text: str, now: int, zone: tzinfo) -> tuple[Period, ...]:
    """The periods that the events in a question bound, of those that are found, as meant by one who asks at `now`."""
    found: list[Period] = []
    for event in event_bounds(text):
        happened = _happened(view, project, event.words, now)
        if happened is not None:
            found.append(event_period(event, happened, now, zone))
    return tuple(found)


def _happened(view: View, project: Project, words: str, now: int) -> int | None:
    """When the event of these words last took place; None where none is found."""
    terms = query_terms(words)
    # "after running the tests" speaks of a habit, not of one time that it was done.
    if not terms or words.split(maxsplit=1)[0].lower().endswith("ing"):
        return None
    postings = {term: view.search.postings("window", project, fts_query([term]), NEWEST) for term in terms}
    weights = {term: weight(len(found)) for term, found in postings.items()}
    whole = sum(weights.values())
    held: dict[int, float] = {}
    for term, found in postings.items():
        for posting in found:
            held[posting.row] = held.get(posting.row, 0.0) + weights[term] / whole
    likely = sorted((row for row in held if held[row] >= MOST), key=lambda row: (-held[row], -row))[:READ]
    windows = view.search.window_rows(project, likely) if likely else {}
    telling = [window for window in windows.values() if _may_tell(window) and window.occurred_at <= now]
    episodes = view.episodes.by_seqs(project, [window.episode for window in telling]) if telling else {}
    stems = {_stem(term): weights[term] / whole for term in terms}
    best = max(
        ((*fit, window.occurred_at) for window in telling if (fit := _fit(window, episodes[window.episode], stems))),
        default=None,
    )
    return best[-1] if best else None


def _may_tell(window: WindowRow) -> bool:
    """Whether things are done there, or told by the user to have been."""
    if window.role == Role.USER:
        return not window.author and bool(window.traits & EVENT)
    return window.role in (Role.SYSTEM, Role.TOOL)


def _fit(window: WindowRow, episode: Episode, stems: Mapping[str, float]) -> tuple[float, bool] | None:
    """How much of the event stands in one statement, and whether that was done or only said; None for too little."""
    done = window.role != Role.USER
    fits: list[tuple[float, bool]] = []
    for statement in _statements(window, episode):
        there = {_stem(term) for term in query_terms(statement)}
        held = sum(share for stem, share in stems.items() if stem in there)
        density = len(there.intersection(stems)) / max(len(there), 1)
        if held >= MOST and (density >= DENSE or not done):
            fits.append((held, done))
    return max(fits, default=None)


def _statements(window: WindowRow, episode: Episode) -> Iterator[str]:
    if window.role == Role.SYSTEM:
        head, _, rest = episode.text.partition("\n\n")
        yield (rest or head).split("\n", 1)[0]
    elif window.role == Role.TOOL:
        command = command_of(episode.tool_input)
        if not episode.exit_status and not only_looks(command):
            yield command
    else:
        said = sentences(episode.text[window.start : window.end])
        yield from (one for one in said if traits_of(one, one, by_person=True) & EVENT)


def _stem(term: str) -> str:
    """A word without its ending, so that `merge` and `merged` are one."""
    return _ENDING.sub("", term.lower())
