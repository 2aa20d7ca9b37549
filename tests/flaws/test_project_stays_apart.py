"""A project is told by where it belongs, not by its name, and nothing of one reaches another."""

from __future__ import annotations

import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moored.errors import MooredError, NotFound
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import House

pytestmark = pytest.mark.invariant("I-06")

TEXT = "Parcels are sent by ship since the insurance excludes air."
QUESTION = "how are parcels sent"


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


def repository(root: Path) -> Path:
    (root / "src" / "net").mkdir(parents=True)
    (root / "src" / "net" / "relay.py").write_text("def send(parcel):\n    return parcel\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    return root


def opened(root: Path, store: Path) -> Memory:
    return open_memory(root, store=store, clock=ManualClock(), dense=False)


def known(root: Path, store: Path) -> list[str]:
    with opened(root, store) as memory:
        return [hit.text for hit in memory.recall(QUESTION, kinds=["note"]).hits]


def test_two_repositories_of_one_name_share_nothing(tmp_path: Path) -> None:
    store = tmp_path / "moored.db"
    mine, other = repository(tmp_path / "mine" / "my-app"), repository(tmp_path / "other" / "my-app")
    with opened(mine, store) as memory:
        memory.remember(TEXT)
        memory.pin("Never send on Sundays.")
    with opened(other, store) as memory:
        assert memory.recall(QUESTION).hits == ()
        assert (memory.pins(), memory.notes()) == ((), ())
        assert memory.start(host="lab", session="s").text == ""
    assert known(mine, store) == [TEXT]


def test_a_work_tree_and_a_folder_below_are_the_project_itself(tmp_path: Path) -> None:
    store, root = tmp_path / "moored.db", repository(tmp_path / "my-app")
    git(root, "worktree", "add", "-q", "-b", "next", str(tmp_path / "next"))
    with opened(root, store) as memory:
        memory.remember(TEXT)
        project = memory.project.id
    for place in (root / "src" / "net", tmp_path / "next", tmp_path / "next" / "src"):
        assert known(place, store) == [TEXT]
    with opened(tmp_path / "next", store) as memory:
        assert memory.project.id == project
        assert len(memory.projects()) == 1


def test_two_clones_that_say_so_are_one_project(tmp_path: Path) -> None:
    store = tmp_path / "moored.db"
    first, second = repository(tmp_path / "first"), repository(tmp_path / "second")
    for root in (first, second):
        (root / ".moored.toml").write_text('project = "depot"\n')
    with opened(first, store) as memory:
        memory.remember(TEXT)
    assert known(second, store) == [TEXT]


def test_a_clone_that_was_moved_and_says_who_it_is_keeps_its_memory(tmp_path: Path) -> None:
    store, root = tmp_path / "moored.db", repository(tmp_path / "my-app")
    (root / ".moored.toml").write_text('project = "my-app"\n')
    with opened(root, store) as memory:
        memory.index()
        memory.remember(TEXT, about=["src/net/relay.py::send"])
    shutil.move(root, tmp_path / "elsewhere")
    with opened(tmp_path / "elsewhere", store) as memory:
        (hit,) = memory.recall(QUESTION, kinds=["note"]).hits
        assert (hit.text, hit.verdict.state) == (TEXT, "current")


def test_a_clone_that_was_moved_gets_no_memory_of_what_stands_in_its_old_place(tmp_path: Path) -> None:
    store, root = tmp_path / "moored.db", repository(tmp_path / "my-app")
    with opened(root, store) as memory:
        memory.remember(TEXT)
        project = memory.project.id
    shutil.move(root, tmp_path / "elsewhere")
    assert known(tmp_path / "elsewhere", store) == []
    (tmp_path / "elsewhere" / ".moored.toml").write_text(f'project = "{project}"\n')
    assert known(tmp_path / "elsewhere", store) == [TEXT], "until it says whose memory it wants"
    (tmp_path / "elsewhere" / ".moored.toml").unlink()
    shutil.move(tmp_path / "elsewhere", root)
    assert known(root, store) == [TEXT]


def test_what_is_noted_in_one_project_is_not_added_to_the_same_note_of_another(house: House) -> None:
    other = house.beside("quay")
    mine = house.remember(TEXT)
    theirs = other.memory.remember(f"{TEXT} The insurer confirmed it.")
    assert theirs.outcome == "new"
    assert house.says(mine) == TEXT
    assert [hit.id for hit in other.notes(QUESTION)] == [theirs.id]
    assert other.memory.remember("Parcels are sent by air now instead of by ship.").id != mine
    assert house.memory.disputes() == ()
    other.memory.close()


def test_a_pin_and_the_work_of_another_project_are_in_no_brief(house: House) -> None:
    other = house.beside("quay")
    house.say("Build the new gate for the lorries, please.", session="s1")
    house.memory.pin("Never send on Sundays.")
    other.say("Paint the crane yellow, please.", session="s1")
    other.memory.pin("Never paint in the rain.")
    for source in ("startup", "resume", "compact"):
        mine = house.memory.start(host="lab", session="s1", source=source).text
        assert "Never send on Sundays." in mine
        assert "paint" not in mine.lower()
    assert "Build the new gate" in house.memory.start(host="lab", session="s1", source="compact").text
    other.memory.close()


def test_another_session_does_not_take_the_place_of_the_work_at_hand(house: House) -> None:
    house.say("Build the new gate for the lorries, please. Next: order the hinges.", session="mine")
    house.clock.advance(1_000)
    for number in range(60):
        house.say(f"Say hello number {number} to the harbour.", session=f"other {number}")
        house.clock.advance(1_000)
    told = house.memory.start(host="lab", session="mine", source="compact").text
    assert "order the hinges" in told


WORDS = ("gate", "crane", "winch", "ferry", "lantern")
OURS = WORDS[:2]
STEPS: dict[str, Callable[[Memory, str], object]] = {
    "note": lambda m, w: m.remember(f"The {w} is oiled each spring."),
    "turn": lambda m, w: m.record(f"I prefer the {w} to be oiled.", host="lab", session="s"),
    "pin": lambda m, w: m.pin(f"Never touch the {w}."),
    "remind": lambda m, w: m.remind(f"Oil the {w}", when=f"keyword: {w}"),
    "rule": lambda m, w: m.add_rule("forbid", f"text~{w}"),
    "alias": lambda m, w: m.alias(w, "thingamajig"),
    "revise": lambda m, w: [m.revise(one.judged.note.id, f"The {w} is old.") for one in m.notes()[:1]],
    "upkeep": lambda m, _: m.upkeep(),
    "forget": lambda m, _: [m.forget(one.judged.note.id) for one in m.notes()[:1]],
    "erase": lambda m, _: [m.forget(one.judged.note.id, hard=True) for one in m.notes()[:1]],
    "forget everything": lambda m, _: m.forget(everything=True, hard=True),
    "redact": lambda m, w: m.redact(w),
    "undo": lambda m, _: [m.undo(one.id) for one in m.operations()[-1:]],
    "unpin": lambda m, _: [m.unpin(one.id) for one in m.pins()[:1]],
    "learn": lambda m, _: m.learn(),
    "seed": lambda m, _: m.seed(),
}


def _exported(memory: Memory) -> bytes:
    target = BytesIO()
    memory.export(target)
    return b"\n".join(line for line in target.getvalue().splitlines() if b'"exported_at"' not in line)


def _told(memory: Memory, words: tuple[str, ...]) -> str:
    """Everything that a memory says of these words, by every way of asking."""
    said: list[object] = [[(one.judged.note, one.judged.verdict) for one in memory.notes()]]
    said += [memory.pins(), memory.rules(), memory.reminders(), memory.aliases()]
    said += [memory.profile(every=True), memory.operations(), memory.disputes(), memory.stale()]
    said += [memory.start(host="lab", session="s", source=one).text for one in ("startup", "resume", "compact")]
    for word in words:
        said += [memory.recall(word).hits, memory.brief(word).text]
        said.append(memory.before_prompt(f"Oil the {word}, please", host="lab", session="t").text)
    return repr(said)


@settings(max_examples=12, deadline=None, report_multiple_bugs=False)
@given(steps=st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.sampled_from(OURS)), max_size=8))
def test_whatever_is_done_in_one_project_is_neither_told_nor_missed_in_another(steps: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as folder:
        store, ids, clock = Path(folder) / "moored.db", SequentialIds(), ManualClock()
        mine, other = (
            open_memory(_made(Path(folder) / name), store=store, clock=clock, ids=ids, dense=False)
            for name in ("mine", "other")
        )
        for word in WORDS[2:]:
            for step in ("note", "turn", "pin", "alias"):
                STEPS[step](other, word)
            other.remind(f"Oil the {word}", when="a test fails")
        told = _told(other, WORDS[2:])
        before = _exported(other)
        for step, word in steps:
            try:
                STEPS[step](mine, word)
            except MooredError:
                continue  # said again, or nothing is there to be changed
        answers = _told(mine, (*OURS, "thingamajig"))
        assert not any(word in answers for word in WORDS[2:])
        assert _exported(other) == before
        assert _told(other, WORDS[2:]) == told
        for one in other.notes():
            for reach in (mine.show, mine.history, mine.explain, mine.forget, mine.undo, mine.unpin):
                with pytest.raises(NotFound):
                    reach(one.judged.note.id)
        mine.close()
        other.close()


def _made(root: Path) -> Path:
    root.mkdir()
    (root / "README.md").write_text("# Depot\n\nThe depot keeps things.\n")
    return root
