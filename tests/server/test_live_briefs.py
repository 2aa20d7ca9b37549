"""Briefs that a running server computes for hooks: the same as the facade's, for every project of the store."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from moored.embed import HashingEmbedder
from moored.errors import InvalidInput, NotFound
from moored.hosts.live import ask
from moored.memory import open_memory
from moored.server import live_briefs
from moored.server.live import Live
from moored.server.live_briefs import Briefs

SOON = 30.0
PROMPT = "how many attempts does delivery make?"
DECISION = "Delivery makes five attempts, since the relay is restarted every minute."


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "moored.db"


@pytest.fixture
def project(tmp_path: Path, store: Path) -> Path:
    return written(tmp_path / "courier", store, DECISION)


@pytest.fixture
def briefs(store: Path) -> Iterator[Briefs]:
    answering = Briefs(store, lambda _: HashingEmbedder())
    yield answering
    answering.close()


def written(root: Path, store: Path, decision: str) -> Path:
    """A project with one file and one note about it."""
    root.mkdir()
    (root / "delivery.py").write_text("def deliver(packet):\n    return packet\n")
    with open_memory(root, store=store, embedder=HashingEmbedder()) as memory:
        memory.index()
        memory.remember(decision, about=["delivery.py::deliver"], kind="decision")
    return root


def prompt(cwd: Path, **more: object) -> dict[str, object]:
    asked = {"do": "brief", "moment": "prompt", "cwd": str(cwd), "prompt": PROMPT, "host": "h", "session": "s"}
    return {**asked, **more}


def test_a_prompt_is_answered_as_the_facade_answers_it(project: Path, store: Path, briefs: Briefs) -> None:
    with open_memory(project, store=store, embedder=HashingEmbedder()) as memory:
        expected = memory.before_prompt(PROMPT, host="h", session="s")
    assert DECISION in expected.text
    assert briefs(prompt(project)) == {"text": expected.text, "tokens": expected.tokens}


def test_an_edit_is_answered_as_the_facade_answers_it(project: Path, store: Path, briefs: Briefs) -> None:
    with open_memory(project, store=store, embedder=HashingEmbedder()) as memory:
        expected = memory.before_edit(["delivery.py"], names=["deliver"])
    asked = {"moment": "edit", "cwd": str(project), "paths": ["delivery.py"], "names": ["deliver"]}
    assert DECISION in expected.text
    assert briefs(asked) == {"text": expected.text, "tokens": expected.tokens}


def test_a_start_is_answered_as_the_facade_answers_it(project: Path, store: Path, briefs: Briefs) -> None:
    with open_memory(project, store=store, embedder=HashingEmbedder()) as memory:
        expected = memory.start(host="h", session="s", source="clear")
    asked = {"moment": "start", "cwd": str(project), "host": "h", "session": "s", "source": "clear"}
    assert DECISION in expected.text
    assert briefs(asked) == {"text": expected.text, "tokens": expected.tokens}


def test_where_there_is_nothing_to_say_the_text_is_empty(project: Path, briefs: Briefs) -> None:
    assert briefs(prompt(project, prompt="thanks!")) == {"text": "", "tokens": 0}


def test_a_budget_is_kept(project: Path, briefs: Briefs) -> None:
    assert briefs(prompt(project, budget=0))["text"] == ""


def test_what_is_written_meanwhile_is_in_the_next_answer(project: Path, store: Path, briefs: Briefs) -> None:
    assert DECISION in briefs(prompt(project))["text"]
    with open_memory(project, store=store, embedder=HashingEmbedder()) as memory:
        memory.remember("Delivery attempts wait a second longer each time.", about=["delivery.py"])
    assert "a second longer" in briefs(prompt(project))["text"]


def test_a_folder_below_the_project_is_the_project(project: Path, briefs: Briefs) -> None:
    (project / ".moored.toml").touch()
    (project / "deep" / "er").mkdir(parents=True)
    assert DECISION in briefs(prompt(project / "deep" / "er"))["text"]


@pytest.mark.invariant("I-06")
def test_another_project_of_the_store_is_not_in_the_answer(
    project: Path, store: Path, tmp_path: Path, briefs: Briefs
) -> None:
    other = written(tmp_path / "other", store, "Delivery makes nine attempts here.")
    assert "nine" not in briefs(prompt(project))["text"]
    assert "nine" in briefs(prompt(other))["text"]
    assert "five" not in briefs(prompt(other))["text"]


def test_only_a_few_memories_stay_open(store: Path, tmp_path: Path, briefs: Briefs) -> None:
    roots = [written(tmp_path / f"p{n}", store, f"Delivery makes {n + 10} attempts.") for n in range(6)]
    for _ in range(2):
        for n, root in enumerate(roots):
            assert f"{n + 10} attempts" in briefs(prompt(root))["text"]
    assert len(briefs._memories) == live_briefs.KEPT


def test_several_hooks_are_answered_at_the_same_time(project: Path, briefs: Briefs) -> None:
    together = threading.Barrier(8)

    def answer(_: int) -> object:
        together.wait(SOON)
        return briefs(prompt(project))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(answer, range(8)))
    assert answers == [answers[0]] * 8


@pytest.mark.parametrize(
    "wrong",
    [
        {"moment": "lunch"},
        {"moment": None},
        {"prompt": 7},
        {"session": None},
        {"budget": -1},
        {"budget": True},
        {"budget": "many"},
        {"moment": "edit", "paths": "delivery.py"},
        {"moment": "edit", "paths": [1]},
    ],
    ids=str,
)
def test_a_request_that_is_not_understood_is_told_so(project: Path, briefs: Briefs, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        briefs(prompt(project, **wrong))


def test_a_folder_that_is_unknown_or_gone_has_no_memory(project: Path, tmp_path: Path, briefs: Briefs) -> None:
    (tmp_path / "new").mkdir()
    for folder in ("new", "gone"):
        with pytest.raises(NotFound):
            briefs(prompt(tmp_path / folder))
    assert not (tmp_path / "new" / ".moored.toml").exists()


def test_a_store_is_not_made_by_asking(tmp_path: Path, briefs: Briefs, store: Path) -> None:
    with pytest.raises(NotFound, match="no store"):
        briefs(prompt(tmp_path))
    assert not store.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no Unix sockets")
def test_a_store_in_the_place_of_another_is_the_one_that_is_asked(project: Path, store: Path, briefs: Briefs) -> None:
    assert DECISION in str(briefs(prompt(project))["text"])
    for file in (store, Path(f"{store}-wal"), Path(f"{store}-shm")):
        file.unlink(missing_ok=True)
    with pytest.raises(NotFound, match="There is no store"):
        briefs(prompt(project))
    with open_memory(project, store=store, embedder=HashingEmbedder()) as memory:
        memory.index()
        memory.remember("Delivery makes nine attempts.", about=["delivery.py::deliver"])
    text = str(briefs(prompt(project))["text"])
    assert "nine attempts" in text
    assert DECISION not in text


def test_a_hook_gets_its_brief_over_the_socket(
    project: Path, store: Path, briefs: Briefs, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tempfile.mkdtemp(prefix="m", dir="/tmp")
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    with Live(store, brief=briefs, absorb=lambda: None) as running:
        assert running.listening.wait(SOON)
        answer = ask(store, prompt(project), SOON)
        refused = ask(store, prompt(project, moment="lunch"), SOON)
    shutil.rmtree(runtime)
    assert answer == dict(briefs(prompt(project)))
    assert refused is not None
    assert "lunch" in refused["error"]


def test_the_answer_names_the_reminders_in_it_and_leaves_the_counting_to_who_hands_it_out(
    project: Path, store: Path, briefs: Briefs
) -> None:
    with open_memory(project, store=store, embedder=HashingEmbedder()) as memory:
        made = memory.remind("Ask the post office first", when="editing delivery.py")
        asked = {"moment": "edit", "cwd": str(project), "paths": ["delivery.py"]}
        for _ in range(2):
            answer = briefs(asked)
            assert "because you are editing delivery.py" in answer["text"]
            assert answer["reminded"] == [made.id]
        assert [one.fired for one in memory.reminders()] == [0]
