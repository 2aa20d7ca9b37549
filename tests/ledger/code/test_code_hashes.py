"""What changes the hashes of a symbol, and what does not."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moored.ledger.code import extract
from moored.model.facts import ExtractedFact, FactKind

if TYPE_CHECKING:
    from conftest import Sample


def hashes(path: str, source: str) -> dict[str, list[tuple[str, str]]]:
    """Name to the signature and body hashes of the symbols of that name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for fact in extract(path, source.encode()).facts:
        if fact.kind is not FactKind.IMPORT:
            found.setdefault(fact.name, []).append((fact.signature_hash, fact.body_hash))
    return found


def run_fact(sample: Sample, source: str, name: str | None = None) -> ExtractedFact:
    wanted = name or sample.run
    return next(fact for fact in extract(sample.path, source.encode()).facts if fact.name == wanted)


def replaced(source: str, old: str, new: str) -> str:
    assert source.count(old) == 1, old
    return source.replace(old, new)


def test_layout_changes_no_hash(sample: Sample) -> None:
    before = hashes(sample.path, sample.source)
    for old, new in sample.layout:
        assert hashes(sample.path, replaced(sample.source, old, new)) == before, new


def test_a_comment_or_a_blank_line_in_the_body_changes_no_hash(sample: Sample) -> None:
    lines = sample.source.splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if sample.body_edit[0] in line)
    before = hashes(sample.path, sample.source)
    for extra in (f"{sample.comment}\n", "\n\n"):
        assert hashes(sample.path, "".join([*lines[:place], extra, *lines[place:]])) == before


def test_line_ends_of_windows_change_no_hash(sample: Sample) -> None:
    assert hashes(sample.path, sample.source.replace("\n", "\r\n")) == hashes(sample.path, sample.source)


def test_an_edit_of_the_body_changes_the_body_hash_alone(sample: Sample) -> None:
    before = run_fact(sample, sample.source)
    after = run_fact(sample, replaced(sample.source, *sample.body_edit))
    assert after.body_hash != before.body_hash
    assert after.signature_hash == before.signature_hash


def test_an_edit_of_the_signature_changes_the_signature_hash_alone(sample: Sample) -> None:
    old, new = sample.signature_edit
    if not old:
        pytest.skip("the language has no parameters to edit")
    before = run_fact(sample, sample.source)
    after = run_fact(sample, sample.source.replace(old, new, 1))
    assert after.signature_hash != before.signature_hash
    assert after.body_hash == before.body_hash


def test_a_new_name_changes_neither_hash_even_where_the_body_uses_it(sample: Sample) -> None:
    source = re.sub(rf"\b{sample.rename}\b", "renamed", sample.source)
    before = run_fact(sample, sample.source)
    head, dot, _ = sample.run.rpartition(".")
    after = run_fact(sample, source, f"{head}{dot}renamed")
    assert (after.signature_hash, after.body_hash) == (before.signature_hash, before.body_hash)


def test_an_enclosing_type_changes_with_what_it_holds(sample: Sample) -> None:
    outer = sample.run.rpartition(".")[0]
    if not outer or outer not in hashes(sample.path, sample.source):
        pytest.skip("the function stands alone")
    before = hashes(sample.path, sample.source)[outer]
    after = hashes(sample.path, replaced(sample.source, *sample.body_edit))[outer]
    separate = sample.path.endswith((".go", ".rs", ".lua"))
    assert (after == before) is separate


def function(source: str) -> tuple[str, str]:
    """The hashes of the one function `f`."""
    found = hashes("a.py", source)
    assert next(iter(found)) == "f"
    return found["f"][0]


def body(statement: str) -> tuple[str, str]:
    lines = "\n".join(f"    {line}" for line in statement.split("\n"))
    return function(f"def f(a, b, c):\n{lines}\n")


