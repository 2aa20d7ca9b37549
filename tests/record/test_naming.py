"""Other names of things that are given in passing."""

from __future__ import annotations

import pytest

from moored.record.naming import MAX_NAMES, names_in


@pytest.mark.parametrize(
    ("said", "pair"),
    [
        ("We deploy to Kubernetes (k8s) on EKS.", ("Kubernetes", "k8s")),
        ("k8s, short for Kubernetes, is what we run", ("Kubernetes", "k8s")),
        ("TS = TypeScript", ("TypeScript", "TS")),
        ("note: TS is short for TypeScript.", ("TypeScript", "TS")),
        ("Failed messages go to the dead letter queue (DLQ).", ("dead letter queue", "DLQ")),
        ("the DLQ (dead letter queue) is full again", ("dead letter queue", "DLQ")),
        ("MSW stands for Mock Service Worker", ("Mock Service Worker", "MSW")),
        ("everything about internationalization (i18n)", ("internationalization", "i18n")),
        ("ML means machine learning", ("machine learning", "ML")),
        ("we use server-side rendering (SSR) here", ("server-side rendering", "SSR")),
        ("Postgres, aka PostgreSQL, is slow", ("Postgres", "PostgreSQL")),
        ("GitHub Actions, also known as GHA, runs it", ("GitHub Actions", "GHA")),
        ('`billing-core`, which we call the "money box"', ("billing-core", "money box")),
    ],
)
def test_another_name_is_read_where_it_is_given(said: str, pair: tuple[str, str]) -> None:
    assert names_in(said) == (pair,)


@pytest.mark.parametrize(
    "said",
    [
        "call foo(bar) and set x = y",
        "retries = three",
        "the function (see below) does it",
        "the config (YAML) is read once",
        "the user (admin) logs in after a timeout (30s)",
        "I also called John yesterday",
        "Melanie also called Caroline",
        "Alice or Bob",
        "API (Swagger)",
        "TS = TypeScript(strict=True)",
        "it is short for a reason",
        "",
    ],
)
def test_what_gives_no_other_name_teaches_none(said: str) -> None:
    assert names_in(said) == ()


def test_a_pair_is_read_once_whatever_its_case() -> None:
    assert names_in("The Dead Letter Queue (DLQ). Later: the dead letter queue (dlq).") == (
        ("Dead Letter Queue", "DLQ"),
    )


def test_one_turn_teaches_a_limited_number_of_names() -> None:
    words = [f"{a}lpha {b}eta {c}amma" for a in "abc" for b in "xyz" for c in "uvw"]
    said = " ".join(f"The {name} ({''.join(part[0] for part in name.split())})." for name in words)
    assert len(names_in(said)) == MAX_NAMES


def test_a_long_text_without_blanks_costs_no_more_than_another() -> None:
    assert names_in("a-" * 50_000 + " (k8s)") == ()
