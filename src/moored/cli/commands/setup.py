"""Commands that set moored up in the hosts of this machine and take it out again: setup, unsetup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session

REFUSED = 2
"""The exit code when a host was refused: the one of bad input."""

NOTHING_FOUND = (
    "No coding agent was found here. `moored setup HOST` sets one up all the same, and `moored setup other` shows what "
    "any other MCP client needs."
)
FLEETING = "That is a cache of uv. Install moored with `uv tool install`, or set it up with `--command uvx`."
SHARED = "The files are in the project. With `--command path` they name nothing of this machine and can be shared."

_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


@click.command("setup")
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--user", "scope", flag_value="user", default="user", help="For all your projects; this is the default.")
@click.option("--project", "scope", flag_value="project", help="For this project only, in files of the project.")
@_dry_run
@click.option("--index/--no-index", default=True, help="Begin the memory of this project and read its files.")
@click.option("--import/--no-import", "bring_in", default=None, help="Import the transcripts that hosts keep already.")
@click.option(
    "--command",
    type=click.Choice(["installed", "path", "uvx"]),
    default="installed",
    help="How hosts call moored: by the full path of this installation, by name, or through uvx.",
)
@json_option
@pass_session
@click.pass_context
def setup_command(
    context: click.Context,
    session: Session,
    hosts: tuple[str, ...],
    scope: str,
    dry_run: bool,
    index: bool,
    bring_in: bool | None,
    command: str,
    as_json: bool,
) -> None:
    """Set moored up in the coding agents of this machine.

    Without HOST in all that are found. Known are claude-code, codex, cursor, gemini (and Antigravity), opencode, vscode
    (and Copilot CLI), omp; `other` shows what any other MCP client needs. `moored unsetup` takes all of it back.

    \b
    Examples:
      moored setup
      moored setup claude-code codex --project
      moored setup --dry-run
    """
    from moored.cli import first_day, render_setup
    from moored.setup import known, runs, site

    project = _root(session) if scope == "project" else None
    here = site.here(project, site.Command(command))
    named = [host for host in dict.fromkeys(hosts) if host != known.OTHER]
    chosen = [(host, known.setup_of(host, here)) for host in named]
    if not hosts:
        chosen = list(known.on_this_machine(here))
    setups = dict(chosen)
    done: list[dict[str, Any]] = []
    lines: list[str] = []
    for one in runs.set_up(chosen, site.journal_folder(), project=project, dry_run=dry_run):
        told = setups[one.host].title, setups[one.host].hints
        done.append(render_setup.shape(one, *told, taken_back=False))
        lines += render_setup.lines(one, *told, taken_back=False, dry_run=dry_run)
    if done and command == "installed":
        lines.append(f"Hosts call {here.hook[0]}. When it moves, run `moored setup` again.")
        lines += [FLEETING] if site.is_fleeting(here.hook[0]) else []
        lines += [SHARED] if project else []
    if not hosts and not chosen:
        lines.append(NOTHING_FOUND)
    snippet = known.snippet(here) if known.OTHER in hosts else ""
    if snippet:
        lines += ["An MCP client runs moored with:", *snippet.splitlines()]
    began, said = first_day.begin(session, bring_in, may_ask=not as_json) if index and not dry_run else (None, [])
    shape = {"scope": scope, "dry_run": dry_run, "command": here.hook[0], "hosts": done}
    shape |= {"snippet": snippet, "project": began}
    emit(as_json, shape, [*lines, *said])
    if any(host["outcome"] == "refused" for host in done):
        context.exit(REFUSED)


@click.command("unsetup")
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--user", "scope", flag_value="user", help="Only what was set up for all your projects.")
@click.option("--project", "scope", flag_value="project", help="Only what was set up for this project.")
@_dry_run
@json_option
@pass_session
@click.pass_context
def unsetup_command(
    context: click.Context,
    session: Session,
    hosts: tuple[str, ...],
    scope: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take moored out of the coding agents again.

    Without HOST out of all. Every file becomes what it was, byte for byte; from one that was edited since, only what is
    moored's is taken out. The memory itself stays.

    \b
    Examples:
      moored unsetup
      moored unsetup cursor --dry-run
    """
    from moored.cli import render_setup
    from moored.setup import known, runs, site

    folder = site.journal_folder()
    project = _root(session) if scope == "project" else None
    projects = {"user": ("",), "project": (str(project),)}[scope] if scope else None
    here = site.here(project)
    setups = {host: known.setup_of(host, here) for host in hosts or known.HOSTS}
    told = {*hosts, *runs.hosts_of(folder)}
    done: list[dict[str, Any]] = []
    lines: list[str] = []
    for one in runs.take_back(setups.items(), folder, projects=projects, project=project, dry_run=dry_run):
        if one.changes or one.refused or one.host in told:
            title = setups[one.host].title
            done.append(render_setup.shape(one, title, (), taken_back=True))
            lines += render_setup.lines(one, title, (), taken_back=True, dry_run=dry_run)
    if not done:
        lines.append("moored is set up in no host.")
    emit(as_json, {"dry_run": dry_run, "hosts": done}, lines)
    if any(host["outcome"] == "refused" for host in done):
        context.exit(REFUSED)


def _root(session: Session) -> Path:
    from moored.settings import locate

    return locate(session.path).root
