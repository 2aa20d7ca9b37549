"""TOML, JSON, YAML and INI files as facts."""

from __future__ import annotations

import json

import pytest

from moored.ledger.config import extract, handles
from moored.ledger.config.keys import MAX_FACTS
from moored.model.facts import Extraction, FactKind


def read(path: str, text: str) -> Extraction:
    found = extract(path, text.encode())
    assert found is not None
    return found


def values(found: Extraction) -> dict[str, str]:
    return {fact.name: fact.value for fact in found.facts}


def hashes(found: Extraction) -> dict[str, str]:
    return {fact.name: fact.body_hash for fact in found.facts}


PYPROJECT = """\
[project]
name = "demo"  # the name
dependencies = ["click>=8", 'rich']

[tool.ruff]
line-length = 1_00
[tool.ruff.lint]
select = [
    "E",
]

[[tool.mypy.overrides]]
module = "a.*"
[[tool.mypy.overrides]]
module = "b.*"
since = 2024-01-02
"""


def test_toml_gives_leaves_lists_sections_and_elements_of_table_arrays() -> None:
    found = read("pyproject.toml", PYPROJECT)
    shown = values(found)
    assert shown["project.name"] == "demo"
    assert shown["project.dependencies"] == '["click>=8","rich"]'
    assert shown["tool.ruff.line-length"] == "100"
    assert shown["tool.ruff"] == '{"line-length":100,"lint":{"select":["E"]}}'
    assert shown["tool.mypy.overrides[0].module"] == "a.*"
    assert shown["tool.mypy.overrides[1].since"] == "2024-01-02"
    assert found.errors == 0
    assert {fact.kind for fact in found.facts} == {FactKind.CONFIG_KEY}


def test_the_span_of_a_key_holds_the_bytes_and_lines_of_the_pair() -> None:
    source = PYPROJECT.encode()
    facts = {fact.name: fact for fact in read("pyproject.toml", PYPROJECT).facts}
    key = facts["tool.ruff.line-length"].span
    assert source[key.start : key.end] == b"line-length = 1_00"
    assert (key.line, key.end_line) == (6, 6)
    section = facts["tool.ruff"].span
    assert source[section.start : section.end].startswith(b"[tool.ruff]\n")
    assert (section.line, section.end_line) == (5, 10)


def test_a_toml_file_is_read_on_after_a_fault() -> None:
    found = read("a.toml", 'a = 1\nb = = 2\n[c]\nd = "x"\n')
    assert found.errors > 0
    assert values(found)["a"] == "1"
    assert values(found)["c.d"] == "x"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a.toml", ('a = "x"\nb = 16\n', "# new\nb = 0x10\n\na = 'x' # z\n")),
        ("a.json", ('{"a": "x", "b": 16}', "{\n // c\n 'b': 0x10,\n a: 'x', }")),
        ("a.yaml", ("a: x\nb: 16\n", "# c\n{b: 0x10, 'a': \"x\"}\n")),
        ("a.ini", ("[s]\na = x\nb=16\n", "; c\n[s]\nb : 16\n\na=x\n")),
    ],
)
def test_order_layout_comments_and_quotes_do_not_change_hashes(before: str, after: tuple[str, str]) -> None:
    old, new = (hashes(read(before, text)) for text in after)
    assert old == new
    assert len(old) >= 2


@pytest.mark.parametrize(("path", "one", "other"), [("a.toml", "a = 1", 'a = "1"'), ("a.yaml", "a: 1", "a: '1'")])
def test_a_number_and_the_same_text_in_quotes_differ(path: str, one: str, other: str) -> None:
    assert hashes(read(path, one)) != hashes(read(path, other))
    assert values(read(path, one)) == values(read(path, other))


def test_a_change_below_a_section_changes_its_hash_and_no_sibling() -> None:
    old = hashes(read("a.json", '{"x": {"y": {"z": 1}}, "w": {"v": 2}}'))
    new = hashes(read("a.json", '{"x": {"y": {"z": 3}}, "w": {"v": 2}}'))
    assert {name for name in old if old[name] != new[name]} == {"x", "x.y", "x.y.z"}


def test_an_ambiguous_key_is_quoted_in_its_path() -> None:
    assert set(values(read("a.json", '{"a.b": 1, "a": {"b": 2}, "": 3}'))) == {'"a.b"', "a", "a.b", '""'}


def test_json_is_kept_up_to_its_first_fault() -> None:
    found = read("package.json", '{"name": "x", "scripts": {"test": "pytest", "b": ')
    assert found.errors == 1
    assert values(found)["scripts.test"] == "pytest"


