"""The command that shows what moored does: demo."""

from __future__ import annotations

import click

from moored.cli.output import printable
from moored.cli.progress import progress
from moored.cli.session import Session, pass_session


@click.command("demo")
@click.option("--keep", is_flag=True, help="Leave the copy and its store for a look.")
@pass_session
def demo_command(session: Session, keep: bool) -> None:
    """Show on a copy of this repository what moored does.

    Exits 6 when a promise is broken. The copy and its store are in a temporary folder; nothing of yours is touched.

    \b
    Example:
      moored demo
    """
    from moored.demo import tell

    tell(session.path.resolve(), lambda line: click.echo(printable(line)), keep=keep, watched=progress)
