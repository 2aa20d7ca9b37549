"""Released source code to measure on, fetched from the package index into a cache folder outside the repository.

Nothing that is fetched is imported, run or committed: archives are only unpacked and read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from platformdirs import user_cache_path

CACHE_VARIABLE = "MOORED_BENCH_CACHE"

BUILD_BACKENDS = ("setuptools<81", "wheel", "hatchling", "flit_core<4", "poetry-core", "hatch-vcs",
                  "hatch-fancy-pypi-readme")  # fmt: skip
"""pip builds the metadata of a source archive before it keeps the archive, and needs its build backend for that."""


def cache_folder() -> Path:
    """The folder that keeps what was fetched: `$MOORED_BENCH_CACHE`, else one in the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    folder = Path(named) if named else user_cache_path("moored") / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def unpacked(package: str, version: str) -> Path:
    """The folder of one release, fetched and unpacked unless that was done before.

    The source archive is taken where there is one that can be fetched, else the wheel. Raises `RuntimeError` when
    neither can be had.
    """
    folder = cache_folder() / "unpacked" / f"{package}-{version}"
    if folder.is_dir():
        return folder
    archive = _archive(package, version)
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    if archive.suffix == ".whl":
        shutil.unpack_archive(archive, partial, "zip")
    else:
        shutil.unpack_archive(archive, partial, filter=None if archive.suffix == ".zip" else "data")
    inside = list(partial.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        inside[0].rename(folder)
        partial.rmdir()
    else:
        partial.rename(folder)
    return folder


def _archive(package: str, version: str) -> Path:
    archives = cache_folder() / "archives"
    archives.mkdir(exist_ok=True)
    if known := _known(archives, package, version):
        return known
    wanted = f"{package}=={version}"
    download = [str(_builder()), "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(archives), wanted]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    source = [*download, "--no-binary", ":all:", "--no-build-isolation"]
    for command in (source, [*download, "--only-binary", ":all:"]):
        if subprocess.run(command, check=False, capture_output=True, env=environment).returncode == 0:
            break
    if found := _known(archives, package, version):
        return found
    raise RuntimeError(f"Neither a source archive nor a wheel of {wanted} could be fetched; try again when online.")


def _known(archives: Path, package: str, version: str) -> Path | None:
    for archive in sorted(archives.iterdir()):
        if archive.name.lower().startswith(tuple(f"{package}-{version}{end}".lower() for end in (".tar", "-", ".zip"))):
            return archive
    return None


def _builder() -> Path:
    """The interpreter of an environment of its own that holds the build backends."""
    home = cache_folder() / "builder"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *BUILD_BACKENDS], check=True)
    return python
