"""What is indexed and what is asked, against real FTS5 tables."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from moored.model.terms import MAX_FRAGMENT, MAX_FRAGMENTS, MAX_TERMS
from moored.model.text import fragments, fts_query, query_terms, searchable

HOSTILE = [
    "NEAR(",
    "NEAR(alpha beta, 2)",
    "alpha NOT beta",
    "alpha AND",
    "body:alpha",
    "{body} : x",
    "^alpha",
    "alpha*",
    "***",
    '"',
    '""',
    'say "hi',
    "don't",
    "a:b",
    "pre-edit",
    "GB/s",
    "(",
    "\0",
    "x\0y",
    "\ud800",
    "🚀",
    "漢字",
    "-- drop table",
    "'; select 1",
    "",
]
WORDS = st.text(st.sampled_from("abzAZ09_-./:@+#'é漢字かハ한글ж🚀👍ﬁＡ"), min_size=1, max_size=8)


def matches(text: str, expression: str) -> bool:
    """Whether the expression finds the text in an index of words."""
    connection = apsw.Connection(":memory:")
    connection.execute("create virtual table word using fts5(body, tokenize='porter unicode61')")
    connection.execute("insert into word values (?)", (searchable(text),))
    return bool(connection.execute("select 1 from word where word match ?", (expression,)).fetchall())


def finds(query: str, text: str) -> bool:
    expression = fts_query(query_terms(query))
    return bool(expression) and matches(text, expression)


@settings(max_examples=15)
@given(st.text(st.characters(), max_size=60))
@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_a_user_writes_is_syntax(hostile: str, text: str) -> None:
    for query in (hostile, f"{hostile}{text}", f"{text} {hostile}"):
        expression = fts_query(query_terms(query))
        if expression:
            matches(text, expression)
        matches(text, fts_query((query,)))


@pytest.mark.parametrize(
    "query", ["alpha NOT beta", "NEAR(alpha beta, 1)", "alpha AND gamma", "missing : alpha", "^beta alpha"]
)
def test_an_operator_in_a_question_is_only_a_word(query: str) -> None:
    assert finds(query, "some beta in between of alpha")


def test_a_star_does_not_search_for_beginnings() -> None:
    assert not finds("alpha*", "alphabet")


@given(st.lists(WORDS, min_size=1, max_size=8), st.data())
@example(["don't"], None)
@example(["the"], None)
@example(["漢字", "漢"], None)
def test_a_word_that_stands_in_a_text_is_found_by_it(words: list[str], data: st.DataObject | None) -> None:
    word = data.draw(st.sampled_from(words)) if data else words[-1]
    assume(any(character.isalnum() or character in "🚀👍" for character in word))
    assert finds(word, " ".join(words))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("user name", "def getUserName(self):"),
        ("getUserName", "get_user_name is called twice"),
        ("get_user_name", "call getUserName() first"),
        ("http server", "class HTTPServer2: ..."),
        ("retry", "MAX_RETRY_COUNT = 5"),
        ("app.py", "see src/moored/app.py:12"),
        ("src/other/app.py", "app is the entry point"),
        ("pre-edit", "the pre-edit hook"),
        ("GB/s", "about 3 GB/s on this disk"),
        ("John", "John's laptop"),
        ("John's", "ask John"),
        ("configured", "how to configure it"),
        ("编程", "我喜欢Python编程语言"),
        ("Python", "我喜欢Python编程语言"),
        ("锁", "数据库锁定"),
        ("定", "数据库锁定"),
        ("데이터", "데이터베이스를 연다"),
        ("カタカナ", "ｶﾀｶﾅで書く"),
        ("🚀", "shipped🚀today"),
        ("👍", "👍🏽 from review"),
        ("café", "the CAFE\u0301 service"),
        ("ABC", "ＡＢＣ"),
    ],
)
def test_a_question_finds_what_is_written_another_way(query: str, text: str) -> None:
    assert finds(query, text)


@pytest.mark.parametrize(("query", "text"), [("字体", "漢字と体"), ("🚀", "👍"), ("name", "unnamed")])
def test_a_question_does_not_find_what_is_not_there(query: str, text: str) -> None:
    assert not finds(query, text)


def test_parts_of_camel_case_names_follow_the_text_once() -> None:
    text = "parseHttpHeader calls parseHttpBody"
    assert searchable(text) == f"{text}\nparse http header body"


@given(st.text(st.sampled_from("aBcD2 _\n"), max_size=300))
def test_the_added_parts_are_never_longer_than_the_text(text: str) -> None:
    assert len(searchable(text)) <= 2 * len(text)
    assert searchable(text).startswith(text)


def test_function_words_are_left_out_of_a_question() -> None:
    assert query_terms("What is the retry limit that we're using in the uploader?") == (
        "retry",
        "limit",
        "using",
        "uploader",
    )


def test_the_words_of_rules_are_kept() -> None:
    assert query_terms("must we not retry if it can fail") == ("must", "not", "retry", "if", "can", "fail")


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("who am I?", ("who", "am", "I")),
        ("Don't", ("Don't", "Don")),
        ("", ()),
        ("?! ... --", ()),
    ],
)
def test_a_question_of_function_words_alone_keeps_them(query: str, terms: tuple[str, ...]) -> None:
    assert query_terms(query) == terms


def test_a_compound_comes_first_and_then_its_parts() -> None:
    assert query_terms("src/app.getUserName") == (
        "src/app.getUserName",
        "src",
        "app",
        "getUserName",
        "get",
        "User",
        "Name",
    )


def test_terms_are_unique_whatever_their_case() -> None:
    assert query_terms("Retry retry RETRY") == ("Retry",)


@given(st.text(st.characters(), max_size=500))
@example(" ".join(f"word{n}" for n in range(100)))
@example(".".join(f"word{n}" for n in range(100)))
@example("漢字" * 100)
def test_a_question_has_a_bounded_number_of_distinct_terms(query: str) -> None:
    terms = query_terms(query)
    assert len(terms) <= MAX_TERMS
    assert len({term.lower() for term in terms}) == len(terms)


def test_no_terms_make_no_expression() -> None:
    assert fts_query(()) == ""


def test_quotes_in_terms_are_doubled() -> None:
    assert fts_query(('say "hi"', "字")) == '"say ""hi""" OR "字"*'


def test_fragments_are_the_code_like_pieces_each_once() -> None:
    text = "Run ./build.sh --no-cache, set max_size=10 in src/app.py. Run HTTPServer and userName on it's host:80"
    assert fragments(text) == "./build.sh --no-cache max_size 10 src/app.py HTTPServer userName host:80"


@given(st.text(st.sampled_from("aB1._/- \n"), max_size=2000))
@example(" ".join(f"v{n}.0" for n in range(10_000)))
@example("x1" * 1000)
def test_fragments_are_unique_and_bounded(text: str) -> None:
    pieces = fragments(text).split(" ")
    assert len(pieces) == len(set(pieces)) or len(text) > MAX_FRAGMENT
    assert all(len(piece) <= MAX_FRAGMENT for piece in pieces)
    assert len(fragments(text)) <= MAX_FRAGMENTS


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "A" * 100_000, "a-" * 50_000, "-" * 100_000, "aB" * 50_000, "漢" * 100_000]
)
@pytest.mark.timeout(20)
def test_no_text_takes_more_than_linear_time(text: str) -> None:
    assert len(searchable(text)) >= len(text)
    assert len(fragments(text)) <= MAX_FRAGMENTS
    assert len(query_terms(text)) <= MAX_TERMS
