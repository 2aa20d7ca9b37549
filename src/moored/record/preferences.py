"""What the turns of a user say that they prefer, always do or want done, read by rule (A-13).

Precision goes before recall: a sentence counts only when it, or a clause of it, opens with one of a few forms that
state something lasting, in the first person or as an instruction. Questions, quotations, conditions, guesses, the past,
what others prefer, what holds for one occasion, and irony are left out; so is what merely describes how something
behaves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.preferences import Preference
from moored.record.own_words import in_quotes, own_sentences
from moored.record.preference_forms import Form, forms, hint
from moored.record.preference_keys import OTHER, scope, tool, topic
from moored.record.preference_tongues import foreign
from moored.record.preference_words import is_left_out, of_one_thing
from moored.record.sentences import is_question

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SENTENCE = 300
"""Characters of the longest sentence that is read: what states a preference is short."""

LEAST_VALUE = 2
"""Characters of the shortest value: "I love to" has none."""

MAX_VALUE = 120
"""Characters that are kept of what is wanted."""

_BEHIND = re.compile(
    r"^(?P<what>.+?)(?<!control),?\s+(?:over|to(?= (?:plain |raw )?[\w.+#-]+(?:\s*[.!]|$))|instead of|rather than|"
    r"(?:better |more )than|not|never)\s+(?:in )?(?P<over>[^,;]+)",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\s*(?:[;!]|\.(?:\s|$)|,? (?:because|since|so that|so|but|as it|unless)\b|"
    r", (?:it|and|please|never|not|which|can you|can we)\b| [\u2013\u2014-] |\().*$",
    re.IGNORECASE | re.DOTALL,
)
_FOR_ALL = re.compile(
    r"\b(?:everywhere|for (?:all|every|our|unit)|conventions?|style|units|by default|"
    r"in this (?:repo|project|codebase))\b|-style\b"
)
_SAYS_LITTLE = frozenset({"use", "using", "prefer", "want", "have", "stick"})
_SAME_KEYS = {"test runner": "test framework"}


def preferences(text: str) -> tuple[Preference, ...]:
    """What a user's turn states for good, in the order of its sentences, at most one of each.

    What only corrects what was just done is among them, marked (`Preference.correction`).
    """
    found = (preference(sentence) for sentence in own_sentences(text))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def preference(sentence: str) -> Preference | None:
    """What one sentence states, or None."""
    if len(sentence) > MAX_SENTENCE or is_question(sentence) or sentence.endswith("\uff1f"):
        return None
    if (said := foreign(sentence)) is not None:
        return said
    plain = sentence.replace("\u2019", "'")
    if not hint().search(plain) or is_left_out(plain):
        return None
    return next(_read_by_forms(plain, sentence), None)


def _read_by_forms(plain: str, sentence: str) -> Iterator[Preference]:
    for form, pattern in forms():
        match = pattern.search(plain)
        if match and not in_quotes(plain, match.start("what")) and (read := _read(form, match, sentence)):
            yield read


def _read(form: Form, match: re.Match[str], sentence: str) -> Preference | None:
    """What a form says that matched a sentence, or None when its words speak of something else."""
    groups = match.groupdict(default="")
    verb, rest = groups.get("verb", "").lower(), groups["what"].strip()
    if (form.verb is not None and verb not in form.verb) or (not form.bound and of_one_thing(rest)):
        return None
    behind = _BEHIND.match(rest)
    over = groups.get("over", "") or (behind["over"] if behind else "")
    what = _ended(behind["what"] if behind else rest)
    if verb not in _SAYS_LITTLE:
        what = f"{groups.get('verb', '')} {what}".strip()
    about = topic(what, sentence)
    if len(what) < LEAST_VALUE or (
        form.named and not about.name and not (not form.correction and _FOR_ALL.search(sentence))
    ):
        return None
    if form.topical and about.key == OTHER:
        return None
    key = groups.get("key", "").lower() or about.key
    put_behind = tool(over)
    return Preference(
        text=sentence,
        subject=form.subject,
        key=_SAME_KEYS.get(key, key),
        value=about.name or what[:MAX_VALUE],
        wanted=form.wanted and not groups.get("no") and groups.get("often", "").lower() != "never",
        over=put_behind.name if put_behind else _ended(over)[:MAX_VALUE],
        known=bool(about.name),
        scope=scope(what) if about.name and about.key != "answer language" else "",
        correction=form.correction,
    )


def _ended(what: str) -> str:
    """A value without the reason, the condition or the next clause that follows it."""
    return _ENDS.sub("", what).rstrip(" ,.!:;\"'").lstrip(" ,:;\"'")
