"""SQL of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.model.rules import Rule
    from moored.store.sqlite.connection import Connection


class Rules:
    """Reads and writes rules. One counts while the operation that made it stands."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def standing(self, project: Project) -> list[Rule]:
        """The rules of a project that hold, oldest first."""
        rows = self._db.rows(
            """SELECT r.id, r.action, r.factor, r.condition, r.scope_kind, r.scope, r.reason, r.actor, o.id,
                r.created_at
            FROM rule r JOIN operation o ON o.row = r.operation
            WHERE r.project = ? AND o.undone_at IS NULL ORDER BY r.row""",
            project.row,
        )
        if not rows:
            return []
        from moored.model.conditions import unpacked
        from moored.model.rules import Action, Rule, ScopeKind

        return [
            Rule(id_, Action(action), factor, unpacked(condition), ScopeKind(scope_kind), *rest)
            for id_, action, factor, condition, scope_kind, *rest in rows
        ]

    def add(self, project: Project, rule: Rule) -> None:
        """Write a rule under its operation, which is under way."""
        from moored.model.conditions import packed

        self._db.execute(
            """INSERT INTO rule (id, project, action, factor, condition, scope_kind, scope, reason, actor, operation,
                created_at)
            VALUES (?2, ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, (SELECT row FROM operation WHERE project = ?1 AND id = ?10),
                ?11)""",
            (
                project.row, rule.id, rule.action, rule.factor, packed(rule.condition), rule.scope_kind, rule.scope,
                rule.reason, rule.actor, rule.operation, rule.created_at,
            ),
        )  # fmt: skip
