"""Ids of facts survive edits, renames and moves, and never by a guess."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from moored.ledger.moves import Born, Moves, match_moves
from moored.ledger.reconcile import Match, Numbered, Reconciliation, number, reconcile
from moored.model.facts import ExtractedFact, Fact, FactKind, Span

FUNCTION, METHOD, CLASS = FactKind.FUNCTION, FactKind.METHOD, FactKind.CLASS


def read(
    name: str,
    body: str = "body",
    *,
    at: int = 0,
    kind: FactKind = FUNCTION,
    signature: str = "()",
    parent: str = "",
    trivial: bool = False,
) -> ExtractedFact:
    span = Span(at * 10, at * 10 + 9, at + 1, at + 1)
    return ExtractedFact(kind, name, f"{name}{signature}", body, span, signature, parent, trivial=trivial)


def known(identity: str, now: ExtractedFact, *, path: str = "a.py", ordinal: int = 0, gone: int | None = None) -> Fact:
    return Fact(
        id=identity,
        project="p",
        tree="t",
        path=path,
        episode="",
        kind=now.kind,
        name=now.name,
        ordinal=ordinal,
        value=now.value,
        signature_hash=now.signature_hash,
        body_hash=now.body_hash,
        span=now.span,
        parent=now.parent,
        doc=now.doc,
        trivial=now.trivial,
        extractor="x",
        since=1,
        gone_at=gone,
    )


def ledger_of(facts: list[ExtractedFact], path: str = "a.py") -> list[Fact]:
    return [
        known(f"{path}:{at}", item.extracted, path=path, ordinal=item.ordinal) for at, item in enumerate(number(facts))
    ]


def ids(matches: tuple[Match, ...]) -> dict[str, tuple[str, int, str]]:
    return {m.fact.id: (m.now.extracted.body_hash, m.now.ordinal, m.change) for m in matches}


def born(path: str, *facts: ExtractedFact) -> list[Born]:
    return [Born(path, item) for item in number(facts)]


def followed(moves: Moves) -> dict[str, tuple[str, str, str]]:
    return {move.fact.id: (move.path, move.now.extracted.name, move.change) for move in moves.moved}


# --- one file


def test_a_fact_that_only_stands_elsewhere_or_is_spelled_otherwise_is_unchanged() -> None:
    old = known("F", read("f"))
    now = read("f", at=7)._replace(value="f( )", doc="Says more.")
    result = reconcile([old], [now])
    assert result == Reconciliation((Match(old, Numbered(now, 0), ""),), (), (), (), (), ())


def test_a_change_says_what_differs() -> None:
    old = [known("F", read("f")), known("G", read("g")), known("H", read("h"))]
    new = [read("f", "other"), read("g", signature="(x)"), read("h", "other", signature="(x)")]
    assert ids(reconcile(old, new).changed) == {
        "F": ("other", 0, "body"),
        "G": ("body", 0, "signature"),
        "H": ("other", 0, "signature, body"),
    }


def test_a_change_of_a_key_or_a_file_is_named_after_what_they_hold() -> None:
    key = read("tool.line", "88", kind=FactKind.CONFIG_KEY, signature="")
    file = read("a.py", "hash", kind=FactKind.FILE, signature="")
    new = [key._replace(body_hash="112"), file._replace(body_hash="other")]
    changes = {m.fact.id: m.change for m in reconcile([known("K", key), known("F", file)], new).changed}
    assert changes == {"K": "value", "F": "content"}


def test_a_symbol_that_becomes_one_of_another_kind_keeps_its_id() -> None:
    old = [known("F", read("Maker")), known("M", read("C.m", kind=METHOD, parent="C"))]
    new = [read("Maker", "other", kind=CLASS), read("C.m", kind=FUNCTION, parent="C")]
    result = reconcile(old, new)
    assert {m.fact.id: m.change for m in result.changed} == {"F": "kind, body", "M": "kind"}
    assert result.born == ()


def test_an_import_and_a_function_of_one_name_stay_two_facts() -> None:
    result = reconcile([known("I", read("f", kind=FactKind.IMPORT))], [read("f")])
    assert [fact.id for fact in result.gone] == ["I"]
    assert [item.extracted.name for item in result.born] == ["f"]


def test_an_overload_put_before_another_leaves_it_unchanged() -> None:
    old = ledger_of([read("f", "A", signature="(int)", at=0), read("f", "B", signature="(str)", at=1)])
    new = [
        read("f", "C", signature="(bool)", at=0),
        read("f", "A", signature="(int)", at=1),
        read("f", "B", signature="(str)", at=2),
    ]
    result = reconcile(old, new)
    assert ids(result.unchanged) == {"a.py:0": ("A", 1, ""), "a.py:1": ("B", 2, "")}
    assert [(item.extracted.body_hash, item.ordinal) for item in result.born] == [("C", 0)]


def test_an_edited_overload_is_recognised_by_its_signature_and_then_by_its_body() -> None:
    old = ledger_of([read("f", "A", signature="(int)", at=0), read("f", "B", signature="(str)", at=1)])
    by_signature = [read("f", "C", signature="(bool)", at=0), read("f", "B2", signature="(str)", at=1)]
    result = reconcile(old, by_signature)
    assert ids(result.changed)["a.py:1"] == ("B2", 1, "body")
    by_body = [read("f", "C", signature="(bool)", at=0), read("f", "A", signature="(long)", at=1)]
    assert ids(reconcile(old, by_body).changed)["a.py:0"] == ("A", 1, "signature")


def test_exchanged_overloads_are_unchanged_with_exchanged_ordinals() -> None:
    old = ledger_of([read("f", "A", at=0), read("f", "B", at=1)])
    result = reconcile(old, [read("f", "B", at=0), read("f", "A", at=1)])
    assert ids(result.unchanged) == {"a.py:0": ("A", 1, ""), "a.py:1": ("B", 0, "")}


def test_repeated_keys_are_matched_by_value_before_order() -> None:
    key = FactKind.CONFIG_KEY
    old = ledger_of([read("k", "1", at=0, kind=key, signature=""), read("k", "2", at=1, kind=key, signature="")])
    new = [read("k", "2", at=0, kind=key, signature=""), read("k", "3", at=1, kind=key, signature="")]
    result = reconcile(old, new)
    assert ids(result.unchanged) == {"a.py:1": ("2", 0, "")}
    assert ids(result.changed) == {"a.py:0": ("3", 1, "value")}


def test_a_fact_that_returns_keeps_its_id_and_says_what_differs() -> None:
    old = [known("F", read("f"), gone=5), known("G", read("g"), gone=5), known("H", read("h"), gone=5)]
    result = reconcile(old, [read("f"), read("g", "other")])
    assert ids(result.revived) == {"F": ("body", 0, ""), "G": ("other", 0, "body")}
    assert [fact.id for fact in result.closed] == ["H"]
    assert result.gone == result.born == ()


def test_of_several_closed_facts_the_equal_one_returns_and_else_the_latest() -> None:
    old = [known("A", read("f", "A"), gone=9), known("B", read("f", "B"), gone=5), known("C", read("f", "C"), gone=7)]
    assert list(ids(reconcile(old, [read("f", "B")]).revived)) == ["B"]
    assert list(ids(reconcile(old, [read("f", "new")]).revived)) == ["A"]


def test_a_fact_that_holds_comes_before_one_that_was_closed() -> None:
    old = [known("A", read("f", "A")), known("B", read("f", "B"), gone=5)]
    result = reconcile(old, [read("f", "B")])
    assert ids(result.changed) == {"A": ("B", 0, "body")}
    assert [fact.id for fact in result.closed] == ["B"]


NAMES = st.sampled_from(["f", "g", "C.m"])
HASHES = st.sampled_from(["A", "B", "C"])
KINDS = st.sampled_from([FUNCTION, METHOD, CLASS, FactKind.IMPORT, FactKind.CONFIG_KEY])
READ = st.builds(read, NAMES, HASHES, kind=KINDS, signature=st.sampled_from(["", "()", "(x)"]), trivial=st.booleans())


@st.composite
def files(draw: st.DrawFn) -> list[ExtractedFact]:
    facts = draw(st.lists(READ, max_size=8))
    return [fact._replace(span=Span(at, at + 1, at + 1, at + 1)) for at, fact in enumerate(facts)]


@st.composite
def ledgers(draw: st.DrawFn) -> list[Fact]:
    facts = ledger_of(draw(files()))
    return [fact._replace(gone_at=draw(st.sampled_from([None, None, 3, 4]))) for fact in facts]


@given(ledgers(), files())
def test_every_fact_ends_in_exactly_one_class(old: list[Fact], new: list[ExtractedFact]) -> None:
    result = reconcile(old, new)
    matches = [*result.unchanged, *result.changed, *result.revived]
    assert Counter(f.id for f in old) == Counter(
        [*(m.fact.id for m in matches), *(f.id for f in result.gone), *(f.id for f in result.closed)]
    )
    assert Counter(new) == Counter([*(m.now.extracted for m in matches), *(item.extracted for item in result.born)])
    identities = [(n.extracted.kind, n.extracted.name, n.ordinal) for n in [*(m.now for m in matches), *result.born]]
    assert len(set(identities)) == len(identities)
    assert all(m.fact.gone_at is None for m in [*result.unchanged, *result.changed])
    assert all(m.fact.gone_at is not None for m in result.revived)
    assert all(not m.change for m in result.unchanged)
    assert all(m.change for m in result.changed)


@given(files())
def test_a_file_read_again_is_wholly_unchanged(facts: list[ExtractedFact]) -> None:
    old = ledger_of(facts)
    result = reconcile(old, facts)
    assert {m.fact.id: (m.now.ordinal, m.now.extracted.span) for m in result.unchanged} == {
        f.id: (f.ordinal, f.span) for f in old
    }
    assert result == Reconciliation(result.unchanged, (), (), (), (), ())


@given(ledgers(), files(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(old: list[Fact], new: list[ExtractedFact], random: Random) -> None:
    expected = reconcile(old, new)
    random.shuffle(old)
    random.shuffle(new)
    assert reconcile(old, new) == expected


# --- several files


def test_a_renamed_function_is_followed_in_its_file() -> None:
    result = match_moves([known("F", read("f"))], born("a.py", read("g")))
    assert followed(result) == {"F": ("a.py", "g", "renamed")}
    assert result.gone == result.born == result.unfollowed == ()


def test_a_function_is_followed_to_another_file_with_what_differs() -> None:
    result = match_moves([known("F", read("f"))], born("b.py", read("C.g", kind=METHOD, signature="(self)")))
    assert followed(result) == {"F": ("b.py", "C.g", "moved, renamed, kind, signature")}


def test_a_place_in_the_same_file_comes_first() -> None:
    result = match_moves([known("F", read("f"))], [*born("a.py", read("g")), *born("b.py", read("f"))])
    assert followed(result) == {"F": ("a.py", "g", "renamed")}
    assert [item.path for item in result.born] == ["b.py"]
    assert result.unfollowed == ()


def test_two_candidates_are_reported_and_not_followed() -> None:
    places = [*born("b.py", read("f")), *born("c.py", read("f"))]
    result = match_moves([known("F", read("f"))], places)
    assert followed(result) == {}
    assert [fact.id for fact in result.gone] == ["F"]
    assert list(result.born) == places
    (ambiguity,) = result.unfollowed
    assert ([fact.id for fact in ambiguity.gone], list(ambiguity.born)) == (["F"], places)


def test_two_sources_of_one_body_are_not_followed() -> None:
    gone = [known("F", read("f")), known("G", read("g"))]
    result = match_moves(gone, born("b.py", read("f")))
    assert followed(result) == {}
    assert len(result.unfollowed) == 1


def test_a_trivial_body_and_another_sort_of_thing_are_not_followed() -> None:
    assert followed(match_moves([known("F", read("f", trivial=True))], born("b.py", read("f", trivial=True)))) == {}
    assert followed(match_moves([known("F", read("f"))], born("b.py", read("f", kind=CLASS)))) == {}
    key = read("k", kind=FactKind.CONFIG_KEY, signature="")
    result = match_moves([known("K", key)], born("b.toml", key))
    assert (followed(result), result.unfollowed) == ({}, ())


def class_named(name: str, body: str = "class body", *, kind: FactKind = CLASS) -> list[ExtractedFact]:
    return [
        read(name, body, at=0, kind=kind),
        read(f"{name}.get", "return", at=1, kind=METHOD, parent=name, trivial=True),
        read(f"{name}.put", "same", at=2, kind=METHOD, parent=name),
        read(f"{name}.set", "same", at=3, kind=METHOD, parent=name),
        read(f"{name}.Inner", "inner", at=4, kind=CLASS, parent=name, trivial=True),
        read(f"{name}.Inner.get", "return", at=5, kind=METHOD, parent=f"{name}.Inner", trivial=True),
    ]


def test_a_class_that_moves_takes_all_its_members_along() -> None:
    result = match_moves(ledger_of(class_named("Old")), born("b.py", *class_named("New")))
    assert {identity: name for identity, (_, name, _) in followed(result).items()} == {
        "a.py:0": "New",
        "a.py:1": "New.get",
        "a.py:2": "New.put",
        "a.py:3": "New.set",
        "a.py:4": "New.Inner",
        "a.py:5": "New.Inner.get",
    }
    assert {change for _, _, change in followed(result).values()} == {"moved, renamed"}
    assert result.unfollowed == ()


def test_a_member_that_was_edited_goes_along_too() -> None:
    new = class_named("New")
    new[1] = new[1]._replace(body_hash="edited")
    result = match_moves(ledger_of(class_named("Old")), born("b.py", *new))
    assert followed(result)["a.py:1"] == ("b.py", "New.get", "moved, renamed, body")


def test_what_goes_along_can_leave_another_as_the_only_candidate() -> None:
    gone = [*ledger_of(class_named("C")[:3]), known("G", read("g", "same"), path="z.py")]
    places = [*born("b.py", *class_named("C")[:3]), *born("y.py", read("h", "same"))]
    assert followed(match_moves(gone, places))["G"] == ("y.py", "h", "moved, renamed")


def test_a_file_that_is_renamed_takes_everything_in_it_along() -> None:
    def content(path: str) -> list[ExtractedFact]:
        return [
            read(path, "content", kind=FactKind.FILE, signature=""),
            read("x", "1", at=1, kind=FactKind.CONFIG_KEY, signature=""),
            read("x", "1", at=2, kind=FactKind.CONFIG_KEY, signature=""),
            read("t", "1", at=3, trivial=True),
            read("c.m", "1", at=4, kind=METHOD, parent="c", trivial=True),
        ]

    result = match_moves(ledger_of(content("a"), "a"), born("b", *content("b")))
    assert followed(result) == {
        "a:0": ("b", "b", "moved"),
        "a:1": ("b", "x", "moved"),
        "a:2": ("b", "x", "moved"),
        "a:3": ("b", "t", "moved"),
        "a:4": ("b", "c.m", "moved"),
    }
    assert result.gone == result.born == ()


def test_two_equal_files_are_not_followed() -> None:
    file = read("a", "content", kind=FactKind.FILE, signature="")
    places = [*born("b", file._replace(name="b")), *born("c", file._replace(name="c"))]
    assert followed(match_moves([known("F", file, path="a")], places)) == {}


@st.composite
def refreshes(draw: st.DrawFn) -> tuple[list[Fact], list[Born]]:
    gone = [fact for path in ("a.py", "b.py") for fact in ledger_of(draw(files()), path)]
    places = [item for path in ("b.py", "c.py") for item in born(path, *draw(files()))]
    return gone, places


@given(refreshes(), st.randoms(use_true_random=False))
def test_every_gone_and_born_fact_is_moved_or_left_once(refresh: tuple[list[Fact], list[Born]], random: Random) -> None:
    gone, places = refresh
    result = match_moves(gone, places)
    assert Counter(f.id for f in gone) == Counter([*(m.fact.id for m in result.moved), *(f.id for f in result.gone)])
    assert Counter(places) == Counter([*(Born(m.path, m.now) for m in result.moved), *result.born])
    random.shuffle(gone)
    random.shuffle(places)
    assert match_moves(gone, places) == result


# --- a history of edits against a simple model


class Symbol(NamedTuple):
    name: str
    body: str
    trivial: bool


PATHS = ("a.py", "b.py", "c.py")
POOL = tuple("fghijk")

Tree = dict[str, tuple[Symbol, ...]]


class Edits(RuleBasedStateMachine):
    """Edits a small tree, refreshes a ledger after each edit and compares its ids with what the edit means."""

    def __init__(self) -> None:
        super().__init__()
        self.tree: Tree = dict.fromkeys(PATHS, ())
        self.ledger: dict[str, Fact] = {}
        self.clock = 0
        self.bodies = 0
        self.live: dict[tuple[str, str], str] = {}
        self.closed: dict[tuple[str, str], str] = {}
        self.before: tuple[Tree, dict[tuple[str, str], str]] | None = None

    def refresh(self, tree: Tree) -> None:
        self.before = (self.tree, dict(self.live))
        self.tree = tree
        self.clock += 1
        gone: list[Fact] = []
        fresh: list[Born] = []
        for path, symbols in tree.items():
            facts = [read(s.name, s.body, at=at, trivial=s.trivial) for at, s in enumerate(symbols)]
            result = reconcile([f for f in self.ledger.values() if f.path == path], facts)
            for match in [*result.unchanged, *result.changed, *result.revived]:
                self.store(match.fact.id, path, match.now)
            gone += result.gone
            fresh += [Born(path, item) for item in result.born]
        moves = match_moves(gone, fresh)
        for move in moves.moved:
            self.store(move.fact.id, move.path, move.now)
        for fact in moves.gone:
            self.ledger[fact.id] = fact._replace(gone_at=self.clock)
        for item in moves.born:
            self.store(f"id{len(self.ledger)}", item.path, item.now)

    def store(self, identity: str, path: str, now: Numbered) -> None:
        self.ledger[identity] = known(identity, now.extracted, path=path, ordinal=now.ordinal)

    def expect_at(self, place: tuple[str, str], follow: str | None) -> None:
        """A name appears: under the id it had there once, else under the one that is followed, else a new one."""
        once = self.closed.pop(place, None)
        if once is not None:
            self.live[place] = once
        elif follow is not None:
            self.live[place] = follow
        else:
            self.live[place] = f"id{len(set(self.live.values()) | set(self.closed.values()))}"

    def fresh_body(self) -> str:
        self.bodies += 1
        return f"body{self.bodies}"

    def put(self, path: str, *symbols: Symbol) -> Tree:
        return {**self.tree, path: symbols}

    def pick(self, data: st.DataObject) -> tuple[str, int, Symbol]:
        path = data.draw(st.sampled_from([p for p in PATHS if self.tree[p]]))
        at = data.draw(st.integers(0, len(self.tree[path]) - 1))
        return path, at, self.tree[path][at]

    def free_name(self, data: st.DataObject, path: str) -> str | None:
        free = [name for name in POOL if (path, name) not in self.live]
        return data.draw(st.sampled_from(free)) if free else None

    def relocate(self, source: tuple[str, str], target: tuple[str, str], symbol: Symbol) -> None:
        identity = self.live.pop(source)
        followed_here = not symbol.trivial and target not in self.closed
        if not followed_here:
            self.closed[source] = identity
        self.expect_at(target, identity if followed_here else None)

    @rule(data=st.data(), path=st.sampled_from(PATHS), trivial=st.booleans())
    def add(self, data: st.DataObject, path: str, trivial: bool) -> None:
        if (name := self.free_name(data, path)) is None:
            return
        self.refresh(self.put(path, Symbol(name, self.fresh_body(), trivial), *self.tree[path]))
        self.expect_at((path, name), None)

    @precondition(lambda self: any(self.tree.values()))
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        path, at, symbol = self.pick(data)
        symbols = list(self.tree[path])
        symbols[at] = symbol._replace(body=self.fresh_body())
        self.refresh(self.put(path, *symbols))

    @precondition(lambda self: any(self.tree.values()))
    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        path, at, symbol = self.pick(data)
        if (name := self.free_name(data, path)) is None:
            return
        symbols = list(self.tree[path])
        symbols[at] = symbol._replace(name=name)
        self.refresh(self.put(path, *symbols))
        self.relocate((path, symbol.name), (path, name), symbol)

    @precondition(lambda self: any(self.tree.values()))
    @rule(data=st.data(), onto=st.sampled_from(PATHS))
    def move(self, data: st.DataObject, onto: str) -> None:
        path, at, symbol = self.pick(data)
        if (onto, symbol.name) in self.live:
            return
        tree = self.put(path, *self.tree[path][:at], *self.tree[path][at + 1 :])
        self.refresh({**tree, onto: (*tree[onto], symbol)})
        self.relocate((path, symbol.name), (onto, symbol.name), symbol)

    @precondition(lambda self: any(self.tree.values()))
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        path, at, symbol = self.pick(data)
        self.refresh(self.put(path, *self.tree[path][:at], *self.tree[path][at + 1 :]))
        self.closed[path, symbol.name] = self.live.pop((path, symbol.name))

    @precondition(lambda self: any(self.tree.values()))
    @rule(data=st.data(), onto=st.sampled_from(PATHS))
    def duplicate(self, data: st.DataObject, onto: str) -> None:
        _, _, symbol = self.pick(data)
        if (name := self.free_name(data, onto)) is None:
            return
        self.refresh(self.put(onto, *self.tree[onto], symbol._replace(name=name)))
        self.expect_at((onto, name), None)

    @precondition(lambda self: self.before is not None)
    @rule()
    def revert(self) -> None:
        assert self.before is not None
        tree, live = self.before
        known_ids = {**{v: k for k, v in self.closed.items()}, **{v: k for k, v in self.live.items()}}
        self.refresh(tree)
        self.live = live
        self.closed = {place: identity for identity, place in known_ids.items() if identity not in live.values()}

    @invariant()
    def the_ids_are_those_of_the_model(self) -> None:
        assert {(f.path, f.name): f.id for f in self.ledger.values() if f.gone_at is None} == self.live
        assert {(f.path, f.name): f.id for f in self.ledger.values() if f.gone_at is not None} == self.closed
        assert set(self.live) == {(path, s.name) for path, symbols in self.tree.items() for s in symbols}


Edits.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestEdits = Edits.TestCase
