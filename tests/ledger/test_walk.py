"""Which files a walk finds, what it skips and says so, and when a file counts as unchanged."""

from __future__ import annotations

import inspect
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.errors import InvalidInput, MooredError, NotFound
from moored.ledger.disk import RACY_WINDOW_NS, Seen, stat_of, unchanged
from moored.ledger.walk import (
    Skipped,
    Walk,
    read_text_candidate,
    walk,
)
from moored.model.files import IndexedFile


@pytest.fixture(autouse=True)
def _no_configuration_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


@pytest.fixture(params=["git", "plain"])
def either(request: pytest.FixtureRequest, root: Path) -> Path:
    """A tree that is a repository, and one that is not: most of what a walk promises holds in both."""
    if request.param == "git":
        git_init(root)
    return root


def git_init(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)


def write(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def paths(found: Walk) -> list[str]:
    return [seen.path for seen in found.files]


def reasons(found: Walk) -> dict[str, str]:
    return {item.path: item.reason for item in found.skipped}


# --- what is found


def test_files_are_found_with_their_stat_in_order(either: Path) -> None:
    write(either, "b.py", "a/z.py", ".github/workflows/ci.yml", "a.py")
    found = walk(either)
    assert paths(found) == [".github/workflows/ci.yml", "a.py", "a/z.py", "b.py"]
    info = (either / "b.py").stat()
    assert found.files[-1] == Seen("b.py", 6, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
    assert found.skipped == ()
    assert found.by_git == (either / ".git").exists()


def test_ignore_files_are_honoured_at_every_level(either: Path) -> None:
    write(either, ".gitignore", text="*.log\n/out/\n!kept.log\n# a comment\n")
    write(either, "sub/.gitignore", text="!noise.log\nlocal\n")
    write(either, "a.log", "kept.log", "out/a.py", "sub/out/a.py", "sub/noise.log", "sub/local", "local", "sub/x.log")
    assert paths(walk(either)) == [
        ".gitignore",
        "kept.log",
        "local",
        "sub/.gitignore",
        "sub/noise.log",
        "sub/out/a.py",
    ]


def test_nothing_returns_from_a_folder_that_is_ignored(either: Path) -> None:
    write(either, ".gitignore", text="made/\n")
    write(either, "made/.gitignore", text="!*\n")
    write(either, "made/a.py")
    assert paths(walk(either)) == [".gitignore"]


@pytest.mark.filterwarnings("error")
def test_a_line_that_is_no_pattern_is_passed_over(root: Path) -> None:
    write(root, ".gitignore", text="!\n[z-a]\n[[:alpha:]]q\nfoo\\\n*.log\n")
    write(root, "a.log", "a.py")
    assert paths(walk(root)) == [".gitignore", "a.py"]


def test_configured_patterns_hold_for_tracked_files_too(either: Path) -> None:
    write(either, "vendor/deep/a.py", "a.min.js", "a.js")
    if (either / ".git").exists():
        subprocess.run(["git", "-C", str(either), "add", "-A"], check=True)
    assert paths(walk(either, extra_ignored=["vendor/", "*.min.js"])) == ["a.js"]


def test_a_configured_line_that_is_no_pattern_is_refused(root: Path) -> None:
    with pytest.raises(InvalidInput, match="is not an ignore pattern"):
        walk(root, extra_ignored=["foo\\"])


def test_folders_that_tools_fill_are_left_out_without_git(root: Path) -> None:
    write(root, "node_modules/a/index.js", ".venv/lib/a.py", "pkg/__pycache__/a.pyc", "pkg/a.py", "target/CACHEDIR.TAG")
    write(root, "target/debug/out.rs")
    assert paths(walk(root)) == ["pkg/a.py"]


def test_a_folder_that_the_repository_around_it_ignores_is_walked_all_the_same(root: Path) -> None:
    git_init(root)
    write(root, ".gitignore", text="*\n")
    write(root, "project/a.py", "project/.venv/b.py")
    found = walk(root / "project")
    assert paths(found) == ["a.py"]
    assert not found.by_git


def test_a_folder_of_a_repository_gives_paths_relative_to_itself(root: Path) -> None:
    git_init(root)
    write(root, "top.py", "sub/a.py")
    found = walk(root / "sub")
    assert paths(found) == ["a.py"]
    assert found.by_git


def test_a_tracked_file_that_is_deleted_is_neither_found_nor_skipped(root: Path) -> None:
    git_init(root)
    write(root, "a.py", "b/c.py")
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    (root / "a.py").unlink()
    (root / "b/c.py").unlink()
    (root / "b").rmdir()
    write(root, "d.py")
    found = walk(root)
    assert (paths(found), found.skipped) == (["d.py"], ())


def test_names_of_any_bytes_survive(either: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \n.py")
    write(either, name)
    (seen,) = walk(either).files
    assert seen.path == name
    assert read_text_candidate(either, seen) == b"x = 1\n"
    assert stat_of(either, name) == seen


def test_an_empty_tree_is_an_empty_walk(either: Path) -> None:
    assert walk(either).files == ()


def test_a_root_that_is_no_folder_is_refused(root: Path) -> None:
    write(root, "a.py")
    for path in (root / "a.py", root / "missing"):
        with pytest.raises(NotFound, match="is not a directory"):
            walk(path)


# --- what is skipped


def test_links_are_skipped_by_where_they_lead(either: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.py")
    write(either, "a.py", "dir/b.py")
    (either / "to_file").symlink_to("a.py")
    (either / "to_dir").symlink_to("dir")
    (either / "to_root").symlink_to(".")
    (either / "dir" / "up").symlink_to("..")
    (either / "out").symlink_to(tmp_path / "outside")
    (either / "nowhere").symlink_to("missing")
    (either / "self").symlink_to("self")
    (either / "ping").symlink_to("pong")
    (either / "pong").symlink_to("ping")
    (tmp_path / "tree-sibling").mkdir()
    (either / "sibling").symlink_to(tmp_path / "tree-sibling")
    found = walk(either)
    assert paths(found) == ["a.py", "dir/b.py"]
    assert reasons(found) == {
        "to_file": "link",
        "to_dir": "link",
        "to_root": "link",
        "dir/up": "link",
        "out": "link out of the tree",
        "nowhere": "broken link",
        "self": "link loop",
        "ping": "link loop",
        "pong": "link loop",
        "sibling": "link out of the tree",
    }
    assert found.counts == {"broken link": 1, "link": 4, "link loop": 3, "link out of the tree": 2}


def test_a_root_reached_through_a_link_is_walked(either: Path, tmp_path: Path) -> None:
    write(either, "a.py")
    (either / "b.py").symlink_to("a.py")
    (tmp_path / "way").symlink_to(either)
    found = walk(tmp_path / "way")
    assert paths(found) == ["a.py"]
    assert reasons(found) == {"b.py": "link"}


def test_tracked_files_behind_a_folder_turned_link_are_not_read_from_outside(root: Path, tmp_path: Path) -> None:
    git_init(root)
    write(root, "sub/deep/a.py", "b.py")
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    (root / "sub").rename(tmp_path / "moved")
    (root / "sub").symlink_to(tmp_path / "moved")
    found = walk(root)
    assert paths(found) == ["b.py"]
    assert reasons(found) == {"sub": "link out of the tree"}
    assert stat_of(root, "sub/deep/a.py") is None


def test_nested_repositories_are_skipped_whole(either: Path) -> None:
    write(either, "a.py", "vendor/inner/b.py", "vendor/c.py", "fresh/d.py")
    git_init(either / "fresh")
    inner = either / "vendor" / "inner"
    git_init(inner)
    subprocess.run(["git", "-C", str(inner), "add", "-A"], check=True)
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "-C", str(inner), *identity, "commit", "-q", "-m", "first"], check=True)
    found = walk(either)
    assert paths(found) == ["a.py", "vendor/c.py"]
    assert reasons(found) == {"fresh": "nested repository", "vendor/inner": "nested repository"}


def test_what_mooredignore_names_is_not_read_even_if_git_tracks_it(either: Path) -> None:
    write(either, "a.py", "notes/private.md", "notes/open.md", "deep/secret.txt", "b.txt")
    (either / ".mooredignore").write_text("# not for memory\nnotes/*\n!notes/open.md\nsecret.txt\n[\n")
    git_add = ["git", "-C", str(either), "add", "-A"]
    subprocess.run(git_add, check=False, capture_output=True)
    assert paths(walk(either)) == [".mooredignore", "a.py", "b.txt", "notes/open.md"]
    assert paths(walk(either, extra_ignored=["b.*"])) == [".mooredignore", "a.py", "notes/open.md"]


def test_secrets_are_skipped_by_name_and_their_samples_are_not(either: Path) -> None:
    secret = [".env", ".env.local", "a/.ENV", ".envrc", ".env_test", ".npmrc", ".netrc", "aws/credentials"]
    secret += ["id_ed25519", "id_rsa_work", "id_rsa.bak", "tls/server.key", "cert.pem", "service-account.json"]
    fine = [".env.example", ".env.sample", "a/.env.template", "environment.py", ".environment", "credentials.py"]
    fine += ["id_rsa.pub", "id_rsa.py", "keys.py"]
    write(either, *secret, *fine)
    found = walk(either)
    assert paths(found) == sorted(fine)
    assert reasons(found) == dict.fromkeys(secret, "secret")


def test_a_large_file_is_skipped_at_one_byte_over(either: Path) -> None:
    write(either, "fits", text="12345")
    write(either, "large", text="123456")
    found = walk(either, max_file_size=5)
    assert paths(found) == ["fits"]
    assert reasons(found) == {"large": "too large"}


def test_pipes_and_sockets_are_skipped_without_waiting(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(root / "pipe")
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        assert reasons(walk(root)) == {"pipe": "special file", "sock": "special file"}
    assert read_text_candidate(root, Seen("pipe", 0, 0, 0, 0)) == Skipped("pipe", "special file")


def test_a_folder_that_cannot_be_listed_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, "a.py", "locked/b.py")
    real = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = walk(root)
    assert paths(found) == ["a.py"]
    assert reasons(found) == {"locked": "unreadable"}


def test_a_file_that_cannot_be_looked_at_is_said_and_never_taken_for_gone(
    either: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(either, "a.py", "b.py")
    real = os.lstat

    def lstat(path: str) -> os.stat_result:
        if str(path).endswith("b.py"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "lstat", lstat)
    found = walk(either)
    assert paths(found) == ["a.py"]
    assert reasons(found) == {"b.py": "unreadable"}
    with pytest.raises(MooredError, match="Permission denied"):
        stat_of(either, "b.py")


def test_deep_folders_do_not_exhaust_the_stack(either: Path) -> None:
    deep = "/".join(["d"] * 200)
    write(either, f"{deep}/b.py")
    walk(either)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)
    try:
        found = walk(either)
    finally:
        sys.setrecursionlimit(limit)
    assert paths(found) == [f"{deep}/b.py"]


# --- reading one file


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", b""),
        (b"caf\xe9\n", b"caf\xe9\n"),
        (b"x" * 8192 + b"\0", b"x" * 8192 + b"\0"),
        (b"x" * 8191 + b"\0", "binary"),
        ("text".encode("utf-16"), "binary"),
        (b"\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n", "secret"),
        (b"-----BEGIN PRIVATE KEY-----\nabc\n", "secret"),
        (b"-----BEGIN PUBLIC KEY-----\nabc\n", b"-----BEGIN PUBLIC KEY-----\nabc\n"),
        (b"y" * 9001, "too large"),
    ],
)
def test_content_is_read_or_the_reason_said(root: Path, content: bytes, expected: bytes | str) -> None:
    (root / "a").write_bytes(content)
    (seen,) = walk(root).files
    read = read_text_candidate(root, seen, max_file_size=9000)
    assert read == (Skipped("a", expected) if isinstance(expected, str) else expected)


