"""One brief for one moment, also where a host runs several hooks of moored at it.

Cursor, VS Code and Copilot CLI run the hooks of Claude Code beside their own, and a plugin may be active beside what
set-up wrote. Each of these hooks puts the brief together; the first that has it hands it out, the others are silent.
What was handed out is an empty file in the inbox's folder for as long as that may be, named by a digest.

Standard library and lean modules only: hooks load it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from moored.hosts.capture import session_name
from moored.hosts.port import Happening
from moored.model.hashing import digest
from moored.record.inbox import Inbox

ANSWERED = "answered"
"""The folder of an inbox that remembers what was handed out."""

TOGETHER = 2.0
"""Seconds within which hooks of one moment answer. What happens again later is another moment."""


def is_first(store: Path, happening: Happening) -> bool:
    """Whether nothing was handed out yet at this very moment of this session. Tells so once; never raises."""
    folder = Inbox(store).folder / ANSWERED
    told = (happening.moment, happening.host, session_name(happening), happening.source, happening.text)
    file = folder / digest("\n".join((*told, happening.tool, happening.tool_input, *happening.paths)))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget(folder)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError:
        # Where nothing can be remembered, a brief twice is better than none.
        return True
    return True


def _forget(folder: Path) -> None:
    for file in folder.iterdir():
        try:
            if abs(time.time() - file.stat().st_mtime) > TOGETHER:
                file.unlink()
        except FileNotFoundError:
            continue
