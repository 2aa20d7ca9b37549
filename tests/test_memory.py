"""The facade from end to end: what is promised to whoever calls `moored.open`."""

from __future__ import annotations

import gc
import inspect
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from lab.faulty import FaultyDisk
from moored.embed.fake import HashingEmbedder
from moored.embed.filling import Filling
from moored.errors import MooredError, NotFound, StoreError, StoreReadOnly
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Role
from moored.model.ids import RandomIds, SequentialIds
from moored.model.notes import Change, State
from moored.model.recall import HitKind
from moored.recall import selector
from moored.settings import locate
from moored.store.durability import Durability
from moored.store.sqlite.connection import Connection
from moored.store.sqlite.store import Store

MODULE = '''\
class Crane:
    """Lifts containers off a ship."""

    def lift(self, weight, retries=3):
        """Lift one container and put it on the quay."""
        for attempt in range(retries):
            if self.winch.pull(weight, attempt):
                return weight
        raise RuntimeError(weight)


def moor(ship, ropes=4):
    return [ship.tie(rope) for rope in range(ropes)]
'''
NOTE = "We retry `Crane.lift` three times because the winch slips in the rain."
QUESTION = "why is lifting retried when the winch slips"


def begin(root: Path, store: Path, **fields: object) -> Memory:
    """A memory of a folder with a module that is indexed."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "crane.py").write_text(MODULE, encoding="utf-8")
    memory = open_memory(root, store=store, **{"embedder": HashingEmbedder(), **fields})  # type: ignore[arg-type]
    memory.index()
    return memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with begin(tmp_path / "quay", tmp_path / "moored.db", clock=ManualClock(), ids=SequentialIds()) as opened:
        yield opened


def edit(memory: Memory, old: str, new: str, path: str = "crane.py") -> None:
    file = Path(memory.tree.root, path)
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def git(memory: Memory, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=memory.tree.root, check=True, capture_output=True)


def test_a_note_goes_stale_with_the_file_it_is_about_and_heals_with_it(memory: Memory) -> None:
    note = memory.remember(NOTE)
    assert [anchor.address for anchor in note.anchors if anchor.path] == ["crane.py::Crane.lift"]
    assert memory.recall(QUESTION).hits[0].verdict.state is State.CURRENT
    edit(memory, "retries=3", "retries=5")
    hit = memory.recall(QUESTION).hits[0]
    assert (hit.id, hit.verdict.state, hit.verdict.change) == (note.id, State.STALE, Change.SIGNATURE)
    assert "retries=5" in hit.verdict.current
    assert memory.stale().rate == 1.0
    edit(memory, "retries=5", "retries=3")
    assert memory.recall(QUESTION).hits[0].verdict.state is State.CURRENT
    assert memory.stale().rate == 0.0


def test_what_is_recorded_is_found_shown_and_kept_byte_for_byte(memory: Memory) -> None:
    content = b"exit code \xff\xfe and\0 a zero byte, then mooring lines"
    recorded = memory.record(content, role=Role.TOOL, tool_name="Bash", tool_input="./moor.sh", exit_status=1)
    hit = memory.recall("mooring lines", kinds=["episode"]).hits[0]
    shown = memory.show(recorded.episode)
    assert hit.id == recorded.episode
    assert getattr(shown, "content", None) == content
    assert memory.recall("zero byte").hits[0].id == recorded.episode


def test_a_note_can_be_revised_compared_and_replaced(memory: Memory) -> None:
    note = memory.remember("Ships lie at the north quay.")
    memory.revise(note.id, "Ships lie at the south quay.", cause="the north quay is closed")
    assert [revision.number for revision in memory.history(note.id)] == [1, 2]  # type: ignore[union-attr]
    assert "+Ships lie at the south quay." in memory.difference(note.id)
    newer = memory.remember("Ships lie at anchor.", supersedes=note.id)
    assert memory.show(note.id).verdict.state is State.SUPERSEDED  # type: ignore[union-attr]
    assert memory.recall("where do ships lie").hits[0].id == newer.id


def test_pins_stand_in_every_brief_until_they_are_taken_out(memory: Memory) -> None:
    pin = memory.pin("Never lift above 40 tons.")
    assert "Never lift above 40 tons." in memory.brief(QUESTION).text
    assert [one.id for one in memory.pins()] == [pin.id]
    memory.unpin(pin.id)
    assert memory.pins() == ()
    assert "40 tons" not in memory.brief(QUESTION).text


def test_a_symbol_tells_who_depends_on_it_and_what_it_was(memory: Memory) -> None:
    Path(memory.tree.root, "port.py").write_text("from crane import moor\n\n\ndef berth(ship):\n    moor(ship)\n")
    memory.index()
    assert memory.symbol("moor").callers == 2
    assert [one.fact.name for one in memory.impact("moor").dependants] == ["berth", "port.py"]
    assert "Crane" in memory.map().text
    edit(memory, "ropes=4", "ropes=6")
    memory.index()
    assert [version.value for version in memory.history("crane.py::moor")] == [  # type: ignore[union-attr]
        "def moor(ship, ropes=4)",
        "def moor(ship, ropes=6)",
    ]


@pytest.mark.invariant("I-09")
def test_undoing_an_import_takes_it_out_of_every_answer_and_importing_again_brings_it_back(memory: Memory) -> None:
    git(memory, "init", "-q")
    git(memory, "add", ".")
    git(memory, "commit", "-q", "-m", "Let the capstan turn both ways")
    before = memory.recall("capstan")
    imported = memory.import_git()
    episode = memory.recall("capstan").hits[0].id
    note = memory.remember("The capstan was built in one day.", about=[episode])
    assert memory.show(note.id).verdict.state is State.CURRENT  # type: ignore[union-attr]
    later = memory.record("It was two days.", corrects=episode)
    assert memory.undo(imported.operation).hidden == 1
    assert before.hits == ()
    assert [hit.id for hit in memory.recall("the capstan was built").hits] == [note.id]
    assert memory.recall(episode).hits == ()
    judged = memory.show(note.id)
    assert (judged.verdict.state, judged.verdict.change) == (State.STALE, Change.GONE)  # type: ignore[union-attr]
    with pytest.raises(NotFound) as refused:
        memory.show(episode)
    assert episode not in refused.value.near
    with pytest.raises(NotFound):
        memory.record("And again.", corrects=episode)
    with pytest.raises(NotFound):
        memory.remember("And again.", about=[episode])
    again = memory.import_git()
    assert (again.recorded, again.known) == (1, 0)
    assert memory.show(episode).corrected_by == later.episode  # type: ignore[union-attr]
    assert memory.show(note.id).verdict.change is Change.CORRECTED  # type: ignore[union-attr]


@pytest.mark.invariant("I-06")
def test_nothing_of_another_project_is_reached_unless_it_is_named_by_its_id(memory: Memory, tmp_path: Path) -> None:
    note = memory.remember(NOTE)
    episode = memory.record("The winch was oiled on Monday.").episode
    pin = memory.pin("Oil it on Mondays.")
    fact = memory.symbol("moor").fact.id
    with open_memory(tmp_path, store=memory.store.path, embedder=HashingEmbedder()) as other:
        assert other.recall(QUESTION).hits == ()
        assert other.recall(f"{note.id} {episode} {fact}").hits == ()
        assert other.pins() == ()
        assert other.operations() == ()
        assert {project.id for project in other.projects()} == {memory.project.id, other.project.id}
        for ask in (
            lambda: other.show(note.id),
            lambda: other.show(episode),
            lambda: other.show(fact),
            lambda: other.history(note.id),
            lambda: other.history(fact),
            lambda: other.revise(note.id, "mine now"),
            lambda: other.remember("mine", supersedes=note.id),
            lambda: other.remember("mine", about=[episode]),
            lambda: other.remember("mine", about=[fact]),
            lambda: other.record("mine", corrects=episode),
            lambda: other.unpin(pin.id),
            lambda: other.recall("x", project="pr_000000000000000000"),
        ):
            with pytest.raises(NotFound):
                ask()
        with pytest.raises(NotFound, match=memory.project.id):
            other.recall("x", project=memory.project.name)
        edit(memory, "retries=3", "retries=5")
        answer = other.recall(QUESTION, kinds=["note"], project=memory.project.id)
        assert (answer.receipt.project, answer.hits[0].id) == (memory.project.id, note.id)
        assert answer.hits[0].verdict.state is State.STALE
    assert memory.show(note.id).note.head.text == NOTE  # type: ignore[union-attr]
    assert [one.id for one in memory.pins()] == [pin.id]


READ = """
import json, os, sys
from pathlib import Path
import moored
from moored.embed.fake import HashingEmbedder
from moored.errors import StoreReadOnly

