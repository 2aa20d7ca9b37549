"""The command of the profile: what is known of how the user and the project want things done."""

from __future__ import annotations

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session


@click.command("profile")
@click.option("--about", default="", metavar="KEY", help="Only what is about this, such as 'package manager'.")
@click.option("--all", "every", is_flag=True, help="Also what was replaced or lost what it rested on.")
@json_option
@pass_session
def profile_command(session: Session, about: str, every: bool, as_json: bool) -> None:
    """Show preferences, conventions and habits, with evidence.

    What is wrong is put right with `revise ID`, taken away with `forget ID`, kept as it is with `protect ID`.

    \b
    Example:
      moored profile --about "package manager"
    """
    from moored.cli import shapes_profile

    with session.existing() as memory:
        entries = memory.profile(about=about, every=every)
    emit(as_json, lambda: shapes_profile.profile(entries), shapes_profile.lines(entries))
