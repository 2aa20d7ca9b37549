"""Conditions of rules: how they read, what they say of a hit, and what their errors tell."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.errors import InvalidInput
from moored.model.condition_text import parse, path_inside, written
from moored.model.conditions import Clause, Condition, Every, Field, Not, Seen, Some, holds, packed, unpacked
from moored.model.patterns import fits, fits_path, fits_symbol, stands_in

DAY = 86_400_000

SEEN = Seen(
    kinds=("note", "decision"),
    tags=("auth", "deploy-blue"),
    paths=("src/api/login.py",),
    symbols=("harbour.Boat.moor",),
    age=100 * DAY,
    verdict="stale",
    trust="user",
    text="Never force-push to main.\nUse C++ 20 for pay.py.",
)

_words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12).filter(
    lambda text: any(char.isalnum() for char in text) and not text.startswith("#")
)
_clauses = st.one_of(
    st.builds(Clause, st.sampled_from([Field.KIND, Field.TAG]), st.just("="), _words.map(str.lower)).filter(
        lambda one: str(one.value) == str(one.value).lower()
    ),
    st.builds(Clause, st.just(Field.SYMBOL), st.just("="), _words),
    st.builds(Clause, st.just(Field.TEXT), st.just("~"), st.lists(_words, min_size=1, max_size=3).map(" ".join)),
    st.builds(Clause, st.just(Field.PATH), st.just("="), _words.filter(lambda word: path_inside(word) == word)),
    st.builds(
        Clause, st.just(Field.AGE), st.sampled_from(["<", "<=", ">", ">="]), st.integers(0, 900).map(DAY.__mul__)
    ),
    st.builds(Clause, st.just(Field.VERDICT), st.just("="), st.sampled_from(["stale", "current"])),
    st.builds(Clause, st.just(Field.TRUST), st.just("="), st.sampled_from(["user", "agent", "data"])),
)


def _joined(parts: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(st.builds(Not, parts), st.builds(Every, several), st.builds(Some, several))


conditions: st.SearchStrategy[Condition] = st.recursive(_clauses, _joined, max_leaves=6)
seen = st.builds(
    Seen,
    kinds=st.sampled_from([("note", "decision"), ("episode",), ("fact",)]),
    tags=st.sampled_from([(), ("auth",), ("a", "b")]),
    paths=st.sampled_from([(), ("src/a.py",)]),
    symbols=st.sampled_from([(), ("a.b",)]),
    age=st.integers(0, 900 * DAY),
    verdict=st.sampled_from(["stale", "current"]),
    trust=st.sampled_from(["user", "data"]),
    text=st.text(max_size=20),
)


@given(condition=conditions)
def test_a_condition_reads_as_it_is_written_and_comes_back_from_the_store(condition: Condition) -> None:
    assert parse(written(condition)) == condition
    assert unpacked(packed(condition)) == condition


@given(condition=conditions, whole=seen, known=st.sets(st.sampled_from(Seen._fields)))
def test_what_is_said_of_a_hit_before_all_of_it_is_known_stays_true(
    condition: Condition, whole: Seen, known: set[str]
) -> None:
    part = Seen(**{name: value for name, value in whole._asdict().items() if name in known})
    early, late = holds(condition, part), holds(condition, whole)
    assert late is not None
    assert early in (None, late)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("kind=note", True),
        ("kind=Decision", True),
        ("kind!=decision", False),
        ("tag=#auth", True),
        ("tag=deploy*", True),
        ("tag=deploy", False),
        ("path=src/api/**", True),
        ("path=src/api/", True),
        ("path=src/ap", False),
        ("symbol=Boat.moor", True),
        ("symbol=oat.moor", False),
        ("age>90d and age<=100d", True),
        ("age<2w", False),
        ("verdict=stale AND trust=user", True),
        ('text~"FORCE-PUSH to"', True),
        ("text~forc", False),
        ("text~forc*", True),
        ("text~C++", True),
        ("not (kind=fact or tag=x)", True),
        ("kind=fact or tag=x and tag=y or kind=note", True),
        ("kind=note and kind=fact or tag=x", False),
    ],
)
def test_a_condition_says_of_a_hit(text: str, held: bool) -> None:
    assert holds(parse(text), SEEN) is held


@pytest.mark.parametrize(
    ("text", "at", "told"),
    [
        ("", 1, "symbol"),
        ("colour=red", 1, "kind, tag, path, symbol, age, verdict, trust, text"),
        ("kind~x", 5, "= !="),
        ("kind", 5, "= !="),
        ("kind=", 6, "decision"),
        ("kind==note", 6, "decision"),
        ("age=3d", 4, "< <= > >="),
        ("age>soon", 5, "90d"),
        ("age>9999999y", 5, "90d"),
        ("verdict=wrong", 9, "superseded"),
        ("trust=root", 7, "user, agent, data"),
        ("kind=a tag=b", 8, "and, or"),
        ("kind=a and", 11, "not, ("),
        ("(kind=a", 8, ")"),
        ("kind=a)", 7, "and, or"),
        ('tag="a', 5, "another"),
        ("path=/etc", 6, "src/api"),
        ("path=a/../b", 6, "src/api"),
        ("text~...", 6, "words"),
        ("kind=a & tag=b", 8, "and, or"),
    ],
)
def test_an_error_says_what_is_wrong_where_and_what_is_possible(text: str, at: int, told: str) -> None:
    with pytest.raises(InvalidInput, match=f"at character {at},") as caught:
        parse(text)
    assert told in str(caught.value).partition("Possible here:")[2]


@pytest.mark.parametrize("text", ["(" * 3_000, "not " * 400 + "kind=a", "(" * 100 + "kind=a" + ")" * 100, "x" * 5_000])
def test_a_condition_has_a_bounded_length_and_depth(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse(text)


@given(
    text=st.text(max_size=60)
    | st.lists(st.sampled_from(["kind", "=", "a", "(", ")", "and", "not", '"', "~"])).map(" ".join)
)
def test_any_text_reads_or_is_an_error_in_words(text: str) -> None:
    try:
        condition = parse(text)
    except InvalidInput as error:
        assert "Possible here" in str(error)  # noqa: PT017 - both ends are right, and each has its law
    else:
        assert parse(written(condition)) == condition


def test_a_folder_names_itself_and_what_is_in_it_and_no_neighbour_of_a_longer_name() -> None:
    assert fits_path("src/app", "src/app")
    assert fits_path("src/app", "src/app/main.py")
    assert not fits_path("src/app", "src/app2/main.py")
    assert not fits_path("src/app", "lib/src/app/main.py")


def test_underscore_percent_and_brackets_are_ordinary_characters() -> None:
    assert not fits_path("src/a_b.py", "src/axb.py")
    assert not fits_path("src/%", "src/a.py")
    assert fits_path("app/[id]/page.tsx", "app/[id]/page.tsx")
    assert not fits_path("app/[id]/page.tsx", "app/i/page.tsx")


@pytest.mark.parametrize(
    ("pattern", "path", "named"),
    [
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/test_?.py", "a/b/test_1.py", True),
        ("**/test_?.py", "a/b/test_12.py", False),
        ("*/api", "src/api/x.py", True),
    ],
)
def test_stars_of_a_path_stay_within_a_folder_unless_doubled(pattern: str, path: str, named: bool) -> None:
    assert fits_path(pattern, path) is named


def test_the_end_of_a_qualified_name_names_it() -> None:
    assert fits_symbol("moor", "harbour.Boat.moor")
    assert fits_symbol("Boat.*", "harbour.Boat.moor")
    assert not fits_symbol("harbour.Boat", "harbour.Boat.moor")


@given(name=st.text(max_size=12), cuts=st.lists(st.integers(0, 12), min_size=2, max_size=4))
def test_a_star_stands_for_whatever_is_taken_out_of_a_name(name: str, cuts: list[int]) -> None:
    first, *rest = sorted(cuts)
    assert fits(f"{name[:first]}*{name[rest[-1] :]}", name)


def test_no_pattern_takes_long() -> None:
    before = time.process_time()
    assert not fits("*a" * 200 + "b", "a" * 2_000)
    assert not fits_path("/".join(["**", "a"] * 50) + "/b", "/".join("a" * 300))
    assert not stands_in("a*a*a*a*a*b", "a" * 20_000)
    assert time.process_time() - before < 5
