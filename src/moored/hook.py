"""The command `moored-hook HOST EVENT`: the whole of what runs when a host calls.

It reads the host's JSON on stdin, captures what happened, hands out a brief at the moments that have one, and always
exits with 0 within its deadline, whatever the state of the store (I-19). On stdout stands one JSON object, written at
once, or nothing; on stderr nothing; trouble becomes a line in the log beside the store.

What is captured goes into the inbox, never into the store, so capturing waits for nobody. It is done by a child that
outlives the deadline: the host waits for it no longer than that, and the event is kept even when the disk is slower.
Where there is no fork (Windows) it is done in place. A server of the store, or a process that is left behind, takes it
from the inbox into the record.

This module imports the standard library alone until it runs, and then no more than the moment needs.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pathlib import Path

    from moored.hosts.apart import Child
    from moored.hosts.port import Adapter, Happening, Moment

DEADLINE = 0.3
"""Seconds that a host waits at most once it has said what happened, at every moment but the start of a session."""

START_DEADLINE = 1.0
"""Seconds that a host waits at most at the start of a session."""

SENDING = 1.0
"""Seconds that a host may take to say what happened."""

ASIDE_DEADLINE = 60.0
"""Seconds after which the child that captures gives up."""

LARGE = 1 << 20
"""Bytes of a payload above which the host is not kept waiting for the capture, and gets no brief."""

LARGEST = 256 << 20
"""Bytes of the largest payload that is read."""

MANY_PARTS = 8
"""Pieces of a payload after which more is expected to come."""

ASK_TIMEOUT = 0.12
"""Seconds that a running server has for its answer; what is left of the deadline is enough to answer without it."""

POKE_TIMEOUT = 0.05
"""Seconds that a running server has to say that it will absorb."""

ASIDE = "--aside"
"""The argument by which a hook calls itself to capture a large payload where there is no fork."""


def main() -> None:
    """Serve one call of a host and end the process with 0."""
    begun = time.monotonic()
    try:
        from moored.hosts.apart import quiet

        quiet(2)
        _serve(sys.argv[1:], begun)
    except BaseException as error:  # noqa: BLE001 - no error of ours may reach the host
        _log(" ".join(sys.argv[1:3]), error)
    os._exit(0)


def _serve(arguments: list[str], begun: float) -> None:
    host, event = [*arguments, "", ""][:2]
    adapter = _adapter(host)
    moment = adapter.moments.get(event) if adapter else None
    if adapter is None or moment is None:
        _log(f"{host} {event}", "moored knows no such host or event: nothing was done")
        return
    aside = ASIDE in arguments[2:]
    call = Call(adapter, event, moment, begun, ASIDE_DEADLINE if aside else None)
    call.serve(aside=aside)


class Call:
    """One call of a host."""

    def __init__(self, adapter: Adapter, event: str, moment: Moment, begun: float, seconds: float | None) -> None:
        from moored.hosts.port import Moment
        from moored.settings import default_store

        self._adapter = adapter
        self._event = event
        self._moment = moment
        self._name = f"{adapter.name} {event}"
        self._seconds = seconds or (START_DEADLINE if moment is Moment.START else DEADLINE)
        self._end = begun + (seconds or SENDING)
        self._store = default_store().absolute()
        self._writing = _Turn()
        self._received: list[bytes] = []
        self._size = 0

    def serve(self, *, aside: bool) -> None:
        """Read the payload, capture it, answer."""
        from moored.hosts.apart import FORKS
        from moored.hosts.capture import CAPTURED

        if not FORKS:
            self._watch()
        try:
            payload = self._read()
        except TimeoutError:
            if not (self._received and FORKS and self._moment in CAPTURED):
                raise
            # The child goes on reading. What it gets depends on whether the host goes on sending.
            self._capture(None)
            return
        self._end = time.monotonic() + self._seconds
        large = len(payload) > LARGE
        child = self._capture(payload, large=large and not aside) if self._moment in CAPTURED else None
        if large:
            return
        try:
            self._answer(payload)
        finally:
            if child is not None and not child.wait(self._end):
                _log(self._name, "capturing takes longer than the host may wait; it goes on")

    def _read(self) -> bytes:
        """All that the host sends; called again after it raised, it goes on where it was.

        Raises `TimeoutError` when the host does not finish in time, `ValueError` when it sends too much.
        """
        from moored.hosts.apart import FORKS, readable, widen

        while True:
            if FORKS and not readable(0, self._end):
                raise TimeoutError("the host did not finish sending in time")
            part = os.read(0, LARGE)
            if not part:
                return b"".join(self._received)
            self._received.append(part)
            if len(self._received) == MANY_PARTS:
                widen(0)
            self._size += len(part)
            if self._size > LARGEST:
                raise ValueError("the payload is too large")

    def _capture(self, payload: bytes | None, *, large: bool = False) -> Child | None:
        """Capture a payload, or, without one, what the host is still sending; return the child that does so, if any."""
        from moored.hosts.apart import fork_off, hand_over

        child = fork_off(lambda: self._capture_apart(payload))
        if child is None and large and payload:
            hook = [sys.executable, "-P", "-c", "from moored.hook import main; main()"]
            hand_over([*hook, self._adapter.name, self._event, ASIDE], payload)
        elif child is None and payload:
            self._keep(payload)
        return child

    def _capture_apart(self, payload: bytes | None) -> None:
        """Capture in a child, with a deadline of its own."""
        from moored.hosts.apart import quiet

        try:
            self._end = time.monotonic() + ASIDE_DEADLINE
            self._watch()
            whole = self._read() if payload is None else payload
            quiet(0)
            self._keep(whole)
        except BaseException as error:  # noqa: BLE001 - the child has nobody to tell
            _log(self._name, error)

    def _keep(self, payload: bytes) -> None:
        """Put into the inbox what is to be kept of a payload, and have it taken from there."""
        from moored.errors import StoreEncrypted
        from moored.hosts import log
        from moored.hosts.capture import events
        from moored.record.inbox import Inbox
        from moored.store.keys import refuse_without_place

        happening = self._happening(payload)
        entries = events(happening, time.time_ns() // 1_000_000) if happening is not None else []
        inbox = Inbox(self._store)
        try:
            refuse_without_place(self._store)
            for entry in entries:
                inbox.put(entry)
        except StoreEncrypted as error:
            _log(f"{self._name}: {len(entries)} {log.NOT_KEPT}", error)
            return
        if entries:
            self._call_absorber()

    def _call_absorber(self) -> None:
        """Let what waits be taken into the record: by a running server, or by a process that is left behind."""
        from moored.hosts.apart import leave_behind
        from moored.hosts.live import ask
        from moored.record.inbox import Inbox

        if not Inbox(self._store).attended() and ask(self._store, {"do": "absorb"}, POKE_TIMEOUT) is None:
            leave_behind([sys.executable, "-P", "-m", "moored.absorb", str(self._store)])

    def _call_absorber_for_what_is_left(self) -> None:
        from moored.record.inbox import Inbox

        if Inbox(self._store).waiting():
            self._call_absorber()

    def _happening(self, payload: bytes) -> Happening | None:
        """What happened, with the folder in which it did; None when the payload tells of nothing."""
        import json

        told: Any = json.loads(payload.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
        if not isinstance(told, dict):
            raise ValueError("the payload is not a JSON object")  # noqa: TRY004 - it is the host that is wrong
        happening = self._adapter.read(self._event, cast(dict[str, Any], told))
        if happening is None:
            return None
        return happening._replace(cwd=os.path.abspath(happening.cwd or os.curdir))  # noqa: PTH100 - links stay

    def _answer(self, payload: bytes) -> None:
        """Hand out the brief of this moment, if it has one and there is something to say."""
        from moored.hosts.apart import FORKS
        from moored.hosts.port import Moment

        if self._moment not in (Moment.START, Moment.PROMPT, Moment.BEFORE_TOOL):
            return
        if FORKS:
            self._watch()
        happening = self._happening(payload)
        if happening is None:
            return
        shape = self._adapter.guests.get(happening.host, self._adapter.answer)
        if shape(self._event, "anything") is None:
            return
        text, reminded = self._brief(happening)
        if text and (answer := shape(self._event, text)) is not None:
            import json

            from moored.hosts.apart import write_out
            from moored.hosts.once import is_first

            data = json.dumps(answer).encode("ascii") + b"\n"
            with self._writing:
                first = is_first(self._store, happening)
                if first:
                    write_out(data)
            if first and reminded:
                _count_told(self._store, happening, reminded)
        if self._moment is Moment.START:
            self._call_absorber_for_what_is_left()

    def _brief(self, happening: Happening) -> tuple[str, tuple[str, ...]]:
        """The text for this moment and the ids of the reminders in it.

        A running server knows more; else they come from the store itself.
        """
        from moored.hosts.live import ask
        from moored.hosts.port import Moment

        if not self._store.exists() or (self._moment is Moment.BEFORE_TOOL and not happening.paths):
            return "", ()
        if self._moment is not Moment.START:
            answer = ask(self._store, _request(happening), ASK_TIMEOUT)
            if answer is not None and isinstance(text := answer.get("text"), str):
                return text, tuple(map(str, answer.get("reminded") or ()))
        return _local_brief(self._store, happening)

    def _watch(self) -> None:
        """End the process when the deadline has passed, but not in the midst of the answer."""
        import _thread

        _thread.start_new_thread(self._end_late, ())

    def _end_late(self) -> None:
        while (left := self._end - time.monotonic()) > 0:
            time.sleep(left)
        self._writing.take()
        _log(self._name, "the deadline passed")
        os._exit(0)


class _Turn:
    """Who may end the process: the answer first, once it is being written."""

    def __init__(self) -> None:
        import _thread

        self._lock = _thread.allocate_lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def take(self) -> None:
        """Wait for an answer that is being written, but for no host that does not read it."""
        self._lock.acquire(timeout=DEADLINE)


def _adapter(host: str) -> Adapter | None:
    """The adapter of a host, None for one that there is not."""
    import importlib

    name = host.replace("-", "_")
    if not name.isidentifier():
        return None
    try:
        found = getattr(importlib.import_module(f"moored.hosts.{name}"), "ADAPTER", None)
    except ModuleNotFoundError:
        return None
    return cast("Adapter | None", found)


def _request(happening: Happening) -> dict[str, Any]:
    """What a running server is asked."""
    from moored.hosts.capture import session_name
    from moored.hosts.port import Moment

    session = session_name(happening)
    if happening.moment is Moment.PROMPT:
        told = {"prompt": happening.text, "host": happening.host, "session": session}
        return {"do": "brief", "moment": "prompt", "cwd": happening.cwd, **told}
    told = {"paths": list(happening.paths), "text": happening.tool_input, "session": session}
    return {"do": "brief", "moment": "edit", "cwd": happening.cwd, **told}


def _local_brief(store: Path, happening: Happening) -> tuple[str, tuple[str, ...]]:
    """The text for this moment, and the ids of the reminders in it, from the store.

    The store is only read: a hook has no time to upgrade one.
    At the start of a session what was captured before is taken in first, so that its brief is right. A project that the
    store does not know has nothing to say.
    """
    from pathlib import Path

    from moored.errors import NotFound
    from moored.hosts.capture import session_name
    from moored.hosts.port import Moment
    from moored.memory import open_memory

    host, session = happening.host, session_name(happening)
    try:
        with open_memory(Path(happening.cwd), store=store, create=False, read_only=True, dense=False) as memory:
            match happening.moment:
                case Moment.START:
                    _absorb_shortly(store)
                    brief = memory.start(host=host, session=session, source=happening.source or "startup")
                case Moment.PROMPT:
                    brief = memory.before_prompt(happening.text, host=host, session=session)
                case _:
                    brief = memory.before_edit(happening.paths, text=happening.tool_input, session=session)
            return brief.text, brief.reminded
    except NotFound:
        return "", ()


def _count_told(store: Path, happening: Happening, reminded: tuple[str, ...]) -> None:
    """Count that reminders were told, now that the host has them. Most answers have none."""
    from pathlib import Path

    from moored.errors import MooredError
    from moored.memory import open_memory

    try:
        with open_memory(Path(happening.cwd), store=store, create=False, dense=False) as memory:
            memory.told(reminded)
    except MooredError as error:
        _log("counting what was told", error)


def _absorb_shortly(store: Path) -> None:
    """Take in what waits as far as it is quickly done."""
    from moored.record.inbox import Inbox

    if not Inbox(store).waiting():
        return
    from contextlib import closing

    from moored.absorb import absorb_shortly
    from moored.errors import MooredError
    from moored.model.clock import SystemClock
    from moored.model.ids import RandomIds
    from moored.store.sqlite.store import Store

    clock = SystemClock()
    try:
        with closing(Store(store, clock=clock)) as opened:
            absorb_shortly(opened, clock, RandomIds(clock))
    except MooredError as error:
        _log("absorbing at the start", error)


def _log(what: str, trouble: str | BaseException) -> None:
    """One line in the log beside the store, if that can be had."""
    try:
        from moored.hosts import log
        from moored.settings import default_store

        log.note(
            default_store().absolute(), f"{what}: {trouble if isinstance(trouble, str) else log.describe(trouble)}"
        )
    except BaseException:  # noqa: BLE001 - there is nobody left to tell
        return
