"""Values of Python's literals, so that two spellings of one value count as the same."""

from __future__ import annotations

import re
import unicodedata

_PREFIX = re.compile(rb"[A-Za-z]*")
_ESCAPE = re.compile(r"\\(N\{[^}\\]*\}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|\r\n|.)", re.DOTALL)
_SIMPLE = {
    "\n": "",
    "\r\n": "",
    "\r": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_LARGE = 1 << 64


def _escape(match: re.Match[str]) -> str:
    code = match.group(1)
    simple = _SIMPLE.get(code)
    if simple is not None:
        return simple
    try:
        if code[0] == "N" and len(code) > 1:
            return unicodedata.lookup(code[2:-1])
        if code[0] in "uUx" and len(code) > 1:
            return chr(int(code[1:], 16))
        if code[0] in "01234567":
            return chr(int(code, 8))
    except (KeyError, ValueError, OverflowError):
        pass
    return match.group()


def _escape_bytes(match: re.Match[str]) -> str:
    return match.group() if match.group(1)[0] in "NuU" else _escape(match)


def unescape(text: str, *, raw: bool, is_bytes: bool) -> str:
    """The value of what stands between the quotes; line ends read as line feeds, as Python does."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if raw or "\\" not in text:
        return text
    return _ESCAPE.sub(_escape_bytes if is_bytes else _escape, text)


def prefix_of(literal: bytes) -> str:
    """The letters before the quotes, in lower case, without `u`."""
    found = _PREFIX.match(literal)
    return found.group().decode().lower().replace("u", "") if found else ""


def string_value(literal: bytes) -> tuple[bool, str]:
    """Whether a literal without replacement fields is of bytes, and its value (bytes as Latin-1 characters)."""
    prefix = prefix_of(literal) if literal[:1] not in b"'\"" else ""
    quotes = 3 if literal[-3:] in (b'"""', b"'''") and len(literal.lstrip(b"rRbBuUfFtT")) >= 6 else 1
    first = literal.find(literal[-1:])
    inner = literal[first + quotes : -quotes].decode("utf-8", "surrogateescape")
    is_bytes = "b" in prefix
    return is_bytes, unescape(inner, raw="r" in prefix, is_bytes=is_bytes)


def text_token(value: str) -> bytes:
    """A token for a text: it keeps every character apart, surrogates included."""
    return value.encode("utf-8", "surrogatepass")


def number_value(literal: bytes) -> bytes:
    """One spelling for each number; a literal that is not Python's stays as it is."""
    text = literal.decode("ascii", "replace").replace("_", "").lower()
    if text.isdigit() and (text[0] != "0" or text == "0"):
        return text.encode()
    try:
        if text.endswith("j"):
            return repr(complex(text)).encode()
        if text[:2] in ("0x", "0o", "0b"):
            value = int(text, 0)
            return (str(value) if value < _LARGE else hex(value)).encode()
        if text.strip("0") == "":
            return b"0"
        return b"f" + repr(float(text)).encode() if not text.isdigit() else literal
    except (ValueError, OverflowError):
        return literal
