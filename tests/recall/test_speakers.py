"""Who a question is about, whatever people are called."""

from __future__ import annotations

import pytest

from moored.recall.speakers import as_said_by, named, subject


@pytest.mark.parametrize(
    ("author", "called"),
    [("Olé [x]*", "Olé"), ("Mara (ops)", "Mara"), ("Zoë+", "Zoë"), ("  Ole  ", "Ole"), ("Ann\\g<0>", "Ann")],
)
def test_somebody_with_marks_in_the_name_is_met_by_its_letters(author: str, called: str) -> None:
    text = f"When did {called} fix it?"
    people = named(text, [author, "", " ", "+(?", "\u202eabc"])
    assert subject(text, people) == author
    assert as_said_by(text, author, people) == "When did I fix it?"


def test_people_are_told_in_the_order_of_the_text_by_whole_or_first_or_short_name() -> None:
    people = named("Did Mel and Ole's crew meet Caroline Ross?", ["Caroline Ross", "Melanie", "Ole", "ole"])
    assert [one.author for one in people] == ["Melanie", "Ole", "Caroline Ross"]


def test_many_authors_and_many_names_are_compared_by_their_first_letters_alone() -> None:
    authors = [f"{chr(65 + number % 26)}uthor{number} Smith" for number in range(5_000)]
    text = " ".join(f"{chr(65 + number % 26)}ord{number}" for number in range(1_000))
    assert named(f"{text} Buthor27", authors)[0].author == "Buthor27 Smith"
