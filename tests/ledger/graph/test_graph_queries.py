"""Questions to the code graph, impact and the map."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.errors import Ambiguous, NotFound
from moored.ledger.graph.code_map import code_map
from moored.ledger.graph.find import find, find_one
from moored.ledger.graph.impact import impact
from moored.ledger.graph.query import (
    callees,
    callers,
    implementors,
    members,
    orphans,
    outside,
    subclasses,
    symbol,
    symbols_of_file,
)
from moored.model.tokens import count_tokens

SHOP = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": (
        "import requests\n"
        "class Cart:\n"
        '    """What a customer is about to buy."""\n'
        "    def total(self, rate: float) -> float:\n        return price(rate)\n"
        "    def send(self):\n        requests.post('x')\n        self.total(1)\n"
        "class BigCart(Cart):\n"
        "    def total(self, rate: float) -> float:\n        return 0.0\n"
        "class HugeCart(BigCart):\n    pass\n"
        "def price(rate):\n    return rate\n"
        "def unused():\n    return unused()\n"
    ),
    "shop/web.py": (
        "from shop import Cart\n"
        "def page():\n    cart = Cart()\n    cart.send()\n"
        "def handler():\n    page()\n"
        "def total(x):\n    return x\n"
    ),
}


@pytest.fixture
def shop(code: Any) -> Any:
    code.index(SHOP)
    return code


@pytest.mark.parametrize(
    "name",
    [
        "shop/cart.py::Cart.send",
        "Cart.send",
        "shop.cart.Cart.send",
        "send",
        "Cart::send",
        "Cart#send",
        "cart.Cart.send",
    ],
)
def test_a_symbol_is_found_by_each_way_of_naming_it(shop: Any, name: str) -> None:
    with shop.store.read() as view:
        assert find_one(view, shop.tree, name).address == "shop/cart.py::Cart.send"


@pytest.mark.parametrize("name", ["shop/web.py", "shop.web"])
def test_a_file_is_found_by_path_and_by_module(shop: Any, name: str) -> None:
    with shop.store.read() as view:
        assert find_one(view, shop.tree, name).address == "shop/web.py"


def test_a_symbol_report_tells_members_and_counts(shop: Any) -> None:
    with shop.store.read() as view:
        report = symbol(view, shop.tree, "Cart")
    assert report.fact.doc == "What a customer is about to buy."
    assert [member.name for member in report.members] == ["Cart.total", "Cart.send"]
    assert (report.callers, report.callees) == (4, 0)


def test_an_unknown_name_is_an_error_with_near_names(shop: Any) -> None:
    with shop.store.read() as view, pytest.raises(NotFound) as error:
        find_one(view, shop.tree, "HugeCrat")
    assert error.value.near[0] == "HugeCart"


@pytest.mark.parametrize("name", ["", "::", ".", "no such thing", "shop/cart.py::nope", "nope::nope", "shop.cart.Nope"])
def test_what_is_not_there_finds_nothing(shop: Any, name: str) -> None:
    with shop.store.read() as view:
        assert find(view, shop.tree, name) == []


def test_a_name_of_several_symbols_is_ambiguous_and_lists_them(code: Any) -> None:
    code.index({"a.py": "class A:\n    def run(self): pass\n", "b.py": "class B:\n    def run(self): pass\n"})
    with code.store.read() as view, pytest.raises(Ambiguous) as error:
        find_one(view, code.tree, "run")
    assert error.value.candidates == ("a.py::A.run", "b.py::B.run")


def test_callers_and_callees_tell_kind_and_line(shop: Any) -> None:
    with shop.store.read() as view:
        project = shop.tree.project
        send = find_one(view, shop.tree, "Cart.send")
        found = [(one.fact.address, one.kind, one.resolved, one.line) for one in callers(view, project, send)]
        called = [one.fact.name for one in callees(view, project, send)]
        beyond = [edge.target_name for edge in outside(view, project, send)]
    assert found == [("shop/web.py::page", "call", True, 4)]
    assert called == ["Cart.total"]
    assert beyond == ["requests.post"]


def test_subclasses_are_followed_and_overrides_found(shop: Any) -> None:
    with shop.store.read() as view:
        cart = find_one(view, shop.tree, "Cart")
        total = find_one(view, shop.tree, "Cart.total")
        assert [one.name for one in subclasses(view, shop.tree.project, cart)] == ["BigCart", "HugeCart"]
        assert [one.name for one in implementors(view, shop.tree, total)] == ["BigCart.total"]


def test_members_of_a_file_are_its_outermost_symbols(shop: Any) -> None:
    with shop.store.read() as view:
        file = find_one(view, shop.tree, "shop/web.py")
        assert [one.name for one in members(view, shop.tree, file)] == ["page", "handler", "total"]
        assert symbols_of_file(view, shop.tree, "shop/none.py") == []


def test_orphans_are_what_only_itself_refers_to(shop: Any) -> None:
    with shop.store.read() as view:
        assert [one.name for one in orphans(view, shop.tree)] == ["BigCart.total", "unused", "handler", "total"]


def test_impact_reaches_callers_of_callers_by_a_shortest_path(shop: Any) -> None:
    with shop.store.read() as view:
        price = find_one(view, shop.tree, "price")
        found = impact(view, shop.tree, price)
        names = {one.fact.id: one.fact.name for one in found.dependants} | {price.id: "price"}
    told = [(one.fact.name, one.depth, one.proven, [names[step] for step in one.path]) for one in found.dependants]
    assert told == [
        ("Cart.total", 1, True, ["price", "Cart.total"]),
        ("Cart.send", 2, True, ["price", "Cart.total", "Cart.send"]),
        ("page", 3, True, ["price", "Cart.total", "Cart.send", "page"]),
        ("handler", 4, True, ["price", "Cart.total", "Cart.send", "page", "handler"]),
    ]
    assert found.counts == {1: 1, 2: 1, 3: 1, 4: 1}
    assert (found.omitted, found.truncated, found.deeper) == (0, False, False)


def test_impact_of_a_file_is_that_of_all_that_it_defines(shop: Any) -> None:
    with shop.store.read() as view:
        cart = find_one(view, shop.tree, "shop/cart.py")
        found = impact(view, shop.tree, cart)
    assert {(one.fact.address, one.depth) for one in found.dependants} == {
        ("shop/__init__.py", 1),
        ("shop/web.py::page", 1),
        ("shop/web.py::handler", 2),
        ("shop/web.py", 1),
    }
    page = next(one for one in found.dependants if one.fact.name == "page")
    assert page.path[0] == cart.id
    assert page.path[-1] == page.fact.id
    assert len(page.path) == 3


def test_impact_stops_at_its_depth_and_says_that_there_is_more(shop: Any) -> None:
    with shop.store.read() as view:
        found = impact(view, shop.tree, find_one(view, shop.tree, "price"), depth=2)
    assert [one.fact.name for one in found.dependants] == ["Cart.total", "Cart.send"]
    assert found.deeper


def test_impact_of_functions_that_call_each_other_ends(code: Any) -> None:
    code.index({"a.py": "def f():\n    g()\ndef g():\n    f()\n"})
    with code.store.read() as view:
        found = impact(view, code.tree, find_one(view, code.tree, "f"), depth=9)
    assert [one.fact.name for one in found.dependants] == ["g"]


def test_impact_compares_each_dependant_with_the_disk(shop: Any) -> None:
    path = shop.root / "shop/web.py"
    path.write_text(SHOP["shop/web.py"].replace("    page()\n", "    return page()\n"), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    with shop.store.read() as view:
        found = impact(view, shop.tree, find_one(view, shop.tree, "Cart.send"))
    assert {one.fact.name: one.drift for one in found.dependants} == {
        "page": "unchanged",
        "handler": "changed since the edge was observed",
    }


def test_the_map_names_the_most_central_first_and_says_what_is_left_out(shop: Any) -> None:
    with shop.store.read() as view:
        small = code_map(view, shop.tree, 40)
        whole = code_map(view, shop.tree, 4_000)
    assert small.symbols < whole.symbols == 11
    assert small.omitted_symbols == 11 - small.symbols
    assert "left out" in small.text
    assert "left out" not in whole.text
    assert whole.text.startswith("shop/cart.py:\n")
    assert "    def total(self, rate: float) -> float\n" in whole.text


def test_the_focus_of_a_map_comes_first(shop: Any) -> None:
    with shop.store.read() as view:
        text = code_map(view, shop.tree, 4_000, ["shop/web.py"]).text
    assert text.startswith("shop/web.py:\n")


def test_a_folder_can_be_the_focus_of_a_map(code: Any) -> None:
    code.index({"net/a.py": "def far():\n    pass\n", "web/b.py": "def near():\n    pass\n"})
    with code.store.read() as view:
        assert code_map(view, code.tree, 4_000, ["net"]).text.startswith("net/a.py:\n")
        assert code_map(view, code.tree, 4_000, ["./web/"]).text.startswith("web/b.py:\n")


def test_a_key_is_meant_by_its_name_when_no_symbol_is(code: Any) -> None:
    code.index({"a.toml": "limit = 3\nrate = 2\n", "b.py": "def rate():\n    pass\n"})
    with code.store.read() as view:
        assert find_one(view, code.tree, "limit").address == "a.toml::limit"
        assert find_one(view, code.tree, "rate").address == "b.py::rate"
        assert find_one(view, code.tree, "a.toml::rate").address == "a.toml::rate"


def test_a_short_name_with_a_wrong_letter_has_near_names(code: Any) -> None:
    code.index({"a.py": "class Flask:\n    pass\n"})
    with code.store.read() as view, pytest.raises(NotFound) as error:
        find_one(view, code.tree, "Flsk")
    assert error.value.near == ("Flask",)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(0, 200), focus=st.sampled_from([(), ("page",), ("shop/cart.py",), ("Cart", "handler")]))
def test_a_map_is_never_over_its_budget_and_always_the_same(shop: Any, budget: int, focus: tuple[str, ...]) -> None:
    with shop.store.read() as view:
        made = code_map(view, shop.tree, budget, focus)
        again = code_map(view, shop.tree, budget, focus)
    assert made == again
    assert made.tokens == count_tokens(made.text) <= budget


def test_the_map_of_an_empty_tree_is_empty(code: Any) -> None:
    with code.store.read() as view:
        assert code_map(view, code.tree).text == ""
