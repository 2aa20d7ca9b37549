"""Generated texts are the same for the same seed and name what is really there."""

from __future__ import annotations

from pathlib import Path

from bench.texts import Writer, words_of

SOURCE = '''
def parse(text):
    """Parse a text into its parts. Everything after a hash sign is taken for a comment."""


class Reader:
    """Reads one line after the other. The last line may be without its line feed."""
'''


def test_the_same_seed_writes_the_same_texts(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text(SOURCE)
    words = words_of(tmp_path, "pkg")
    assert len(words.sentences) == 4
    assert words.addresses == (("pkg/a.py", "Reader"), ("pkg/a.py", "parse"))
    first, second = Writer(words, 5), Writer(words, 5)
    assert [first.episode(), first.note(1), first.query()] == [second.episode(), second.note(1), second.query()]
    text, about = first.note(2)
    assert about.rpartition("::")[2] in text
    assert len(first.sized(2_048)) == 2_048
