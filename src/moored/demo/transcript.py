"""The transcript of the demo in README.md: made, compared and written anew."""

from __future__ import annotations

import re
from pathlib import Path

from moored.demo.story import tell
from moored.errors import InvalidInput

BEGIN = "<!-- transcript: `python -m moored.demo README.md` writes it anew -->\n```text\n"
END = "\n```\n<!-- end of transcript -->"

_ID = re.compile(r"\b(pr|tr|se|ep|fa|no|re|pi|op|di|po)_[0-9a-z]{18}\b")
_NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")
_COUNTED = re.compile(r"\bN (commit|episode|fact|file|note|piece|pin|problem)s?\b")


def transcript(source: Path) -> str:
    """Run the demo on a repository and return what it said."""
    lines: list[str] = []
    tell(source, lines.append)
    return "\n".join(lines)


def normalised(text: str) -> str:
    """The transcript with what differs from run to run replaced: ids by `no_ID`, every other number by `N`.

    What is counted stands in the plural, so that one commit is like many.
    """
    text = _NUMBER.sub("N", _ID.sub(lambda match: f"{match[1]}_ID", text))
    return _COUNTED.sub(r"N \1s", text)


def written_in(readme: str) -> str:
    """The transcript that stands in a text. Raises `InvalidInput` when there is none."""
    _, begin, rest = readme.partition(BEGIN)
    found, end, _ = rest.partition(END)
    if not begin or not end:
        raise InvalidInput("There is no transcript to replace: the marks around it are missing.")
    return found


def with_transcript(readme: str, new: str) -> str:
    """The text with another transcript in place of the one that stands in it."""
    return readme.replace(BEGIN + written_in(readme) + END, BEGIN + new + END)
