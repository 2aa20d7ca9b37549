"""The names in a question: what else the same things are called, and which notes are about them (A-17).

A name is met as whole words, in any case, in singular or plural. A word that stands in no text of the project and is
one slip of the keyboard away from a name is taken for that name; its first two letters must be right, since those
are seldom mistaken and most short names differ in them (`mango` is not `mongo`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.model.aliases import folded
from moored.model.recall import HitKind
from moored.model.stopwords import is_stop_word
from moored.model.text import fts_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from moored.model.aliases import Alias
    from moored.model.projects import Project
    from moored.recall.mentions import Key
    from moored.store.port import View

LONGEST = 5
"""Words of the longest name that is looked for in a question."""

READ = 100
"""Words of a question that are looked at."""

MOST_NOTES = 50
"""Notes that one question names, the newest first."""

MOST_NAMES = 8
"""Other names that a term is also looked for by."""

LEAST_MISSPELT = 4
"""Letters of the shortest word that may be a slip of the keyboard."""

LEAST_NUMBERED = 3
"""Letters of the shortest name that has a plural."""

_WORD = re.compile(r"[^\W_]+")
_BEFORE, _AFTER = "@.#$", "+#"


class Named(NamedTuple):
    """What a question names.

    `alternatives` has the other names of a term, by the term in lower case; those of a name of several words stand at
    its first. `notes` are those with a name as one of their tags, and `covered` the words, in lower case, of which the
    names consist.
    """

    alternatives: dict[str, tuple[str, ...]]
    notes: dict[Key, float]
    covered: frozenset[str]


NOBODY = Named({}, {}, frozenset())


class _Span(NamedTuple):
    """A stretch of a question: the words that it covers, and the forms in which it may be a name."""

    words: tuple[str, ...]
    forms: tuple[str, ...]


def named(view: View, project: Project, text: str, tags: Sequence[str] = ()) -> Named:
    """What a question names. With `tags`, the notes are only those that have one of these as well."""
    if not view.aliases.any(project):
        return NOBODY
    spans = _spans(text)
    met = {form for span in spans for form in span.forms}
    rows = view.aliases.of(project, sorted(met)) if met else []
    known = {folded(name) for row in rows for name in row[:2]}
    found = [(span, form) for span in spans for form in span.forms if form in known]
    taken = {word for span, _ in found for word in span.words}
    slips = _misspelt(view, project, [span for span in spans if len(span.words) == 1 and span.words[0] not in taken])
    if slips:
        found += slips
        rows = [*rows, *view.aliases.of(project, [form for _, form in slips])]
    if not found:
        return NOBODY
    return _named(view, project, found, rows, tags)


def alternatives(view: View, project: Project, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The other names of the terms of a question, which follow one another as there."""
    return named(view, project, " ".join(terms)).alternatives


def told_by_tags(view: View, project: Project, heads: Sequence[int], weights: Mapping[str, float]) -> dict[Key, float]:
    """The share of a question's weight that the tags of notes hold: by them somebody said what the notes are about."""
    whole = sum(weights.values()) or 1.0
    forms = {term: {term.lower(), *_numbers(term.lower())} for term in weights}
    told: dict[Key, float] = {}
    for head, tags in (view.search.tags(project, heads) if heads else {}).items():
        words = {word for tag in tags for word in (tag, *_WORD.findall(tag))}
        told[HitKind.NOTE, head] = sum(weights[term] for term, known in forms.items() if known & words) / whole
    return told


