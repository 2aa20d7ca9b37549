"""The formats of transcripts, one module for each host."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moored.importers.transcript import Format

NAMES = ("claude-code", "codex", "cursor", "gemini", "opencode", "copilot", "qwen", "kimi", "swe-agent")
"""The hosts whose transcripts can be imported, by the names of their modules."""


def format_of(name: str) -> Format:
    """The format of a host's transcripts, by its name."""
    return import_module(f"moored.importers.formats.{name.replace('-', '_')}").FORMAT
