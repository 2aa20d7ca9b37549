"""Dockerfiles, requirements, assignments, Makefiles and lock files as facts."""

from __future__ import annotations

import json

import pytest

from moored.ledger.config import extract


def pairs(path: str, text: str) -> list[tuple[str, str]]:
    found = extract(path, text.encode())
    assert found is not None
    return [(fact.name, fact.value) for fact in found.facts]


def hashes(path: str, text: str) -> dict[str, str]:
    found = extract(path, text.encode())
    assert found is not None
    return {fact.name: fact.body_hash for fact in found.facts}


def test_a_dockerfile_gives_instructions_by_stage() -> None:
    text = (
        'ARG V=3\nFROM python:$V AS build\nENV A=1 B="x y"\nRUN apt-get update \\\n # c\n && make\n'
        'FROM scratch\nEXPOSE 80\nCMD [ "a",  "b" ]\nCOPY --from=build /a /b\n'
    )
    shown = dict(pairs("Dockerfile", text))
    assert shown["ARG.V"] == "3"
    assert shown["build.FROM"] == "python:$V"
    assert (shown["build.ENV.A"], shown["build.ENV.B"]) == ("1", "x y")
    assert shown["build.RUN"] == "apt-get update && make"
    assert shown["stage1.EXPOSE"] == "80"
    assert shown["stage1.CMD"] == '["a","b"]'
    assert shown["stage1"] == "FROM scratch {4 instructions}"


def test_a_here_document_belongs_to_its_instruction() -> None:
    shown = dict(pairs("Dockerfile", "FROM a\nCOPY <<EOF /x\nUSER no\nEOF\nUSER app\n"))
    assert shown["stage0.USER"] == "app"
    assert "USER no" in shown["stage0.COPY"]


def test_requirements_are_normalised() -> None:
    text = '-r base.txt\nFoo_Bar[b,a] >=1.0, <2 ; python_version < "3.12"  # c\nx==1 \\\n  --hash=sha256:ab\nz\n'
    assert pairs("requirements.txt", text) == [
        ("-r", "base.txt"),
        ("foo-bar", "[a,b] <2,>=1.0; python_version < '3.12'"),
        ("x", "==1"),
        ("z", "*"),
    ]


def test_env_files_keep_quoted_values_and_drop_comments() -> None:
    text = "# c\nexport A=1\nB=\"x\\ny\"\nC='a # b' # z\nD=foo # c\nE=\n"
    assert pairs(".env", text) == [("A", "1"), ("B", "x\ny"), ("C", "a # b"), ("D", "foo"), ("E", "")]


def test_properties_follow_their_escapes_and_continuations() -> None:
    text = "a.b=1\n! c\nkey with: v\nlong = a\\\n   b\nu = \\u00e9\\ud83d\\ude00\\ud83d\n"
    assert pairs("x.properties", text) == [("a.b", "1"), ("key", "with: v"), ("long", "ab"), ("u", "é😀\ufffd")]


def test_a_make_target_is_hashed_over_its_prerequisites_and_recipe() -> None:
    text = "CC ?= gcc\n# c\ntest: build\n\tpytest -q\n\nall: test ; echo hi\n"
    assert dict(pairs("Makefile", text)) == {
        "CC": "gcc",
        "target:test": "build\npytest -q",
        "target:all": "test\necho hi",
    }
    assert hashes("Makefile", text) == hashes("Makefile", text.replace("# c\n", "\n\n"))
    assert hashes("Makefile", text)["target:test"] != hashes("Makefile", text.replace("-q", "-v"))["target:test"]


