"""To which project a transcript belongs: by the folder that it names, where that folder is still there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from moored.errors import MooredError
from moored.model.projects import Project, Tree
from moored.settings import Place

OTHER = "of another project"
GONE = "its folder is gone"
UNNAMED = "it names no folder"


@dataclass(slots=True)
class Router:
    """Tells the project of a folder, or why what happened there is not brought in.

    `asked` is the project that the import is for. What belongs to another one is brought in there with `every`, and
    where the transcript itself was named (`named`); where it was, `asked` gets what names no folder that is still
    there. `place_of` finds the place of a folder and `belonging` the project of a place, which it makes if need be.
    """

    asked: Project
    place_of: Callable[[Path], Place]
    belonging: Callable[[Place], tuple[Project, Tree]]
    every: bool = False
    named: bool = False
    _known: dict[str, Project | str] = field(default_factory=dict[str, Project | str])

    def project(self, folder: str) -> Project | str:
        """The project to which a transcript goes that names this folder, or the reason why it goes nowhere."""
        if folder not in self._known:
            self._known[folder] = self._find(folder)
        return self._known[folder]

    def _find(self, folder: str) -> Project | str:
        place = self._place(Path(folder)) if folder else None
        if place is None:
            return self.asked if self.named else GONE if folder else UNNAMED
        if place.key == self.asked.key:
            return self.asked
        return self.belonging(place)[0] if self.every or self.named else OTHER

    def _place(self, folder: Path) -> Place | None:
        """The place of a folder; of one that is gone only if the repository that it was in is still there."""
        if not folder.is_absolute():
            return None
        try:
            place = self.place_of(folder)
        except MooredError:
            return None
        return place if folder.is_dir() or place.key.startswith("git:") else None