def read(store, read_only):
    with moored.open(sys.argv[2], store=store, read_only=read_only, create=False, embedder=HashingEmbedder()) as memory:
        return ask(memory)

def ask(memory):
    answer = memory.recall("why is lifting retried when the winch slips")
    note = next(hit.id for hit in answer.hits if hit.kind == "note")
    said = next(hit.id for hit in answer.hits if hit.kind == "episode")
    verdicts = [(hit.id, hit.verdict.state, hit.verdict.current, hit.score) for hit in answer.hits]
    seen = {
        "recall": verdicts,
        "brief": memory.brief("winch").text,
        "show": [memory.show(note).verdict.reason, memory.show(said).text, memory.show("Crane.lift").address],
        "history": [len(memory.history(note)), len(memory.history("Crane.lift"))],
        "difference": memory.difference(note),
        "stale": memory.stale().rate,
        "symbol": memory.symbol("moor").fact.address,
        "impact": len(memory.impact("moor").dependants),
        "map": memory.map().text,
        "pins": [pin.text for pin in memory.pins()],
        "operations": len(memory.operations()),
        "projects": len(memory.projects()),
        "status": memory.status().counts.notes,
        "doctor": [check.detail for check in memory.doctor().checks if check.state == "problem"],
        "upkeep": memory.upkeep(),
    }
    memory.export(Path(os.devnull).open("wb"))
    try:
        memory.record("no")
    except StoreReadOnly:
        seen["record"] = "refused"
    return seen

