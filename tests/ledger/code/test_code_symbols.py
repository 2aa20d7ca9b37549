"""What the code extractor reads from each language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moored.ledger.code import extract, language_of
from moored.model.facts import EdgeKind, ExtractedFact, Extraction, FactKind

if TYPE_CHECKING:
    from conftest import Sample


def read(sample: Sample) -> Extraction:
    return extract(sample.path, sample.source.encode())


def named(extraction: Extraction, name: str) -> ExtractedFact:
    return next(fact for fact in extraction.facts if fact.name == name and fact.kind is not FactKind.IMPORT)


def test_every_symbol_is_found_with_its_kind_and_qualified_name_in_order(sample: Sample) -> None:
    extraction = read(sample)
    beside = (FactKind.IMPORT, FactKind.EXPORT)
    found = [[str(fact.kind), fact.name] for fact in extraction.facts if fact.kind not in beside]
    assert extraction.errors == 0
    assert found == sample.symbols


def test_the_signature_is_shown_on_one_line_without_decorators_and_body(sample: Sample) -> None:
    assert named(read(sample), sample.run).value == sample.signature


def test_the_documentation_is_its_first_paragraph(sample: Sample) -> None:
    assert named(read(sample), sample.run).doc == sample.doc


def test_the_span_holds_the_whole_symbol(sample: Sample) -> None:
    source = sample.source.encode()
    fact = named(read(sample), sample.run)
    text = source[fact.span.start : fact.span.end].decode()
    assert sample.body_edit[0] in text
    assert sample.rename in text
    assert fact.span.line == source.count(b"\n", 0, fact.span.start) + 1
    assert fact.span.end_line == source.count(b"\n", 0, fact.span.end) + 1


def test_the_parent_is_the_enclosing_symbol(sample: Sample) -> None:
    for fact in read(sample).facts:
        if fact.kind not in (FactKind.IMPORT, FactKind.EXPORT) and "." in fact.name:
            assert fact.parent == fact.name.rpartition(".")[0] or fact.name == "shop.cart"


def test_calls_are_recorded_in_the_scope_that_makes_them(sample: Sample) -> None:
    calls = {(r.scope, r.target) for r in read(sample).references if r.kind is EdgeKind.CALL}
    assert {(scope, target) for scope, target in sample.calls} <= calls


def test_bases_are_recorded_in_the_scope_of_the_type(sample: Sample) -> None:
    bases = [[r.scope, r.target] for r in read(sample).references if r.kind is EdgeKind.INHERIT]
    assert bases == sample.inherits


def test_bindings_say_what_names_stand_for(sample: Sample) -> None:
    bindings = {(b.kind, b.name, b.target) for b in read(sample).bindings}
    assert {(kind, name, target) for kind, name, target in sample.bindings} <= bindings


def test_each_import_is_a_fact_and_a_reference(sample: Sample) -> None:
    extraction = read(sample)
    facts = [fact.name for fact in extraction.facts if fact.kind is FactKind.IMPORT]
    imported = {b.target for b in extraction.bindings if b.kind == "import"}
    references = {r.target for r in extraction.references if r.kind is EdgeKind.IMPORT}
    assert set(facts) <= imported
    assert {name.replace(":", ".") for name in facts} <= references


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a/b.pyi", b"", "python"),
        ("a/b.tsx", b"", "tsx"),
        ("b.cjs", b"", "javascript"),
        ("a\\b\\Rakefile", b"", "ruby"),
        ("b.h", b"struct a { int b; };", "c"),
        ("b.h", b"// class a in C++\nstruct a;", "c"),
        ("b.h", b"namespace a { class b; }", "cpp"),
        ("b.h", b"#include <vector>\nstd::vector<int> a;", "cpp"),
        ("run", b"#!/usr/bin/env python3\n", "python"),
        ("run", b"#!/usr/bin/env -S node --flag\n", "javascript"),
        ("run", b"#!/bin/sh\n", "bash"),
        ("run", b"#!/usr/bin/python3.11\n", "python"),
        ("run", b"plain", None),
        ("notes.txt", b"", None),
        ("py", b"", None),
    ],
)
def test_the_language_is_known_by_extension_name_or_first_line(path: str, head: bytes, language: str | None) -> None:
    assert language_of(path, head) == language


def test_a_file_in_no_known_language_gives_nothing() -> None:
    assert extract("notes.txt", b"def f(): pass") == Extraction(language="")


def test_nested_functions_are_symbols_of_their_function() -> None:
    facts = extract("a.py", b"def outer():\n    def inner():\n        class Deep:\n            x = 1\n").facts
    assert [(fact.kind.value, fact.name) for fact in facts] == [
        ("function", "outer"),
        ("function", "outer.inner"),
        ("class", "outer.inner.Deep"),
        ("variable", "outer.inner.Deep.x"),
    ]


def test_definitions_under_conditions_are_found() -> None:
    source = (
        b"try:\n    import a\nexcept ImportError:\n    def a(): ...\nif x:\n    class B: ...\nelse:\n    class B: ...\n"
    )
    assert [fact.name for fact in extract("a.py", source).facts] == ["a", "a", "B", "B"]


def test_local_variables_are_no_symbols() -> None:
    assert [fact.name for fact in extract("a.py", b"def f():\n    x = 1\n").facts] == ["f"]


def test_relative_imports_keep_their_dots() -> None:
    found = extract("a.py", b"from . import a\nfrom ..b.c import (d as e,)\nfrom .x import *\n")
    assert [(b.name, b.target) for b in found.bindings] == [("a", ".:a"), ("e", "..b.c:d"), ("*", ".x:*")]
    assert [r.target for r in found.references if r.kind is EdgeKind.IMPORT] == [".a", "..b.c.d", ".x.*"]


def test_a_context_manager_and_an_exception_bind_their_names() -> None:
    source = b"with Foo(1) as f, open(p) as g: pass\ntry: pass\nexcept KeyError as e: pass\n"
    found = [(b.kind, b.name, b.target) for b in extract("a.py", source).bindings]
    assert found == [("call", "f", "Foo"), ("call", "g", "open"), ("type", "e", "KeyError")]


def test_an_attribute_takes_the_type_of_the_parameter_it_is_set_from() -> None:
    source = b"class A:\n    def __init__(self, store: 'Store'):\n        self.store = store\n"
    assert ("type", "A", "self.store", "Store") in {
        (b.kind, b.scope, b.name, b.target) for b in extract("a.py", source).bindings
    }


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("a.b(1, (2)).c(3)", "a.b().c"),
        ("super().__init__()", "super().__init__"),
        ("x[1](2)", "x[]"),
        ('", ".join(a)', "''.join"),
        ("a\\\n  .b()", "a.b"),
    ],
)
def test_a_callee_is_its_dotted_text_without_arguments(source: str, target: str) -> None:
    calls = [r for r in extract("a.py", source.encode()).references if r.kind is EdgeKind.CALL]
    assert calls[0].target == target.replace("\\", "")


def test_a_very_long_chain_of_calls_stays_short() -> None:
    references = extract("a.js", b"a" + b".then(x => x)" * 2000).references
    assert len(references) == 2000
    assert max(len(reference.target) for reference in references) < 400


def test_sound_symbols_around_broken_code_are_found_and_the_errors_counted() -> None:
    source = b"def first():\n    return 1\n\nx = = 3 )\n\nclass Last:\n    def method(self):\n        return 2\n"
    found = extract("a.py", source)
    assert found.errors >= 1
    assert {"first", "Last", "Last.method"} <= {fact.name for fact in found.facts}


def test_deep_nesting_does_not_overflow() -> None:
    source = b"x = " + b"[" * 20000 + b"]" * 20000 + b"\ndef after(): pass\n"
    assert "after" in {fact.name for fact in extract("a.py", source).facts}


def test_functions_nested_beyond_the_limit_are_read_as_part_of_their_parents() -> None:
    depth = 200
    source = b"".join(b" " * level + b"def f():\n" for level in range(depth)) + b" " * depth + b"pass\n"
    facts = extract("a.py", source).facts
    assert 40 <= len(facts) < depth
    assert facts[0].body_hash != extract("a.py", source.replace(b"pass", b"call()")).facts[0].body_hash


def test_a_small_body_is_trivial_and_a_larger_one_is_not() -> None:
    source = b'def a():\n    """Long words of documentation that say nothing."""\n    return 1\n\n'
    source += b"def b(x):\n    total = 0\n    for y in x:\n        if y.ok(total):\n"
    source += b"            total += y.size * x.rate\n    return total\n"
    assert [fact.trivial for fact in extract("a.py", source).facts] == [True, False]
