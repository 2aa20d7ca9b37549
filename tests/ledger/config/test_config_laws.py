"""Laws of configuration: reformatting changes no hash, and no bytes crash a reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moored.ledger.config import extract
from moored.ledger.config.json_text import string_of
from moored.model.facts import Extraction

PATHS = [
    "a.toml", "a.json", "a.yaml", "a.ini", ".gitconfig", ".env", "a.properties", "Dockerfile", "requirements.txt",
    "Makefile", "uv.lock", "package-lock.json", "composer.lock", "Pipfile.lock", "bun.lock", "pnpm-lock.yaml",
    "yarn.lock", "go.mod", "go.sum", "Gemfile.lock",
]  # fmt: skip
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\u2028\u2029"), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | TEXT
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=20
)
DOCUMENTS = st.dictionaries(TEXT, TREES, min_size=1, max_size=5)
NOISE = st.binary(max_size=200) | st.lists(
    st.sampled_from(
        [b"[", b"]", b"{", b"}", b"a", b"=", b":", b" ", b"\n", b"\t", b'"', b"'", b"- ", b"&a ", b"*a", b"<<: ", b"#",
         b"\\", b",", b"1", b".", b"!t ", b"---\n", b"\x00", b"\xff", b'[[package]]\nname="x"\n', b"FROM ", b"/*"]
    ),
    max_size=60,
).map(b"".join)  # fmt: skip


def hashes(found: Extraction | None) -> dict[str, str]:
    assert found is not None
    assert found.errors == 0
    return {fact.name: fact.body_hash for fact in found.facts}


def reversed_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reversed_keys(part) for key, part in reversed(value.items())}
    return [reversed_keys(part) for part in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(DOCUMENTS)
def test_reformatting_and_reordering_json_changes_no_hash(document: dict[str, Any]) -> None:
    compact = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    spread = json.dumps(reversed_keys(document), indent=3)
    assert hashes(extract("a.json", compact.encode())) == hashes(extract("a.json", spread.encode()))


@settings(deadline=None)
@given(DOCUMENTS)
def test_block_and_flow_style_of_yaml_have_the_same_hashes(document: dict[str, Any]) -> None:
    block = yaml.safe_dump(document, allow_unicode=True, width=1_000)
    flow = yaml.safe_dump(document, default_flow_style=True, allow_unicode=False, default_style='"')
    block_names = {fact.name for fact in (extract("a.yaml", block.encode()) or Extraction("yaml")).facts}
    assert block_names == {fact.name for fact in (extract("a.yaml", flow.encode()) or Extraction("yaml")).facts}
    reordered = yaml.safe_dump(reversed_keys(document), sort_keys=False, allow_unicode=False, indent=6)
    assert hashes(extract("a.yaml", block.encode())) == hashes(extract("a.yaml", reordered.encode()))


@settings(deadline=None)
@given(DOCUMENTS)
def test_json_is_yaml_with_the_same_names_and_the_pair_stands_in_its_span(document: dict[str, Any]) -> None:
    source = json.dumps(document, ensure_ascii=False).encode()
    found = extract("a.json", source)
    assert found is not None
    for fact in found.facts:
        if fact.parent == "" and not fact.name.startswith("$"):
            pair = source[fact.span.start : fact.span.end]
            key, end = json.JSONDecoder().raw_decode(pair.decode())
            assert key in document
            assert json.loads(pair.decode()[end:].lstrip(": ")) == document[key]
            assert string_of(pair[: len(json.dumps(key, ensure_ascii=False).encode())]) == key


@settings(deadline=None)
@given(st.sampled_from(PATHS), NOISE)
@example("a.yaml", b"\xe1\x80")
def test_no_bytes_crash_a_reader_and_spans_stay_inside(path: str, source: bytes) -> None:
    found = extract(path, source)
    assert found is not None
    for fact in found.facts:
        assert 0 <= fact.span.start <= fact.span.end <= len(source)
        assert 1 <= fact.span.line <= fact.span.end_line
        (fact.name + fact.value).encode()


@pytest.mark.parametrize(
    "noise", [b"\xff", b"\xe1\x80", b"\xf0\x9f\x98", b"\xc3\xa9", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80"]
)
def test_bytes_that_are_no_text_move_no_span(noise: bytes) -> None:
    source = b"name: caf\xc3\xa9 " + noise + b"x\nport: 8080\n"
    found = extract("a.yaml", source)
    assert found is not None
    spans = {fact.name: source[fact.span.start : fact.span.end] for fact in found.facts}
    assert spans["port"] == b"port: 8080"
    assert spans["name"] == b"name: caf\xc3\xa9 " + noise + b"x"
