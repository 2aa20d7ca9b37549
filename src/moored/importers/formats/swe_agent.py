"""SWE-agent: a run's `*.traj`, one JSON document, as of 1.1.

`trajectory` lists the steps: thought, action, observation. The task stands in `history`, as the first message of the
user's that is no demonstration. There are no ids and no times: a step is known by its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from moored.importers.calls import Calls
from moored.importers.event import TranscriptEvent
from moored.importers.files import files_below
from moored.importers.texts import objects, text_of, words
from moored.importers.transcript import Format, Record, Source, Tally
from moored.model.episodes import Role
from moored.record.tool_text import is_object

HOST = "swe-agent"
TOOL = "shell"
"""The name under which the actions stand in the record: they are command lines."""


class SweAgent:
    """Reads the task and the steps of one run."""

    def __init__(self, source: Source, tally: Tally, carried: Mapping[str, str]) -> None:
        del carried
        self.calls = Calls()
        self._tally = tally
        self._session = source.path.stem
        self._steps = 0

    def read(self, record: Record) -> Iterator[TranscriptEvent]:
        base = TranscriptEvent(Role.USER, "", "", self._session)
        if "action" not in record and "observation" not in record:
            said = words(record.get("content"), self._tally)
            if said.strip():
                yield base._replace(name="user:task", text=said)
            return
        self._steps += 1
        thought = text_of(record, "thought", "response")
        if thought.strip():
            yield base._replace(role=Role.ASSISTANT, name=f"assistant:{self._steps}", text=thought)
        action, observation = text_of(record, "action"), text_of(record, "observation")
        if action.strip() or observation.strip():
            call = base._replace(role=Role.TOOL, tool=TOOL, tool_input=action, text=observation)
            yield from self.calls.end(str(self._steps), call)

    def finish(self) -> Iterator[TranscriptEvent]:
        return iter(())

    def carried(self) -> Mapping[str, str]:
        return {}


def unpack(document: object) -> Iterator[Record]:
    """The task, then the steps."""
    if not is_object(document):
        return
    for message in objects(document.get("history")):
        demonstration = message.get("is_demo") or message.get("agent") == "demonstration"
        shown = words(message.get("content"), Tally()).startswith("Here is a demonstration")
        if text_of(message, "role") == "user" and not demonstration and not shown:
            yield {"content": message.get("content")}
            break
    yield from objects(document.get("trajectory"))


def homes() -> Sequence[Path]:
    """None: runs are written to wherever they are told to be."""
    return ()


def find(path: Path, folders: Sequence[Path]) -> Iterator[Source]:
    """The runs in a file or folder."""
    del folders  # a run happens in a container: the project is the one that is asked for
    for file in files_below(path, (".traj",)):
        yield Source(file)


def fits(record: Record) -> bool:
    """Whether a document is a run of SWE-agent."""
    return "trajectory" in record


FORMAT = Format("swe-agent", HOST, SweAgent, homes, find, fits, unpack=unpack)