user, store, copy = int(sys.argv[1]), sys.argv[3], sys.argv[4]
if user:
    read(copy, True)  # loads what this user may not read
    os.setgroups([]); os.setgid(user); os.setuid(user)
print(json.dumps(read(store, not user)))
"""


def _read(root: Path, store: Path, user: int) -> dict[str, object]:
    copy = store.with_name("copy").with_suffix(".db")
    shutil.copyfile(store, copy)
    store.parent.chmod(0o755)
    arguments = [str(user), str(root), str(store), str(copy)]
    done = subprocess.run([sys.executable, "-c", READ, *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.invariant("I-11")
@pytest.mark.parametrize("how", ["opened for reading", "in a folder of another user"])
def test_everything_can_be_read_where_nothing_can_be_written(how: str) -> None:
    other = how == "in a folder of another user"
    if other and (not hasattr(os, "setuid") or os.geteuid() != 0):
        pytest.skip("only root can become another user")
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        root, store = Path(folder, "quay"), Path(folder, "data", "moored.db")
        with begin(root, store) as memory:
            memory.remember(NOTE)
            memory.record("Somebody asked why lifting is retried when the winch slips.")
            memory.pin("Never lift above 40 tons.")
            edit(memory, "retries=3", "retries=5")
        store.chmod(0o644)
        size, time = store.stat().st_size, store.stat().st_mtime_ns
        seen = _read(root, store, 65_534 if other else 0)
        assert seen["record"] == "refused"
        assert (store.stat().st_size, store.stat().st_mtime_ns) == (size, time)
        assert any("retries=5" in str(verdict) for verdict in seen["recall"])  # type: ignore[attr-defined]
        assert seen["pins"] == ["Never lift above 40 tons."]
        assert seen["doctor"] == []


SURFACES: dict[str, Callable[[Memory], object]] = {
    "recall": lambda m: m.recall(QUESTION),
    "brief": lambda m: m.brief(QUESTION),
    "before_prompt": lambda m: m.before_prompt(QUESTION, host="", session=""),
    "before_edit": lambda m: m.before_edit(["crane.py"]),
    "test_rules": lambda m: m.test_rules(QUESTION),
}
READING: dict[str, Callable[[Memory], object]] = {
    "symbol": lambda m: m.symbol("moor"),
    "impact": lambda m: m.impact("moor"),
    "map": lambda m: m.map(),
    "operations": lambda m: m.operations(),
    "history": lambda m: m.history("crane.py::moor"),
    "difference": lambda m: m.difference(m.stale().notes[0].note.id),
    "stale": lambda m: m.stale(),
    "show": lambda m: m.show("moor"),
    "pins": lambda m: m.pins(),
    "aliases": lambda m: m.aliases(),
    "start": lambda m: m.start(host="", session=""),
    "projects": lambda m: m.projects(),
    "status": lambda m: m.status(),
    "doctor": lambda m: m.doctor(),
    "export": lambda m: m.export(Path(m.tree.root).with_name("export.jsonl")),
    "bundle": lambda m: m.bundle(Path(m.tree.root).with_name("bundle.zip")),
    "affected": lambda m: m.affected(),
    "profile": lambda m: m.profile(),
    "explain": lambda m: m.explain(m.stale().notes[0].note.id),
    "note": lambda m: m.note(m.stale().notes[0].note.id),
    "notes": lambda m: m.notes(by="heat"),
    "reminders": lambda m: m.reminders(),
    "rules": lambda m: m.rules(),
    "disputes": lambda m: m.disputes(),
    "rule_conflicts": lambda m: m.rule_conflicts(),
}
WRITING = {
    "absorb", "accept", "accept_reminder", "add_rule", "alias", "close", "finish_forgetting", "finish_reminder",
    "forget", "forget_expired", "import_git", "import_transcripts", "index", "learn", "pin", "protect", "rate",
    "record", "redact", "reject", "remember", "remind", "remove_rule", "resolve", "review", "revise", "seed",
    "snooze_reminder", "told", "unalias", "unbundle", "undo", "unpin", "unprotect", "upkeep",
    "watch",
}  # fmt: skip


@pytest.mark.invariant("I-13")
def test_every_method_that_returns_hits_asks_the_selector_and_no_other_does(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    methods = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    assert methods == set(SURFACES) | set(READING) | WRITING
    memory.remember("Nothing to check.")
    memory.remember("The crane comes first.", about=["crane.py"])
    git(memory, "init", "-q")

    def asked(*_: object, **__: object) -> object:
        raise AssertionError("the selector was asked")

    monkeypatch.setattr(selector, "recall", asked)
    for ask in READING.values():
        ask(memory)
    for ask in SURFACES.values():
        with pytest.raises(AssertionError, match="was asked"):
            ask(memory)


@pytest.mark.invariant("I-14")
def test_every_hit_says_what_it_rests_on_and_every_receipt_adds_up(memory: Memory) -> None:
    memory.remember(NOTE, proof="pytest -q")
    memory.remember("Weather makes the winch slip.", kind="lesson", actor="person")
    memory.record("Does the winch slip in the rain?")
    memory.record("1 failed", role="tool", tool_name="Bash", tool_input="pytest -q", exit_status=1)
    kinds: set[HitKind] = set()
    for question in (QUESTION, "Crane.lift", "crane.py", "pytest -q", "$ pytest -q", "moor", "rain"):
        for budget in (0, 1, 40, 200, 2_000):
            answer = memory.recall(question, budget=budget)
            receipt = answer.receipt
            assert receipt.matched == receipt.returned + receipt.omitted_count
            assert receipt.returned == len(answer.hits)
            assert receipt.stale == sum(hit.verdict.state is State.STALE for hit in answer.hits)
            assert receipt.tokens == sum(hit.tokens for hit in answer.hits) <= budget
            for hit in answer.hits:
                kinds.add(hit.kind)
                assert hit.evidence
                assert all(one.id and one.source and one.trust and one.at > 0 for one in hit.evidence)
    assert kinds == set(HitKind)


def test_a_limit_of_nothing_returns_nothing_and_says_why(memory: Memory) -> None:
    memory.remember(NOTE)
    receipt = memory.recall(QUESTION, limit=0).receipt
    assert receipt.matched == receipt.omitted_count > 0
    assert {omitted.reason for omitted in receipt.omitted} == {"limit"}


@pytest.mark.invariant("I-18")
def test_what_a_thread_wrote_it_reads_whatever_others_do(tmp_path: Path) -> None:
    with begin(tmp_path / "quay", tmp_path / "moored.db", dense=False, embedder=None) as memory:
        second = open_memory(memory.tree.root, store=memory.store.path, dense=False)
        barrier = threading.Barrier(8)

        def work(number: int) -> None:
            one, two = (memory, second) if number % 2 else (second, memory)
            barrier.wait(timeout=30)
            for turn in range(125):
                word = f"zeta{number}x{turn}"
                match turn % 5:
                    case 0:
                        episode = one.record(f"Said {word}.", durability=Durability.GROUP).episode
                        assert two.recall(word, kinds=["episode"], limit=1).hits[0].id == episode
                    case 1:
                        note = one.remember(f"Noted {word}.").id
                        assert two.show(note).note.head.text == f"Noted {word}."  # type: ignore[union-attr]
                    case 2:
                        one.revise(note, f"Revised {word}.")
                        assert len(two.history(note)) == 2
                    case 3:
                        pin = one.pin(word)
                        assert pin in two.pins()
                    case _:
                        one.unpin(pin.id)
                        assert pin not in two.pins()

        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(work, number) for number in range(8)]:
                done.result(timeout=100)
        second.close()
        assert memory.store.check(deep=True) == []


ECHO = """
import sys
import moored
with moored.open(sys.argv[1], store=sys.argv[2], dense=False) as memory:
    for line in sys.stdin:
        episode, word = line.split()
        assert memory.recall(word, limit=1).hits[0].id == episode
        print(memory.record(f"answered {word}back").episode, flush=True)
