from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.canaries import Canary, canaries
from moored.model.redaction import marker, redact, redact_bytes, redact_value
from moored.model.secret_shapes import SHAPES

CANARIES = canaries()
PROSE = "The retry limit is kept at three, since the line is down for a second at most. "
HASHES = "k7kQ3IW4Jp00A0SLx2LHmPwRU" * 4

ORDINARY = f"""
password = changeme
DB_PASSWORD=${{DB_PASSWORD}}
DB_PASSWORD="$(pass show db)"
token = get_token()
token = self.client.token
const token = useToken2(props.apiToken);
API_KEY=<your-token>
API_KEY=xxx
password: None
"password": "Enter at least 8 characters",
input type="password" name="password1" placeholder="Your password2"
secret = os.environ["SECRET"]
api_key=settings.API_KEY2,
process.env.API_KEY ${{{{ secrets.NPM_TOKEN }}}}
max_tokens = 4096
"max_tokens": 16384, "token": 123456789,
PASSWORD_MIN_LENGTH = 12345678
pass: "98.52%"
session_key = f"sess:{{user.id}}:v2"
E_CANNOT_CHANGE_PASSWORD: Final = -2141913082
def login(user: str, password: str = "", key: str = "id") -> Token:
    password: bytes,
    token: OAuth2Token
    private_key: Ed25519PrivateKey | Ed448PrivateKey
    resource_owner_secret: str = None):
password_hash = bcrypt.hash(password, 12)
password_field = "user_password_2"
SECRET_NAME=db-credentials-2
PWD=/home/ada/project7
auth = HTTPBasicAuth(user, pw)
auth = (self.auth[0], "********")
author = "Ada Lovelace 1815"
keyboard = "qwerty12345"
primary_key = "user_id_2"
commit 9fb3be0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f70
index 9fb3be0..c2d1e4f 100644
key = "9fb3be0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f70"
cache_key: 9fb3be0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f70
checksum = "9fb3be0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f709fb3be0c2d1e4f5a6b7c8d9e"
"integrity": "sha512-{HASHES[:86]}=="
jsonwebtoken@^9.0.2: {{integrity: sha512-{HASHES[:86]}==}}
next_page_token = "CAoQAA7kQ3IW4Jp00A0SLx2LHm"
id: 5a1f0c3e-9b7d-4e2a-8c6f-0d1b2c3d4e5f
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA{HASHES}AAABJRU5ErkJggg==">
public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7kQ3IW4Jp00A0SLx2LHmPwRU7kQ3IW4Jp ada"
test_password_reset_token_is_sent_once
tests/test_secrets.py::test_token_2_is_refreshed[key-1] PASSED
Authorization: Bearer $TOKEN
Authorization: Bearer <token>
http://localhost:8080/@vite/client https://example.com:443/a@b
https://user:password@example.com git@github.com:org/repo.git
sk-toggleable-content-label-arrow sk-folding-cube-spinner-large
if text.startswith("-----BEGIN PRIVATE KEY-----"): return internationalization_of_text
docker run -e TOKEN=$TOKEN -u 1000:1000 image && curl -u $USER:$PASS https://x
"""


@pytest.mark.parametrize("canary", CANARIES, ids=lambda one: one.name)
@pytest.mark.parametrize(
    "place",
    [
        lambda text: text,
        lambda text: f"first line\n{text}\nlast line",
        lambda text: json.dumps({"command": f"echo\n{text}", "n": 1}),
        lambda text: json.dumps({"outer": json.dumps({"stdout": f"\t{text}"})}),
        lambda text: PROSE * 50 + "\n" + text + "\n" + PROSE * 50,
    ],
    ids=["alone", "lines", "JSON", "JSON in JSON", "long"],
)
def test_a_canary_is_taken_out_and_the_marker_names_its_kind(canary: Canary, place) -> None:
    text = place(canary.text)
    done = redact(text)
    assert canary.secret not in done.text
    assert done.kinds == (canary.kind,)
    assert marker(canary.kind) in done.text
    assert redact(done.text) == (done.text, ())


@pytest.mark.parametrize("canary", CANARIES, ids=lambda one: one.name)
def test_json_stays_json(canary: Canary) -> None:
    document = {"before": 1, "text": canary.text, "after": [2, "x"]}
    read = json.loads(redact(json.dumps(document)).text)
    assert (read["before"], read["after"]) == (1, [2, "x"])
    if canary.text.startswith("{"):
        json.loads(redact(canary.text).text)


def test_what_stands_around_a_secret_stays() -> None:
    by_name = {canary.name: canary for canary in CANARIES}
    url, env, yaml = by_name["url"], by_name["env"], by_name["json number"]
    assert redact(url.text).text == url.text.replace(url.secret, "[redacted: url password]")
    assert redact(url.text).text.startswith("postgres" + "://ada:[redacted: url password]@db.example:5432")
    assert redact(env.text).text == env.text.replace(env.secret, "[redacted: password]")
    assert json.loads(redact(yaml.text).text) == {"password": "[redacted: password]", "id": 7}


