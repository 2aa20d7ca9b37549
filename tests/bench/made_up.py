"""Small made-up data in the formats of the sets, of our own words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

LOCOMO = [
    {
        "sample_id": "talk-1",
        "conversation": {
            "speaker_a": "Ines",
            "speaker_b": "Odo",
            "session_2_date_time": "9:05 am on 3 March, 2024",
            "session_2": [
                {"speaker": "Odo", "dia_id": "D2:1", "text": "The kiln broke on Monday, so no glazing this week."},
                {
                    "speaker": "Ines",
                    "dia_id": "D2:2",
                    "text": "Here is my new sail.",
                    "blip_caption": "a red sail on a small boat",
                },
                {"speaker": "Odo", "dia_id": "D2:3", "text": "It suits the harbour."},
            ],
            "session_1_date_time": "7:40 pm on 28 February, 2024",
            "session_1": [
                {"speaker": "Ines", "dia_id": "D1:1", "text": "I bought a lighthouse lamp at the market."},
                {"speaker": "Odo", "dia_id": "D1:2", "text": "I fired twelve bowls in the kiln."},
            ],
            "session_3_date_time": "7:40 pm on 9 March, 2024",
        },
        "qa": [
            {"question": "What did Ines buy at the market?", "evidence": ["D1:1"], "category": 4},
            {"question": "What happened to the kiln?", "evidence": ["D2:1; D:1:2"], "category": 1},
            {"question": "Who lent Odo a lighthouse lamp?", "evidence": ["D1:1"], "category": 5},
            {"question": "Names no turn that is there?", "evidence": ["D7:1"], "category": 2},
        ],
    },
    {
        "sample_id": "talk-2",
        "conversation": {
            "session_1_date_time": "12:15 am on 1 January, 2024",
            "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "My goat is called Pepper."}],
        },
        "qa": [{"question": "What is the goat called?", "evidence": ["D1:1"], "category": 4}],
    },
]

BEAM_CHAT = [
    {
        "batch_number": 1,
        "time_anchor": "March-15-2024",
        "turns": [
            [
                {"role": "user", "id": 0, "content": "Always answer in metres when I ask about cranes. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "I will use metres."},
            ],
            [
                {
                    "role": "user",
                    "id": 2,
                    "time_anchor": "March-20-2024",
                    "content": "The winch slips in the rain. ->-> 1,2",
                },
                {"role": "assistant", "id": 3, "content": "Dry the drum and check the pawl."},
            ],
        ],
    },
    {
        "batch_number": 2,
        "time_anchor": "April-02-2024",
        "turns": [[{"role": "user", "id": 4, "content": "The pawl was worn out. ->-> 2,1"}]],
    },
]
BEAM_QUESTIONS = {
    "abstention": [{"question": "Which paint was used on the crane?", "rubric": ["nothing"]}],
    "event_ordering": [{"question": "Why did the winch slip?", "source_chat_ids": {"first": [2], "then": [[4]]}}],
    "information_extraction": [
        {"question": "How are cranes measured?", "source_chat_ids": [0]},
        {"question": "Names nothing?", "source_chat_ids": []},
    ],
}

LONGMEMEVAL = [
    {
        "question_id": "one",
        "question_type": "single-session-user",
        "question": "Which harbour did I sail to?",
        "question_date": "2024/05/30 (Thu) 23:40",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2024/05/20 (Mon) 02:21", "2024/05/21 (Tue) 10:00"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "Tell me about knots."},
                {"role": "assistant", "content": "The bowline holds."},
            ],
            [
                {"role": "user", "content": "I sailed to the harbour of Lund today.", "has_answer": True},
                {"role": "assistant", "content": "A fine trip!", "has_answer": False},
                {"role": "assistant", "content": ""},
            ],
        ],
        "answer_session_ids": ["s2"],
    },
    {
        "question_id": "two_abs",
        "question_type": "single-session-user",
        "question": "Which mountain did I climb?",
        "question_date": "2024/05/30 (Thu) 23:40",
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2024/05/20 (Mon) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "Tell me about knots."}]],
        "answer_session_ids": ["s1"],
    },
]

DEVBENCH = {
    "memories": [
        {
            "id": "set:decision-1",
            "content": "Chose a queue on disk for the crane's orders, because the network drops at low tide.",
            "tags": ["devbench", "set:decision-1", "queue"],
            "memory_type": "decision",
            "created_at_iso": "2025-06-12T09:15:00Z",
        },
        {
            "id": "set:bug-1",
            "content": "Containers were counted twice when the scanner restarted; the ledger now drops doubles.",
            "tags": ["devbench", "set:bug-1"],
            "memory_type": "bugfix",
            "created_at_iso": "2025-06-10T09:15:00+00:00",
        },
    ],
    "queries": [
        {
            "id": "q1",
            "category": "exact",
            "question": "Why are orders queued on disk?",
            "expected_tags": ["set:decision-1"],
        },
        {"id": "q2", "category": "negative", "question": "How is payroll billed?", "expected_tags": []},
    ],
}


def locomo(folder: Path) -> Path:
    return _written(folder / "locomo10.json.gz", LOCOMO)


def beam(folder: Path) -> Path:
    for chat, category in (("1", "Coding"), ("2", "Cooking"), ("10", "Coding")):
        _written(folder / "100K" / chat / "chat.json.gz", BEAM_CHAT)
        _written(folder / "100K" / chat / "probing_questions.json", BEAM_QUESTIONS)
        _written(folder / "100K" / chat / "topic.json", {"category": category, "title": "Cranes"})
    return folder / "100K"


def longmemeval(folder: Path) -> Path:
    return _written(folder / "longmemeval_s.json", LONGMEMEVAL)


def devbench(folder: Path) -> Path:
    return _written(folder / "devbench_dataset.json", DEVBENCH)


def _written(file: Path, content: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content).encode()
    file.write_bytes(gzip.compress(text) if file.suffix == ".gz" else text)
    return file
