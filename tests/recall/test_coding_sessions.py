"""What is asked about a session in which an agent worked with tools: a small one about a bug in a seed catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from moored.embed.fake import HashingPieceEmbedder
from moored.embed.static import StaticEmbedder
from moored.model.episodes import Role
from moored.recall.policy import Policy

if TYPE_CHECKING:
    from conftest import Desk

FIRST = 3
"""Among so many hits the answer must be."""

NOTE = "Germination rates are stored as fractions, because the supplier's feed mixes percent and permille."


class Turn(NamedTuple):
    """A turn of a session: what was said, or what a tool printed, what it is called with, and how it ended."""

    role: Role
    text: str
    tool: str = ""
    asked: str = ""
    status: int | None = None


SESSIONS: dict[str, dict[str, Turn]] = {
    "rates": {
        "wish": Turn(Role.USER, "The catalogue page shows 8500 % for basil. Germination must never exceed 100 %."),
        "plan": Turn(Role.ASSISTANT, "I will run the tests of the catalogue first."),
        "tests": Turn(
            Role.TOOL,
            "FAILED tests/test_catalogue.py::test_basil - ValueError: rate out of range: 85.0\n1 failed, 11 passed",
            "Bash",
            '{"command": "pytest -q tests/test_catalogue.py"}',
            1,
        ),
        "cause": Turn(
            Role.ASSISTANT,
            "The root cause: `parse_germination_rate` divides by 100 only for percent, so permille pass unchanged.",
        ),
        "read": Turn(
            Role.TOOL,
            "def parse_germination_rate(text):\n    return float(text.rstrip('%')) / 100\n",
            "Read",
            '{"file_path": "/garden/seeds/feed_reader.py"}',
        ),
        "edit": Turn(
            Role.TOOL,
            "The file was updated.",
            "Edit",
            '{"file_path": "/garden/seeds/feed_reader.py", "new_string": "scale = 1000 if permille else 100"}',
        ),
        "again": Turn(Role.ASSISTANT, "Now the suite once more, without the cache that hid the change."),
        "passed": Turn(Role.TOOL, "12 passed in 0.41s", "Bash", '{"command": "pytest -q --cache-clear tests"}', 0),
        "done": Turn(
            Role.ASSISTANT, "Fixed: I chose a scale per unit instead of clamping, since clamping hides bad feeds."
        ),
    },
    "deploy": {
        "order": Turn(
            Role.USER, "Put the shop on the new greenhouse server, please. Keep the old sowing calendar online."
        ),
        "build": Turn(
            Role.TOOL,
            "error: cannot find package @garden/moon-phase\nnpm ERR! code E404",
            "Bash",
            '{"command": "npm run build"}',
            1,
        ),
        "why": Turn(Role.ASSISTANT, "The build fails because the private registry is not configured on that server."),
        "registry": Turn(
            Role.TOOL,
            "",
            "Bash",
            '{"command": "npm config set @garden:registry https://npm.garden.example"}',
            0,
        ),
        "built": Turn(
            Role.TOOL, "built in 3.2s: dist/sowing-calendar.js 41 kB", "Bash", '{"command": "npm run build"}', 0
        ),
        "commit": Turn(
            Role.TOOL,
            "[main 7c1e9f2] Serve the calendar from the greenhouse\n 2 files changed",
            "Bash",
            '{"command": "git commit -am \'Serve the calendar from the greenhouse\'"}',
            0,
        ),
        "more": Turn(Role.USER, "And write the maxRetryDelay of the uploader into the settings, 30 seconds."),
        "setting": Turn(
            Role.TOOL,
            "File created successfully.",
            "Write",
            '{"file_path": "/garden/config/uploader-settings.toml", "content": "maxRetryDelay = 30"}',
        ),
        "bye": Turn(Role.ASSISTANT, "The setting is in place and the calendar stays online."),
    },
}

QUESTIONS = (
    ("Which command ran the tests of the catalogue?", ("tests", "passed")),
    ("What error did the catalogue tests print?", ("tests",)),
    ("What error did the build of the shop print?", ("build",)),
    ("Which file did you edit for the germination rate?", ("edit", "read")),
    ("What did I ask about the greenhouse server?", ("order",)),
    ("What did I say germination must never exceed?", ("wish",)),
    ("Why did basil pass with permille?", ("cause", "done")),
    ("Why did you choose a scale instead of clamping?", ("done",)),
    ("What fixed the missing registry, which command was run?", ("registry",)),
    ("What was the output of the last npm run build?", ("built", "build")),
    ("What was the commit message about the greenhouse?", ("commit",)),
    ('"rate out of range: 85.0"', ("tests",)),
    ("npm ERR! code E404", ("build",)),
    ("/garden/seeds/feed_reader.py", ("read", "edit")),
    ("config/uploader-settings.toml", ("setting",)),
    ("parse_germination_rate", ("cause", "read")),
    ("germination rate parse", ("cause", "read")),
    ("maxRetryDelay", ("more", "setting")),
    ("retry delay of the uploader", ("more", "setting")),
    ("moon-phase", ("build",)),
    ("phase of the moon package", ("build",)),
)


@pytest.fixture(params=[HashingPieceEmbedder, StaticEmbedder], ids=["hashing", "static"])
def worked(request: pytest.FixtureRequest, desk: Desk) -> tuple[Desk, dict[str, str]]:
    """The desk with both sessions, one note and some more talk, and the names of the turns by their ids."""
    desk.embedder = request.param()
    names: dict[str, str] = {}
    for session, turns in SESSIONS.items():
        for name, turn in turns.items():
            more = {} if turn.role is not Role.TOOL else {"tool_name": turn.tool, "tool_input": turn.asked}
            episode = desk.record(turn.text, turn.role, session=session, exit_status=turn.status, **more)
            names[episode] = name
    for number in range(12):
        desk.record(f"Row {number} of the herb garden was watered and weeded.", session="diary")
    names[desk.remember(NOTE)] = "note"
    desk.fill()
    return desk, names


@pytest.mark.parametrize(("question", "answers"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_question_about_the_work_finds_where_it_is_told(
    worked: tuple[Desk, dict[str, str]], question: str, answers: tuple[str, ...]
) -> None:
    desk, names = worked
    first = [names.get(hit, "other") for hit in desk.ids_of(question, Policy(limit=FIRST))]
    assert set(answers) & set(first), first


def test_a_note_about_it_comes_before_the_work_that_led_to_it(worked: tuple[Desk, dict[str, str]]) -> None:
    desk, names = worked
    assert names[desk.ids_of("why are germination rates stored as fractions?")[0]] == "note"


def test_what_went_wrong_stands_before_the_run_that_went_well(worked: tuple[Desk, dict[str, str]]) -> None:
    desk, names = worked
    found = [names.get(hit) for hit in desk.ids_of("What error did npm run build report?", Policy(least=0.0, near=0.0))]
    assert found[0] == "build"
