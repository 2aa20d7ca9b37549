"""Documents as sections: what is prose in them and what is not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moored.model.text import fold
from moored.seeding.prose import opening, sections, title


def test_badges_comments_front_matter_and_tables_are_no_prose() -> None:
    text = (
        "---\nlayout: page\n---\n<!-- hidden -->\n# Ferry\n\n[![build](a.svg)](b)\n<p align=center>\n\n"
        "| a | b |\n| - | - |\n\n"
        "It [carries](docs/x.md) parcels.\n"
    )
    said = sections(text)
    assert (title(said), opening(said)) == ("Ferry", "It carries parcels.")


def test_underlined_headings_are_headings_too() -> None:
    said = sections("Ferry\n=====\n\nCarries.\n\nUse\n---\n\nSail.\n")
    assert [(one.heading, one.level, one.prose) for one in said] == [
        ("Ferry", 1, ("Carries.",)),
        ("Use", 2, ("Sail.",)),
    ]


def test_items_are_told_apart_from_paragraphs() -> None:
    (said,) = sections("# Rules\n\nRead this\nfirst.\n\n- One\n  and on.\n- [ ] Two.\n1. Three.\n")
    assert said.prose == ("Read this first.", "One and on.", "Two.", "Three.")
    assert said.items == {"One and on.", "Two.", "Three."}


def test_only_blocks_of_a_shell_hold_commands() -> None:
    shell = "```sh\npip install x  # once\n# a comment\n```\n"
    (said,) = sections(f"# Use\n\n{shell}\n```python\nimport x\n```\n\n```\n$ make\noutput\n```\n")
    assert said.commands == ("pip install x", "make")


@given(st.text(alphabet="#`~-=*<>![]()|: \nabcé1.", max_size=200))
def test_any_text_has_sections_and_nothing_in_them_that_does_not_stand_there(text: str) -> None:
    for section in sections(text):
        for said in (*section.commands, *section.items):
            assert fold(said) == said
        assert section.items <= set(section.prose)
