"""Bad input gets a clear error and loses nothing; odd input is taken as it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from moored.atlas.drafts import MAX_TEXT
from moored.context.pins import MAX_BYTES
from moored.errors import EmptyText, InvalidInput, NotFound, TooLarge
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.record import admission

CODE = "def unload(ship):\n    return [box.lift() for box in ship.boxes]\n"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "quay"
    root.mkdir()
    (root / "ship.py").write_text(CODE)
    with open_memory(
        root, store=tmp_path / "moored.db", dense=False, clock=ManualClock(), ids=SequentialIds()
    ) as opened:
        opened.index()
        yield opened


def held(memory: Memory) -> tuple[object, ...]:
    """All that is counted of a memory."""
    status = memory.status()
    return status.counts, memory.pins(), memory.operations(), memory.projects()


REFUSED: dict[str, tuple[type[Exception], str, Callable[[Memory], object]]] = {
    "an empty note": (EmptyText, "no text", lambda m: m.remember(" \n\t")),
    "an empty event": (EmptyText, "no content", lambda m: m.record("")),
    "an empty pin": (EmptyText, "no text", lambda m: m.pin(" ")),
    "an empty revision": (EmptyText, "no text", lambda m: m.revise(m.remember("x").id, "")),
    "a long note": (TooLarge, "record the text", lambda m: m.remember("x" * (MAX_TEXT + 1))),
    "a long pin": (TooLarge, "say it shorter", lambda m: m.pin("x" * (MAX_BYTES + 1))),
    "an unknown episode": (NotFound, "ep_0", lambda m: m.show("ep_000000000000000000")),
    "an unknown note": (NotFound, "no_0", lambda m: m.show("no_000000000000000000")),
    "an unknown revision": (NotFound, "no note re_0", lambda m: m.history("re_000000000000000000")),
    "an unknown fact": (NotFound, "fa_0", lambda m: m.show("fa_000000000000000000")),
    "an unknown operation": (NotFound, "op_0", lambda m: m.undo("op_000000000000000000")),
    "an unknown pin": (NotFound, "pi_0", lambda m: m.unpin("pi_000000000000000000")),
    "an unknown project": (NotFound, "named by its id", lambda m: m.recall("x", project="pr_0")),
    "an unknown symbol": (NotFound, "Did you mean.*unload", lambda m: m.symbol("unlaod")),
    "an unknown target": (NotFound, "Did you mean.*unload", lambda m: m.remember("x", about=["unlaod"])),
    "an unknown path": (NotFound, "Did you mean.*ship.py", lambda m: m.remember("x", about=["shop.py"])),
    "a line that is not there": (NotFound, "at line 99", lambda m: m.remember("x", about=["ship.py:99"])),
    "a path that leads outside": (NotFound, "passwd", lambda m: m.remember("x", about=["../../etc/passwd"])),
    "an unknown kind of hit": (InvalidInput, "note, episode, fact", lambda m: m.recall("x", kinds=["notes"])),
    "no kind of hit": (InvalidInput, "for all", lambda m: m.recall("x", kinds=[])),
    "a budget below nothing": (InvalidInput, "from 0 on", lambda m: m.recall("x", budget=-1)),
    "a limit below nothing": (InvalidInput, "from 0 on", lambda m: m.recall("x", limit=-1)),
    "an unknown role": (InvalidInput, "user, assistant", lambda m: m.record("x", role="robot")),
    "an unknown channel": (InvalidInput, "user, assistant", lambda m: m.record("x", channel="radio")),
    "an unknown trust": (InvalidInput, "user, agent, data", lambda m: m.record("x", trust="full")),
    "a time before the calendar": (InvalidInput, "time", lambda m: m.record("x", occurred_at=-(10**15))),
    "a time after the calendar": (InvalidInput, "time", lambda m: m.record("x", occurred_at=10**15)),
    "a status that is none": (InvalidInput, "exit status", lambda m: m.record("x", exit_status=2**40)),
    "half a character as an id": (InvalidInput, "half a character", lambda m: m.show("ep_\ud800")),
    "half a character as a symbol": (InvalidInput, "half a character", lambda m: m.symbol("\udcff")),
    "half a character as a note": (InvalidInput, "half a character", lambda m: m.revise("no_\ud800", "x")),
    "half a character as a project": (InvalidInput, "half a character", lambda m: m.recall("x", project="\ud800")),
    "no repository to import": (NotFound, "git repository", lambda m: m.import_git()),
    "no repository to compare": (InvalidInput, "Use `stale`", lambda m: m.affected()),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_done_is_refused_in_words_and_changes_nothing(memory: Memory, what: str) -> None:
    kind, words, ask = REFUSED[what]
    if "revision" in what:
        memory.remember("x")
    before = held(memory)
    with pytest.raises(kind, match=words):
        ask(memory)
    assert held(memory) == before
    assert memory.store.check(deep=True) == []


def test_an_event_over_the_cap_is_refused_whole(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission.admit, "__kwdefaults__", {"max_size": 10})
    before = held(memory)
    with pytest.raises(TooLarge, match="in parts"):
        memory.record("ä" * 6)
    with pytest.raises(TooLarge, match="in parts"):
        memory.record("x", role="tool", tool_input="ä" * 5)
    assert held(memory) == before


ODD = (
    "pre-edit", "GB/s", "don't", "a:b", "NEAR(", "C++", "x AND", "OR", "\U0001f6a2", "漢字", "字", "naïve",
    "--no-verify", "%d", "a_b", "back\\slash", '"quoted"', "co\u0301te", "\u202eleft", "tab\tbed",
)  # fmt: skip


@pytest.mark.parametrize("word", ODD)
def test_an_odd_word_finds_the_text_that_holds_it(memory: Memory, word: str) -> None:
    memory.record("Nothing of the kind is said here at all.")
    holder = memory.record(f"About {word} we spoke at noon.").episode
    note = memory.remember(f"Heed {word} tomorrow.").id
    assert {hit.id for hit in memory.recall(word).hits} == {holder, note}


@pytest.mark.parametrize("word", ["***", "", " ", "\0", "\ud800", "()", '"', "^", "NEAR", "-"])
def test_a_question_of_no_words_is_answered_with_nothing(memory: Memory, word: str) -> None:
    memory.record("Something is said here.")
    answer = memory.recall(word)
    assert (answer.hits, answer.receipt.matched) == ((), 0)


def test_what_is_no_text_is_kept_byte_for_byte_and_found_by_what_is(memory: Memory) -> None:
    content = b"\0\xff\xfe before capstan \xed\xa0\x80 after\0"
    done = memory.record(content, role="tool", tool_name="x\0y", tool_input="cat \udcff", host="h\ud800", session="s\0")
    shown = memory.show(done.episode)
    assert getattr(shown, "content", None) == content
    assert getattr(shown, "tool_input", None) == "cat \ufffd"
    assert [hit.id for hit in memory.recall("capstan").hits] == [done.episode]


def test_several_names_can_be_given_as_one_string(memory: Memory) -> None:
    note = memory.remember("Boxes are lifted one by one.", about="unload", tags="boxes")
    assert [anchor.name for anchor in note.anchors if anchor.path] == ["unload"]
    assert memory.show(note.id).note.head.tags == ("boxes",)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("broken.py", b"def (((:\n  \xff\x00\n", "def (((:"),
        ("half.json", b'{"a": [1, 2, ', "half"),
        ("deep.json", b"[" * 50_000, "deep"),
        ("wide.py", b"x = " + b"1+" * 50_000 + b"1\n", "wide"),
        ("empty.py", b"", "empty"),
        ("nul.py", b"x = 1\n" * 2_000 + b"\0", "nul"),
    ],
)
def test_a_file_that_cannot_be_read_as_it_should_stops_nothing(
    memory: Memory, name: str, content: bytes, line: str
) -> None:
    root = Path(memory.tree.root)
    (root / name).write_bytes(content)
    (root / "after.py").write_text("def later(ship):\n    return [box.stow() for box in ship.boxes]\n")
    memory.index()
    assert memory.symbol("later").fact.path == "after.py"
    assert len(memory.recall(line).receipt.degraded) == 1
    assert memory.doctor().healthy


def test_links_that_lead_in_circles_and_files_of_any_size_stop_nothing(memory: Memory) -> None:
    root = Path(memory.tree.root)
    (root / "here").symlink_to(".")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    with (root / "generated.py").open("wb") as file:
        file.truncate(100_000_000)
    done = memory.index()
    assert {item.path: item.reason for item in done.skipped} == {
        "here": "link",
        "one": "link loop",
        "two": "link loop",
        "generated.py": "too large",
    }
    assert memory.symbol("unload").fact.path == "ship.py"
    os.truncate(root / "ship.py", 100_000_000)
    answer = memory.recall("unload", kinds=["fact"])
    assert {hit.verdict.state for hit in answer.hits} == {"unverifiable"}
    assert memory.index().removed == 0
    with pytest.raises(NotFound):
        memory.symbol("unload")


def test_two_thousand_files_are_read_at_once_and_then_not_again(memory: Memory) -> None:
    root = Path(memory.tree.root)
    for number in range(2_000):
        folder = root / f"part{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"m{number}.py").write_text(f"def step_{number}(value):\n    return value + {number}\n")
    assert memory.index().parsed == 2_000
    assert memory.index().parsed == 0
    assert memory.symbol("step_1999").fact.path == "part19/m1999.py"


@pytest.mark.parametrize("path", ["nothing", "loop", "a\0b"])
def test_a_place_that_is_none_is_an_error_in_words(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(NotFound, match="There is no folder"):
        open_memory(f"{tmp_path}/{path}", store=tmp_path / "moored.db")
    assert not (tmp_path / "moored.db").exists()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere every name is Unicode")
def test_a_folder_whose_name_is_not_unicode_is_refused(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/quay\xff"
    os.mkdir(odd)  # noqa: PTH102 - a name of bytes
    with pytest.raises(InvalidInput, match="not UTF-8"):
        open_memory(os.fsdecode(odd), store=tmp_path / "moored.db")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max_file_size = true", "of type int"),
        ("max_file_size = 0", "from 1 to"),
        ("max_file_size = 99999999999", "from 1 to"),
        ("ignore = [1]", "list of patterns"),
        ('ignore = "x"', "of type list"),
        ('ignores = ["x"]', "It knows project, ignore, max_file_size"),
        ("project = ", "Mend it or remove it"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_the_file_and_the_key(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / ".moored.toml").write_text(text)
    with pytest.raises(InvalidInput, match=words) as refused:
        open_memory(tmp_path, store=tmp_path / "data" / "moored.db")
    assert ".moored.toml" in str(refused.value)
    assert not (tmp_path / "data").exists()


def test_what_the_settings_leave_out_stays_out_of_the_ledger(tmp_path: Path) -> None:
    root = tmp_path / "quay"
    root.mkdir()
    (root / ".moored.toml").write_text('ignore = ["made/"]\nmax_file_size = 3000000\n')
    (root / "ship.py").write_text(CODE + "#" * 2_500_000)
    with open_memory(root, store=tmp_path / "moored.db", dense=False) as memory:
        memory.index()
        note = memory.remember("`unload` takes the boxes one by one.").id
        (root / "made").mkdir()
        (root / "made" / "copy.py").write_text(CODE)
        (root / "ship.py").write_text(CODE.replace("unload(ship)", "unload(ship, crane)") + "#" * 2_500_000)
        assert "unload(ship, crane)" in memory.show(note).verdict.current  # type: ignore[union-attr]
        (root / "ship.py").write_text("ships = []\n")
        assert memory.show(note).verdict.current == "gone"  # type: ignore[union-attr]
        assert set(files(memory)) == {"ship.py", ".moored.toml"}
        (root / "ship.py").write_text(CODE + "#" * 3_500_000)
        judged = memory.show(note).verdict  # type: ignore[union-attr]
        assert (judged.state, judged.reason) == ("unverifiable", "ship.py cannot be read")


def files(memory: Memory) -> dict[str, object]:
    with memory.store.read() as view:
        return dict(view.facts.files(memory.tree))