def test_a_file_that_went_away_or_became_a_link_is_not_read(root: Path, tmp_path: Path) -> None:
    write(root, "a.py", "b.py")
    first, second = walk(root).files
    (root / "a.py").unlink()
    (root / "b.py").unlink()
    write(tmp_path, "outside.py")
    (root / "b.py").symlink_to(tmp_path / "outside.py")
    assert read_text_candidate(root, first) == Skipped("a.py", "gone")
    assert read_text_candidate(root, second) == Skipped("b.py", "link")


@pytest.mark.parametrize("path", ["missing", "a.py/b", "dir", "link", "../tree/a.py", "/etc/hostname", "", "a\0b"])
def test_only_a_regular_file_of_the_tree_has_a_stat(root: Path, path: str) -> None:
    write(root, "a.py", "dir/b.py")
    (root / "link").symlink_to("a.py")
    assert stat_of(root, path) is None


def test_a_stat_equals_that_of_the_walk(root: Path) -> None:
    write(root, "dir/b.py")
    assert (stat_of(root, "dir/b.py"),) == walk(root).files


# --- unchanged or not

HASHED_AT = 1_700_000_000_000_000_000
OLD = HASHED_AT - RACY_WINDOW_NS - 1
KNOWN = IndexedFile(1, "a.py", 10, OLD, OLD, 7, "hash", "python", 0, 0, indexed_at_ns=HASHED_AT)
SAME = Seen("a.py", 10, OLD, OLD, 7)


