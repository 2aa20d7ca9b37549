"""Rules of the whole suite: no test may reach beyond this machine, and none may touch the user's own data."""

from __future__ import annotations

import ipaddress
import os
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

# The fault laboratory in `lab/` is imported by the tests of the store and of the facade.
sys.path.insert(0, str(Path(__file__).parent))

LOCAL_NAMES = {"localhost", ""}


def _refuse_egress(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        return
    address = arguments[1] if event != "socket.getaddrinfo" else (arguments[0],)
    if not isinstance(address, tuple) or address[0] is None:
        return  # a Unix socket
    host = address[0].decode() if isinstance(address[0], bytes) else str(address[0])
    try:
        local = host in LOCAL_NAMES or ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        local = False
    if not local:
        raise RuntimeError(f"the suite refuses to reach {host}: nothing may leave the machine (I-24)")


sys.addaudithook(_refuse_egress)


def pytest_report_header() -> str:
    return f"SQLite {apsw.sqlite_lib_version()}, apsw {apsw.apsw_version()}"


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test its own home, data folder and git identity."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("MOORED_", "GIT_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "A Tester")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "tester@example.com")
