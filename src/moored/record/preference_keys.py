"""What a preference is about: its key, and the names that the key is known to take."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

OTHER = "practice"
"""The key of what is about nothing that has a name here."""

_NAMES = {
    "package manager": "npm pnpm yarn bun pip uv poetry pipenv conda mamba pdm",
    "test framework": "pytest unittest nose jest vitest mocha jasmine ava junit testng rspec minitest phpunit",
    "formatter": "black prettier yapf autopep8 gofmt rustfmt dprint clang-format",
    "linter": "eslint ruff flake8 pylint biome tslint oxlint golangci-lint clippy standardjs",
    "type checker": "mypy pyright pyre",
    "database": "postgres postgresql mysql mariadb sqlite mongodb redis dynamodb cassandra duckdb",
    "editor": "vim neovim emacs helix vscode pycharm intellij sublime zed nano",
    "shell": "bash zsh fish powershell nushell",
    "styling": "tailwind bootstrap sass scss css-modules styled-components",
    "programming language": "python javascript typescript rust go golang java kotlin ruby php swift scala c++ c#",
    "bundler": "webpack vite rollup esbuild parcel turbopack",
}
_WORDS = frozenset(["go", "black", "nose", "ava", "fish", "nano", "sublime", "zed", "rust", "swift", "parcel"])
"""Names that are English words as well: alone, or with a capital, they are names."""

_FILL = """
use using used install packages with run format everything all always our in by default write writing code scripts
script snippets my the a to stick it on provide commands pure plain give verwenden please
"""
_FILLING = frozenset(_FILL.split())
_CONDITION = re.compile(
    r"\b(?:before|after|when|whenever|for|because|everywhere|as|at|here|in (?:this|our)|für|pour|para)\b|[,;(]",
    re.IGNORECASE,
)

_LIMITED = re.compile(r"\b(?:for|in|on|when|whenever|für|pour|para)\s+(?P<to>[^,;(]+)", re.IGNORECASE)
_EVERYTHING = re.compile(
    r"(?:all|every\w*|general|future|alle[ns]?|tout\w*|todos?|strings|indent\w*|"
    r"(?:this|our|the) (?:repo\w*|project|codebase|monorepo|company|team))\b",
    re.IGNORECASE,
)

_SHORT = {"pg": "postgres", "postgresql": "postgres", "golang": "go"}

_TONGUES = (
    r"english|german|french|spanish|italian|portuguese|dutch|polish|russian|turkish|chinese|japanese|korean|deutsch|"
    r"französisch|englisch|français|anglais|allemand|español|inglés|alemán"
)

_TONE = (
    r"\b(?:answers?|repl(?:y|ies)|responses?|respond|explanations?|explain|introductions?|apologi[sz]ing|emojis?|fluff|"
    r"concise|verbose|tone|réponses?|antworten?)\b|\b(?:telling|tell|show) me\b"
)
# A pattern, the key, and the name it stands for, in the order in which they are tried.
_WORDINGS = (
    (r"\btabs\b|\btab(?:ulator)?en?\b|タブ", "indentation", "tabs"),
    (r"\b(?:2|two)[- ]spaces?\b", "indentation", "2 spaces"),
    (r"\b(?:4|four)[- ]spaces?\b", "indentation", "4 spaces"),
    (r"^spaces\b", "indentation", "spaces"),
    (r"\bsingle[- ]quot|comillas simples|guillemets simples|einfache anführ|单引号", "quotes", "single quotes"),
    (r"\bdouble[- ]quot|comillas dobles|guillemets doubles|doppelte anführ|双引号", "quotes", "double quotes"),
    (r"\bsemicolons?\b", "semicolons", "semicolons"),
    (r"\bindent", "indentation", ""),
    (r"\bcommit (?:messages?|title|body|subject)\b|\bcommits\b|\bimperative mood\b", "commit style", ""),
    (r"\b(?:force-?push|rebase|squash|merge commits?|branch(?:es)?|gitflow|pull requests?|prs?|commit directly)\b",
        "branching", ""),
    (r"\bdocstrings?\b", "docstrings", ""),
    (r"\bcomments?\b|\bcommented-out\b", "comments", ""),
    (r"\btype (?:hints?|annotations?|aliases)\b|\btyped\b", "types", ""),
    (r"\b(?:names?|named|naming|\w+_case|camelcase|kebab-case|pascalcase|prefix|abbreviations?)\b", "naming", ""),
    (_TONE, "tone", ""),
    (r"\b(?:tests?|testing|mocks?|mock|fixtures?|coverage|fakes)\b", "testing", ""),
    (r"\b(?:imports?|exports?)\b", "imports", ""),
    (r"\b(?:utc|timestamps?|iso 8601|dates?)\b", "dates", ""),
    (r"\b(?:logs?|logging|structlog|print)\b", "logging", ""),
    (r"\b(?:errors?|exceptions?)\b", "error handling", ""),
    (r"\b(?:dependenc(?:y|ies)|third-party|standard library|pin)\b", "dependencies", ""),
    (r"\b(?:docs|documentation|document|markdown|changelog|readme)\b", "documentation", ""),
    (r"\b(?:deploy\w*|migrations?|releases?)\b", "deployment", ""),
)  # fmt: skip


class Topic(NamedTuple):
    """What a preference is about, and the name that its value is, or empty when that has none."""

    key: str
    name: str


def topic(value: str, sentence: str) -> Topic:
    """What a value is about, by its own words before those of its sentence."""
    lowered = value.lower()
    if tongue := _answering(sentence.lower(), lowered):
        return Topic("answer language", tongue)
    if found := tool(value):
        return found
    for pattern, key, name in _wordings():
        if pattern.search(lowered):
            return Topic(key, name)
    return Topic(OTHER, "")


def tool(value: str) -> Topic | None:
    """The tool that a value is nothing but: with a verb and the like, and before it says when or what for; or None."""
    words = re.findall(r"[\w+#-]+", _CONDITION.split(value, maxsplit=1)[0])
    rest = [word for word in words if word.lower() not in _FILLING]
    word = rest[0].lower() if len(rest) == 1 else ""
    if word not in _tools() or (word in _WORDS and rest[0] == word != value.strip()):
        return None
    return Topic(_tools()[word], _SHORT.get(word, word))


def scope(value: str) -> str:
    """What a value that is a name is limited to by its words ("in TypeScript"); empty when that is everything."""
    limited = _LIMITED.search(value)
    return limited["to"].strip(" .,!") if limited and not _EVERYTHING.match(limited["to"]) else ""


def _answering(sentence: str, value: str) -> str:
    """The human language that a sentence wants answers in, or empty."""
    for text in (value, sentence):
        if _answers().search(sentence) and (found := _tongues().search(text)):
            return found[0].capitalize()
    return ""


@cache
def _tools() -> dict[str, str]:
    return {name: key for key, names in _NAMES.items() for name in names.split()}


@cache
def _wordings() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    return tuple((re.compile(pattern), key, name) for pattern, key, name in _WORDINGS)


@cache
def _answers() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:answers?|repl(?:y|ies)|respond|responses?|speak|talk|write to me|explain|antworte?n?|r[ée]pond\w*|"
        r"responde\w*)\b|回答|答えて|回复"
    )


@cache
def _tongues() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_TONGUES})\b|中文|英文|日本語|英語|日语|英语")