def _named(
    view: View, project: Project, found: Sequence[tuple[_Span, str]], rows: Sequence[Alias], tags: Sequence[str]
) -> Named:
    """What these stretches stand for, by the rows of which they are the name or the alias."""
    things = {
        form: {folded(row.name) for row in rows if form in (folded(row.name), folded(row.alias))} for _, form in found
    }
    every = sorted({thing for names in things.values() for thing in names})
    called: dict[str, dict[str, str]] = {thing: {} for thing in every}
    for row in view.aliases.of(project, every):
        if (thing := folded(row.name)) in called:
            called[thing].update({thing: row.name, folded(row.alias): row.alias})
    others: dict[str, dict[str, None]] = {}
    for span, form in found:
        names = (name for thing in sorted(things[form]) for key, name in called[thing].items() if key != form)
        others.setdefault(span.words[0], {}).update(dict.fromkeys(names))
        if form not in span.forms:
            others[span.words[0]][form] = None
    heads = view.search.tagged(project, every, MOST_NOTES, among=tags)
    return Named(
        {word: tuple(names)[:MOST_NAMES] for word, names in others.items() if names},
        {(HitKind.NOTE, head): 1.0 for head in heads},
        frozenset(word for span, _ in found for word in span.words),
    )


def _spans(text: str) -> list[_Span]:
    """Every stretch of up to `LONGEST` words of a text, but for single function words."""
    words = list(_WORD.finditer(text))[:READ]
    found: list[_Span] = []
    for first in range(len(words)):
        for last in range(first, min(first + LONGEST, len(words))):
            part = tuple(word[0].lower() for word in words[first : last + 1])
            if last > first or not is_stop_word(part[0]):
                found.append(_Span(part, _forms(text, words[first].start(), words[last].end(), part)))
    return found


def _forms(text: str, start: int, end: int, words: tuple[str, ...]) -> tuple[str, ...]:
    """How the name may be written that stands in a text: as there, with the marks around it, in the other number.

    A single letter is no name.
    """
    wide, far = start, end
    while wide and text[wide - 1] in _BEFORE:
        wide -= 1
    while far < len(text) and text[far] in _AFTER:
        far += 1
    written = dict.fromkeys((text[start:end], text[wide:end], text[start:far], " ".join(words)))
    forms = (folded(form) for one in written for form in (one, *_numbers(one)))
    return tuple(dict.fromkeys(form for form in forms if len(form) > 1))


def _numbers(name: str) -> Iterable[str]:
    """A name in singular and in plural, by the regular endings of English; one letter or two have no other number."""
    if len(name) < LEAST_NUMBERED:
        return
    if name.endswith("ies"):
        yield f"{name[:-3]}y"
    elif name.endswith(("sses", "xes", "ches", "shes")):
        yield name[:-2]
    elif name.endswith("s") and not name.endswith("ss"):
        yield name[:-1]
    else:
        yield f"{name}es" if name.endswith(("ss", "x", "ch", "sh")) else f"{name}s"
        if name.endswith("y"):
            yield f"{name[:-1]}ies"


def _misspelt(view: View, project: Project, spans: Sequence[_Span]) -> list[tuple[_Span, str]]:
    """The words that stand in no text and are one slip away from a name of one word, each with that name."""
    words = [span for span in spans if len(span.words[0]) >= LEAST_MISSPELT]
    if not words:
        return []
    names = {folded(name) for row in view.aliases.all(project) for name in row[:2]}
    single = sorted(name for name in names if len(name) >= LEAST_MISSPELT and " " not in name)
    found: list[tuple[_Span, str]] = []
    for span in words:
        word = span.words[0]
        near = [name for name in single if name[:2] == word[:2] and one_slip(word, name)]
        if near and not _heard(view, project, word):
            found += [(span, name) for name in near]
    return found


def _heard(view: View, project: Project, word: str) -> bool:
    """Whether a word stands in any note or turn of the project."""
    match = fts_query([word])
    return any(any(view.search.frequencies(kind, project, [match], 1)) for kind in ("revision", "window"))


def one_slip(word: str, other: str) -> bool:
    """Whether two words differ by one letter that is missing, too many, wrong, or changed places with the next."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    same = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    rest, others = word[same:], other[same:]
    swapped = rest[:2] == others[:2][::-1] and rest[2:] == others[2:]
    return rest[1:] == others or rest == others[1:] or rest[1:] == others[1:] or swapped