WORKFLOW = """\
name: Prüfung
on:
  push:
    branches: [main]
env: &env
  DEBUG: yes
jobs:
  build:
    <<: {timeout-minutes: 5}
    env: *env
    steps:
      - uses: actions/checkout@v4
      - run: |
          make
          make test
  deploy:
    token: !vault secret
"""


def test_a_workflow_in_yaml_is_read_with_anchors_merges_and_tags() -> None:
    found = read(".github/workflows/ci.yml", WORKFLOW)
    shown = values(found)
    assert shown["on.push.branches"] == '["main"]'
    assert shown["jobs.build.env.DEBUG"] == "yes"
    assert shown["jobs.build.timeout-minutes"] == "5"
    assert shown["jobs.build.steps[0].uses"] == "actions/checkout@v4"
    assert shown["jobs.build.steps[1].run"] == "make\nmake test\n"
    assert shown["jobs.deploy.token"] == "!vault secret"
    assert found.errors == 0


def test_yaml_spans_are_bytes_also_after_text_that_is_not_ascii() -> None:
    source = WORKFLOW.encode()
    span = next(f.span for f in read("ci.yml", WORKFLOW).facts if f.name == "on.push.branches")
    assert source[span.start : span.end] == b"branches: [main]"
    assert span.line == 4


def test_a_tag_of_python_is_data() -> None:
    found = read("a.yaml", "a: !!python/object/apply:os.system ['x']\nb: !!python/name:os.system\n")
    assert "b" in values(found)


def test_several_documents_are_numbered() -> None:
    assert set(values(read("k.yaml", "kind: A\n---\nkind: B\n"))) >= {"[0].kind", "[1].kind"}


def test_an_alias_bomb_is_counted_and_not_expanded() -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 40))
    found = read("bomb.yaml", "l0: &l0 [{lol: 1}]\n" + levels)
    assert len(found.facts) == MAX_FACTS
    assert found.omitted > 10_000


def test_an_alias_inside_its_own_anchor_is_an_error_and_no_loop() -> None:
    assert read("a.yaml", "a: &a [*a, {b: 1}]\n").errors > 0


@pytest.mark.parametrize("path", ["a.json", "a.toml", "a.yaml"])
@pytest.mark.parametrize("piece", ["[", '{"a":', "a: {", "- " * 3, "a = [", "{a = "])
def test_deep_nesting_ends_in_an_error_count(path: str, piece: str) -> None:
    found = extract(path, (piece * 20_000).encode())
    assert found is not None


def test_deep_dotted_keys_and_chained_aliases_do_not_exhaust_the_stack() -> None:
    dotted = ".".join("a" * 90)
    assert read("a.toml", f"[{dotted}]\n{dotted} = {{ {dotted} = {{ {dotted} = 1 }} }}\n").errors > 0
    chain = "a0: &a0 [{x: 1}]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 500))
    assert read("a.yaml", chain).errors > 0


def test_ini_sections_continuations_and_git_subsections() -> None:
    found = read(
        "setup.cfg", "[options]\ninstall_requires =\n    a>=1\n    b\nzip_safe: no\n[tool:pytest]\nx = y ; z\n"
    )
    shown = values(found)
    assert shown["options.install_requires"] == "a>=1\nb"
    assert shown["options.zip_safe"] == "no"
    assert shown["tool:pytest.x"] == "y ; z"
    git = values(read(".gitconfig", '[remote "origin"]\n\turl = git@example.org:x.git ; mine\n\tfetch = +a:b\n'))
    assert git["remote.origin.url"] == "git@example.org:x.git"
    assert git["remote.origin.fetch"] == "+a:b"


def test_more_facts_than_the_cap_are_counted() -> None:
    found = read("a.json", json.dumps({f"k{n}": n for n in range(MAX_FACTS + 7)}))
    assert (len(found.facts), found.omitted) == (MAX_FACTS, 7)


def test_files_are_known_by_name() -> None:
    known = [
        "pyproject.toml",
        "sub/Dockerfile",
        "a\\b.yml",
        ".env.local",
        "requirements-dev.txt",
        "go.mod",
        ".git/config",
    ]
    assert all(handles(path) for path in known)
    assert not handles("main.py")
    assert extract("main.py", b"x = 1") is None


def test_a_file_over_the_size_cap_is_an_error_and_not_empty() -> None:
    found = extract("a.json", b" " * (5 * 1024 * 1024))
    assert found is not None
    assert (found.errors, found.found) == (1, False)