@pytest.mark.parametrize("line", ORDINARY.strip().splitlines())
def test_ordinary_text_stays_as_it_is(line: str) -> None:
    assert redact(line).text is line
    assert redact_value("line", line) == line


def test_ordinary_text_stays_as_it_is_in_a_large_whole() -> None:
    whole = (ORDINARY + PROSE) * 20
    assert redact(whole).text is whole
    encoded = json.dumps({"stdout": whole})
    assert redact(encoded).text is encoded


def test_the_sources_and_documents_of_moored_hold_no_secret() -> None:
    root = Path(__file__).parents[2]
    files = [*root.glob("src/**/*.py"), *root.glob("docs/**/*.md"), *root.glob("*.md"), *root.glob("*.toml")]
    assert len(files) > 100
    found = {str(file.relative_to(root)): redact_bytes(file.read_bytes()).kinds for file in files}
    demonstrated = {"src/moored/demo/session.py", "docs/guarantees.md"}  # which show what is taken out
    assert {name for name, kinds in found.items() if kinds} <= demonstrated


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("db.password", "hunter" + "2", False),
        ("client_secret", "s3cr3t" + "value", False),
        ("tokens[0]", "q7kQ3BoZ2y1f4Fq7", False),
        ("password", "changeme", True),
        ("max_tokens", "4096", True),
        ("api.timeout", "q7kQ3BoZ2y1f4Fq7", True),
        ("password", "${DB_PASSWORD}", True),
    ],
)
def test_a_value_is_judged_by_its_name(name: str, value: str, kept: bool) -> None:
    assert (redact_value(name, value) == value) is kept


def test_bytes_that_are_no_text_stay_byte_for_byte() -> None:
    secret = next(one.secret for one in CANARIES if one.name == "github p").encode()
    around = bytes(range(256)).replace(b"\\", b"")
    done = redact_bytes(around + b" " + secret + b" " + around)
    assert done.data == around + b" [redacted: github token] " + around


def test_several_secrets_are_all_taken_out_and_named_once_in_order() -> None:
    chosen = [one for one in CANARIES if one.name in ("npm", "github p", "stripe")]
    text = " and ".join(one.secret for one in (*chosen, *chosen))
    done = redact(text)
    assert done.kinds == tuple(one.kind for one in chosen)
    assert done.text.count("[redacted: ") == 6


def test_every_shape_of_the_table_has_a_canary() -> None:
    assert {shape.kind for shape in SHAPES} - {one.kind for one in CANARIES} == set()


pieces = st.one_of(
    st.sampled_from([canary.text for canary in CANARIES]),
    st.sampled_from([canary.secret for canary in CANARIES]),
    st.sampled_from(
        ["[redacted: github token]", "password=", "token: ", '"', "\\", "\n", "=", "://", "@", "ü", "\ud800"]
    ),
    st.text(max_size=12),
)
texts = st.lists(pieces, max_size=8).map("".join)


@settings(max_examples=300, deadline=None)
@given(texts)
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == (once.text, ())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=30), pieces.map(lambda one: one.encode("utf-8", "surrogatepass")))))
def test_bytes_outside_of_what_is_taken_out_are_unchanged(parts: list[bytes]) -> None:
    data = b"".join(parts)
    done = redact_bytes(data)
    if not done.kinds:
        assert done.data is data
        return
    first, *others = done.data.split(b"[redacted: ")
    for rest in (first, *(piece.partition(b"]")[2] for piece in others)):
        assert all(part in data for part in rest.split(b'"'))  # a number of JSON gets quotes with its marker


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="=:>\"'-_.@~/"), max_size=400))
def test_a_text_without_a_trigger_is_the_same_object(text: str) -> None:
    spaced = " ".join(text.split())[:19]
    assert redact(spaced).text is spaced


def test_what_repeats_a_trigger_without_end_takes_no_more_than_its_length() -> None:
    for unit in (
        "token=",
        'password="',
        "eyJ_",
        "://a:",
        "curl ",
        "-----BEGIN PRIVATE KEY-----\n",
        "sk-a-",
        "pass pass=",
    ):
        took: list[float] = []
        for size in (20_000, 80_000):
            text = unit * (size // len(unit))
            started = time.process_time()
            redact(text)
            took.append(time.process_time() - started)
        assert took[1] < 16 * max(took[0], 0.005), unit


def test_importing_compiles_no_pattern_and_loads_nothing_heavy() -> None:
    program = (
        "import re, sys\n"
        "compiled = []\n"
        "whole = re.compile\n"
        "re.compile = lambda *given: compiled.append(given) or whole(*given)\n"
        "import moored.model.redaction, moored.model.private\n"
        "assert not compiled, compiled\n"
        "moored.model.redaction.redact('the quick brown fox')\n"
        "assert not compiled, compiled\n"
        "heavy = {'numpy', 'pathspec', 'tree_sitter', 'pydantic', 'dataclasses', 'apsw'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