NPM = json.dumps(
    {
        "lockfileVersion": 3,
        "packages": {
            "": {"version": "0.0.0"},
            "node_modules/@s/a": {"version": "1.2.3"},
            "node_modules/q/node_modules/@s/a": {"version": "2.0.0"},
        },
    }
)
NPM_1 = json.dumps({"dependencies": {"a": {"version": "1.0.0", "dependencies": {"b": {"version": "2.0.0"}}}}})


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("uv.lock", '[[package]]\nname = "a"\nversion = "1"\n[x]\nname = "n"\nversion = "3"\n', [("a", "1")]),
        ("Cargo.lock", '[[package]]\nname = "a"\nversion = "1"\n\n[[package]]\nname = "a"\nversion = "2"\n', None),
        ("package-lock.json", NPM, [("@s/a", "1.2.3"), ("@s/a", "2.0.0")]),
        ("package-lock.json", NPM_1, [("a", "1.0.0"), ("b", "2.0.0")]),
        (
            "pnpm-lock.yaml",
            "packages:\n\n  '@s/a@1.2.3':\n    r: {}\n  c@2.0.0(d@1.0.0):\n  /e/3.0.0:\nsnapshots:\n  c@9.0.0:\n",
            [("@s/a", "1.2.3"), ("c", "2.0.0"), ("e", "3.0.0")],
        ),
        (
            "yarn.lock",
            '"@s/a@^1", "@s/a@^2":\n  version "2.1"\n"z@npm:^1":\n  version: 1.9\n',
            [("@s/a", "2.1"), ("z", "1.9")],
        ),
        (
            "go.mod",
            "module m/x\n\ngo 1.21\nrequire (\n\ta.b/c v1.2.3 // indirect\n)\nreplace a.b/c => ../c\n",
            [("module", "m/x"), ("go", "1.21"), ("a.b/c", "v1.2.3"), ("replace.a.b/c", "../c")],
        ),
        ("go.sum", "a/b v1.0.0 h1:x=\na/b v1.0.0/go.mod h1:y=\n", [("a/b", "v1.0.0")]),
        ("Gemfile.lock", "GEM\n  specs:\n    rake (13.0.6)\n      dep (>= 1)\n", [("rake", "13.0.6")]),
        ("Pipfile.lock", '{"_meta": {}, "default": {"a": {"version": "==1.0"}}}', [("a", "1.0")]),
        ("composer.lock", '{"packages": [{"name": "a/b", "version": "v1"}]}', [("a/b", "v1")]),
        ("bun.lock", '{"packages": {"a": ["a@1.0.0", ""],},}', [("a", "1.0.0")]),
    ],
)
def test_a_lock_file_gives_the_resolved_versions(path: str, text: str, expected: list[tuple[str, str]] | None) -> None:
    assert pairs(path, text) == (expected or [("a", "1"), ("a", "2")])


def test_a_lock_file_that_holds_nothing_readable_is_an_error() -> None:
    found = extract("package-lock.json", b"<html>")
    assert found is not None
    assert found.errors == 1


def test_blanks_in_the_quotes_of_a_dockerfile_value_count() -> None:
    found = dict(pairs("Dockerfile", 'FROM x\nENV A="two  blanks" B=1\nRUN echo   a\n'))
    assert found["stage0.ENV.A"] == "two  blanks"
    assert found["stage0.ENV.B"] == "1"
    assert found["stage0.RUN"] == "echo a"


def test_a_shift_in_quotes_opens_no_here_document() -> None:
    found = pairs(
        "Dockerfile", 'FROM x\nRUN python -c "print(1 <<y)"\nRUN echo $((1<<z))\nRUN cat <<"E" \\\n > f\na\nE\nUSER u\n'
    )
    assert [name for name, _ in found if name.endswith(("RUN", "USER"))] == [*3 * ["stage0.RUN"], "stage0.USER"]


def test_a_dockerfile_may_name_its_sign_of_continuation() -> None:
    found = dict(pairs("Dockerfile", "# escape=`\nFROM x\nCOPY a C:\\\nRUN b `\n c\n"))
    assert found["stage0.COPY"] == "a C:\\"
    assert found["stage0.RUN"] == "b c"


def test_what_a_make_rule_says_of_itself_is_no_part_of_it_whatever_it_holds() -> None:
    help_lines = "lab: a  ## attack; see b\n\ttry\ncheck: b  ## with A=1: more\nrun: \\#c ; go # on\n"
    assert dict(pairs("Makefile", help_lines)) == {
        "target:lab": "a\ntry",
        "target:check": "b",
        "target:run": "\\#c\ngo # on",
    }


def test_a_comment_is_no_part_of_a_makefile_variable_and_a_definition_holds_no_rules() -> None:
    found = pairs("Makefile", "A = b # why\ndefine F\nx: y\nQ = 1\nendef\nZ = \\#1\n")
    assert found == [("A", "b"), ("Z", "\\#1")]


def test_a_value_in_quotes_of_git_holds_its_hash() -> None:
    found = dict(pairs(".gitconfig", '[a]\n x = "b # c"\n y = d # e\n'))
    assert (found["a.x"], found["a.y"]) == ("b # c", "d")


@pytest.mark.parametrize(
    "text",
    [
        "user a;\nhttp {\n  proxy_pass http://x:80;\n}\n",
        "<VirtualHost *:80>\n  ServerName a\n</VirtualHost>\n",
        "port 6379\nsave 900 1\n",
        "",
    ],
)
def test_a_conf_file_in_a_format_of_its_own_claims_no_keys(text: str) -> None:
    assert pairs("a.conf", text) == []


def test_a_conf_file_of_sections_and_keys_is_read() -> None:
    found = dict(pairs("my.conf", "[server]\nskip-locking\nport = 3\n"))
    assert found["server.port"] == "3"
    assert pairs("limits.conf", "# limits\nfiles = 1\n") == [("files", "1")]
