"""The command `import`: the history of the repository, and the transcripts of hosts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from moored.cli.output import emit
from moored.cli.progress import progress
from moored.cli.session import Session, json_option, pass_session
from moored.importers.formats import NAMES

AUTO = "auto"


@click.group("import")
def import_command() -> None:
    """Bring in what happened before moored was there.

    Each import is an operation: `moored undo` takes back what it brought in; that of a bundle is none. Importing again
    brings in only what is new.

    \b
    Examples:
      moored import auto
      moored import claude-code ~/old-laptop/projects
      moored import git
    """


@import_command.command("git")
@click.option("--since", metavar="REVISION", help="Leave out what this commit reaches.")
@click.option("--limit", type=click.IntRange(min=1), help="Bring in only the newest so many commits.")
@json_option
@pass_session
def import_git_command(session: Session, since: str | None, limit: int | None, as_json: bool) -> None:
    """Bring the history of the repository into the record.

    It is an operation that can be undone.

    \b
    Example:
      moored import git --limit 500
    """
    from moored.cli import render_care, shapes

    with session.creating() as memory, progress("importing") as advance:
        done = memory.import_git(since=since, limit=limit, progress=lambda number: advance(number, None))
    line = f"{render_care.counted(done.recorded, 'commit')} recorded, {done.known:,} known already"
    if done.operation:
        line += f"; `moored undo {done.operation}` takes them out again"
    emit(as_json, shapes.plain(done), [line])


@import_command.command("bundle")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@pass_session
def import_bundle_command(session: Session, file: Path, as_json: bool) -> None:
    """Take in a file of `moored export --bundle`, all its projects.

    What is here stays as it is, and what was forgotten here does not come back. All of it is checked before.

    \b
    Example:
      moored import bundle memory.zip
    """
    from moored.cli import render_import
    from moored.unbundle import unbundle_into

    done = unbundle_into(session.store_path, file)
    emit(as_json, asdict(done), render_import.bundle(file, done))


def _transcripts_command(host: str) -> click.Command:
    """The command that imports the transcripts of one host, or of all."""

    @click.argument("path", required=False, type=click.Path(path_type=Path))
    @click.option("--all", "every_project", is_flag=True, help="Those of every project, each into its own memory.")
    @json_option
    @pass_session
    def run(session: Session, path: Path | None, every_project: bool, as_json: bool) -> None:
        from moored.cli import render_import, shapes

        with session.creating() as memory, progress("importing (kB)") as advance:
            done = memory.import_transcripts(host, path, every_project=every_project, progress=advance)
        emit(as_json, shapes.plain(done), render_import.transcripts(done))

    run.__doc__ = f"""{_title(host)}.

    Without PATH, those on this machine that are of this project. With PATH, a file or a folder, those in it: each goes
    to the project of the folder that it names, or to this one when that folder is gone.

    \b
    Example:
      moored import {host}{" run.traj" if host == "swe-agent" else ""}
    """
    return click.command(host)(run)


def _title(host: str) -> str:
    return "Bring in the transcripts of every host" if host == AUTO else f"Bring in the transcripts of {host}"


for _host in (AUTO, *NAMES):
    import_command.add_command(_transcripts_command(_host))
