"""OpenCode: the tables `session`, `message` and `part` of `~/.local/share/opencode/opencode.db`, as of 1.19.

A part is one typed piece of a message. A tool's call and its result are one part. The sessions of sub-agents name the
one that began them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moored.errors import InvalidInput
from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.texts import member, objects, text_of
from moored.importers.transcript import Format, Record, Source, Tally, milliseconds
from moored.model.episodes import Role
from moored.record.tool_text import exit_status, input_text

HOST = "opencode"

_LEFT_OUT = frozenset(
    (
        *("reasoning", "file", "step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"),
        *("subtask", "message of the system"),
    )
)


class OpenCode:
    """Reads the messages of one session, each with its parts."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        del carried
        self.calls = Calls()
        self._tally = tally
        self._session, _, self._agent = source.part.partition("/")
        self._folder = source.folder

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        info, parts = member(record, "info"), objects(record.get("parts"))
        role, identity = text_of(info, "role"), text_of(info, "id")
        if role not in ("user", "assistant"):
            self._tally.sort(f"message of the {role}" if role else "", _LEFT_OUT)
            return
        at = milliseconds(member(info, "time").get("created"))
        summary = role == "assistant" and bool(info.get("summary"))
        base = TranscriptEvent(
            Role.SYSTEM if summary else Role(role),
            "",
            "",
            self._session,
            self._agent,
            parent=text_of(info, "parentID"),
            cwd=self._folder,
            at=at,
            summary=summary,
        )
        spoken = [part for part in parts if text_of(part, "type") == "text" and not part.get("synthetic")]
        spoken = [part for part in spoken if not part.get("ignored") and text_of(part, "text").strip()]
        for part in parts:
            if part in spoken:
                # A message with one text has its id; where tools stand between several, each has that of its part.
                own = identity if len(spoken) == 1 else text_of(part, "id") or identity
                yield base._replace(name=f"{base.role}:{own}", text=text_of(part, "text"))
            elif text_of(part, "type") == "tool":
                yield from self._tool(part, base)
            elif text_of(part, "type") == "text":
                self._tally.skipped["text written by the host"] += 1
            else:
                self._tally.sort(text_of(part, "type"), _LEFT_OUT)

    def finish(self) -> Iterator[TranscriptEvent]:
        return iter(())

    def carried(self) -> Mapping[str, str]:
        return {}

    def _tool(self, part: Mapping[str, Any], base: TranscriptEvent) -> Iterator[TranscriptEvent]:
        """A call with its result. One that runs still is read when the session has changed again."""
        call_id, state = text_of(part, "callID") or text_of(part, "id"), member(part, "state")
        status = text_of(state, "status")
        if status not in ("completed", "error"):
            self._tally.skipped[f"tool: {status or 'without a status'}"] += 1
            return
        metadata = member(state, "metadata")
        yield from self.calls.end(
            call_id,
            base._replace(
                role=Role.TOOL,
                summary=False,
                tool=text_of(part, "tool"),
                tool_input=input_text(state.get("input")),
                text=text_of(state, "output") if status == "completed" else text_of(state, "error"),
                at=milliseconds(member(state, "time").get("end")) or base.at,
                exit_status=exit_status({"exitCode": metadata.get("exit")}),
            ),
        )


def rows(source: Source) -> Iterator[Record]:
    """The messages of a session with their parts."""
    from moored.store.sqlite.foreign import opencode_messages

    yield from opencode_messages(source.path, source.part.rpartition("/")[2])


def homes() -> Sequence[Path]:
    """The database, which `$OPENCODE_DB` and `$XDG_DATA_HOME` move."""
    if named := os.environ.get("OPENCODE_DB"):
        return (Path(named),)
    data = os.environ.get("XDG_DATA_HOME")
    base = Path(data) if data else Path.home() / ".local" / "share"
    return (base / "opencode" / "opencode.db",)


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The sessions of a database, or of those in a folder."""
    del folders  # every session names its folder
    from moored.store.sqlite.foreign import opencode_sessions

    for file in sorted(path.glob("opencode*.db")) if path.is_dir() else [path]:
        try:
            sessions = opencode_sessions(file)
        except InvalidInput:
            # It is said of it when it is read.
            yield Source(file)
            continue
        parents = {session: parent for session, parent, _, _ in sessions}
        for session, _, folder, stamp in sessions:
            root = _root(session, parents)
            yield Source(file, session if root == session else f"{root}/{session}", folder, stamp)


def _root(session: str, parents: Mapping[str, str]) -> str:
    """The session that the user talks to, to which a session of a sub-agent leads."""
    seen: set[str] = set()
    while (parent := parents.get(session)) and parent not in seen:
        seen.add(session)
        session = parent
    return session


def fits(record: Record) -> bool:
    """No line or document is of OpenCode."""
    del record
    return False


FORMAT = Format("opencode", HOST, OpenCode, homes, find, fits, rows=rows)
