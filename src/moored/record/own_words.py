"""What of a turn its author says themselves: not code, not what they quote, not what they pasted."""

from __future__ import annotations

import re

from moored.record.sentences import sentences

MAX_READ = 20_000
"""Characters of a turn that are looked at: what is longer is mostly pasted."""

HEADINGS = 2
"""Headings from which on a turn is a document that somebody wrote for another purpose."""

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_TAGGED = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
_CODE_LINE = re.compile(
    r"^(?: {4,}|\t)\S|^\s*(?:>|//|/\*|\*/|#|--\s|\$\s|[-+]{3}\s|@@|\|)|[{};]\s*$|^\s*[\w.\[\]]+\s*(?:[-+*/|]?=|:=)\s|"
    r"^\s*[\w.]+\(.*\)[;,]?\s*$|\b(?:nt|ep|rv|ft)_[0-9a-z]{8,}"
)
_HEADING = re.compile(r"^#{1,4} \S", re.MULTILINE)
_PROMPT = re.compile(
    r"^\W*(?:you are (?:an?|the) |your (?:role|job|task) is\b|act as\b|system prompt\b|<system|"
    r"# ?(?:instructions|rules)\b|this session is being continued\b)",
    re.IGNORECASE | re.MULTILINE,
)
_FOLLOWS = re.compile(
    r"\b(?:says?|said|wrote|writes|docs?|documentation|readme|guide|log|logs|output|prompts?|instructions|e-?mail|"
    r"message|comments?|ticket|issue|review|quotes?|article|post|rules?|pasted|error|warning|text|translate|snippet|"
    r"example|examples|story|transcript|memory|recalled|notes?)\b[^:\n]{0,40}:\s*$",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:my|our|mine|ours|i|we)\b", re.IGNORECASE)
_PAIRS = ("\u201c\u201d", "\u00ab\u00bb", "\u300c\u300d")
_CJK_ENDS = re.compile(r"(?<=[\u3002\uff01\uff1f])")


def own_sentences(text: str) -> list[str]:
    """The sentences in which somebody speaks for themselves, verbatim, oldest first, each once.

    A turn that reads as a prompt for a program, or as a document, has none.
    """
    read = text[:MAX_READ]
    prose = _FENCE.sub("\n", read)
    if _PROMPT.search(read) or len(_HEADING.findall(prose)) >= HEADINGS:
        return []
    kept: list[str] = []
    for line in _TAGGED.sub("\n", prose).splitlines():
        if line.rstrip().endswith(":") and _FOLLOWS.search(line) and not _OWN.search(line):
            break
        kept.append("" if _CODE_LINE.search(line) else line)
    found = (part.strip() for said in sentences("\n".join(kept)) for part in _CJK_ENDS.split(said))
    return list(dict.fromkeys(said for said in found if said))


def in_quotes(sentence: str, at: int) -> bool:
    """Whether a place in a sentence stands between quotation marks or backquotes."""
    before = sentence[:at]
    if before.count('"') % 2 or before.count("`") % 2:
        return True
    if any(
        before.count(opening) > before.count(closing)
        for opening, closing in ("\u201c\u201d", "\u00ab\u00bb", "\u300c\u300d")
    ):
        return True
    return re.search(r"(?:^|[\s(:])['\u2018]\s*[^'\u2019]*$", before) is not None and bool(
        re.search(r"['\u2019](?:\W|$)", sentence[at:])
    )
