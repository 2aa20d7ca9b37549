"""What the readers find, ecosystem by ecosystem."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from moored.memory import Memory
from moored.seeding.components import components
from moored.seeding.ground import Ground

if TYPE_CHECKING:
    from conftest import Quay


WORKFLOW = """\
name: CI
on: [push, PR]
jobs:
  test:
    steps:
      - uses: checkout
      - run: |
          make lint
          make test
"""


def folders(memory: Memory) -> list[str]:
    memory.index()
    with memory.store.read() as view:
        return [part.folder for part in components(Ground(view, memory.tree))]


WORKSPACES = {
    "npm": {"package.json": json.dumps({"workspaces": ["packages/*", "!packages/old"]})},
    "yarn": {"package.json": json.dumps({"workspaces": {"packages": ["packages/*", "!packages/old"]}})},
    "pnpm": {"package.json": "{}", "pnpm-workspace.yaml": "packages:\n  - packages/**\n  - '!packages/old'\n"},
    "cargo": {"Cargo.toml": '[workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n'},
    "go": {"go.work": "go 1.22\n\nuse (\n\t./packages/api\n\t./packages/web\n)\n"},
    "uv": {"pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n'},
    "maven": {
        "pom.xml": "<project><modules><module>packages/api</module><module>packages/web</module></modules></project>"
    },
    "gradle": {"settings.gradle": 'include(":packages:api", ":packages:web")\n', "build.gradle": ""},
}
MEMBERS = {
    "npm": "package.json", "yarn": "package.json", "pnpm": "package.json", "cargo": "Cargo.toml", "go": "go.mod",
    "uv": "pyproject.toml", "maven": "pom.xml", "gradle": "build.gradle",
}  # fmt: skip


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_the_members_of_a_workspace_are_the_components_and_nothing_else_is(quay: Quay, workspace: str) -> None:
    for path, text in WORKSPACES[workspace].items():
        quay.write(path, text)
    for folder in ("packages/api", "packages/web", "packages/old", "samples/first"):
        quay.write(f"{folder}/{MEMBERS[workspace]}", "{}" if MEMBERS[workspace].endswith("json") else "")
    assert folders(quay.memory) == ["", "packages/api", "packages/web"]


def test_without_a_workspace_every_folder_with_a_manifest_counts_but_for_examples_and_fixtures(quay: Quay) -> None:
    for folder in ("api", "web", "tests/shop", "api/fixtures/shop", "vendor/lib", "examples/one"):
        quay.write(f"{folder}/package.json", "{}")
    quay.write("api/commands/__init__.py", "")
    quay.write("api/commands/setup.py", "")
    assert folders(quay.memory) == ["", "api", "web"]


def test_a_component_is_told_with_what_it_is_needs_and_uses_and_has_its_folder_as_a_tag(quay: Quay) -> None:
    quay.write("package.json", json.dumps({"name": "shop", "workspaces": ["packages/*"]}))
    quay.write("packages/core/package.json", json.dumps({"name": "@shop/core", "description": "Prices."}))
    quay.write(
        "packages/api/package.json",
        json.dumps({"name": "@shop/api", "engines": {"node": ">=20"}, "dependencies": {"@shop/core": "*", "koa": "2"}}),
    )
    texts = quay.texts()
    assert texts["component:packages/core"] == "`packages/core` is @shop/core (npm): Prices."
    assert texts["component:packages/api"] == (
        "`packages/api` is @shop/api (npm); needs Node.js >=20; it uses `packages/core`."
    )
    assert texts["stack:packages/api/package.json"] == "`packages/api` is built on koa (`packages/api/package.json`)."
    assert texts["layout:"].endswith("`packages/api` (@shop/api); `packages/core` (@shop/core).")
    quay.seed()
    assert "packages/api" in quay.note("component:packages/api").head.tags


def test_many_components_stay_within_the_bound_and_a_list_still_names_them_all(quay: Quay) -> None:
    quay.write("package.json", json.dumps({"name": "shop", "workspaces": ["packages/*"]}))
    for number in range(90):
        quay.write(f"packages/p{number:02}/package.json", json.dumps({"name": f"p{number}", "scripts": {"test": "t"}}))
    done = quay.seed()
    assert len(done.notes) == 60
    listed = "\n".join(one.text for one in done.notes if one.key.startswith("layout:"))
    assert all(f"`packages/p{number:02}`" in listed for number in range(90))
    assert done.omitted["component"] > 0


@pytest.mark.parametrize(
    ("files", "key", "lines"),
    [
        (
            {"package.json": '{"scripts": {"dev": "vite", "test": "vitest", "pretest": "x"}}', "pnpm-lock.yaml": ""},
            "commands:package.json",
            ["- `pnpm run test`: vitest", "- `pnpm run dev`: vite"],
        ),
        (
            {"justfile": "test:\n  pytest\n\nlint *args:\n  ruff\n"},
            "commands:justfile",
            ["- `just test`", "- `just lint`"],
        ),
        (
            {"Taskfile.yml": "tasks:\n  build:\n    cmds: [go build]\n"},
            "commands:Taskfile.yml",
            ["- `task build`: go build"],
        ),
        ({"tox.ini": "[testenv:lint]\ncommands = flake8\n"}, "commands:tox.ini", ["- `tox -e lint`: flake8"]),
        ({"noxfile.py": "def tests(session):\n    pass\n"}, "commands:noxfile.py", ["- `nox -s tests`"]),
        (
            {"pyproject.toml": '[tool.poe.tasks]\ntest = "pytest"\n'},
            "commands:pyproject.toml",
            ["- `poe test`: pytest"],
        ),
        ({"Cargo.toml": '[package]\nname = "sail"\n'}, "usual:Cargo.toml", ["`cargo build`, `cargo test`"]),
        (
            {"pytest.ini": "[pytest]\ntestpaths = tests\n"},
            "usual:pytest.ini",
            ["`pytest` (`pytest.ini`, tests in tests)"],
        ),
    ],
)
def test_commands_are_told_as_they_are_defined(quay: Quay, files: dict[str, str], key: str, lines: list[str]) -> None:
    for path, text in files.items():
        quay.write(path, text)
    told = quay.texts()[key]
    assert all(line in told for line in lines), told
    assert "pretest" not in told


def test_a_long_list_of_commands_is_cut_with_the_usual_ones_first(quay: Quay) -> None:
    quay.write("Makefile", "".join(f"target{number}:\n\techo {number}\n" for number in range(30)) + "test:\n\tpytest\n")
    told = quay.texts()["commands:Makefile"]
    assert told.startswith(
        "Commands of `Makefile` and 19 more, to build, test and run this project:\n- `make test`: pytest"
    )
    assert told.count("\n- ") == 12


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            ".github/workflows/ci.yml",
            WORKFLOW,
            "CI (GitHub Actions, `.github/workflows/ci.yml`, CI) runs on push, PR:\n- test: `make lint`, `make test`",
        ),
        (
            ".gitlab-ci.yml",
            "stages: [test]\nunit:\n  stage: test\n  script:\n    - make test\n",
            "CI (GitLab, `.gitlab-ci.yml`):\n- unit: `make test`",
        ),
        (
            ".travis.yml",
            "language: python\nscript: make test\n",
            "CI (Travis CI, `.travis.yml`):\n- script: `make test`",
        ),
    ],
)
def test_pipelines_are_told_with_when_they_run_and_what(quay: Quay, path: str, text: str, expected: str) -> None:
    quay.write(path, text)
    assert quay.texts()[f"ci:{path}"] == expected


def test_entry_points_are_commands_main_functions_images_and_services(quay: Quay) -> None:
    quay.write("Cargo.toml", '[package]\nname = "sail"\n\n[[bin]]\nname = "sail"\npath = "src/main.rs"\n')
    quay.write("src/main.rs", "fn main() {}\n")
    quay.write("cmd/serve/main.go", "package main\n\nfunc main() {}\n")
    quay.write("tool/main.py", "VALUE = 1\n")
    quay.write("Dockerfile", 'FROM alpine:3\nEXPOSE 8080\nENTRYPOINT ["sail", "serve"]\n')
    quay.write("compose.yaml", "services:\n  web:\n    build: .\n  db:\n    image: postgres:16\n")
    texts = quay.texts()
    assert texts["entry:Cargo.toml"] == "Entry points of this project (`Cargo.toml`): bin[0].name = sail."
    assert texts["main:"] == "Programs begin in `src/main.rs`, `cmd/serve/main.go`."
    assert quay.of("main:").about == ("src/main.rs::main", "cmd/serve/main.go::main")
    assert texts["image:Dockerfile"] == (
        "The image of `Dockerfile`, from alpine:3 starts with ENTRYPOINT `sail serve`; it listens on 8080."
    )
    assert texts["services:compose.yaml"] == "`compose.yaml` runs the services web (build .), db (image postgres:16)."


def test_rooms_are_told_with_what_their_packages_say_and_the_others_are_named(quay: Quay) -> None:
    for name, says in (("deck", '"""Takes parcels. And more."""\n'), ("hold", ""), ("bow", "# Copyright somebody\n")):
        quay.write(f"ferry/{name}/__init__.py", says)
        quay.write(f"ferry/{name}/work.py", "VALUE = 1\n")
    texts = quay.texts()
    assert texts["room:ferry/deck"] == "`ferry/deck`: Takes parcels."
    assert texts["layout:"] == "Other folders of code: `ferry/bow`, `ferry/hold`."
    assert len(quay.of("layout:").about) == 2


def test_what_contributors_and_agents_are_told_comes_by_section_without_our_own_block(quay: Quay) -> None:
    quay.write(
        "CONTRIBUTING.md", "# Rules\n\nWe like boats.\n\n- Tests must pass.\n- Small commits.\n\n## Thanks\n\nTo all.\n"
    )
    quay.write(
        "CLAUDE.md",
        "# Style\n\nTabs, four wide.\n\n<!-- moored: begin -->\nAsk moored first, always.\n<!-- moored: end -->\n",
    )
    texts = quay.texts()
    told = texts["conventions:CONTRIBUTING.md#Rules"]
    assert told == "`CONTRIBUTING.md` says under 'Rules':\n- Tests must pass.\n- Small commits."
    assert "conventions:CONTRIBUTING.md#Thanks" not in texts
    assert texts["conventions:CLAUDE.md#Style"] == "`CLAUDE.md` says under 'Style':\n- Tabs, four wide."


def test_decisions_are_told_with_their_state_and_what_was_decided(quay: Quay) -> None:
    quay.write("docs/adr/0001-ropes.md", "# 1. Ropes\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use hemp.\n")
    quay.write(
        "docs/decisions/0002-knots.md", "# 2. Knots\n\n**Context.** They slip.\n\n**Decision.** Bowlines only.\n"
    )
    texts = quay.texts()
    assert texts["decision:docs/adr/0001-ropes.md"] == (
        "Decision recorded in `docs/adr/0001-ropes.md`, accepted: 1. Ropes. We use hemp."
    )
    assert texts["decision:docs/decisions/0002-knots.md"].endswith(": 2. Knots. Bowlines only.")


def test_owners_authors_and_what_changed_lately_come_from_codeowners_and_history(quay: Quay) -> None:
    quay.write("CODEOWNERS", "# who\n*  @crew\n/deck/ @captain\n")
    quay.write("pyproject.toml", '[project]\nname = "ferry"\n')
    for number in range(8):
        quay.write("deck/log.py", f"STEP = {number}\n")
        quay.commit(f"Step {number}", "Ada" if number % 3 else "Ben")
    texts = quay.texts()
    assert texts["owners:CODEOWNERS"].endswith("\n- `/deck/`: @captain\n- `*`: @crew")
    assert "are mostly by Ada, Ben." in texts["authors:"]
    assert "someone@example.com" not in "\n".join(texts.values())
    assert "touched most often: `deck` (8)" in texts["recent:"]
    assert "The latest say: Step 7; Step 6; Step 5." in texts["recent:"]
    assert quay.of("recent:").about == ("pyproject.toml::project.name",)


def test_a_tree_inside_a_repository_is_told_of_its_own_commits_alone(quay: Quay) -> None:
    repository = quay.root.parent
    (repository / "beside.txt").write_text("1\n")
    quay.write("deck.py", "VALUE = 1\n")
    for arguments in (
        ["init", "-q"],
        ["add", "beside.txt"],
        ["commit", "-qm", "Beside"],
        ["add", "quay"],
        ["commit", "-qm", "Within"],
    ):
        quay.git("-C", str(repository), *arguments)
    told = quay.texts()["recent:"]
    assert ("Within" in told, "Beside" in told, "`deck.py` (1)" in told) == (True, False, True)


def test_settings_are_told_with_their_values_and_versions_that_are_pinned(quay: Quay) -> None:
    quay.write(".nvmrc", "20.11\n")
    quay.write(".editorconfig", "[*]\nindent_style = tab\n")
    quay.write("tsconfig.json", '{"compilerOptions": {"strict": true}}')
    texts = quay.texts()
    assert texts["style:.nvmrc"] == "`.nvmrc` asks for Node.js 20.11."
    assert texts["style:.editorconfig"] == "`.editorconfig` sets *.indent_style = tab."
    assert texts["style:tsconfig.json"] == "`tsconfig.json` sets compilerOptions.strict = true."


def test_a_huge_document_is_told_by_its_opening_and_never_cut_raw(quay: Quay) -> None:
    quay.write("README.md", "# Ferry\n\n" + "It carries parcels between islands. " * 30_000)
    told = quay.texts()["readme:README.md"]
    assert told.startswith("`README.md` (Ferry) begins: It carries parcels")
    assert told.endswith("…")
    assert len(told) < 400


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"name": 3, "workspaces": {"packages": 7}, "scripts": [], "bin": null}'),
        ("pyproject.toml", "[project\nname = "),
        ("Cargo.toml", "[workspace]\nmembers = 'one'\n"),
        (".github/workflows/ci.yml", "on: 3\njobs: [1, 2]\n"),
        ("pom.xml", "<project><modules><module>../out</module><module>pom.xml</module></modules>"),
        ("go.work", "use ("),
        ("CODEOWNERS", "\n@\n[x]\n"),
        ("README.md", "```\n$ never closed"),
        ("README.md", "<!-- never closed\n# T\n"),
        ("CLAUDE.md", "<!-- moored: begin -->\nnever closed\n"),
        ("Dockerfile", 'FROM\nCMD ["a", 1\n'),
    ],
)
def test_a_broken_file_breaks_no_seed(quay: Quay, path: str, text: str) -> None:
    quay.write(path, text)
    quay.write("Makefile", "test:\n\tpytest\n")
    assert "commands:Makefile" in {one.key for one in quay.seed().notes}