"""


@pytest.mark.invariant("I-18")
def test_what_one_process_wrote_another_reads(memory: Memory) -> None:
    arguments = [sys.executable, "-c", ECHO, memory.tree.root, str(memory.store.path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin
        assert other.stdout
        for turn in range(20):
            word = f"theta{turn}"
            other.stdin.write(f"{memory.record(f'asked {word}').episode} {word}\n")
            other.stdin.flush()
            answered = other.stdout.readline().strip()
            assert memory.recall(f"{word}back", limit=1).hits[0].id == answered
        other.stdin.close()
        assert other.wait(timeout=30) == 0


MANY = """
import sys
import moored
with moored.open(sys.argv[1], store=sys.argv[2], dense=False) as memory:
    memory.index()
    for turn in range(10):
        memory.record("the same event", host="lab", session="s", host_event=str(turn))
        memory.remember("Said by all.", about=["Crane.lift"])
        memory.pin("Pinned by all.")
        assert memory.recall("said by all").hits
"""


@pytest.mark.invariant("I-17")
def test_processes_that_say_the_same_at_once_say_it_once(memory: Memory) -> None:
    arguments = [sys.executable, "-c", MANY, memory.tree.root, str(memory.store.path)]
    running = [subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [one.communicate(timeout=90)[1] for one in running] == ["", "", ""]
    status = memory.status()
    assert (status.counts.notes, status.counts.pins) == (1, 1)
    assert len([hit for hit in memory.recall("the same event", kinds=["episode"]).hits if "event" in hit.text]) == 1
    assert memory.store.check(deep=True) == []


# What failed is told a second time when the statement that met it is thrown away.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.invariant("I-22")
def test_a_disk_that_fails_while_reading_gives_an_error_and_never_another_answer(tmp_path: Path) -> None:
    path = tmp_path / "moored.db"
    with begin(tmp_path / "quay", path, clock=ManualClock()) as memory:
        memory.remember(NOTE)
        memory.record("Does the winch slip in the rain?")
        sound = memory.recall(QUESTION)
        assert len(sound.hits) >= 2
    disk = FaultyDisk("faulty-recall")
    clock = ManualClock()
    failures, at, failed = 0, 0, True
    try:
        while failed:
            at += 1
            disk.fail(at)
            store = None
            try:
                store = Store(path, clock=clock, vfs="faulty-recall", read_only=True)
                place = locate(tmp_path / "quay")
                reader = Memory(
                    store, place, clock=clock, ids=RandomIds(clock), embedder=HashingEmbedder(), create=False
                )
                answer = reader.recall(QUESTION)
            except StoreError:
                failures += 1
            else:
                assert answer == sound
            finally:
                failed = disk.failed
                disk.fail(0)
                if store:
                    store.close()
    finally:
        disk.unregister()
        gc.collect()
    assert failures > 10


class _Broken(HashingEmbedder):
    """An embedder whose model is damaged."""

    def encode(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        raise MooredError(f"no vector for {len(texts)} texts")


@pytest.mark.invariant("I-22")
def test_what_cannot_play_its_part_is_said_in_the_receipt(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember(NOTE)
    assert memory.recall(QUESTION).receipt.degraded == ()
    monkeypatch.setattr(memory, "embedder", None)
    assert "no embedder" in memory.recall(QUESTION).receipt.degraded[0]
    monkeypatch.setattr(memory, "embedder", HashingEmbedder(32))
    assert "no vectors of hashing-32@1" in memory.recall(QUESTION).receipt.degraded[0]
    monkeypatch.setattr(memory, "embedder", HashingEmbedder())
    monkeypatch.setattr(memory, "filling", Filling(memory.store, memory.project, _Broken()))
    recorded = memory.record("The winch was oiled.")
    assert "1 text waits" in memory.recall(QUESTION).receipt.degraded[0]
    assert recorded.outcome == "recorded"


@pytest.mark.invariant("I-01")
def test_what_was_written_is_not_called_a_failure_when_its_vector_cannot_be_made(tmp_path: Path) -> None:
    with begin(tmp_path / "quay", tmp_path / "moored.db", embedder=_Broken()) as memory:
        assert memory.record("kept").outcome == "recorded"
        assert memory.remember(NOTE).outcome == "new"
        with pytest.raises(MooredError, match="no vector"):
            memory.upkeep()


@pytest.mark.invariant("I-16")
def test_upkeep_gives_every_text_a_vector_of_the_embedder_in_use(memory: Memory) -> None:
    note = memory.remember(NOTE)
    memory.revise(note.id, NOTE + " It is old.")
    with open_memory(memory.tree.root, store=memory.store.path, embedder=HashingEmbedder(32)) as later:
        assert later.recall(QUESTION).receipt.degraded
        assert later.upkeep() == 3
        assert later.recall(QUESTION).receipt.degraded == ()
        assert later.upkeep() == 0
    (lost,) = memory.recall(QUESTION).receipt.degraded
    assert lost.endswith("only 3 of hashing-32@1, which are not comparable")
    assert memory.upkeep() == 3
    assert memory.recall(QUESTION).receipt.degraded == ()


@pytest.mark.invariant("I-22")
def test_a_root_that_is_not_there_makes_nothing_gone(memory: Memory) -> None:
    note = memory.remember(NOTE)
    root = Path(memory.tree.root)
    root.rename(root.with_name("elsewhere"))
    answer = memory.recall(QUESTION)
    assert {hit.verdict.state for hit in answer.hits} == {State.UNVERIFIABLE}
    assert "could not read crane.py" in answer.receipt.degraded[0]
    root.with_name("elsewhere").rename(root)
    assert memory.show(note.id).verdict.state is State.CURRENT  # type: ignore[union-attr]
    assert len(memory.history("Crane.lift")) == 1


ANSWER = """
import sys
import moored
from moored.model.clock import ManualClock
with moored.open(sys.argv[1], store=sys.argv[2], read_only=True, create=False, clock=ManualClock()) as memory:
    for question in ("why is lifting retried when the winch slips", "moor ropes crane", "rain", "crane.py Crane.lift"):
        print(repr(memory.recall(question)))
    print(memory.brief("winch"), memory.stale(), memory.map(), memory.impact("moor"), memory.symbol("Crane"))
