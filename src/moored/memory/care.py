"""Care: taking in what hooks captured, vectors, numbers, health, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

from moored.memory.core import ABSORB_PATIENCE, Core

if TYPE_CHECKING:
    from moored.absorb import Absorbed
    from moored.bundle import Bundled
    from moored.doctor import Diagnosis
    from moored.export import Exported
    from moored.model.projects import Project
    from moored.status import Status
    from moored.unbundle import Unbundled


class CarePart(Core):
    """What keeps the memory sound."""

    def absorb(self) -> Absorbed:
        """Take what hooks captured, in any project of the store, into the record and the ledger.

        Raises the errors of the store, and `OSError` for an inbox that cannot be locked; what is not taken waits on.
        """
        from moored.absorb import absorb

        absorbed = absorb(self.store, clock=self.clock, ids=self.ids, patience=ABSORB_PATIENCE)
        self.filling.at_once()
        return absorbed

    def upkeep(self, *, limit: int = sys.maxsize) -> int:
        """Give waiting texts the vectors of the configured model, at most `limit` of them; return how many got one.

        All that have none yet get one of the first pass before. Where the model is another than before, every text
        without a vector of its own waits again. Before, preferences and beliefs are learned of what was not read yet;
        after, what was forgotten and can be restored no more is erased, and changes are proposed for notes that do not
        hold.
        """
        from moored.atlas.profile.learning import learn_all
        from moored.atlas.proposals import propose_anew
        from moored.forgetting.forget import forget_expired

        learn_all(self.store, self.project, clock=self.clock, ids=self.ids)
        done = self.filling.upkeep(limit)
        forget_expired(self.store, self.project, actor="person", clock=self.clock, ids=self.ids)
        self.reviewed = propose_anew(self.store, self.tree, self.reviewed, clock=self.clock, ids=self.ids)
        return done

    def projects(self) -> tuple[Project, ...]:
        """All projects of the store."""
        with self.store.read() as view:
            return tuple(view.projects.all())

    def status(self) -> Status:
        """What this memory holds, in numbers."""
        from moored.status import status

        self._absorb_first()
        with self.store.read() as view:
            return status(self.store, view, self.tree)

    def doctor(self, *, deep: bool = False) -> Diagnosis:
        """Whether everything is sound, and what to do where it is not. `deep` proves promises of all that is kept."""
        from moored.doctor import diagnose

        return diagnose(self.store, self.tree, self.embedder, deep=deep)

    def export(self, target: Path | IO[bytes], *, facts: bool = False, plain: bool = False) -> Exported:
        """Write all of this project to a file of JSON Lines, on request with its facts and their history.

        Raises `InvalidInput` for an encrypted store, unless `plain` says that what is written may lie open.
        """
        from moored.export import export, refuse_to_lay_open

        if not plain:
            refuse_to_lay_open(self.store)
        self._absorb_first()
        with self.store.read() as view:
            return export(view, self.tree, target, self.clock, facts=facts)

    def bundle(self, target: Path, *, everything: bool = False, plain: bool = False) -> Bundled:
        """Write all of this project that cannot be derived again, or of every project, to a file that can be imported.

        Raises as `export`.
        """
        from moored.bundle import bundle
        from moored.export import refuse_to_lay_open

        if not plain:
            refuse_to_lay_open(self.store)
        self._absorb_first()
        projects = self.projects() if everything else (self.project,)
        return bundle(self.store, projects, target, self.clock, self.ids)

    def unbundle(self, file: Path) -> Unbundled:
        """Take in a bundle, with every project that is in it; what is here stays as it is.

        Raises `NotFound`, `InvalidInput` for a file that is no whole bundle, and errors of the store.
        """
        from moored.unbundle import unbundle

        done = unbundle(self.store, file)
        self.filling.at_once()
        return done
