"""The plugin for OpenCode and the extension for Oh My Pi, run by node in a host made for the test.

The hook is a program that writes down what it was called with. What it was called with is then read by the host's
adapter, so that what the JavaScript sends and what the Python reads cannot drift apart.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from moored.hosts import omp, opencode
from moored.hosts.edits import shim
from moored.hosts.port import Happening, Moment

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no node on this machine to run the plugins with")

RECORDING_HOOK = """
import json, sys
payload = json.load(sys.stdin)
with open(LOG, "a") as log:
    log.write(json.dumps([sys.argv[1:], payload]) + "\\n")
answer = {"context": f"<{sys.argv[2]} {payload.get('source', '')}>"}
print(json.dumps(answer))
"""
MISSING, JUNK, HANGING = "missing", "print('no JSON'); raise SystemExit(3)", "import time; time.sleep(60)"


def run(folder: Path, file: str, hook: str) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """Run a shim in the host made for it; give what the host saw, and the calls of the hook."""
    log = folder / "calls.jsonl"
    log.write_text("")
    program = folder / "hook of Ada's.py"
    words = (str(folder / "no such program"),) if hook == MISSING else (sys.executable, str(program))
    program.write_text(f"LOG = {str(log)!r}\n{hook}")
    patience = "100" if hook == HANGING else "60_000"
    text = shim(file, words)
    for usual in ("5_000", "1_500"):
        text = text.replace(f"PATIENCE = {usual}", f"PATIENCE = {patience}")
    (folder / "shim.mjs").write_text(text, encoding="utf-8")
    host = Path(__file__).with_name(file.replace(".js", "_host.mjs"))
    command = [str(NODE), str(shutil.copy(host, folder))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    return json.loads(done.stdout), [(words[1], payload) for words, payload in calls]


def brief(happening: Happening | None) -> tuple[str, ...]:
    assert happening is not None
    said = happening.text or happening.tool_output or happening.source
    return (happening.moment, happening.session, happening.agent, happening.event, said)


def test_what_opencode_does_reaches_the_adapter_and_answers_reach_the_model(tmp_path: Path) -> None:
    seen, calls = run(tmp_path, "opencode.js", RECORDING_HOOK)
    assert seen["parts"][3:] == [
        {
            "id": "prt_3m",
            "sessionID": "main",
            "messageID": "u1",
            "type": "text",
            "text": "<chat.message >",
            "synthetic": True,
        }
    ]
    assert seen["system"] == seen["again"] == ["base", "<session.start startup>"]
    assert seen["child"] == ["base"]
    assert seen["edit"]["output"] == "Applied.\n\n<tool.execute.before >"
    assert seen["bash"]["output"] == "ok"
    assert seen["compacted"] == ["base", "<session.start compact>"]
    assert seen["resumed"] == ["base", "<session.start resume>"]
    assert [brief(opencode.read(event, payload)) for event, payload in calls] == [
        (Moment.PROMPT, "main", "", "u1", "Sort it."),
        (Moment.START, "main", "", "", "startup"),
        (Moment.BEFORE_TOOL, "main", "", "k1", ""),
        (Moment.TOOL_DONE, "main", "", "k1", "Applied.\n--- a"),
        (Moment.TOOL_DONE, "main", "", "k2", "ok"),
        (Moment.TOOL_DONE, "main", "child", "k3", "14"),
        (Moment.TOOL_FAILED, "main", "", "k4", "not found"),
        (Moment.TURN_END, "main", "", "m3", "Sorted."),
        (Moment.SUBAGENT_END, "main", "child", "c1", "One sort."),
        (Moment.COMPACTING, "main", "", "", ""),
        (Moment.COMPACTED, "main", "", "m2", "Summary."),
        (Moment.START, "main", "", "", "compact"),
        (Moment.START, "other", "", "", "resume"),
    ]


def test_what_oh_my_pi_does_reaches_the_adapter_and_answers_reach_the_model(tmp_path: Path) -> None:
    seen, calls = run(tmp_path, "omp.js", RECORDING_HOOK)
    message = {"customType": "moored", "content": "<before_agent_start >", "display": False}
    assert seen["prepared"] == {"message": message, "systemPrompt": ["base", "<session_start startup>"]}
    assert seen["sub"] == {"message": message}
    assert seen["result"] == {
        "content": [{"type": "text", "text": "Edited."}, {"type": "text", "text": "<tool_call >"}]
    }
    assert "call" not in seen
    assert "bash" not in seen
    assert "before" not in seen
    assert seen["restored"] == ["compactionSummary", "<session_start compact>", "user", "assistant"]
    assert seen["next"] == {"systemPrompt": ["base", "<session_start compact>"]}
    assert "cleared" not in seen
    happened = [brief(omp.read(event, payload)) for event, payload in calls]
    first, second = (event for moment, _, _, event, _ in happened if moment is Moment.PROMPT)
    assert len(first) == len(second) == len("1790932530000")
    assert sorted(happened) == sorted(
        [
            (Moment.START, "s1", "", "", "startup"),
            (Moment.PROMPT, "s1", "", first, "Plot it."),
            (Moment.PROMPT, "s1", "0-Explore", second, "Find it."),
            (Moment.BEFORE_TOOL, "s1", "", "k1", ""),
            (Moment.TOOL_DONE, "s1", "", "k1", "Edited."),
            (Moment.TOOL_FAILED, "s1", "", "k2", "bad"),
            (Moment.TURN_END, "s1", "", "6", "Plotted."),
            (Moment.SUBAGENT_END, "s1", "0-Explore", "6", "Two plots."),
            (Moment.COMPACTING, "s1", "", "", ""),
            (Moment.COMPACTED, "s1", "", "1790932530000", "Summary."),
            (Moment.START, "s1", "", "", "compact"),
            (Moment.START, "s1", "", "", "clear"),
            (Moment.START, "s1", "", "", "fork"),
            (Moment.SESSION_END, "s1", "", "", ""),
        ]
    )


@pytest.mark.parametrize("hook", [MISSING, JUNK, HANGING], ids=["missing", "junk", "hanging"])
def test_a_hook_that_fails_changes_nothing_for_opencode(tmp_path: Path, hook: str) -> None:
    seen, _ = run(tmp_path, "opencode.js", hook)
    assert len(seen["parts"]) == 3
    systems = [seen[name] for name in ("system", "again", "child", "compacted", "resumed")]
    assert systems == [["base"]] * 5
    assert (seen["edit"]["output"], seen["bash"]["output"]) == ("Applied.", "ok")


@pytest.mark.parametrize("hook", [MISSING, JUNK, HANGING], ids=["missing", "junk", "hanging"])
def test_a_hook_that_fails_changes_nothing_for_oh_my_pi(tmp_path: Path, hook: str) -> None:
    seen, _ = run(tmp_path, "omp.js", hook)
    assert seen == {"prepared": {}, "sub": {}, "next": {}}


@pytest.mark.parametrize(("file", "adapter"), [("opencode.js", opencode.ADAPTER), ("omp.js", omp.ADAPTER)])
def test_a_shim_sends_every_event_that_its_adapter_reads(file: str, adapter: Any) -> None:
    text = shim(file, ("moored-hook",))
    assert [event for event in adapter.moments if f'"{event}"' not in text] == []
