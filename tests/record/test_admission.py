from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lab.canaries import Canary, canaries
from moored.errors import EmptyText, InvalidInput, NotFound, TooLarge
from moored.model.clock import ManualClock
from moored.model.episodes import CHANNEL_TRUST, Channel, Event, Recorded, Role, Trust
from moored.model.facts import FactKind
from moored.model.ids import SequentialIds
from moored.model.redaction import marker
from moored.model.terms import fts_query, query_terms
from moored.model.windowing import MAX_VECTORS
from moored.record.admission import admit, write, write_all
from moored.store.sqlite.store import Store


class Record:
    """A store with one project, and the way into it."""

    def __init__(self, path: Path) -> None:
        self.clock, self.ids = ManualClock(), SequentialIds()
        self.store = Store(path, clock=self.clock)
        with self.store.write() as transaction:
            self.project = transaction.projects.add("pr_1", "dir:x", "x", 1)

    def put(self, event: Event) -> Recorded:
        admitted = admit(event)
        with self.store.write() as transaction:
            return write(transaction, self.project, admitted, self.clock, self.ids)

    def count(self) -> int:
        with self.store.read() as view:
            return view.episodes.count(self.project)


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    made = Record(tmp_path / "moored.db")
    yield made
    made.store.close()


RUN = Event(
    content=b'{"status": "ok", "items": [1, 2]}',
    role=Role.TOOL,
    tool_name="Bash",
    tool_input='{"command": "curl   -s localhost"}',
    exit_status=0,
)


@pytest.mark.invariant("I-01")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(min_size=1, max_size=6_000).filter(lambda b: b.strip()))
def test_any_bytes_come_back_byte_for_byte(record: Record, content: bytes) -> None:
    outcome = record.put(Event(content=content, role=Role.USER))
    assume(outcome.outcome == "recorded")  # `[private]` alone is what is left of something that is not kept
    with record.store.read() as view:
        episode = view.episodes.get(record.project, outcome.episode)
    assert episode is not None
    assert episode.content == content


def test_an_episode_keeps_all_that_the_event_said(record: Record) -> None:
    outcome = record.put(RUN._replace(host="claude-code", session="s1", host_event="e1", occurred_at=5))
    with record.store.read() as view:
        episode = view.episodes.get(record.project, outcome.episode)
    assert episode is not None
    assert (episode.role, episode.channel, episode.trust) == (Role.TOOL, Channel.TOOL, Trust.DATA)
    assert (episode.host, episode.session, episode.tool_name) == ("claude-code", "s1", "Bash")
    assert (episode.tool_input, episode.exit_status, episode.occurred_at) == (RUN.tool_input, 0, 5)


def test_tool_output_becomes_facts_with_the_bytes_they_were_read_from(record: Record) -> None:
    outcome = record.put(RUN)
    with record.store.read() as view:
        facts = {fact.name: fact for fact in view.facts.of_episode(record.project, outcome.episode)}
    status = facts["status"]
    assert (status.kind, status.value) == (FactKind.JSON_FIELD, "ok")
    assert b"ok" in RUN.content[status.span.start : status.span.end]
    assert facts["exit-status"].value == "0"


def test_when_nothing_is_found_that_is_said(record: Record) -> None:
    assert record.put(Event(content=b"all quiet", role=Role.TOOL)).structure == "no structure found"
    assert record.put(Event(content=b"all quiet", role=Role.USER)).structure.startswith("not looked for")


def test_the_latest_outcome_of_a_command_is_its_current_value(record: Record) -> None:
    record.put(RUN)
    record.put(RUN._replace(exit_status=7))
    with record.store.read() as view:
        command = view.facts.command(record.project, "curl -s localhost")
        assert command is not None
        versions = view.facts.history(record.project, command.id)
    assert command.value == "exit 7"
    assert [version.value for version in versions] == ["exit 0", "exit 7"]
    assert versions[0].change == "exit 0 became exit 7"


@pytest.mark.parametrize(
    ("tool_input", "command"),
    [
        ('{"command": "make test"}', "make test"),
        ('{"cmd": ["make", "test"]}', "make test"),
        ("$ make   test", "make test"),
        ('{"file_path": "x"}', None),
        ('{"command": ', None),
    ],
)
def test_a_command_is_found_in_the_inputs_of_all_hosts(record: Record, tool_input: str, command: str | None) -> None:
    record.put(RUN._replace(tool_input=tool_input))
    with record.store.read() as view:
        rows = view.connection.rows("SELECT name FROM fact WHERE kind = 'command'")
    assert [row[0] for row in rows] == ([command] if command else [])


