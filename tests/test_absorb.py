"""Absorbing: what was captured becomes part of the record once, whatever happens on the way."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from moored import absorb as absorbing
from moored.absorb import Absorbed, absorb, absorb_shortly
from moored.cli import render_care
from moored.embed import first_embedder
from moored.errors import StoreLocked
from moored.hosts import log
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Channel, Role, Trust
from moored.model.ids import RandomIds, SequentialIds
from moored.model.projects import Project
from moored.record.inbox import Entry, Inbox
from moored.store.sqlite.store import Store

SAID = Entry(b"Use the north quay.", "user", "user", host="claude-code", session="s1", host_event="user:1")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "crane.py").write_text("def lift():\n    return [1, 2, 3]\n")
    return folder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "moored.db"


def run(path: Path, **how: float) -> Absorbed:
    store = Store(path, clock=ManualClock())
    try:
        return absorb(store, clock=ManualClock(), ids=RandomIds(), **how)  # pyright: ignore[reportArgumentType]
    finally:
        store.close()


def opened(root: Path, path: Path) -> Memory:
    return open_memory(root, store=path, create=False, clock=ManualClock(), ids=SequentialIds(), dense=False)


def contents(root: Path, path: Path) -> list[bytes]:
    with opened(root, path) as memory, memory.store.read() as view:
        return [episode.content for episode in view.episodes.all(memory.project)]


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_an_entry_becomes_an_episode_with_all_that_was_captured(root: Path, path: Path) -> None:
    Inbox(path).put(
        Entry(
            b"\xff 2 failed",
            "tool",
            "tool",
            host="claude-code",
            session="s1/a7",
            host_event="tool:t1",
            tool_name="Bash",
            tool_input='{"command": "make"}',
            exit_status=2,
            occurred_at=1_700_000_000_000,
            cwd=str(root),
        )
    )
    done = run(path)
    assert (done.recorded, done.duplicates, done.failed, done.left) == (1, 0, 0, 0)
    with opened(root, path) as memory:
        with memory.store.read() as view:
            (episode,) = view.episodes.all(memory.project)
        assert (episode.content, episode.role, episode.channel, episode.trust) == (
            b"\xff 2 failed",
            Role.TOOL,
            Channel.TOOL,
            Trust.DATA,
        )
        assert (episode.session, episode.host, episode.tool_name) == ("s1/a7", "claude-code", "Bash")
        assert (episode.exit_status, episode.occurred_at) == (2, 1_700_000_000_000)
        assert memory.show("$ make")
    assert Inbox(path).waiting() == []


def test_entries_are_recorded_in_the_order_in_which_they_were_captured(root: Path, path: Path) -> None:
    said = [f"Sentence {number}".encode() for number in range(250)]
    for text in said:
        Inbox(path).put(Entry(text, "user", "user", cwd=str(root)))
    assert run(path).recorded == 250
    assert contents(root, path) == said


@pytest.mark.invariant("I-17")
def test_what_is_captured_again_is_recorded_once(root: Path, path: Path) -> None:
    entry = SAID._replace(cwd=str(root))
    unnamed = Entry(b"without an id of the host's", "user", "user", cwd=str(root))
    inbox = Inbox(path)
    for _ in range(3):
        inbox.put(entry)
    file = inbox.put(unnamed)
    kept = file.read_bytes()
    assert run(path).recorded == 2
    # As after a kill between the transaction and the removal of the file.
    file.write_bytes(kept)
    inbox.put(entry)
    done = run(path)
    assert (done.recorded, done.duplicates) == (0, 2)
    assert contents(root, path) == [SAID.content, unnamed.content]


def test_two_equal_events_without_an_id_of_the_host_are_two(root: Path, path: Path) -> None:
    for _ in range(2):
        Inbox(path).put(Entry(b"3 passed", "tool", "tool", tool_name="run", cwd=str(root)))
    assert run(path).recorded == 2


def test_a_repository_becomes_a_project_and_is_indexed_unasked(root: Path, path: Path) -> None:
    git(root, "init", "-q")
    (root / "sub").mkdir()
    Inbox(path).put(SAID._replace(cwd=str(root / "sub")))
    run(path)
    with opened(root, path) as memory:
        assert memory.project.key == f"git:{root.resolve() / '.git'}"
        assert memory.symbol("lift").fact.path == "crane.py"


def test_a_plain_folder_becomes_a_project_and_is_not_indexed_unasked(root: Path, path: Path) -> None:
    Inbox(path).put(SAID._replace(cwd=str(root), paths=("crane.py",)))
    run(path)
    with opened(root, path) as memory:
        assert memory.project.key == f"dir:{root.resolve()}"
        assert memory.status().counts.files == 0


def test_the_home_folder_is_a_project_of_its_own_and_is_not_indexed_even_under_git(path: Path) -> None:
    home = Path.home()
    (home / "secret.py").write_text("x = [1, 2]\n")
    git(home, "init", "-q")
    Inbox(path).put(SAID._replace(cwd=str(home)))
    assert run(path).recorded == 1
    with opened(home, path) as memory:
        assert memory.status().counts.files == 0


def test_what_happened_in_a_folder_that_is_gone_is_kept_where_it_belonged(root: Path, path: Path) -> None:
    git(root, "init", "-q")
    Inbox(path).put(SAID._replace(cwd=str(root / "removed" / "deep")))
    Inbox(path).put(SAID._replace(cwd=str(root.parent / "vanished" / "clone")))
    assert run(path).recorded == 2
    assert contents(root, path) == [SAID.content]
    store = Store(path, read_only=True)
    with store.read() as view:
        keys = {project.key for project in view.projects.all()}
    store.close()
    assert keys == {f"git:{root.resolve() / '.git'}", f"dir:{root.parent / 'vanished' / 'clone'}"}


def test_what_happened_in_a_removed_folder_of_a_project_with_settings_belongs_to_it(root: Path, path: Path) -> None:
    (root / ".moored.toml").write_text("")
    Inbox(path).put(SAID._replace(cwd=str(root / "removed")))
    assert run(path).recorded == 1
    assert contents(root, path) == [SAID.content]


def test_events_of_two_projects_stay_apart_and_in_order(root: Path, path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for folder in (root, other, root, root, other):
        said = f"{folder.name} {len(Inbox(path).waiting())}"
        Inbox(path).put(SAID._replace(cwd=str(folder), content=said.encode()))
    assert run(path).recorded == 5
    assert contents(root, path) == [b"work 0", b"work 2", b"work 3"]
    assert contents(other, path) == [b"other 1", b"other 4"]


def test_of_what_was_private_nothing_is_kept(root: Path, path: Path) -> None:
    Inbox(path).put(SAID._replace(cwd=str(root), content=b"<private>gulls</private>"))
    done = run(path)
    assert (done.withheld, done.recorded, done.left) == (1, 0, 0)
    assert contents(root, path) == []


@pytest.mark.parametrize(
    "poison",
    [
        b"",
        b"null\n",
        b'{"size": 3, "role": "king", "channel": "user", "cwd": "/"}\nabc',
        b'{"size": 3, "role": "user", "channel": "user", "cwd": "/", "occurred_at": 999999999999999999}\nabc',
        b'{"size": 0, "role": "user", "channel": "user", "cwd": "/"}\n',
        b'{"size": 3, "role": "user", "channel": "user", "cwd": 7}\nabc',
        b"[" * 100_000,
    ],
    ids=["empty", "null", "role", "time", "no content", "types", "deep"],
)
def test_a_poisoned_entry_is_set_aside_and_holds_up_nothing(root: Path, path: Path, poison: bytes) -> None:
    inbox = Inbox(path)
    inbox.put(SAID._replace(cwd=str(root))).with_name("0.entry").write_bytes(poison)
    inbox.put(SAID._replace(cwd=str(root), content=b"After it."))
    done = run(path)
    assert (done.recorded, done.failed, done.left) == (2, 1, 0)
    assert [file.name for file in inbox.failed()] == ["0.entry"]
    assert contents(root, path) == [SAID.content, b"After it."]
    assert any("set aside" in line for line in log.lines(path))


def test_what_a_parser_stumbles_over_is_set_aside(root: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = absorbing.admit

    def stumbling(event: object) -> object:
        if b"trap" in event.content:  # pyright: ignore[reportAttributeAccessIssue]
            raise RecursionError
        return real(event)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(absorbing, "admit", stumbling)
    for text in (b"before", b"trap", b"behind"):
        Inbox(path).put(SAID._replace(cwd=str(root), content=text))
    done = run(path)
    assert (done.recorded, done.failed) == (2, 1)
    assert contents(root, path) == [b"before", b"behind"]


def test_what_the_database_refuses_is_set_aside_and_the_rest_of_its_batch_is_recorded(
    root: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = absorbing.write_all

    def refusing(transaction: object, project: Project, admitted: object, *rest: object) -> object:
        recorded = real(transaction, project, admitted, *rest)  # pyright: ignore[reportArgumentType, reportCallIssue]
        if any(b"trap" in one.event.content for one in admitted):  # pyright: ignore[reportGeneralTypeIssues]
            transaction.connection.execute("INSERT INTO tree (id) VALUES (1)")  # pyright: ignore[reportAttributeAccessIssue]
        return recorded

    monkeypatch.setattr(absorbing, "write_all", refusing)
    for text in (b"before", b"trap", b"behind"):
        Inbox(path).put(SAID._replace(cwd=str(root), content=text))
    done = run(path)
    assert (done.recorded, done.failed, done.left) == (2, 1, 0)
    assert contents(root, path) == [b"before", b"behind"]


def test_an_entry_whose_project_cannot_be_told_waits_until_it_can(root: Path, path: Path) -> None:
    (root / ".moored.toml").write_text("project = [\n")
    Inbox(path).put(SAID._replace(cwd=str(root)))
    Inbox(path).put(SAID._replace(cwd=str(root.parent)))
    done = run(path)
    assert (done.recorded, done.held, done.left, done.failed) == (1, 1, 1, 0)
    (root / ".moored.toml").write_text('project = "quay"\n')
    assert run(path).recorded == 1
    assert contents(root, path) == [SAID.content]


def test_while_another_process_writes_nothing_is_taken_and_nothing_lost(root: Path, path: Path) -> None:
    Store(path).close()
    Inbox(path).put(SAID._replace(cwd=str(root)))
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked):
        run(path)
    other.close()
    assert len(Inbox(path).waiting()) == 1
    assert run(path).recorded == 1


def test_a_store_that_is_only_read_is_left_alone(root: Path, path: Path) -> None:
    Store(path).close()
    Inbox(path).put(SAID._replace(cwd=str(root)))
    store = Store(path, read_only=True)
    done = absorb(store, clock=ManualClock(), ids=SequentialIds())
    store.close()
    assert (done.taken, done.left) == (0, 1)


def test_while_another_absorber_works_nothing_is_taken(root: Path, path: Path) -> None:
    Inbox(path).put(SAID._replace(cwd=str(root)))
    with Inbox(path).taking():
        done = run(path)
    assert (done.busy, done.taken, done.left) == (True, 0, 1)


def test_a_file_that_a_tool_wrote_is_read_again(root: Path, path: Path) -> None:
    with open_memory(root, store=path, clock=ManualClock(), dense=False) as memory:
        memory.index()
    (root / "crane.py").write_text("def lower():\n    return [3, 2, 1]\n")
    (root / "winch.py").write_text("def wind():\n    return [1, 1]\n")
    Inbox(path).put(SAID._replace(cwd=str(root), paths=("crane.py", str(root / "winch.py"), "/etc/passwd", "../x.py")))
    done = run(path)
    assert done.changed == {str(root.resolve()): {"crane.py", "winch.py"}}
    store = Store(path, read_only=True)
    with store.read() as view:
        (project,) = view.projects.all()
        (tree,) = view.projects.trees(project)
        files = view.facts.files(tree)
    store.close()
    assert sorted(files) == ["crane.py", "winch.py"]
    with opened(root, path) as memory:
        assert memory.symbol("lower").fact.path == "crane.py"


def test_a_quick_absorbing_leaves_long_entries_and_what_follows_to_one_with_time(root: Path, path: Path) -> None:
    inbox = Inbox(path)
    for text in (b"first", b"long " * 300_000, b"last"):
        inbox.put(SAID._replace(cwd=str(root), content=text))
    store = Store(path)
    done = absorb_shortly(store, ManualClock(), SequentialIds())
    store.close()
    assert (done.recorded, done.left) == (1, 2)
    assert run(path).recorded == 2


def test_a_quick_absorbing_takes_trouble_for_later(root: Path, path: Path) -> None:
    store = Store(path)
    Inbox(path).put(SAID._replace(cwd=str(root)))
    Inbox(path).folder.rename(path.with_name("elsewhere"))
    Inbox(path).folder.write_text("in the way")
    Inbox(path).fallback.mkdir(parents=True)
    next(path.with_name("elsewhere").glob("*.entry")).rename(Inbox(path).fallback / "1.entry")
    done = absorb_shortly(store, ManualClock(), SequentialIds())
    store.close()
    assert (done.taken, done.left) == (0, 1)
    assert any("not absorbed" in line for line in log.lines(path))


def test_reading_sees_what_was_captured_just_before(root: Path, path: Path) -> None:
    with open_memory(root, store=path, clock=ManualClock(), dense=False) as memory:
        Inbox(path).put(SAID._replace(cwd=str(root)))
        assert [hit.text for hit in memory.recall("north quay").hits] == ["Use the north quay."]
        Inbox(path).put(SAID._replace(cwd=str(root), content=b"Use the south pier."))
        assert memory.status().counts.episodes == 2


def test_the_facade_absorbs_on_request_and_gives_vectors(root: Path, path: Path) -> None:
    with open_memory(root, store=path, clock=ManualClock()) as memory:
        Inbox(path).put(SAID._replace(cwd=str(root)))
        assert memory.absorb().recorded == 1
        assert memory.status().vectors == {first_embedder().model: 1}
        assert memory.upkeep() == 1
        assert memory.status().waiting == 0


def absorber(path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "moored.absorb", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.invariant("I-17", "I-01")
def test_an_absorber_that_is_killed_at_any_point_loses_nothing_and_doubles_nothing(root: Path, path: Path) -> None:
    said = [f"Number {number}" for number in range(400)]
    for text in said:
        Inbox(path).put(Entry(text.encode(), "user", "user", session="s", cwd=str(root)))
    dice = random.Random(7)  # noqa: S311
    for _ in range(12):
        with absorber(path) as process:
            try:
                process.wait(timeout=dice.uniform(0.15, 0.6))
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate(timeout=30)
    run(path, patience=30.0)
    assert Inbox(path).waiting() == []
    assert Inbox(path).failed() == []
    assert sorted(contents(root, path)) == sorted(text.encode() for text in said)


@pytest.mark.invariant("I-17")
def test_absorbers_side_by_side_record_everything_once(root: Path, path: Path) -> None:
    for number in range(150):
        entry = Entry(str(number).encode(), "user", "user", session="s", host_event=f"user:{number}", cwd=str(root))
        for _ in range(3):
            Inbox(path).put(entry)
    Store(path).close()
    accounts: list[Absorbed] = []
    threads = [threading.Thread(target=lambda: accounts.append(run(path, patience=30.0))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sum(account.recorded for account in accounts) == 150
    assert sum(account.duplicates for account in accounts) == 300
    assert sorted(map(int, contents(root, path))) == list(range(150))


def test_the_absorbers_process_creates_the_store_absorbs_says_nothing_and_ends(root: Path, path: Path) -> None:
    Inbox(path).put(SAID._replace(cwd=str(root)))
    with absorber(path) as process:
        said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, (b"", b""))
    assert contents(root, path) == [SAID.content]
    with opened(root, path) as memory:
        assert memory.status().waiting == 0


def test_a_project_whose_model_cannot_be_used_keeps_no_other_from_its_vectors(
    root: Path, path: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for folder in (other, root):
        Inbox(path).put(SAID._replace(cwd=str(folder), host_event=folder.name))
    (other / ".moored.toml").write_text(f"[embedding]\nmodel = '{tmp_path / 'gone'}'\n")
    with closing(Store(path, clock=ManualClock())) as store:
        absorb(store, clock=ManualClock(), ids=RandomIds(), patience=30.0)
        absorbing._give_vectors(store, Inbox(path))
        with store.read() as view:
            waiting = {project.name: view.vectors.count_waiting(project) for project in view.projects.all()}
    assert waiting == {root.name: 0, "other": 1}
    assert "no vectors for" in log.lines(path)[-1]


def test_what_is_captured_while_vectors_are_made_is_not_left(
    root: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: object, **__: object) -> int:
        if len(contents(root, path)) == 1:
            Inbox(path).put(SAID._replace(cwd=str(root), content=b"And the south one.", host_event="user:2"))
        return 0

    monkeypatch.setattr("moored.embed.index.fill", fill)
    monkeypatch.setattr(absorbing, "LINGER", 0.0)
    Inbox(path).put(SAID._replace(cwd=str(root)))
    assert absorbing._attend(path, Inbox(path)) == []
    assert contents(root, path) == [SAID.content, b"And the south one."]


def test_the_absorbers_process_ends_at_once_when_another_attends(root: Path, path: Path) -> None:
    Inbox(path).put(SAID._replace(cwd=str(root)))
    with Inbox(path).attending() as free, absorber(path) as process:
        assert free
        process.communicate(timeout=60)
    assert len(Inbox(path).waiting()) == 1


def test_the_absorbers_process_leaves_a_store_that_is_none_as_it_is(root: Path, path: Path) -> None:
    path.write_bytes(b"this is no database " * 100)
    Inbox(path).put(SAID._replace(cwd=str(root)))
    with absorber(path) as process:
        said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, (b"", b""))
    assert path.read_bytes() == b"this is no database " * 100
    assert len(Inbox(path).waiting()) == 1
    assert any("StoreCorrupt" in line for line in log.lines(path))


def checks(path: Path, root: Path) -> dict[str, tuple[str, str]]:
    with opened(root, path) as memory:
        return {check.name: (check.state, check.detail) for check in memory.doctor().checks}


def test_the_doctor_tells_what_waits_what_was_refused_and_what_the_hooks_logged(root: Path, path: Path) -> None:
    with open_memory(root, store=path, clock=ManualClock(), dense=False):
        assert checks(path, root)["inbox"] == ("ok", "Nothing that hooks captured waits.")
        assert checks(path, root)["hooks"] == ("ok", "No trouble is logged.")
    Inbox(path).put(SAID._replace(cwd=str(root)))
    state, detail = checks(path, root)["inbox"]
    assert state == "warning"
    assert detail.startswith("1 captured events wait in ")
    Inbox(path).put(SAID).write_bytes(b"")
    run(path)
    state, detail = checks(path, root)["inbox"]
    assert (state, detail) == ("warning", "1 captured events were refused by the record, and 0 wait.")
    state, detail = checks(path, root)["hooks"]
    assert state == "warning"
    assert "was set aside" in detail


def test_status_counts_what_could_not_be_absorbed(root: Path, path: Path) -> None:
    with open_memory(root, store=path, clock=ManualClock(), dense=False) as memory:
        assert memory.status().captured == 0
        Inbox(path).put(SAID._replace(cwd=str(root)))
        with Inbox(path).taking():
            state = memory.status()
        assert (state.captured, state.counts.episodes) == (1, 0)
        assert any("1 captured event not absorbed yet" in line for line in render_care.status(state))
        assert memory.status().counts.episodes == 1
