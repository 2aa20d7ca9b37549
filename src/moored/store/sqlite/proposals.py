"""SQL of proposals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from moored.store.sqlite.notes import STANDING

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.model.proposals import Proposal
    from moored.store.sqlite.connection import Connection

DECIDED = """LEFT JOIN decision d ON d.row = (
    SELECT x.row FROM decision x JOIN operation y ON y.row = x.operation
    WHERE x.proposal = p.row AND y.undone_at IS NULL ORDER BY x.outcome = 'accepted' DESC, x.row DESC LIMIT 1)"""
"""How a proposal is decided. That it was accepted goes before the rest, as it changed the note."""

_PROPOSAL = f"""
SELECT p.id, n.id, p.head, p.action, p.text, p.reason, p.evidence, o.id, p.created_at,
    coalesce((SELECT id FROM operation WHERE row = d.operation), ''), coalesce(d.outcome, ''), coalesce(d.because, '')
FROM proposal p JOIN operation o ON o.row = p.operation JOIN note n ON n.row = p.note {DECIDED}
"""


class Proposals:
    """Reads and writes proposals."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def add(self, project: Project, proposal: Proposal) -> None:
        """Write a proposal under its operation."""
        self._db.execute(
            """INSERT INTO proposal (project, id, note, head, action, text, reason, evidence, operation, created_at)
            SELECT ?1, ?2, n.row, ?4, ?5, ?6, ?7, ?8, o.row, ?10
            FROM note n JOIN operation o ON o.project = ?1 AND o.id = ?9 WHERE n.project = ?1 AND n.id = ?3""",
            (
                project.row, proposal.id, proposal.note, proposal.head, proposal.action, proposal.text,
                proposal.reason, json.dumps(proposal.grounds, ensure_ascii=False), proposal.operation,
                proposal.created_at,
            ),
        )  # fmt: skip

    def decide(self, project: Project, proposal_id: str, decision: str, operation: str, because: str = "") -> None:
        """Say what was decided of a proposal by an operation, and why."""
        self._db.execute(
            """INSERT INTO decision (project, proposal, outcome, because, operation, created_at)
            SELECT ?1, p.row, ?3, ?5, o.row, o.started_at FROM proposal p JOIN operation o
            WHERE p.project = ?1 AND p.id = ?2 AND o.project = ?1 AND o.id = ?4""",
            (project.row, proposal_id, decision, operation, because),
        )

    def get(self, project: Project, proposal_id: str) -> Proposal | None:
        """The proposal of this id, whatever became of it or of its note."""
        found = self._proposals("WHERE p.project = ? AND p.id = ?", project.row, proposal_id)
        return found[0] if found else None

    def all(self, project: Project) -> list[Proposal]:
        """Every proposal that counts, whatever became of it or of its note, oldest first."""
        return self._proposals("WHERE p.project = ? AND o.undone_at IS NULL ORDER BY p.row", project.row)

    def standing(self, project: Project) -> list[Proposal]:
        """The proposals about what notes in force say now, open and decided, oldest first."""
        return self._proposals(
            f"WHERE p.project = ? AND o.undone_at IS NULL AND p.head = n.head AND {STANDING} ORDER BY p.row",
            project.row,
        )

    def doubted(self, project: Project) -> list[str]:
        """The notes in force of which it was said last, as they are now, that they were useless, and why."""
        rows = self._db.rows(
            f"""SELECT n.id FROM note n JOIN revision h ON h.row = n.head
            JOIN rating r ON r.row = (SELECT max(x.row) FROM rating x JOIN operation o ON o.row = x.operation
                WHERE x.note = n.row AND o.undone_at IS NULL)
            WHERE n.project = ? AND {STANDING} AND r.useful = 0 AND r.reason <> '' AND r.created_at >= h.created_at
            ORDER BY n.row""",
            project.row,
        )
        return [row[0] for row in rows]

    def _proposals(self, where: str, *values: Any) -> list[Proposal]:
        from moored.model.proposals import Ground, GroundKind, Proposal, Remedy

        found: list[Proposal] = []
        for id_, note, head, action, text, reason, evidence, *rest in self._db.rows(_PROPOSAL + where, *values):
            grounds = tuple(Ground(GroundKind(kind), *said) for kind, *said in json.loads(evidence))
            found.append(Proposal(id_, note, head, Remedy(action), text, reason, grounds, *rest))
        return found
