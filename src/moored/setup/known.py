"""The hosts that moored can be set up in."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from difflib import get_close_matches
from importlib import import_module

from moored.errors import NotFound
from moored.hosts.edits import SERVER, Setup, Site

HOSTS = ("claude-code", "codex", "cursor", "gemini", "opencode", "vscode", "omp")
"""The names of the hosts; the module of each has the same name with underscores."""

OTHER = "other"
"""The name under which any other client is told what to write down."""


def setup_of(host: str, site: Site) -> Setup:
    """What setting a host up means at a site. Raises `NotFound` for a host that moored does not know."""
    if host not in HOSTS:
        near = tuple(get_close_matches(host, HOSTS))
        known = ", ".join((*HOSTS, OTHER))
        raise NotFound(f"There is no host {host!r}. moored knows {known}.", near=near)
    return import_module(f"moored.hosts.{host.replace('-', '_')}").setup(site)


def on_this_machine(site: Site) -> Iterator[tuple[str, Setup]]:
    """The hosts whose program or folder is there."""
    for host in HOSTS:
        setup = setup_of(host, site)
        if any(folder.is_dir() for folder in setup.folders) or any(map(shutil.which, setup.programs)):
            yield host, setup


def snippet(site: Site) -> str:
    """What any other MCP client needs, in the shape that most of them read."""
    return json.dumps({"mcpServers": {SERVER: site.stdio()}}, ensure_ascii=False, indent=2)
