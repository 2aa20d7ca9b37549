"""Reading git: what is found, what is listed, and that a repository cannot make us run anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from moored.errors import InvalidInput, MooredError, NotFound, TooLarge
from moored.ledger import git
from moored.ledger.git import list_tree, repository, resolve
from moored.ledger.git_changes import FileChange, changed_files
from moored.ledger.git_log import commits, show_patch


def run_git(root: Path, *arguments: str, stdin: bytes = b"", **variables: str) -> str:
    fixed = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "GIT_AUTHOR_DATE": "1700000000 +0100",
        "GIT_COMMITTER_DATE": "1700000100 +0000",
    }
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **fixed, **variables},
        check=True,
    )
    return done.stdout.decode().strip()


def write(root: Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def commit(root: Path, message: str, **files: str) -> str:
    for name, text in files.items():
        write(root, name, text)
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "--allow-empty", "-m", message)
    return run_git(root, "rev-parse", "HEAD")


def write_commit(root: Path, message: bytes, at: int = 1_700_000_000, **files: str) -> None:
    """Write a first commit byte by byte, as `git commit` would refuse to."""
    for name, text in files.items():
        write(root, name, text)
    run_git(root, "add", "-A")
    tree = run_git(root, "write-tree")
    who = f"Ada <ada@example.org> {at} +0000"
    header = f"tree {tree}\nauthor {who}\ncommitter {who}\n\n".encode()
    sha = run_git(root, "hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=header + message)
    run_git(root, "update-ref", "refs/heads/main", sha)


@pytest.fixture(autouse=True)
def _no_configuration_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    return root


# --- finding a repository


def test_a_folder_below_the_top_level_belongs_to_the_repository(repo: Path) -> None:
    write(repo, "src/a.py", "x = 1\n")
    found = repository(repo / "src")
    assert found is not None
    assert found.root == repo.resolve()
    assert found.common_dir == (repo / ".git").resolve()
    assert repository(repo / "src" / "a.py") == found


def test_all_work_trees_of_a_clone_share_the_common_directory(repo: Path, tmp_path: Path) -> None:
    commit(repo, "first", a="1\n")
    run_git(repo, "worktree", "add", "-q", str(tmp_path / "second"))
    first, second = repository(repo), repository(tmp_path / "second")
    assert first is not None
    assert second is not None
    assert second.root == (tmp_path / "second").resolve()
    assert second.common_dir == first.common_dir


def test_a_path_through_a_link_finds_the_real_repository(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo)
    assert repository(tmp_path / "link") == repository(repo)


def test_a_name_with_a_line_break_is_found(tmp_path: Path) -> None:
    root = tmp_path / "two\nlines"
    root.mkdir()
    run_git(root, "init", "-q")
    found = repository(root)
    assert found is not None
    assert found.root == root.resolve()


def test_no_repository_is_none(tmp_path: Path) -> None:
    assert repository(tmp_path) is None
    assert repository(tmp_path / "missing") is None


def test_a_bare_repository_is_none(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "bare.git")
    assert repository(tmp_path / "bare.git") is None


def test_a_configured_work_tree_elsewhere_is_not_followed(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    run_git(repo, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert repository(repo) is None
    run_git(repo, "config", "core.worktree", str(tmp_path))
    assert repository(repo) is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="giving a folder away needs root")
def test_a_repository_of_another_user_is_none(repo: Path) -> None:
    os.chown(repo, 12345, 12345)
    os.chown(repo / ".git", 12345, 12345)
    assert repository(repo) is None


def test_without_git_there_is_no_repository_and_a_listing_says_why(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert repository(repo) is None
    with pytest.raises(NotFound, match="git was not found"):
        list(list_tree(repo).paths)


def test_the_variables_of_an_outer_git_hook_do_not_lead_astray(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    run_git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    found = repository(repo)
    assert found is not None
    assert found.root == repo.resolve()


# --- listing


def test_tracked_and_untracked_files_are_listed_and_ignored_ones_are_not(repo: Path) -> None:
    commit(repo, "first", **{"a.py": "", ".gitignore": "*.log\nbuild/\n", "kept.log": ""})
    run_git(repo, "add", "-f", "kept.log")
    write(repo, "new.py", "")
    write(repo, "noise.log", "")
    write(repo, "build/out.py", "")
    assert list(list_tree(repo).paths) == [".gitignore", "a.py", "kept.log", "new.py"]


def test_names_of_any_bytes_survive_listing(repo: Path) -> None:
    names = [b"caf\xe9.py", "\u00fcber \u6f22.py".encode(), b"tab\there", b'quo"te', b"line\nbreak"]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(repo), name))).write_bytes(b"")  # noqa: PTH118
    assert sorted(os.fsencode(path) for path in list(list_tree(repo).paths)) == sorted(names)


def test_a_folder_lists_only_what_is_below_it(repo: Path) -> None:
    commit(repo, "first", **{"top.py": "", "src/a.py": ""})
    assert list(list_tree(repo / "src").paths) == ["a.py"]


def test_a_file_in_conflict_is_listed_once(repo: Path) -> None:
    commit(repo, "first", a="1\n")
    run_git(repo, "checkout", "-q", "-b", "side")
    commit(repo, "side", a="2\n")
    run_git(repo, "checkout", "-q", "main")
    commit(repo, "main", a="3\n")
    with pytest.raises(subprocess.CalledProcessError):
        run_git(repo, "merge", "-q", "side")
    assert list(list_tree(repo).paths) == ["a"]
    assert [change.path for change in changed_files(repo)] == ["a"]


def test_a_folder_that_git_cannot_read_is_reported(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warning = b"warning: could not open directory 'locked/deep/': Permission denied\n"
    done = subprocess.CompletedProcess([], 0, b"b\0a\0", warning)
    monkeypatch.setattr(git, "call", lambda *_: done)
    listing = list_tree(repo)
    assert listing.paths == ("a", "b")
    assert listing.unlisted == ("locked/deep",)


def test_listing_outside_a_repository_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="is not in the work tree of a git repository"):
        list(list_tree(tmp_path).paths)


def test_a_call_that_lasts_too_long_is_stopped(repo: Path) -> None:
    with pytest.raises(MooredError, match="stopped after"):
        git.run(repo, ["cat-file", "--batch"], stdin=b"HEAD\n" * 100_000, timeout=0.0001)


# --- nothing of the repository is run


def test_a_hostile_configuration_runs_nothing(repo: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\necho ran >> '{mark}'\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    commit(repo, "first", **{"a.txt": "1\n", ".gitattributes": "*.txt filter=evil diff=evil\n"})
    commit(repo, "second", **{"a.txt": "2\n"})
    for key in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
    ):
        run_git(repo, "config", key, str(script))
    run_git(repo, "config", "filter.evil.required", "true")
    run_git(repo, "config", "log.showSignature", "true")
    run_git(repo, "config", "core.hooksPath", str(tmp_path))
    for hook in ("post-index-change", "fsmonitor-watchman"):
        (tmp_path / hook).write_bytes(script.read_bytes())
        (tmp_path / hook).chmod(0o755)
    write(repo, "a.txt", "3\n")
    mark.unlink(missing_ok=True)

    assert repository(repo) is not None
    assert list(list_tree(repo).paths) == [".gitattributes", "a.txt"]
    assert changed_files(repo) == (FileChange("modified", "a.txt"),)
    assert [c.subject for c in commits(repo)] == ["first", "second"]
    assert b"+2" in show_patch(repo, "HEAD")
    assert not mark.exists()


def test_reading_writes_nothing_into_the_repository(repo: Path) -> None:
    commit(repo, "first", a="1\n")
    os.utime(repo / "a", ns=(10**18, 10**18))
    before = {path: path.stat().st_mtime_ns for path in (repo / ".git").rglob("*")}
    list(list_tree(repo).paths)
    changed_files(repo)
    list(commits(repo))
    assert {path: path.stat().st_mtime_ns for path in (repo / ".git").rglob("*")} == before


def test_a_partial_clone_is_read_without_fetching(repo: Path, tmp_path: Path) -> None:
    commit(repo, "first", a="one\ntwo\nthree\n", b="other\n")
    run_git(repo, "mv", "a", "c")
    commit(repo, "moved", b="changed\n")
    run_git(repo, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo}", "partial")
    read = list(commits(tmp_path / "partial"))
    assert read[1].files == (FileChange("modified", "b"), FileChange("renamed", "c", "a"))
    with pytest.raises(MooredError, match="could not show"):
        show_patch(tmp_path / "partial", "HEAD")


# --- what changed


def test_every_sort_of_uncommitted_change_is_listed(repo: Path) -> None:
    long = "".join(f"line {n}\n" for n in range(20))
    files = {"edited": "1\n", "staged": "1\n", "dropped": "2\n", "removed": "3\n", "old name": long, "same": "1\n"}
    commit(repo, "first", **files)
    write(repo, "edited", "2\n")
    write(repo, "staged", "2\n")
    run_git(repo, "add", "staged")
    (repo / "dropped").unlink()
    run_git(repo, "rm", "-q", "removed")
    run_git(repo, "mv", "old name", "new name")
    write(repo, "added", "4\n")
    run_git(repo, "add", "added")
    write(repo, "dir/untracked", "1\n")
    assert changed_files(repo) == (
        FileChange("added", "added"),
        FileChange("untracked", "dir/untracked"),
        FileChange("deleted", "dropped"),
        FileChange("modified", "edited"),
        FileChange("renamed", "new name", "old name"),
        FileChange("deleted", "removed"),
        FileChange("modified", "staged"),
    )


def test_a_touched_file_with_the_same_text_is_not_a_change(repo: Path) -> None:
    commit(repo, "first", a="1\n")
    os.utime(repo / "a", ns=(10**18, 10**18))
    assert changed_files(repo) == ()


def test_a_branch_is_compared_from_where_the_work_tree_left_it(repo: Path) -> None:
    commit(repo, "first", a="1\n", b="1\n")
    run_git(repo, "checkout", "-q", "-b", "topic")
    commit(repo, "mine", b="2\n")
    run_git(repo, "checkout", "-q", "main")
    commit(repo, "theirs", a="2\n")
    run_git(repo, "checkout", "-q", "topic")
    write(repo, "c", "1\n")
    assert changed_files(repo, "main") == (FileChange("modified", "b"), FileChange("untracked", "c"))


def test_unrelated_histories_are_compared_directly(repo: Path) -> None:
    commit(repo, "first", a="1\n")
    run_git(repo, "checkout", "-q", "--orphan", "other")
    commit(repo, "other", a="1\n", b="1\n")
    assert changed_files(repo, "main") == (FileChange("added", "b"),)


def test_in_a_repository_without_commits_every_file_is_new(repo: Path) -> None:
    write(repo, "staged", "1\n")
    run_git(repo, "add", "staged")
    write(repo, "loose", "1\n")
    assert changed_files(repo) == (FileChange("untracked", "loose"), FileChange("added", "staged"))
    with pytest.raises(InvalidInput, match="no commit yet"):
        changed_files(repo, "main")


@pytest.mark.parametrize("name", ["nowhere", "--output=stolen", "", "HEAD:a", "a\0b"])
def test_an_unknown_revision_is_refused_by_name(repo: Path, name: str) -> None:
    commit(repo, "first", a="1\n")
    with pytest.raises(InvalidInput, match="There is no commit"):
        changed_files(repo, name)
    assert not (repo / "stolen").exists()


def test_a_short_id_a_tag_and_a_branch_resolve_to_the_commit(repo: Path) -> None:
    sha = commit(repo, "first", a="1\n")
    run_git(repo, "tag", "-a", "v1", "-m", "tagged")
    assert {resolve(repo, name) for name in (sha[:8], "v1", "main")} == {sha}


# --- history


def test_commits_come_oldest_first_with_their_files(repo: Path) -> None:
    text = "".join(f"line {n}\n" for n in range(20))
    commit(repo, "Begin\n\nWith a reason.\n\nAnd another.", **{"a b.txt": text})
    run_git(repo, "mv", "a b.txt", "c.txt")
    (repo / "blob").write_bytes(b"\0\1\2")
    commit(repo, "Move it")
    first, second = commits(repo)
    assert first.subject == "Begin"
    assert first.body == "With a reason.\n\nAnd another."
    assert first.author == "Ada"
    assert (first.authored_at, first.committed_at) == (1_700_000_000_000, 1_700_000_100_000)
    assert first.parents == ()
    assert first.files == (FileChange("added", "a b.txt", added=20, deleted=0),)
    assert second.parents == (first.sha,)
    assert second.files == (
        FileChange("added", "blob"),
        FileChange("renamed", "c.txt", "a b.txt", added=0, deleted=0),
    )


def test_a_merge_has_parents_and_no_files_of_its_own(repo: Path) -> None:
    commit(repo, "first", a="1\n")
    run_git(repo, "checkout", "-q", "-b", "side")
    commit(repo, "side", b="1\n")
    run_git(repo, "checkout", "-q", "main")
    commit(repo, "main", c="1\n")
    run_git(repo, "merge", "-q", "-m", "join", "side")
    last = list(commits(repo))[-1]
    assert last.subject == "join"
    assert len(last.parents) == 2
    assert last.files == ()


def test_an_empty_commit_stands_between_others(repo: Path) -> None:
    commit(repo, "one", a="1\n")
    commit(repo, "nothing")
    commit(repo, "two", a="2\n")
    assert [(c.subject, len(c.files)) for c in commits(repo)] == [("one", 1), ("nothing", 0), ("two", 1)]


def test_since_and_limit_choose_the_newest(repo: Path) -> None:
    shas = [commit(repo, f"number {n}", a=f"{n}\n") for n in range(5)]
    assert [c.sha for c in commits(repo, since=shas[1])] == shas[2:]
    assert [c.sha for c in commits(repo, limit=2)] == shas[3:]
    assert [c.sha for c in commits(repo, limit=2, reverse=False)] == shas[:2:-1]
    assert list(commits(repo, since="HEAD")) == []
    with pytest.raises(InvalidInput, match="'0123456789'"):
        list(commits(repo, since="0123456789"))


def test_pages_join_without_a_seam(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shas = [commit(repo, f"number {n}", a=f"{n}\n") for n in range(5)]
    monkeypatch.setattr("moored.ledger.git_log._PAGE", 2)
    assert [c.sha for c in commits(repo)] == shas


def test_a_repository_without_commits_has_no_history(repo: Path) -> None:
    assert list(commits(repo)) == []


def test_history_outside_a_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        list(commits(tmp_path))


def test_messages_of_any_bytes_are_read(repo: Path) -> None:
    write_commit(repo, b"caf\xe9\n\n:100644 looks raw\n1\t2\tlooks counted\n", a="1\n")
    run_git(repo, "config", "i18n.commitEncoding", "ISO-8859-1")
    write(repo, "a", "2\n")
    run_git(repo, "commit", "-q", "-a", "-F", "-", stdin=b"th\xe9\n")
    raw, declared = commits(repo)
    assert raw.subject == "caf\N{REPLACEMENT CHARACTER}"
    assert raw.body == ":100644 looks raw\n1\t2\tlooks counted"
    assert [change.path for change in raw.files] == ["a"]
    assert declared.subject == "th\u00e9"


def test_a_time_beyond_the_calendar_is_clamped(repo: Path) -> None:
    write_commit(repo, b"late\n", at=10**17)
    (late,) = commits(repo)
    assert late.committed_at <= 253_402_300_799_000


def test_the_patch_of_a_commit_is_shown_up_to_a_size(repo: Path) -> None:
    sha = commit(repo, "first", a="one\n")
    patch = show_patch(repo, sha)
    assert patch.startswith(b"diff --git a/a b/a\n")
    assert patch.endswith(b"+one\n")
    assert show_patch(repo, sha, max_bytes=len(patch)) == patch
    with pytest.raises(TooLarge, match="is over"):
        show_patch(repo, sha, max_bytes=len(patch) - 1)
    with pytest.raises(InvalidInput):
        show_patch(repo, "--all")


def test_the_patch_of_a_merge_is_what_was_resolved(repo: Path) -> None:
    commit(repo, "first", a="1\n")
    run_git(repo, "checkout", "-q", "-b", "side")
    commit(repo, "side", a="2\n")
    run_git(repo, "checkout", "-q", "main")
    commit(repo, "main", a="3\n")
    with pytest.raises(subprocess.CalledProcessError):
        run_git(repo, "merge", "-q", "side")
    commit(repo, "joined", a="both\n")
    assert b"++both" in show_patch(repo, "HEAD")
