"""The code extractor: symbols, references and bindings of a source file, read from its syntax tree."""

from __future__ import annotations

from moored.model.facts import Extraction

__all__ = ["extract", "language_of"]


def language_of(path: str, head: bytes = b"") -> str | None:
    """The language of a file by its extension, its name or its `#!` line, None when it is none of ours."""
    from .languages import language_of as find

    return find(path, head)


def extract(path: str, source: bytes) -> Extraction:
    """Read one source file. `path` only tells the language; nothing is opened.

    A file in a language that is none of ours gives an empty extraction with language "", one whose text is too far
    from its language to be parsed in a reasonable time gives nothing but one error.
    """
    from .languages import language_of as find
    from .languages import load
    from .parsing import count_errors, parse
    from .references import with_uses
    from .walk import Walk, hash_tokens, walk_tree

    name = find(path, source)
    if name is None:
        return Extraction(language="")
    language = load(name)
    tree = parse(language.grammar, source)
    if tree is None:
        return Extraction(language=name, errors=1)
    walk = Walk(language, source)
    walk_tree(walk, tree)
    facts = sorted(walk.facts, key=lambda fact: (fact.span.start, -fact.span.end))
    found = Extraction(
        language=name,
        facts=tuple(facts),
        bindings=tuple(walk.bindings),
        errors=count_errors(tree.root_node),
        body_hash=hash_tokens(walk.tokens),
    )
    return found._replace(references=with_uses(walk.references, walk.uses, found))
