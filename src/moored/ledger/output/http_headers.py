"""Responses of HTTP in tool output: `curl -i`, `curl -v`, `http --headers`, raw dumps.

The status line is the fact `http-status`; a header is named in lower case, and one that is sent twice gives two
facts. Headers of requests are left out.
"""

from __future__ import annotations

import re

from moored.ledger.output.view import Found, View
from moored.model.facts import FactKind

MAX_HEADERS = 500
BLOCK_LINES = 200

_STATUS = re.compile(rb"(< )?HTTP/\d(?:\.\d)? (\d{3}(?: [^\r\n]*)?)")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*")


def extract(view: View) -> Found:
    """Find the status lines and headers of all responses, in order."""
    found = Found()
    for start, end in view.lines_with(b"HTTP/"):
        match = _STATUS.fullmatch(view.plain[start:end])
        if match is None:
            continue
        first, last = start + match.start(2), start + match.start(2) + len(match[2].rstrip())
        if not found.has_room(MAX_HEADERS):
            # Of what follows only the responses are counted, at the speed of a byte search.
            found.omitted += view.plain.count(b"\nHTTP/", end) + view.plain.count(b"\n< HTTP/", end)
            break
        found.facts.append(view.fact(FactKind.HTTP_HEADER, "http-status", view.text(first, last), first, last))
        _headers(view, view.next_line(end), verbose=match[1] is not None, found=found)
    return found


def _headers(view: View, offset: int, *, verbose: bool, found: Found) -> None:
    """Read the header lines below a status line. In verbose form they start with `< ` among other lines."""
    for start, end in view.lines_from(offset, BLOCK_LINES):
        begin = start
        if verbose:
            if view.plain[start : start + 1] != b"<":
                continue
            begin = min(start + 2, end)
        match = _HEADER.match(view.plain, begin, end)
        if match is None:
            return
        first = match.end()
        last = first + len(view.plain[first:end].rstrip())
        name = match[1].decode("ascii").lower()
        if found.has_room(MAX_HEADERS):
            found.facts.append(view.fact(FactKind.HTTP_HEADER, name, view.text(first, last), first, last))
