from __future__ import annotations

from moored.ledger.extract import extract_file, extractor_of
from moored.model.facts import ExtractedFact, FactKind

CODE = b"LIMIT = 3\n\n\ndef double(x):\n    return x * 2\n\n\nprint(double(LIMIT))\n"


def file_fact(path: str, source: bytes) -> ExtractedFact:
    return extract_file(path, source).facts[0]


def test_the_first_fact_is_that_of_the_file_itself() -> None:
    fact = file_fact("pkg/mod.py", CODE)
    assert (fact.kind, fact.name, fact.value) == (FactKind.FILE, "pkg/mod.py", "python, 8 lines")


def test_comments_and_layout_do_not_change_the_fact_of_a_code_file() -> None:
    commented = b"# a note\n" + CODE.replace(b"return x * 2", b"return (x\n            * 2)  # twice")
    assert file_fact("mod.py", commented).body_hash == file_fact("mod.py", CODE).body_hash


def test_a_statement_outside_any_symbol_changes_the_fact_of_a_code_file() -> None:
    changed = CODE.replace(b"print(double(LIMIT))", b"print(double(4))")
    assert file_fact("mod.py", changed).body_hash != file_fact("mod.py", CODE).body_hash


def test_only_trailing_space_and_line_ends_do_not_count_in_other_text() -> None:
    plain = file_fact("notes.txt", b"buy milk\ncall home\n")
    assert file_fact("notes.txt", b"buy milk  \r\ncall home\r\n").body_hash == plain.body_hash
    assert file_fact("notes.txt", b"buy milk\n\ncall home\n").body_hash != plain.body_hash


def test_an_empty_file_is_a_fact_too() -> None:
    assert file_fact("empty.txt", b"").value == "text, 0 lines"


def test_each_kind_of_fact_comes_from_its_extractor() -> None:
    found = {extractor_of(fact) for fact in extract_file("pyproject.toml", b'[project]\nname = "x"\n').facts}
    assert found == {"file", "config"}
    assert {extractor_of(fact) for fact in extract_file("mod.py", CODE).facts} == {"file", "code"}
