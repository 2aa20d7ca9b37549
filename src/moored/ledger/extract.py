"""The extractors of files, in the order in which they are asked: configuration, then code, then any text."""

from __future__ import annotations

from moored.ledger import code, config
from moored.model.facts import ExtractedFact, Extraction, FactKind, Span
from moored.model.hashing import digest
from moored.model.redaction import redact, redact_bytes

TEXT = "text"
"""The language of a file that no extractor knows."""

RECOGNISABLE_SIZE = 200
"""A file of fewer bytes than this says too little to be recognised under another path."""


def extract_file(path: str, source: bytes) -> Extraction:
    """Read the facts of one file; the first is the fact of the file itself (kind `file`, named by its path)."""
    extraction = config.extract(path, source) if config.handles(path) else None
    if extraction is None and code.language_of(path, source[:256]):
        extraction = _without_secrets(code.extract(path, source), source)
    if extraction is None:
        extraction = Extraction(TEXT)
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    whole = ExtractedFact(
        FactKind.FILE,
        path,
        f"{extraction.language}, {lines} line{'' if lines == 1 else 's'}",
        extraction.body_hash or digest(b"\n".join(line.rstrip() for line in source.splitlines())),
        Span(0, len(source), 1, max(lines, 1)),
        trivial=len(source) < RECOGNISABLE_SIZE,
    )
    return extraction._replace(facts=(whole, *extraction.facts))


def _without_secrets(extraction: Extraction, source: bytes) -> Extraction:
    """The facts of a code file without the secrets in what they show (I-20). Their hashes are those of the original."""
    if not redact_bytes(source).kinds:
        return extraction
    return extraction._replace(
        facts=tuple(one._replace(value=redact(one.value).text, doc=redact(one.doc).text) for one in extraction.facts),
        references=tuple(one._replace(target=redact(one.target).text) for one in extraction.references),
        bindings=tuple(one._replace(target=redact(one.target).text) for one in extraction.bindings),
    )


def extractor_of(fact: ExtractedFact) -> str:
    """The registered name of the extractor that a fact of a file comes from."""
    if fact.kind is FactKind.FILE:
        return "file"
    return "config" if fact.kind is FactKind.CONFIG_KEY else "code"
