"""What a note is about: explicit names, and names found in its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moored.atlas.about import MAX_FROM_TEXT, Resolved
from moored.errors import Ambiguous, NotFound
from moored.model.facts import FactKind

if TYPE_CHECKING:
    from conftest import Workshop


def addresses(resolved: Resolved) -> list[str]:
    return [anchor.address for anchor in resolved.anchors]


@pytest.mark.parametrize(
    ("item", "address"),
    [
        ("client.py::send", "client.py::send"),
        ("send", "client.py::send"),
        ("Session.open", "web/session.py::Session.open"),
        ("session.py::Session.open", "web/session.py::Session.open"),
        ("session.py::open", "web/session.py::Session.open"),
        ("web/session.py::Session::open", "web/session.py::Session.open"),
        ("open", "web/session.py::Session.open"),
        ("web.session.Session.open", "web/session.py::Session.open"),
        ("session.Session.open", "web/session.py::Session.open"),
        ("web.Session", "web/session.py::Session"),
        ("web/session.py", "web/session.py"),
        ("./session.py", "web/session.py"),
        ("web/session.py:4", "web/session.py::Session.open"),
        ("web/session.py:7-8", "web/session.py::Session.close"),
        ("pyproject.toml::tool.ruff.line-length", "pyproject.toml::tool.ruff.line-length"),
        ("tool.ruff.line-length", "pyproject.toml::tool.ruff.line-length"),
        ("line-length", "pyproject.toml::tool.ruff.line-length"),
    ],
)
def test_an_explicit_name_is_resolved_to_what_it_stands_for(client: Workshop, item: str, address: str) -> None:
    assert addresses(client.resolve(about=[item])) == [address]


def test_an_absolute_path_inside_the_tree_is_understood(client: Workshop) -> None:
    assert addresses(client.resolve(about=[f"{client.root}/web/session.py:4"])) == ["web/session.py::Session.open"]


def test_a_command_an_episode_and_a_fact_can_be_named(client: Workshop) -> None:
    episode = client.run("pytest  -q", 0)
    said = client.record("We retry three times.")
    fact = client.resolve(about=["send"]).anchors[0].fact
    resolved = client.resolve(about=["$ pytest -q", "command: pytest -q", said, fact])
    command, spoken, symbol = resolved.anchors
    assert (command.kind, command.name, command.value) == (FactKind.COMMAND, "pytest -q", "exit 0")
    assert (spoken.episode, spoken.value) == (said, "We retry three times.")
    assert symbol.address == "client.py::send"
    assert episode != said


@pytest.mark.parametrize(
    ("item", "near"),
    [
        ("sned", ()),
        ("Session.opne", ("Session.open",)),
        ("web/sesion.py", ("web/session.py",)),
        ("client.py::sendd", ("send",)),
        ("web/session.py:999", ()),
        ("$ make deploy", ()),
        ("ep_000000000000000zzz", ()),
        ("fa_000000000000000zzz", ()),
        ("../outside.py", ()),
        ("::", ()),
    ],
)
def test_an_explicit_name_that_stands_for_nothing_is_an_error(
    client: Workshop, item: str, near: tuple[str, ...]
) -> None:
    with pytest.raises(NotFound) as caught:
        client.resolve(about=[item])
    assert set(near) <= set(caught.value.near)


def test_an_explicit_name_of_several_things_is_an_error_that_lists_them(client: Workshop) -> None:
    client.write("other.py", "class Pool:\n    def close(self):\n        return self.drain()\n")
    client.index()
    with pytest.raises(Ambiguous) as caught:
        client.resolve(about=["close"])
    assert caught.value.candidates == ("other.py::Pool.close", "web/session.py::Session.close")


def test_a_file_that_is_not_indexed_is_named_as_such(client: Workshop) -> None:
    client.write("fresh.py", "x = 1\n")
    with pytest.raises(NotFound, match="exists, but it is not indexed"):
        client.resolve(about=["fresh.py"])
    assert client.resolve("See web/../fresh.py and fresh.py, or docs/none.md").unresolved[-1].reason == "no such file"
    assert client.resolve("See ./lib/x.py").unresolved[0].reason == "no such file"
    client.write("lib/x.py", "x = 1\n")
    assert client.resolve("See ./lib/x.py").unresolved[0].reason == "not indexed"


def test_the_hashes_are_those_of_the_disk_and_not_of_the_ledger(client: Workshop) -> None:
    before = client.resolve(about=["send"]).anchors[0]
    client.edit("client.py", "retries=3", "retries=5")
    now = client.resolve(about=["send"]).anchors[0]
    assert before.fact == now.fact
    assert before.body_hash == now.body_hash
    assert before.signature_hash != now.signature_hash
    assert "retries=5" in now.value


def test_a_line_is_looked_up_in_the_file_as_it_is_now(client: Workshop) -> None:
    client.write("web/session.py", "# a line\n" * 20 + client.read("web/session.py"))
    assert addresses(client.resolve(about=["web/session.py:24"])) == ["web/session.py::Session.open"]
    assert addresses(client.resolve(about=["web/session.py:4"])) == ["web/session.py"]


def test_a_symbol_that_left_since_the_index_is_an_error(client: Workshop) -> None:
    client.write("client.py", "x = 1\n")
    with pytest.raises(NotFound, match="does not stand there any more"):
        client.resolve(about=["send"])
    assert client.resolve("We use `send`.").unresolved[0].reason.endswith("does not stand there any more")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Retries are done by `send`.", ["client.py::send"]),
        ("Retries are done by send().", ["client.py::send"]),
        ("Retries are done by `send(request)`.", ["client.py::send"]),
        ("We open and close and send a session.", []),
        ("Session.open sets the host.", ["web/session.py::Session.open"]),
        ("It is `self.open` that sets it.", ["web/session.py::Session.open"]),
        ("See web/session.py:4 for why.", ["web/session.py::Session.open"]),
        ("See web/session.py for why.", ["web/session.py"]),
        ("In web/session.py, `Session.open` dials.", ["web/session.py::Session.open"]),
        ("tool.ruff.line-length stays at 120", ["pyproject.toml::tool.ruff.line-length"]),
        ("client.py::send retries", ["client.py::send"]),
        ("web.session.Session.close ends it", ["web/session.py::Session.close"]),
        ("```\nsend() and Session.open\n```\n", []),
        ("https://example.com/web/session.py and me@client.py", []),
        ("", []),
    ],
)
def test_names_in_a_text_become_anchors_when_they_look_like_names(
    client: Workshop, text: str, expected: list[str]
) -> None:
    assert addresses(client.resolve(text)) == expected


def test_an_ambiguous_name_in_a_text_is_listed_and_not_guessed(client: Workshop) -> None:
    client.write("other.py", "class Pool:\n    def close(self):\n        return self.drain()\n")
    client.index()
    resolved = client.resolve("Always call close() when done.")
    assert resolved.anchors == ()
    assert resolved.unresolved[0].candidates == ("other.py::Pool.close", "web/session.py::Session.close")


def test_a_definition_is_preferred_to_its_imports(client: Workshop) -> None:
    client.write("app.py", "import send\n\nresult = send.now(1)\n")
    client.write("late.py", "try:\n    import dial\nexcept ImportError:\n    def dial(host):\n        return host\n")
    client.index()
    assert addresses(client.resolve("`send` retries")) == ["client.py::send"]
    assert [anchor.kind for anchor in client.resolve("`dial` returns").anchors] == [FactKind.FUNCTION]


def test_a_function_of_the_module_is_meant_when_named_explicitly_and_not_guessed_in_a_text(client: Workshop) -> None:
    client.write("pool.py", "def close(pool):\n    return pool.drain()\n")
    client.index()
    assert addresses(client.resolve(about=["close"])) == ["pool.py::close"]
    assert client.resolve("`close` drains").anchors == ()


def test_overloads_are_one_thing_with_an_anchor_each(client: Workshop) -> None:
    client.write(
        "parse.py",
        "from typing import overload\n"
        "@overload\ndef parse_it(x: int) -> int: ...\n"
        "@overload\ndef parse_it(x: str) -> str: ...\n"
        "def parse_it(x):\n    return x\n",
    )
    client.index()
    resolved = client.resolve("`parse_it` keeps its type")
    assert addresses(resolved) == ["parse.py::parse_it"] * 3
    assert len({anchor.fact for anchor in resolved.anchors}) == 3
    assert resolved.unresolved == ()


def test_a_command_in_back_ticks_is_an_anchor_only_when_the_record_knows_it(client: Workshop) -> None:
    assert client.resolve("Check with `pytest -q`.").anchors == ()
    client.run("pytest -q", 1)
    assert addresses(client.resolve("Check with `pytest -q` or `$ pytest -q`.")) == ["pytest -q"]


def test_a_marked_name_that_stands_for_nothing_is_listed(client: Workshop) -> None:
    unresolved = client.resolve("The `Sessoin` of GitHub, np.array and `--flag x`").unresolved
    assert [(one.name, one.reason) for one in unresolved] == [("Sessoin", "not found")]


def test_no_more_than_the_cap_is_taken_from_a_text(client: Workshop) -> None:
    names = [f"step_{number}" for number in range(MAX_FROM_TEXT + 3)]
    client.write("steps.py", "".join(f"def {name}(x):\n    return x + {name!r}\n" for name in names))
    client.index()
    resolved = client.resolve(" ".join(names), about=["send"])
    assert addresses(resolved) == ["client.py::send", *(f"steps.py::{name}" for name in names[:MAX_FROM_TEXT])]
    assert [one.name for one in resolved.unresolved] == [f"steps.py::{name}" for name in names[MAX_FROM_TEXT:]]


def test_what_is_explicit_is_not_taken_from_the_text_again(client: Workshop) -> None:
    assert addresses(client.resolve("`send` in client.py", about=["client.py", "send", "send"])) == [
        "client.py",
        "client.py::send",
    ]
