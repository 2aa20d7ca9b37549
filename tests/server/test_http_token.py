"""The secret of the HTTP server: made once, whole, for its user alone."""

from __future__ import annotations

import base64
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from moored.errors import InvalidInput
from moored.server.token import BITS, own_token, read_token, token_file

posix = pytest.mark.skipif(os.name != "posix", reason="there are no modes and owners")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def held(file: Path, text: str, mode: int = 0o600) -> Path:
    file.write_text(text)
    file.chmod(mode)
    return file


def test_a_token_has_256_bits_and_is_made_once() -> None:
    token = own_token()
    assert len(base64.urlsafe_b64decode(token + "=")) * 8 == BITS
    assert own_token() == token


@posix
def test_the_token_is_its_users_alone() -> None:
    own_token()
    assert token_file().stat().st_mode & 0o777 == 0o600
    assert token_file().parent.stat().st_mode & 0o777 == 0o700


@posix
def test_a_folder_that_others_could_enter_is_closed() -> None:
    token_file().parent.mkdir(parents=True)
    token_file().parent.chmod(0o755)
    own_token()
    assert token_file().parent.stat().st_mode & 0o777 == 0o700


def test_servers_that_start_together_take_the_same_token() -> None:
    with ThreadPoolExecutor(16) as pool:
        tokens = list(pool.map(lambda _: own_token(), range(64)))
    assert len(set(tokens)) == 1
    assert list(token_file().parent.iterdir()) == [token_file()]


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o610])
def test_a_token_that_others_may_read_or_replace_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(InvalidInput, match="Remove it"):
        read_token(held(tmp_path / "token", "t" * 43, mode))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a file away")
def test_the_token_of_another_user_is_refused(tmp_path: Path) -> None:
    file = held(tmp_path / "token", "t" * 43)
    os.chown(file, 65534, 65534)
    with pytest.raises(InvalidInput, match="the user who runs moored"):
        read_token(file)


@posix
def test_a_link_and_a_pipe_are_no_token_files(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(held(tmp_path / "token", "t" * 43))
    with pytest.raises(InvalidInput):
        read_token(tmp_path / "link")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(InvalidInput):
        read_token(tmp_path / "pipe")


@pytest.mark.parametrize("text", ["", "\n", "short", "t" * 31, "two words " * 8, "ü" * 40, "t" * 600])
def test_a_file_without_a_strong_token_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match="no token"):
        read_token(held(tmp_path / "token", text))


def test_the_white_space_around_a_token_does_not_count(tmp_path: Path) -> None:
    assert read_token(held(tmp_path / "token", f"  {'t' * 43}\r\n")) == "t" * 43


def test_a_missing_token_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_token(tmp_path / "token")


@pytest.mark.skipif(sys.platform == "win32", reason="a file is no obstacle there")
def test_a_state_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(InvalidInput, match="No token can be kept"):
        own_token()