SAME = [
    ("return (a)", "return a"),
    ("return ((a + b))", "return a + b"),
    ("return (a * b) + c", "return a * b + c"),
    ("return a and (b or c)", "return (a) and (b or (c))"),
    ("return a,", "return (a,)"),
    ("return a, b", "return (a, b)"),
    ("for a, b in c: pass", "for (a, b) in (c): pass"),
    ("a, b = c", "(a, b) = c"),
    ("(a) = b", "a = b"),
    ("x[a, b]", "x[(a, b)]"),
    ("x[a,]", "x[(a,)]"),
    ("x[a:b]", "x[(a):(b)]"),
    ("x = 'a'", 'x = "a"'),
    ("x = 'a'", 'x = """a"""'),
    ("x = u'a'", "x = 'a'"),
    (r"x = r'\d'", r"x = '\\d'"),
    (r"x = '\x41\u0042\N{LATIN CAPITAL LETTER C}\104'", "x = 'ABCD'"),
    (r"x = '\d'", r"x = '\\d'"),
    ("x = 'a' 'b'", "x = 'ab'"),
    ("x = ('a'\n  'b')", "x = 'ab'"),
    ("x = b'a' b'b'", "x = b'ab'"),
    ("x = f'a{b}c'", 'x = f"a{b}c"'),
    ("x = f'a' f'{b}c'", "x = 'a' f'{b}c'"),
    ("x = f'a{ b }c'", "x = f'a{b}c'"),
    ("x = f'{{{b}}}'", 'x = f"""{{{b}}}"""'),
    ("x = 0xFF", "x = 255"),
    ("x = 1_000", "x = 1000"),
    ("x = 1e3", "x = 1000.0"),
    ("x = 2J", "x = 2j"),
    ("f(a, b,)", "f(a, b)"),
    ("f((x for x in a))", "f(x for x in a)"),
    ("x = [a, b,]", "x = [a, b]"),
    ("x = {a: b,}", "x = {a: b}"),
    ("if a:\n    b\nelse:\n    if c:\n        a", "if a:\n    b\nelif c:\n    a"),
    (
        "if a:\n    b\nelse:\n    if c:\n        a\n    else:\n        c",
        "if a:\n    b\nelif c:\n    a\nelse:\n    c",
    ),
    ("with (open(a) as x, b): pass", "with open(a) as x, b: pass"),
    ("with (a): pass", "with a: pass"),
    ("from x import (a, b,)", "from x import a, b"),
    ("a; b", "a\nb"),
    ("assert (a), (b)", "assert a, b"),
    ("x = a \\\n  + b", "x = a + b"),
    ("x = yield (a, b)", "x = yield a, b"),
    ("x = lambda a,: a", "x = lambda a: a"),
    ("return (yield)", "return (  yield  )"),
    ("class A(): pass", "class A: pass"),
    ("x: (int) = 1", "x: int = 1"),
]
DIFFERENT = [
    ("return (a,)", "return (a)"),
    ("return a * (b + c)", "return a * b + c"),
    ("return a - (b - c)", "return a - b - c"),
    ("return (a < b) < c", "return a < b < c"),
    ("return (a and b) and c", "return a and b and c"),
    ("return not (a and b)", "return not a and b"),
    ("return -(a ** b)", "return (-a) ** b"),
    ("return a if b else c", "return b if a else c"),
    ("x = 'a'", "x = 'a '"),
    ("x = 'a'", "x = b'a'"),
    ("x = 'a'", "x = f'a'"),
    ("x = f'{a}'", "x = f'{a!r}'"),
    ("x = f'{a}'", "x = f'{a:>3}'"),
    ("x = f'{a:>3}'", "x = f'{a:> 3}'"),
    ("x = f'{a}{b}'", "x = f'{a} {b}'"),
    ("x = 'a', 'b'", "x = 'a' 'b'"),
    (r"x = '\n'", r"x = '\\n'"),
    (r"x = r'\n'", r"x = '\n'"),
    ("x = 1", "x = 1.0"),
    ("x = 1", "x = True"),
    ("x = [a]", "x = (a)"),
    ("x = {a}", "x = {a: a}"),
    ("x[a]", "x[a,]"),
    ("x[a:b]", "x[a::b]"),
    ("x[:a]", "x[a:]"),
    ("f(a, *b)", "f(a, b)"),
    ("f(*a)", "f(**a)"),
    ("f(a=b)", "f(a, b)"),
    ("a.b", "a\nb"),
    ("if a:\n    b\nc", "if a:\n    b\n    c"),
    ("for a in b:\n    c\nelse:\n    d", "for a in b:\n    c\n    d"),
    ("if a:\n    b\nelse:\n    if c:\n        a\n    b", "if a:\n    b\nelif c:\n    a\nb"),
    ("try:\n    a\nexcept A:\n    b", "try:\n    a\nexcept* A:\n    b"),
    ("return", "return None"),
    ("a = b", "a: b"),
    ("a += b", "a -= b"),
    ("a is b", "a is not b"),
    ("a in b", "a not in b"),
    ("from x import a", "from .x import a"),
    ("import a as b", "import a, b"),
    ("await a", "a"),
    ("yield a", "yield from a"),
    ("global a", "nonlocal a"),
    ("async for x in a: pass", "for x in a: pass"),
    ("raise a from b", "raise a"),
    ("def g(a, /, b): pass", "def g(a, b): pass"),
    ("def g(a, *, b): pass", "def g(a, b): pass"),
    ("'doc'\npass", "'other doc'\npass"),
    ("f(a),", "f(a)"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_spellings_that_python_reads_the_same_have_the_same_hashes(left: str, right: str) -> None:
    assert body(left) == body(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_code_that_python_reads_differently_has_different_hashes(left: str, right: str) -> None:
    assert body(left) != body(right)


def test_decorators_bases_and_modifiers_belong_to_the_signature() -> None:
    plain = function("def f(a): return a\n")
    for other in ("@g\ndef f(a): return a\n", "async def f(a): return a\n", "def f(a) -> int: return a\n"):
        assert function(other)[0] != plain[0]
        assert function(other)[1] == plain[1]
    assert hashes("a.py", "class f(A): x = 1\n")["f"][0][0] != hashes("a.py", "class f: x = 1\n")["f"][0][0]


def test_an_own_name_in_a_string_is_not_a_name() -> None:
    before = hashes("a.py", "def f(): return 'f', f\n")["f"][0]
    assert hashes("a.py", "def g(): return 'f', g\n")["g"][0] == before
    assert hashes("a.py", "def g(): return 'g', g\n")["g"][0] != before


@pytest.mark.parametrize(
    ("path", "source", "symbol"),
    [
        ("a.py", "class C:\n    def add(self, x):\n        self.items.add(x)\n        self.log.one.add(x)\n", "C.add"),
        ("a.js", "class C { add(x) { this.items.add(x); logs.add(x); } }", "C.add"),
        ("a.rs", "impl C { fn add(&self, x: i32) { self.items.add(x); self.log.one.add(x); } }", "C.add"),
        ("a.go", "package a\nfunc (c *C) add(x int) { c.items.add(x) }", "C.add"),
        ("a.cpp", "void C::add(int x) { items.add(x); others->add(x); }", "C.add"),
        ("a.rb", "class C\n  def add(x)\n    @items.add(x)\n    log&.add(x)\n  end\nend\n", "C.add"),
        ("a.php", "<?php class C { function add($x) { $this->items->add($x); D::add($x); } }", "C.add"),
        ("a.lua", "function C:add(x) self.items:add(x) log.add(x) end", "C.add"),
        ("a.swift", "class C { func add(x: Int) { items.add(x) } }", "C.add"),
    ],
)
def test_the_member_of_another_object_keeps_its_name_when_the_symbol_gets_another(
    path: str, source: str, symbol: str
) -> None:
    before = hashes(path, source)[symbol]
    after = hashes(path, re.sub(r"(fn|func|function|def|::|C:|\)|C \{) ?add\(", r"\1 put(", source, count=1))
    assert after["C.put"] == before


@pytest.mark.parametrize(
    ("path", "left", "right"),
    [
        ("a.lua", "function f() return g('a b') end", 'function f() return g("a b"); end'),
        ("a.php", "<?php function f() { return g('a b'); }", '<?php function f() { return g("a b"); }'),
    ],
)
def test_spellings_that_a_language_reads_the_same_have_the_same_hashes(path: str, left: str, right: str) -> None:
    assert hashes(path, left)["f"] == hashes(path, right)["f"]


@pytest.mark.parametrize(
    ("path", "left", "right"),
    [
        ("a.lua", "function f() return g('a') end", "function f() return g([[b]]) end"),
        ("a.php", "<?php function f() { return '$a'; }", '<?php function f() { return "$a"; }'),
        ("a.php", "<?php function f() { return 'a\\n'; }", '<?php function f() { return "a\\n"; }'),
        ("a.js", "function f() { return [1, , 2]; }", "function f() { return [1, 2]; }"),
        ("a.js", "function f() { return `a ${b}`; }", "function f() { return `a  ${b}`; }"),
        ("a.js", "function f() { return (a?.b).c; }", "function f() { return a?.b.c; }"),
        ("a.js", "function f() { for (; a;) b(); }", "function f() { for (a; ;) b(); }"),
        ("a.js", "function f() { return /a b/g; }", "function f() { return /a  b/g; }"),
        ("a.rs", "fn f() { a() }", "fn f() { a(); }"),
        ("a.rs", "fn f() { (1,) }", "fn f() { (1) }"),
        ("a.rs", "fn f() { [1, 2] }", "fn f() { [1; 2] }"),
        ("a.rs", "fn f() { let (a,) = b; }", "fn f() { let (a) = b; }"),
        ("a.rs", 'fn f() { r#"a b"# }', 'fn f() { r#"a  b"# }'),
        ("a.kt", "fun f() { a?.b() }", "fun f() { a.b() }"),
        ("a.sh", "f() { cat <<E\na b\nE\n}", "f() { cat <<E\na  b\nE\n}"),
        ("a.sh", "f() { echo ${a}; }", "f() { echo ${!a}; }"),
        ("a.swift", 'func f() { return "\\u{41}" }', 'func f() { return "\\u{42}" }'),
        ("a.scala", 'def f = s"a $b c"', 'def f = s"a $b  c"'),
        ("a.cpp", "int f() { return a->b; }", "int f() { return a.b; }"),
        ("a.php", '<?php function f() { return "a $b"; }', '<?php function f() { return "a  $b"; }'),
    ],
)
def test_what_counts_in_a_language_changes_its_hash(path: str, left: str, right: str) -> None:
    assert hashes(path, left)["f"] != hashes(path, right)["f"]


ATOMS = st.sampled_from(
    ["a", "b.c", "1", "0x10", "1.5", "'s'", '"s"', "r'\\d'", "b'x'", "None", "...", "f'{a}z'", "'p' \"q\"", "()", "[]"]
)
SHAPES = st.sampled_from(
    [
        "({0})",
        "({0},)",
        "({0}, {1})",
        "[{0}, {1},]",
        "{{{0}: {1}}}",
        "{{{0}, {1}}}",
        "({0} + {1})",
        "({0} - {1} * {0})",
        "(-{0}) ** ({1})",
        "not ({0})",
        "({0}) and ({1}) and a",
        "({0}) or ({1})",
        "({0}) < ({1}) == a",
        "({0}) if ({1}) else b",
        "(lambda x, *y: {0})",
        "g({0}, k={1}, **d)",
        "g(*{0})",
        "({0}).attr",
        "({0})[{1}]",
        "({0})[{1}, a]",
        "({0})[{1}:a]",
        "[x for x in ({0}) if ({1})]",
        "g(x for x in ({0}))",
        "f'a{{({0})!r:>{{b}}}}c'",
        "(y := ({0}))",  # without the parentheses the grammar takes `y := a if b else c` for `(y := a) if b else c`
        "(await g({0}))",
    ]
)


@st.composite
def expressions(draw: st.DrawFn) -> str:
    text = draw(ATOMS)
    for _ in range(draw(st.integers(0, 4))):
        text = draw(SHAPES).format(text, draw(ATOMS))
    return text


STATEMENTS = st.sampled_from(
    ["return {0}", "x = {0}", "x = y = {0}", "x: int = {0}", "if {0}: pass", "for x in {0}: pass", "assert {0}, b"]
)


def source_of(statement: str) -> str | None:
    source = f"async def f(a, b=1):\n    {statement}\n"
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    return None if any(map(is_misread, ast.walk(tree))) else source


def is_misread(node: ast.AST) -> bool:
    """The grammar reads `(y := a if c else b)` as `((y := a) if c else b)`: parentheses count there."""
    return isinstance(node, ast.NamedExpr) and isinstance(node.value, ast.IfExp)


def dumped(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)


@settings(max_examples=200, deadline=None)
@given(STATEMENTS, expressions(), expressions())
def test_hashes_agree_with_pythons_own_reading(shape: str, left: str, right: str) -> None:
    sources = [source for text in (left, right) if (source := source_of(shape.format(text))) is not None]
    for source in sources:
        assert function(source) == function(ast.unparse(ast.parse(source)))
    if len(sources) == 2:
        assert (function(sources[0]) == function(sources[1])) is (dumped(sources[0]) == dumped(sources[1]))


def test_a_walrus_over_a_conditional_is_told_from_another_and_not_from_itself() -> None:
    one = "def f(a, b, c):\n    return (y := a if c else b)\n"
    assert function(one.replace("(y := a", "(  # named\n        y := a")) == function(one)
    assert function(one.replace("else b", "else a")) != function(one)


@settings(max_examples=60, deadline=None)
@given(st.lists(expressions(), min_size=1, max_size=4), st.data())
def test_comments_and_blank_lines_change_no_hash(parts: list[str], data: st.DataObject) -> None:
    source = source_of("\n    ".join(f"x = {part}" for part in parts))
    if source is None:
        return
    lines: list[str] = []
    for line in source.splitlines():
        lines.extend(data.draw(st.lists(st.sampled_from(["", "# note", "    # note", "\t"]), max_size=2)))
        lines.append(line + data.draw(st.sampled_from(["", "  # why", " "])))
    assert function("\n".join(lines) + "\n") == function(source)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["a.py", "a.ts", "a.rs", "a.php", "a.sh", "a.sql", "a.cpp", "a.rb"]))
def test_any_bytes_are_read_without_a_failure(source: bytes, path: str) -> None:
    for fact in extract(path, source).facts:
        assert 0 <= fact.span.start <= fact.span.end <= len(source)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_damaged_sources_are_read_without_a_failure(sample: Sample, data: st.DataObject) -> None:
    source = sample.source.encode()
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, min(len(source), start + 40)))
    damaged = source[:start] + data.draw(st.binary(max_size=6)) + source[end:]
    for fact in extract(sample.path, damaged).facts:
        assert 0 <= fact.span.start <= fact.span.end <= len(damaged)


def test_reading_twice_gives_the_same(sample: Sample) -> None:
    source = sample.source.encode()
    assert extract(sample.path, source) == extract(sample.path, source)
