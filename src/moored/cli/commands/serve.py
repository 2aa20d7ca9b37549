"""The command that serves a project's memory to MCP clients."""

from __future__ import annotations

import gc
import logging
from asyncio import CancelledError
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import click

from moored.cli.session import Session, pass_session
from moored.errors import InvalidInput


@click.command("serve")
@click.option("--tools", default="default", show_default=True, metavar="NAMES", help="Sets of tools, or single tools.")
@click.option(
    "--http",
    "address",
    is_flag=False,
    flag_value="",
    metavar="[HOST:PORT]",
    help="Serve over HTTP instead of stdin and stdout; on a port of this machine by default.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="With --http: a further name by which clients may call. Repeatable.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="PATH",
    help="With --http: a file with the token to ask for, instead of your own.",
)
@pass_session
def serve_command(
    session: Session, tools: str, address: str | None, hosts: tuple[str, ...], token_file: Path | None
) -> None:
    """Serve the memory to an MCP client.

    A host starts this by itself and speaks over stdin and stdout; docs/mcp.md says how to set it up.

    \b
    Example:
      moored serve --tools default,history
      moored serve --http
    """
    if address is None and (hosts or token_file):
        raise InvalidInput("--allow-host and --token-file are for HTTP. Add --http, or leave them out.")
    _log_plainly()
    names = [name.strip() for name in tools.split(",") if name.strip()]
    with _without_collecting():
        from moored.server.app import build

        server = build(session.creating, tools=names)
    if address is None:
        from moored.server.stdio import serve_stdio

        serve_stdio(server, session.store_path)
        return
    from moored.server.background import Background
    from moored.server.http import DEFAULT_ADDRESS, serve_http

    with Background(server, session.store_path):
        serve_http(server, address or DEFAULT_ADDRESS, allowed_hosts=hosts, token=token_file)
    server.access.close()


def _log_plainly() -> None:
    """Log to stderr, a line for each message, where the SDK would draw frames as wide as a terminal that is not there.

    What it warns of is what clients did wrong, as often as they do.
    """
    logging.basicConfig(level=logging.WARNING, format="moored: %(message)s")
    logging.getLogger("mcp").setLevel(logging.ERROR)
    logging.getLogger("uvicorn.error").addFilter(_is_error)


def _is_error(record: logging.LogRecord) -> bool:
    """Whether a record is more than that a stream, which lasts as long as the server, ended with it."""
    return not (record.exc_info and isinstance(record.exc_info[1], CancelledError))


@contextmanager
def _without_collecting() -> Generator[None]:
    """Load without looking for garbage, which there is none of: that takes a tenth of the time until the first answer.

    What was loaded stays, so it is not looked through later either.
    """
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
