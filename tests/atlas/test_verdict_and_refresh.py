"""A verdict does not depend on whether the ledger has heard of a change already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import Change
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from conftest import Workshop

BASKET = """class Basket:
    limit = 10

    def size(self):
        return self.count

    def add(self, item, price):
        if self.count >= self.limit:
            raise ValueError(item)
        self.items.append((item, price))
        self.total += price
        self.count += 1
"""


def test_a_small_method_goes_along_with_its_class_before_the_ledger_has_heard_of_it(shop: Workshop) -> None:
    shop.write("basket.py", BASKET)
    shop.index()
    note = shop.remember("counts", "basket.py::Basket.size").id
    (shop.root / "basket.py").rename(shop.root / "cart.py")
    before = shop.judge(note)
    assert (before.verdict.change, before.verdict.current) == (Change.MOVED, "cart.py::Basket.size")
    shop.index()
    assert shop.judge(note).verdict == before.verdict


def test_a_small_method_goes_along_with_a_renamed_class(shop: Workshop) -> None:
    shop.write("basket.py", BASKET)
    shop.index()
    note = shop.remember("counts", "basket.py::Basket.size").id
    shop.write("basket.py", BASKET.replace("class Basket", "class Cart"))
    before = shop.judge(note)
    assert (before.verdict.change, before.verdict.current) == (Change.RENAMED, "basket.py::Cart.size")
    shop.index()
    assert shop.judge(note).verdict == before.verdict


METHOD = st.builds(
    lambda name, calls: (
        f"    def {name}(self, x):\n" + "".join(f"        self.log(x, {c}, 'step', {c})\n" for c in calls)
    ),
    st.sampled_from(["a", "b", "c"]),
    st.lists(st.integers(0, 3), min_size=1, max_size=4),
)
CLASS = st.builds(
    lambda name, methods: f"class {name}:\n" + "\n".join(methods),
    st.sampled_from(["Red", "Blue", "Green"]),
    st.lists(METHOD, min_size=1, max_size=3),
)
STATE = st.dictionaries(
    st.sampled_from(["one.py", "two.py", "three.py"]), st.lists(CLASS, max_size=2).map("\n\n".join), max_size=3
)


@pytest.mark.invariant("I-04")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=STATE, then=STATE)
def test_every_verdict_is_the_same_before_and_after_the_ledger_reads_a_change(
    start: dict[str, str], then: dict[str, str], shop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("case")
    store = Store(folder / "moored.db", clock=ManualClock())
    case = type(shop)(folder / "project", store, ManualClock(), SequentialIds())
    for path, text in start.items():
        case.write(path, text)
    case.index()
    with store.read() as view:
        names = {fact.address for path in start for fact in view.facts.in_file(case.tree, path)}
    notes = [case.remember(f"about {name}", name).id for name in sorted(names)]
    for path in start:
        (case.root / path).unlink()
    for path, text in then.items():
        case.write(path, text)
    before = [case.judge(note).verdict for note in notes]
    case.index()
    assert [case.judge(note).verdict for note in notes] == before
    store.close()