def test_a_settled_file_with_the_same_stat_is_unchanged() -> None:
    assert unchanged(SAME, KNOWN)


@pytest.mark.invariant("I-04")
@pytest.mark.parametrize("field", ["size", "mtime_ns", "ctime_ns", "inode"])
def test_any_difference_of_the_stat_is_a_possible_change(field: str) -> None:
    assert not unchanged(SAME._replace(**{field: getattr(SAME, field) - 1}), KNOWN)


@pytest.mark.invariant("I-04")
@given(st.integers(-RACY_WINDOW_NS, RACY_WINDOW_NS), st.booleans())
def test_a_write_around_the_hashing_is_a_possible_change_though_the_stat_is_equal(shift: int, by_ctime: bool) -> None:
    at = HASHED_AT + shift
    seen = SAME._replace(ctime_ns=at) if by_ctime else SAME._replace(mtime_ns=at)
    known = KNOWN._replace(ctime_ns=seen.ctime_ns, mtime_ns=seen.mtime_ns)
    assert not unchanged(seen, known)


def test_a_modification_time_far_in_the_future_does_not_force_hashing_for_ever() -> None:
    later = HASHED_AT * 2
    assert unchanged(SAME._replace(mtime_ns=later), KNOWN._replace(mtime_ns=later))