"""


@pytest.mark.invariant("I-23")
def test_two_processes_give_the_same_answers_to_the_byte(tmp_path: Path) -> None:
    with begin(tmp_path / "quay", tmp_path / "moored.db", embedder=None) as memory:
        for place in ("north", "south", "east", "west"):
            memory.remember(f"The {place} quay has a crane whose winch slips.", tags=["quay", place])
            memory.record(f"Ropes on the {place} quay are old, and moor is slow in the rain.")
        memory.remember(NOTE)
        edit(memory, "retries=3", "retries=5")
    answers = {
        subprocess.run(
            [sys.executable, "-c", ANSWER, str(tmp_path / "quay"), str(tmp_path / "moored.db")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(answers) == 1
    assert "retries=5" in answers.pop()


QUIET = """
import sys
started = []
def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.")):
        raise RuntimeError(f"{event} {arguments}")
    if event in ("subprocess.Popen", "os.posix_spawn", "os.exec"):
        started.append(str(arguments[0]).rpartition("/")[2])
sys.addaudithook(watch)
import moored
with moored.open(sys.argv[1], store=sys.argv[2]) as memory:
    memory.index()
    memory.remember("We retry `Crane.lift` because the winch slips.")
    memory.record("1 failed", role="tool", tool_name="Bash", tool_input="curl https://example.com", exit_status=1)
    memory.import_git()
    assert memory.recall("why does the winch slip, see https://example.com/a").hits
    memory.brief("winch"), memory.affected(), memory.doctor(), memory.status()
