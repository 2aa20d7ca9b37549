"""What does not belong to the project is read by no tool and no command, by whatever name it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from moored.errors import MooredError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import House
    from moored.memory import Memory

SECRET = "the combination is 31-12-77"  # noqa: S105 - what must not be told
ASKS: dict[str, Callable[[Memory, str], object]] = {
    "show": lambda m, name: m.show(name),
    "history": lambda m, name: m.history(name),
    "symbol": lambda m, name: m.symbol(name),
    "impact": lambda m, name: m.impact(name),
    "recall": lambda m, name: m.recall(f"what is in {name}"),
    "an edit": lambda m, name: m.before_edit([name]),
    "a note about it": lambda m, name: m.remember("The safe is in the office.", about=[name]),
    "a reminder on it": lambda m, name: m.remind("Lock the safe", when=f"editing {name}"),
}


@pytest.mark.parametrize("ask", ASKS)
def test_a_path_that_leads_out_of_the_project_tells_nothing(house: House, ask: str) -> None:
    outside = house.root.parent / "safe.txt"
    outside.write_text(SECRET)
    (house.root / "link.txt").symlink_to(outside)
    (house.root / "folder").symlink_to(house.root.parent)
    (house.root / ".env").write_text(f"CODE={SECRET}\n")
    house.memory.index()
    names = (str(outside), "../safe.txt", "folder/safe.txt", "link.txt", ".env", "file://" + str(outside), "~/safe.txt")
    for name in (*names, f"{outside}:1", "../safe.txt:1", "..\\safe.txt", "%2e%2e/safe.txt", "relay.py/../../safe.txt"):
        try:
            told = repr(ASKS[ask](house.memory, name))
        except MooredError as error:
            told = str(error)
        assert SECRET not in told
    assert [name for name, data in house.bytes_of_files().items() if SECRET.encode() in data] == []


def test_a_client_gets_no_file_by_the_address_of_a_resource(house: House) -> None:
    import anyio

    from moored.server.app import build

    (house.root.parent / "safe.txt").write_text(SECRET)
    server = build(house.open)
    for uri in ("file:///etc/passwd", "moored://../safe.txt", "moored://note/../../safe.txt", "moored://safe.txt"):
        with pytest.raises(Exception, match=r"(?s).*") as error:
            anyio.run(server.read_resource, uri)
        assert SECRET not in str(error.value)
        assert "root:" not in str(error.value)
    server.access.close()


def test_the_home_of_the_user_is_no_part_of_a_project_below_it(house: House) -> None:
    key = Path.home() / ".ssh" / "id_rsa"
    key.parent.mkdir(parents=True)
    key.write_text(SECRET)
    assert SECRET not in repr(house.hits(f"what is in {key} and in ~/.ssh/id_rsa"))
    assert SECRET not in house.memory.map().text