@pytest.mark.invariant("I-17")
def test_an_event_that_the_host_named_is_recorded_once(record: Record) -> None:
    event = RUN._replace(host="codex", session="s", host_event="call_1")
    first, second = record.put(event), record.put(event)
    assert (first.outcome, second.outcome) == ("recorded", "duplicate")
    assert first.episode == second.episode
    assert record.count() == 1


@pytest.mark.invariant("I-17")
def test_the_same_event_id_in_another_session_or_with_other_words_is_another_event(record: Record) -> None:
    event = RUN._replace(host="codex", session="s", host_event="call_1")
    record.put(event)
    record.put(event._replace(session="t"))
    record.put(event._replace(content=b"other"))
    assert record.count() == 3


def test_the_same_words_without_an_event_id_happened_twice(record: Record) -> None:
    yes = Event(content=b"yes", role=Role.USER)
    assert record.put(yes).episode != record.put(yes).episode


@pytest.mark.parametrize("content", [b"", b"  \n\t "])
def test_an_empty_event_is_refused(content: bytes) -> None:
    with pytest.raises(EmptyText):
        admit(Event(content=content, role=Role.USER))


def test_an_event_over_the_cap_is_refused_with_its_size() -> None:
    with pytest.raises(TooLarge, match=r"12 bytes; at most 10"):
        admit(Event(content=b"x" * 12, role=Role.USER), max_size=10)


@pytest.mark.invariant("I-21")
@pytest.mark.parametrize("channel", list(Channel))
@pytest.mark.parametrize("trust", list(Trust))
def test_nothing_is_trusted_more_than_its_channel_allows(channel: Channel, trust: Trust) -> None:
    event = Event(content=b"remember this rule", role=Role.USER, channel=channel, trust=trust)
    if trust.level > CHANNEL_TRUST[channel].level:
        with pytest.raises(InvalidInput, match="trusted as"):
            admit(event)
    else:
        assert admit(event).trust is trust


def test_correcting_an_unknown_episode_is_an_error_and_records_nothing(record: Record) -> None:
    with pytest.raises(NotFound, match="to correct"):
        record.put(Event(content=b"no, 5433", role=Role.USER, corrects="ep_nowhere"))
    assert record.count() == 0


def test_a_corrected_episode_knows_the_latest_correction(record: Record) -> None:
    wrong = record.put(Event(content=b"the port is 5432", role=Role.USER))
    record.put(Event(content=b"no, 5433", role=Role.USER, corrects=wrong.episode))
    last = record.put(Event(content=b"no, 5434", role=Role.USER, corrects=wrong.episode))
    with record.store.read() as view:
        episode = view.episodes.get(record.project, wrong.episode)
    assert episode is not None
    assert episode.corrected_by == last.episode


def test_a_fact_at_the_very_end_of_a_long_text_is_found(record: Record) -> None:
    text = "\n\n".join(f"paragraph {n} speaks of nothing in particular" for n in range(20_000))
    record.put(Event(content=f"{text}\n\nthe flux capacitor needs 1.21 gigawatts".encode(), role=Role.TOOL))
    with record.store.read() as view:
        found = view.search.postings("window", record.project, fts_query(query_terms("capacitor gigawatts")), 5)
        waiting = view.vectors.count_waiting(record.project)
    assert len(found) == 1
    assert waiting == MAX_VECTORS


def test_what_a_tool_was_asked_finds_its_output(record: Record) -> None:
    record.put(RUN._replace(tool_input=json.dumps({"command": "terraform plan"})))
    with record.store.read() as view:
        assert len(view.search.postings("window", record.project, fts_query(["terraform"]), 5)) == 1


@pytest.mark.invariant("I-16")
def test_every_window_is_indexed_and_waits_for_its_vector(record: Record) -> None:
    for words in (b"short", b"long " * 3_000):
        record.put(Event(content=words, role=Role.USER))
    with record.store.read() as view:
        windows = view.connection.value("SELECT count(*) FROM window")
        assert view.connection.value("SELECT count(*) FROM window_fts") == windows
        assert view.vectors.count_waiting(record.project) == windows


def test_who_said_it_is_kept_on_one_line(record: Record) -> None:
    said = record.put(Event(b"I prefer the ferry.", Role.USER, author=" Ada\n  Byron "))
    with record.store.read() as view:
        episode = view.episodes.get(record.project, said.episode)
        authors, liked = view.search.authors(record.project), view.search.told(record.project, 9)
    assert episode is not None
    assert (episode.author, authors, len(liked)) == ("Ada Byron", ["Ada Byron"], 1)