print(sorted(set(started)))
"""


@pytest.mark.invariant("I-24")
def test_the_default_configuration_opens_no_socket_and_starts_nothing_but_git(memory: Memory, tmp_path: Path) -> None:
    git(memory, "init", "-q")
    git(memory, "add", ".")
    git(memory, "commit", "-q", "-m", "Begin")
    arguments = [sys.executable, "-c", QUIET, memory.tree.root, str(tmp_path / "quiet.db")]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=90)
    assert (done.stdout.strip(), done.stderr) == ("['git']", "")


def test_a_name_that_came_into_being_a_moment_ago_is_found(memory: Memory) -> None:
    memory.remember(NOTE)
    edit(memory, "def moor(", "def belay(rope):\n    return [rope.turn(at) for at in range(8)]\n\n\ndef moor(")
    assert memory.remember("Belay before mooring.", about="belay").anchors[1].name == "belay"
    edit(memory, "def moor(", "def unmoor(ship):\n    return [ship.free(rope) for rope in range(4)]\n\n\ndef moor(")
    assert memory.symbol("unmoor").fact.path == "crane.py"


def test_a_clock_that_was_set_back_does_not_keep_the_ledger_from_looking(tmp_path: Path) -> None:
    clock = ManualClock()
    with begin(tmp_path / "quay", tmp_path / "moored.db", clock=clock, dense=False, embedder=None) as memory:
        memory.symbol("moor")
        clock.advance(-86_400_000)
        edit(memory, "ropes=4", "ropes=6")
        assert memory.symbol("moor").fact.value == "def moor(ship, ropes=6)"
        memory.remember(NOTE)
        assert memory.recall(QUESTION).hits


def test_reading_goes_on_while_another_holds_the_store(memory: Memory) -> None:
    memory.remember(NOTE)
    edit(memory, "ropes=4", "ropes=6")
    store = Store(memory.store.path, busy_timeout_ms=50)
    place = locate(Path(memory.tree.root))
    clock = ManualClock()
    reader = Memory(store, place, clock=clock, ids=RandomIds(clock), embedder=None, create=False)
    holder = apsw.Connection(str(memory.store.path))
    holder.execute("BEGIN IMMEDIATE")
    try:
        hit = next(hit for hit in reader.recall("moor", kinds=["fact"]).hits if hit.text.startswith("crane.py::moor"))
        assert "ropes=6" in hit.verdict.current
        assert reader.symbol("moor").fact.name == "moor"
        assert reader.show("moor")
        with pytest.raises(StoreError, match="locked by"):
            reader.record("not now")
    finally:
        holder.execute("ROLLBACK")
        holder.close()
        reader.close()


def test_a_memory_that_is_not_to_be_made_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "quay").mkdir()
    with pytest.raises(NotFound, match="moored init"):
        open_memory(tmp_path / "quay", store=tmp_path / "data" / "moored.db", create=False)
    with pytest.raises(StoreReadOnly):
        open_memory(tmp_path / "quay", store=tmp_path / "data" / "moored.db", read_only=True)
    assert not (tmp_path / "data").exists()


@pytest.mark.invariant("I-11")
@pytest.mark.timeout(30)
def test_an_answer_does_not_wait_for_another_writer_to_tell_the_ledger_of_a_change(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "net.py").write_text("def send(data):\n    return data\n", encoding="utf-8")
    clock, path = ManualClock(), tmp_path / "moored.db"
    store = Store(path, clock=clock, busy_timeout_ms=600_000)
    with Memory(store, locate(project), clock=clock, ids=SequentialIds(), embedder=None, create=True) as memory:
        memory.index()
        memory.remember("`send` passes on what it is given", about=["net.py::send"])
        (project / "net.py").write_text("def send(data):\n    return data * 2\n", encoding="utf-8")
        with closing(Connection(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert memory.recall("what does send pass on", kinds=["note"]).hits[0].verdict.state is State.STALE
            other.execute("ROLLBACK")


def _without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        pytest.fail("git was asked")

    monkeypatch.setattr("moored.ledger.git.call", none)


@pytest.mark.parametrize("at", ["main", "main/src", "linked", "linked/src"])
def test_a_tree_that_is_known_is_found_again_without_asking_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "main" / "src").mkdir(parents=True)
    (tmp_path / "main" / "src" / "quay.py").write_text("depth = 4\n")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Begin"], ["worktree", "add", "-q", "../linked"]):
        subprocess.run([*git, *arguments], cwd=tmp_path / "main", check=True, capture_output=True)
    with open_memory(tmp_path / at, store=tmp_path / "moored.db", dense=False) as memory:
        found = memory.project, memory.tree
    _without_git(monkeypatch)
    with open_memory(tmp_path / at, store=tmp_path / "moored.db", dense=False) as memory:
        assert (memory.project, memory.tree) == found


def test_git_is_asked_where_the_store_knows_no_such_tree(tmp_path: Path) -> None:
    """What looks like a repository and is none belongs to its own folder."""
    (tmp_path / "quay" / ".git").mkdir(parents=True)
    for _ in range(2):
        with open_memory(tmp_path / "quay", store=tmp_path / "moored.db", dense=False) as memory:
            assert memory.project.key == f"dir:{tmp_path / 'quay'}"
