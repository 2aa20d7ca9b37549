"""The promises that can be proved of a store: each is asked of all that is in it, and named with its id.

docs/guarantees.md says what each means, and which others only the tests of moored prove.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moored.doctor.check import Check, some
from moored.model.batching import batches
from moored.model.forgetting import REDACTED, Selection
from moored.record.tombstones import lines_of, of_episode, salted

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.store.port import Store, View
    from moored.store.port_erasure import ErasableEpisode

READ_AT_ONCE = 500
"""Episodes that are read together to see whether they were forgotten."""

PROMISES = (
    ("I-01", "record", "Every episode reads back byte for byte as it was acknowledged."),
    ("I-02", "facts", "Every fact is by an extractor of moored's, from a file or an episode that is there."),
    ("I-03", "anchors", "Every revision of a note rests on something, with the hash that this has."),
    ("I-06", "scope", "Nothing in one project points into another."),
    ("I-07", "history", "Every note is what its revisions and operations made it."),
    ("I-08", "protection", "No protected note was changed by anything but a request."),
    ("I-09", "undo", "Every operation is whole, and what was taken back says by what."),
    ("I-10", "forgotten", "Nothing that was forgotten is there again."),
    ("I-16", "indexes", "Rows, indexes, vectors and queue agree."),
    ("I-17", "replay", "No event is in the record twice."),
    ("I-20", "secrets", "No text that is kept holds a secret of a known shape."),
    ("I-21", "trust", "Nothing is trusted more than where it came from, and no pin, rule or reminder came from data."),
)
"""Each promise that is proved of a store: its id, its name, and what was proved."""

_KEEP = "Keep {} as it is, export what can be read with `moored export`, and put a copy back."
_REMEDIES = {
    "I-10": "Forget it again with `moored forget ID --hard`, and see what wrote it past moored.",
    "I-20": "Erase it with `moored redact`, and change the secret where it is used.",
}


def integrity(store: Store, deep: bool) -> Iterator[Check]:
    """Whether the file is sound, and, in a deep look, each promise; none is proved of a file that is not."""
    found = store.check(deep=deep)
    damage = [one.words for one in found if not one.promise or not deep]
    keep = _KEEP.format(store.path)
    if damage:
        yield Check("integrity", "problem", some(damage, "; "), keep)
    elif deep:
        yield Check("integrity", "ok", "The file is sound, and what the database refuses is refused.")
    else:
        yield Check("integrity", "ok", "The file is sound. `--deep` also proves the promises of all that is in it.")
    if deep:
        broken = [(one.promise, one.words) for one in found] + [("I-10", words) for words in _back(store)]
        for promise, name, proved in PROMISES:
            if words := [words for of, words in broken if of == promise]:
                yield Check(name, "problem", some(words, "; "), _REMEDIES.get(promise, keep), promise)
            elif not damage:
                yield Check(name, "ok", proved, promise=promise)


def forgetting(store: Store) -> Check:
    """Whether the files were seen to after the last erasure."""
    with store.read() as view:
        left = view.erasure.unfinished()
    if left:
        return Check(
            "forgetting",
            "problem",
            "Something was erased, and the files of the store were not seen to afterwards: some may be left in them.",
            "Run `moored forget --finish`.",
        )
    return Check("forgetting", "ok", "Nothing that was erased is left to be seen to.")


def _back(store: Store) -> list[str]:
    """The episodes that were forgotten and are in the record, in words."""
    with store.read() as view:
        return [
            f"episode {one} was forgotten, and is in the record"
            for project in view.projects.all()
            for one in _come_back(view, project)
        ]


def _come_back(view: View, project: Project) -> list[str]:
    """The episodes that are answered, and of which a tombstone says that they were forgotten."""
    if not view.erasure.has_buried(project):
        return []
    salt = view.erasure.salt()
    return [
        one.id
        for batch in batches(view.erasure.chosen(project, Selection(everything=True)), READ_AT_ONCE)
        for one in view.erasure.episodes(project, batch)
        if view.erasure.buried(project, salted(_own_lines(one), salt))
        and not _was_redacted(one)
        and view.episodes.standing(project, one.id)
    ]


def _own_lines(episode: ErasableEpisode) -> tuple[str, ...]:
    """What is buried of this episode and of no other: its id and its key. Others may share its words, and stay."""
    key = of_episode(episode).always[:1] if episode.host_event else ()
    return (*lines_of([episode])[:1], *key)


def _was_redacted(episode: ErasableEpisode) -> bool:
    """Whether only a part of an episode was forgotten: the rest stays under its id."""
    texts = (episode.content.decode("utf-8", "replace"), episode.tool_input, episode.tool_name, episode.author)
    return any(REDACTED in text for text in texts)