SECRET = next(canary for canary in canaries() if canary.name == "github p")


@pytest.mark.invariant("I-20")
@pytest.mark.parametrize("canary", canaries(), ids=lambda one: one.name)
def test_an_episode_is_kept_without_its_secrets_and_the_account_names_them(record: Record, canary: Canary) -> None:
    event = Event(canary.text.encode(), Role.TOOL, tool_name="Bash", tool_input=f"run {canary.text}", exit_status=0)
    outcome = record.put(event)
    assert outcome.redacted == (canary.kind,)
    with record.store.read() as view:
        episode = view.episodes.get(record.project, outcome.episode)
        facts = view.facts.of_episode(record.project, outcome.episode)
    assert episode is not None
    assert canary.secret not in episode.text + episode.tool_input + repr(facts)
    assert marker(canary.kind) in episode.text


def test_everything_but_the_secret_stays_verbatim(record: Record) -> None:
    outcome = record.put(Event(b"\xff before " + SECRET.secret.encode() + b" after \xfe", Role.USER))
    with record.store.read() as view:
        episode = view.episodes.get(record.project, outcome.episode)
    assert episode is not None
    assert episode.content == b"\xff before [redacted: github token] after \xfe"


def test_an_event_that_is_all_private_is_not_recorded_and_no_error(record: Record) -> None:
    outcome = record.put(Event(b"<private>not for you</private>", Role.USER, host_event="e1"))
    assert (outcome.outcome, outcome.episode, outcome.redacted) == ("withheld", "", ("private",))
    assert record.count() == 0
    assert "private" in outcome.structure


def test_what_memory_injected_is_not_recorded_again(record: Record) -> None:
    said = b"<moored-memory>\n- a note\n</moored-memory>\nwhat now?"
    outcome = record.put(Event(said, Role.USER))
    assert outcome.redacted == ("recalled",)
    with record.store.read() as view:
        episode = view.episodes.get(record.project, outcome.episode)
    assert episode is not None
    assert episode.content == b"\nwhat now?"


def test_an_event_with_a_secret_is_known_again(record: Record) -> None:
    event = Event(SECRET.secret.encode(), Role.USER, host="h", session="s", host_event="e1")
    first, second = record.put(event), record.put(event)
    assert (second.outcome, second.episode, second.redacted) == ("duplicate", first.episode, ("github token",))


def test_tool_output_that_is_imported_is_parsed_like_any(record: Record) -> None:
    live, brought = record.put(RUN), record.put(RUN._replace(channel=Channel.IMPORT))
    assert (brought.facts, brought.structure) == (live.facts, live.structure)
    said = record.put(RUN._replace(role=Role.USER, channel=Channel.IMPORT, exit_status=None))
    assert said.facts == 0


def test_several_events_at_once_are_written_as_they_are_one_by_one(record: Record, tmp_path: Path) -> None:
    run = {"tool_name": "bash", "tool_input": "make test", "role": Role.TOOL, "session": "s", "host": "h"}
    events = [
        Event(b'{"passed": 4}', exit_status=0, host_event="tool:1", **run),
        Event(b"why?", Role.USER, session="s", host="h"),
        Event(b"<private>mine</private>", Role.USER, session="s", host="h"),
        Event(b'{"passed": 3}', exit_status=1, host_event="tool:2", **run),
        Event(b'{"passed": 4}', exit_status=0, host_event="tool:1", **run),
    ]

    def written(at_once: bool) -> tuple[list[tuple[str, int, str]], list[tuple[str, str]]]:
        store = Store(tmp_path / f"{at_once}.db")
        with store.write() as transaction:
            project = transaction.projects.add("pr_1", "dir:x", "x", 1)
            admitted = [admit(event) for event in events]
            clock, ids = ManualClock(), SequentialIds()
            if at_once:
                accounts = write_all(transaction, project, admitted, clock, ids)
            else:
                accounts = [write(transaction, project, one, clock, ids) for one in admitted]
        with store.read() as view:
            command = view.facts.command(project, "make test")
            facts = [(fact.name, fact.value) for episode in view.episodes.all(project)
                     for fact in view.facts.of_episode(project, episode.id)]  # fmt: skip
        store.close()
        assert command is not None
        told = [(account.outcome, account.facts, account.structure) for account in accounts]
        return told, [*facts, (command.name, command.value)]

    at_once = written(at_once=True)
    assert at_once == written(at_once=False)
    assert [outcome for outcome, _, _ in at_once[0]].count("recorded") == 3
