"""What a prompt brings unasked, on a set of notes and prompts: the trade of what is missed against what is noise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.memory import Memory, open_memory

FILES = {
    "pay/gateway.py": "class Gateway:\n    def charge(self, amount, retries=3):\n        pass\n",
    "pay/amount.py": "def parse_amount(text):\n    return int(float(text.replace(',', '')) * 100)\n",
    "imp/reader.py": "def read_rows(path):\n    with open(path) as file:\n        yield from file\n",
    "config/flags.toml": "beta = false\n",
}
NOTES = (
    (
        "Retries are capped at 3 because the payment gateway double-charges on timeouts.",
        ("pay/gateway.py::Gateway.charge",),
    ),
    ("Redis is to be removed: sessions move into Postgres.", ()),
    ("The importer must stream; loading the whole CSV killed the worker at 2 GB.", ("imp/reader.py::read_rows",)),
    ("We use UTC everywhere and convert only in the templates.", ()),
    ("Alembic migrations are never edited after release.", ()),
    ("The flaky test test_reconnect needs the fake clock, not sleep.", ()),
    ("Feature flags live in config/flags.toml and are read once at start.", ("config/flags.toml",)),
    ("Deploys go out on Tuesdays; never on Fridays.", ()),
    (
        "`parse_amount` accepts commas as thousands separators, as the bank sends them.",
        ("pay/amount.py::parse_amount",),
    ),
    ("CORS errors in the browser came from the missing Origin header in the proxy config.", ()),
    ("The user prefers dataclasses to dicts for anything that crosses a module.", ()),
    ("Logging must never contain the card number; mask all but four digits.", ()),
    ("The search index is rebuilt nightly by cron at 02:00; it takes 40 minutes.", ()),
    ("ECONNRESET from the ledger service means its pool is exhausted: raise pool_size.", ()),
)
ABOUT = (
    ("can we raise the retry limit for payments?", 0),
    ("why does charge only try three times", 0),
    ("the gateway charged a customer twice, what do we know?", 0),
    ("can I store the heartbeats in redis?", 1),
    ("let's cache the user session in redis", 1),
    ("where are sessions kept", 1),
    ("the csv import runs out of memory", 2),
    ("speed up read_rows for huge files", 2),
    ("change imp/reader.py to load everything at once", 2),
    ("what timezone should timestamps be stored in", 3),
    ("show the date in local time on the invoice page", 3),
    ("fix the typo in the last migration", 4),
    ("edit the alembic migration that adds the users table", 4),
    ("test_reconnect fails again in CI", 5),
    ("make the reconnect test stable", 5),
    ("add a new feature flag for the beta checkout", 6),
    ("how do I turn a flag on without restart", 6),
    ("can we deploy this friday?", 7),
    ("schedule the release for tomorrow, friday", 7),
    ("parse_amount returns the wrong value for 1,234.50", 8),
    ("amounts with commas are rejected", 8),
    ("browser says blocked by CORS policy", 9),
    ("the proxy drops the Origin header", 9),
    ("return a dict from load_user", 10),
    ("should this be a dataclass or a dict?", 10),
    ("log the full request including the card", 11),
    ("add debug logging to the payment form", 11),
    ("search results are outdated until the next morning", 12),
    ("how long does reindexing the search take", 12),
    ("Error: read ECONNRESET\n  at TCP.onStreamRead (node:internal/stream_base_commons:217:20) ledger", 13),
    ("ledger service drops connections under load", 13),
)
"""Prompts, each with the number of the note that it is about."""

OTHERS = (
    "write a haiku about spring",
    "what is the capital of France",
    "center a div with css",
    "explain monads to me",
    "how do I sort a list in python",
    "thanks, that is great",
    "continue",
    "yes do it",
    "run the tests",
    "fix the bug",
    "add a README badge",
    "rename variable x to count",
    "what does this function do?",
    "make it faster",
    "commit and push",
    "generate a uuid in javascript",
    "write a regex for emails",
    "convert this to typescript",
    "bump the version to 2.0",
    "what's new in python 3.13",
    "create a dockerfile for node",
    "add type hints everywhere",
    "refactor this class",
    "how do git submodules work",
    "set up eslint",
    "translate the docs to German",
    "draw an ascii tree",
    "sum the numbers from 1 to 100",
    "show me the diff",
    "which model are you",
)
"""Prompts that are about none of them."""

FOUND, NOISY = 21, 1
"""How many of the first bring their note by words alone, and how many of the others bring anything, at most."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    for path, text in FILES.items():
        (tmp_path / "shop" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / path).write_text(text)
    with open_memory(tmp_path / "shop", store=tmp_path / "moored.db", dense=False) as opened:
        opened.index()
        yield opened


def test_a_prompt_in_words_of_its_own_brings_the_note_and_one_about_something_else_brings_nothing(
    memory: Memory,
) -> None:
    ids = [memory.remember(text, about=about).id for text, about in NOTES]
    briefs = {prompt: memory.before_prompt(prompt, host="claude-code", session="s").text for prompt, _ in ABOUT}
    found = [prompt for prompt, number in ABOUT if ids[number] in briefs[prompt]]
    noise = [prompt for prompt in OTHERS if memory.before_prompt(prompt, host="claude-code", session="s").text]
    assert len(found) >= FOUND, sorted(set(briefs) - set(found))
    assert len(noise) <= NOISY, noise
