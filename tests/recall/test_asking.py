"""Kinds of question: what is asked for, by whom it was said, and which words are about asking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.episodes import Role
from moored.recall.asking import READ, asked

FLAGS = ("when", "advice", "ordering", "summary", "across", "count", "number", "several")

QUESTIONS = {
    "When did we drop support for Python 3.10?": {"when"},
    "When the build fails, who is told?": set(),
    "When I push to main, what runs?": set(),
    "Since when is the cache on?": {"when"},
    "What month was the rewrite?": {"when"},
    "Which time zone does the scheduler use?": set(),
    "How long did the migration take?": {"when", "number"},
    "How many days passed between the freeze and the release?": {"when", "count", "number"},
    "What would you suggest for caching?": {"advice"},
    "How do I run the tests?": {"advice"},
    "Should we use a mutex here?": {"advice"},
    "Can you help me write the parser?": {"advice"},
    "What did you suggest for the cache?": set(),
    "Which pool did Ana recommend to Ben?": set(),
    "In which order did the migrations run?": {"ordering"},
    "Can you list the order in which I brought up the modules?": {"ordering", "several"},
    "What do we do in order to sign a release?": set(),
    "Which came first, the queue or the cache?": {"ordering"},
    "Give me a timeline of the outage": {"ordering"},
    "Can you summarise the work on the parser?": {"summary"},
    "How has the schema evolved over time?": {"summary"},
    "Where did we leave off?": {"summary"},
    "How many tables does the store have?": {"count", "number"},
    "Which files did the agent touch?": {"several"},
    "List the feature flags": {"several"},
    "What status did the job have?": set(),
    "Which address does the server bind?": set(),
    "Have I ever asked how to sign a release?": set(),
    "Is it true that we should use a mutex here?": set(),
    "Are there conflicting statements about the best way to deploy?": set(),
    "How was the merge conflict in the lexer resolved?": set(),
    "Which modules are not typed?": {"several"},
    "What does parse return if it gives None?": set(),
    "": set(),
}


@pytest.mark.parametrize(("question", "expected"), QUESTIONS.items())
def test_a_question_asks_for_what_its_form_says_and_for_no_more(question: str, expected: set[str]) -> None:
    found = asked(question)
    assert {flag for flag in FLAGS if getattr(found, flag)} == expected


SPEAKERS = {
    Role.TOOL: [
        "What command fixed it?",
        "Which command did the trick?",
        "What error did pytest print?",
        "Which file did you edit?",
        "Which files did the agent change for the login fix?",
        "Why did the build fail?",
        "Why was the CI red yesterday?",
        "Which command did you run to install the dependencies?",
        "What was the output of the migration script?",
        "How many tests failed?",
        "What did mypy complain about?",
        "What exit code did make return?",
        "What stack trace did the worker throw?",
        "What did you run before the deploy?",
        "Which error was raised at the login?",
        "What was the traceback when the worker died?",
        "Which migration failed on staging?",
        "What happened when you ran the linter?",
        "What version of node did you install?",
        "What command was used for the backup?",
    ],
    Role.ASSISTANT: [
        "What did you suggest for the cache?",
        "Why did you choose SQLite over Postgres?",
        "What was your recommendation about retries?",
        "How did you fix the race in the scheduler?",
        "What did the assistant say about the timeout?",
        "What did Claude propose for the schema?",
        "What alternatives did you consider?",
        "Where did you put the helper?",
        "What was your reasoning for the split?",
        "What was your answer about the licence?",
        "Which index have you recommended when I asked about speed?",
    ],
    Role.USER: [
        "What did I ask you to do?",
        "What command did I ask you to use for formatting?",
        "What did I say about naming?",
        "Which database did I tell you to use?",
        "What were my instructions for commits?",
        "What did I mention before you suggested Redis?",
        "How did I apply your advice on indexes?",
        "What did the user ask about Docker?",
        "When is my next dentist appointment?",
        "Have I ever met Nadia?",
    ],
    None: [
        "What would you suggest for caching?",
        "Can you explain how the parser works?",
        "Could you show me how to run the migrations?",
        "Do you know where the config is read?",
        "What do you think about switching to uv?",
        "How would you fix the flaky test?",
        "Can you run the tests?",
        "How do I run the tests?",
        "What should I do when pytest fails?",
        "Why does my function return None?",
        "Where is the retry limit defined?",
        "What did we decide about the queue?",
        "What errors can parse() raise?",
        "Which message does the user see?",
        "What is the exit code of a failed check?",
        "Can you tell me what parse_header does?",
        "Did you know that the queue is bounded?",
        "What is the model used for embeddings?",
        "Which cursor did the query use?",
        "Which command was added to the CLI?",
        "What does the script print?",
        "Please summarise what you changed",
        "How does the build system handle errors?",
        "",
    ],
}


@pytest.mark.parametrize(
    ("question", "speaker"), [(question, role) for role, questions in SPEAKERS.items() for question in questions]
)
def test_the_speaker_is_read_from_the_past_and_never_from_a_request(question: str, speaker: Role | None) -> None:
    assert asked(question).speaker == speaker


def test_a_question_about_who_said_it_reads_the_same_with_a_curly_apostrophe() -> None:
    assert asked("Why didn\u2019t you use a lock?") == asked("Why didn't you use a lock?")


def test_words_about_the_conversation_are_told_apart_from_the_same_words_of_code() -> None:
    about = asked("Can you list the order in which I mentioned the sessions across our past sessions?")
    assert {"can", "list", "order", "mentioned", "across", "sessions"} <= about.meta
    code = asked("Where does the list view sort each order by session?")
    assert code.meta == frozenset()


def test_of_a_long_text_the_beginning_and_the_end_are_read() -> None:
    paste = "x = 1\n" * READ
    assert asked(paste + "\nWhat did you suggest?").speaker is Role.ASSISTANT
    assert asked("When was this? " + paste).when
    assert not asked(paste + "how many lines" + paste).count


PIECES = ("when", "did", "you", "i", "what", "commands", "'", '"', "`", "order", "in")


@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES))))
def test_any_text_is_a_question_and_always_asks_the_same(text: str | list[str]) -> None:
    question = text if isinstance(text, str) else " ".join(text)
    found = asked(question)
    assert found == asked(question)
    assert all(isinstance(getattr(found, flag), bool) for flag in FLAGS)
    assert all(word in question.lower() for word in found.meta)
