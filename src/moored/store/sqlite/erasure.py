"""SQL of forgetting: what is chosen, what rests on it, and the erasure of all of it.

Everything is asked and done within one project. A row that nothing else may delete is deleted under a permission, which
names it and is used up in the same transaction. Where rows point at each other, their keys are checked at the end.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from moored.model.hashing import digest
from moored.store.port_erasure import ErasableEpisode
from moored.store.sqlite.episodes import decoded
from moored.store.sqlite.notes import Notes
from moored.store.sqlite.replacing import Replacing
from moored.store.sqlite.vectors import BEFORE, Vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from moored.model.forgetting import Selection
    from moored.model.notes import Revision
    from moored.model.projects import Project
    from moored.model.windowing import Window
    from moored.store.port_erasure import ReplacedEpisode
    from moored.store.sqlite.connection import Connection

SALT = "tombstone salt"
UNFINISHED = "forgetting to be finished"
_IDS = "(SELECT value FROM json_each(?2))"
# The unary plus lets the planner look up the ids instead of walking the project.
_EPISODES = f"(SELECT seq FROM episode WHERE +project = ?1 AND id IN {_IDS})"
_NOTES = f"(SELECT row FROM note WHERE +project = ?1 AND id IN {_IDS})"
_TABLE_OF = {"episode": "episode", "note": "note", "pin": "pin", "reminder": "reminder"}
_TEXT_OF = {
    "note": "SELECT n.id, r.text FROM note n JOIN revision r ON r.row = n.head WHERE n.project = ?1 AND n.id IN {}",
    "pin": "SELECT id, text FROM pin WHERE project = ?1 AND id IN {}",
    "reminder": "SELECT id, text FROM reminder WHERE project = ?1 AND id IN {}",
}
# Facts that are of episodes alone: what was read from them, and commands that no episode but these ran.
_FACTS = """
SELECT f.row FROM fact f WHERE +f.project = ?1 AND f.episode <> 0 AND f.episode IN {episodes}
    AND (f.kind <> 'command' OR NOT EXISTS (
        SELECT 1 FROM fact_version v JOIN episode e ON e.seq = v.episode
        WHERE v.fact = f.row AND v.episode NOT IN {episodes}))
"""

_COUNTED_EPISODES = {
    "windows": "SELECT count(*) FROM window WHERE project = ?1 AND episode IN {}",
    "facts": "SELECT count(*) FROM fact WHERE project = ?1 AND episode IN {}",
    "aliases": "SELECT count(*) FROM alias WHERE project = ?1 AND episode IN {}",
    "pieces of evidence": "SELECT count(*) FROM evidence WHERE project = ?1 AND episode IN {}",
    "positions in transcripts": "SELECT count(*) FROM transcript_event WHERE project = ?1 AND episode IN {}",
    "vectors": """SELECT count(*) FROM window w JOIN vector v ON v.owner_kind = 'window' AND v.owner = w.row
        WHERE w.project = ?1 AND w.episode IN {}""",
    "waiting texts": """SELECT count(*) FROM window w JOIN vector_queue q ON q.owner_kind = 'window'
        AND q.owner = w.row WHERE w.project = ?1 AND w.episode IN {}""",
}
_COUNTED_NOTES = {
    "revisions": "SELECT count(*) FROM revision WHERE note IN {}",
    "anchors": "SELECT count(*) FROM anchor a JOIN revision r ON r.row = a.revision WHERE r.note IN {}",
    "links": "SELECT count(*) FROM link WHERE project = ?1 AND (note IN {0} OR other IN {0})",
    "disputes": "SELECT count(*) FROM dispute WHERE project = ?1 AND (note IN {0} OR other IN {0})",
    "proposals": "SELECT count(*) FROM proposal WHERE project = ?1 AND note IN {}",
    "ratings": "SELECT count(*) FROM rating WHERE project = ?1 AND note IN {}",
}


class Erasure:
    """Chooses what is to be forgotten, finds what rests on it, and hides, erases or replaces it."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._replacing = Replacing(connection)

    def chosen(self, project: Project, selection: Selection) -> list[str]:
        """The episodes that a selection narrows the record down to, hidden ones too, oldest first."""
        if not selection.narrows:
            return []
        found = self._db.rows(
            """SELECT e.id FROM episode e JOIN session s ON s.row = e.session
            WHERE e.project = ?1 AND (?2 = '' OR s.name = ?2 OR s.id = ?2)
                AND (?3 IS NULL OR e.occurred_at >= ?3) AND (?4 IS NULL OR e.occurred_at < ?4)
                AND (?5 = '' OR e.author = ?5)
                AND (?6 = '' OR s.host = ?6 OR e.channel = ?6 OR EXISTS (
                    SELECT 1 FROM operation_episode oe JOIN operation o ON o.row = oe.operation
                    WHERE oe.episode = e.seq AND o.project = ?1 AND o.id = ?6))
            ORDER BY e.seq""",
            project.row,
            selection.session,
            selection.since,
            selection.until,
            selection.author,
            selection.source,
        )
        return [row[0] for row in found]

    def notes_of(self, project: Project) -> list[str]:
        """The ids of all notes, in force or not, oldest first."""
        return [row[0] for row in self._db.rows("SELECT id FROM note WHERE project = ? ORDER BY row", project.row)]

    def pins_of(self, project: Project) -> list[str]:
        """The ids of all pins, also of those that were taken out of the briefs."""
        return [row[0] for row in self._db.rows("SELECT id FROM pin WHERE project = ? ORDER BY row", project.row)]

    def kinds(self, project: Project, ids: Sequence[str]) -> dict[str, str]:
        """Which of these ids there are: `episode`, `note`, `pin` or `reminder`."""
        return {
            row[0]: kind
            for kind, table in _TABLE_OF.items()
            for row in self._ask(f"SELECT id FROM {table} WHERE +project = ?1 AND id IN {_IDS}", project, ids)
        }

    def episodes(self, project: Project, ids: Sequence[str]) -> list[ErasableEpisode]:
        """These episodes, oldest first."""
        events: dict[int, list[str]] = {}
        for seq, event in self._ask(
            f"SELECT episode, event FROM transcript_event WHERE project = ?1 AND episode IN {_EPISODES}", project, ids
        ):
            events.setdefault(seq, []).append(event)
        found = self._ask(
            f"""SELECT e.seq, e.id, s.host, s.name, e.role, e.channel, e.trust, e.author, e.host_event,
                e.idempotency_key, e.content, e.encoding, e.content_hash, e.tool_name, e.tool_input, e.exit_status,
                e.occurred_at
            FROM episode e JOIN session s ON s.row = e.session WHERE e.seq IN {_EPISODES} ORDER BY e.seq""",
            project,
            ids,
        )
        return [
            ErasableEpisode._make(
                (*one[:10], decoded(one[10], one[11]), one[10], *one[12:], tuple(sorted(events.get(one[0], ()))))
            )
            for one in found
        ]

    def facts_of(self, project: Project, episodes: Sequence[str]) -> list[str]:
        """The facts that go with these episodes: those read from them, and commands that only they ran."""
        sql = f"SELECT id FROM fact WHERE row IN ({_FACTS.format(episodes=_EPISODES)}) ORDER BY row"
        return [row[0] for row in self._ask(sql, project, episodes)]

    def resting_on(self, project: Project, episodes: Sequence[str], facts: Sequence[str]) -> list[str]:
        """The notes with a revision whose words or anchors are of these episodes and facts."""
        found = self._db.rows(
            f"""SELECT n.id FROM note n WHERE n.project = ?1 AND n.row IN (
                SELECT r.note FROM revision r WHERE r.episode IN {_EPISODES}
                UNION SELECT r.note FROM anchor a JOIN revision r ON r.row = a.revision WHERE a.episode IN {_EPISODES}
                UNION SELECT r.note FROM anchor a JOIN revision r ON r.row = a.revision WHERE a.fact IN (
                    SELECT row FROM fact WHERE +project = ?1 AND id IN (SELECT value FROM json_each(?3))))
            ORDER BY n.row""",
            project.row,
            json.dumps(list(episodes)),
            json.dumps(list(facts)),
        )
        return [row[0] for row in found]

    def words_of(self, project: Project, notes: Sequence[str], reminders: Sequence[str] = ()) -> list[str]:
        """The episodes that were recorded for the words of these notes and reminders alone."""
        found = self._db.rows(
            f"""SELECT e.id, e.content_hash, r.text FROM revision r JOIN episode e ON e.seq = r.episode
            WHERE r.note IN {_NOTES} AND (e.host_event = '' AND r.actor <> 'profile' OR r.actor = 'seed')
            UNION SELECT e.id, e.content_hash, NULL FROM evidence v JOIN episode e ON e.seq = v.episode
            WHERE v.note IN {_NOTES} AND v.kind = 'same' AND e.host_event = ''
                AND NOT EXISTS (SELECT 1 FROM revision l WHERE l.note = v.note AND l.actor = 'profile')
            UNION SELECT e.id, e.content_hash, m.text FROM reminder m JOIN episode e ON e.seq = m.episode
            WHERE m.project = ?1 AND e.host_event = ''
                AND (m.note IN {_NOTES} OR m.id IN (SELECT value FROM json_each(?3))) ORDER BY 1""",
            project.row,
            json.dumps(list(notes)),
            json.dumps(list(reminders)),
        )
        # What said the same as a note was recorded for it too, in whatever words.
        return list(dict.fromkeys(id_ for id_, hashed, text in found if text is None or hashed == digest(text)))

    def revisions(self, project: Project, note: str) -> list[Revision]:
        """All revisions of a note, in force or not, oldest first."""
        return Notes(self._db).revisions(project, note)

    def texts(self, project: Project, kind: str, ids: Sequence[str]) -> dict[str, str]:
        """What these notes (newest revision), pins or reminders say."""
        return dict(self._ask(_TEXT_OF[kind].format(_IDS), project, ids))

    def count(self, project: Project, episodes: Sequence[str], notes: Sequence[str]) -> dict[str, int]:
        """What hangs on these episodes and notes, by its name in the plural."""
        counted = {
            name: self._ask(sql.format(_EPISODES), project, episodes)[0][0] for name, sql in _COUNTED_EPISODES.items()
        }
        for name, sql in _COUNTED_NOTES.items():
            counted[name] = self._ask(sql.format(_NOTES), project, notes)[0][0]
        return {name: number for name, number in counted.items() if number}

    def reminders_of(self, project: Project, episodes: Sequence[str], notes: Sequence[str]) -> list[str]:
        """The reminders that rest on these."""
        by_episode = f"SELECT id FROM reminder WHERE project = ?1 AND episode IN {_EPISODES} ORDER BY row"
        by_note = f"SELECT id FROM reminder WHERE project = ?1 AND note IN {_NOTES} ORDER BY row"
        found = [*self._ask(by_episode, project, episodes), *self._ask(by_note, project, notes)]
        return list(dict.fromkeys(row[0] for row in found))

    def buried(self, project: Project, hashes: Sequence[str]) -> dict[str, int]:
        """Those of these tombstones that stand, with the times at which they were set."""
        found = self._ask(
            f"""SELECT t.hash, max(t.at) FROM tombstone t JOIN operation o ON o.row = t.operation
            WHERE t.project = ?1 AND t.hash IN {_IDS} AND o.undone_at IS NULL GROUP BY t.hash""",
            project,
            hashes,
        )
        return dict(found)

    def has_buried(self, project: Project) -> bool:
        """Whether the project has tombstones."""
        return self._db.row("SELECT 1 FROM tombstone WHERE project = ? LIMIT 1", project.row) is not None

    def salt(self) -> str:
        """What tombstones of this store are hashed with, empty before the first."""
        row = self._db.row("SELECT value FROM meta WHERE key = ?", SALT)
        return row[0] if row else ""

    def set_salt(self, salt: str) -> None:
        """Keep what tombstones are hashed with, when there is nothing yet."""
        self._db.execute("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (SALT, salt))

    def bury(self, project: Project, operation: str, hashes: Iterable[str], at: int, salt: str) -> None:
        """Set tombstones. `salt` is kept when there is none yet."""
        self.set_salt(salt)
        number = self._operation(project, operation)
        self._db.executemany(
            "INSERT OR REPLACE INTO tombstone (project, hash, operation, at) VALUES (?, ?, ?, ?)",
            [(project.row, one, number, at) for one in hashes],
        )

    def hidden_by(self, project: Project, operation: str) -> tuple[list[str], list[str]]:
        """The episodes and the notes that an operation took out of every answer."""
        by = "(SELECT row FROM operation WHERE project = ?1 AND id = ?2)"
        episodes = self._db.rows(
            f"""SELECT e.id FROM hidden_episode h JOIN episode e ON e.seq = h.episode
            WHERE h.operation = {by} AND e.project = ?1 ORDER BY e.seq""",
            project.row,
            operation,
        )
        notes = self._db.rows(
            f"SELECT id FROM note WHERE withdrawn = {by} AND project = ?1 ORDER BY row", project.row, operation
        )
        return [row[0] for row in episodes], [row[0] for row in notes]

    def erase_notes(
        self, project: Project, operation: str, notes: Sequence[str], revisions: Sequence[str], facts: Sequence[str]
    ) -> None:
        """Delete notes with all that hangs on them, revisions of other notes, and the anchors to these facts."""
        self._db.rows("PRAGMA defer_foreign_keys = ON")
        whole = [row[0] for row in self._ask(f"SELECT row FROM note WHERE row IN {_NOTES}", project, notes)]
        parts = self._ask(
            f"""SELECT r.row, r.note FROM revision r JOIN note n ON n.row = r.note
            WHERE n.project = ?1 AND r.id IN {_IDS}""",
            project,
            revisions,
        )
        shortened = sorted({note for _, note in parts if note not in whole})
        gone = [row[0] for row in self._in("SELECT row FROM revision WHERE note IN {}", whole)]
        gone = sorted({*gone, *(row for row, _ in parts)})
        self._replacing.take_out_revisions(gone)
        number = self._operation(project, operation)
        self._permit(number, "note", whole)
        self._permit(number, "revision", gone)
        self._free_replaced(number, whole)
        for table in ("note_use", "rating", "proposal", "seeded", "evidence"):
            self._in(f"DELETE FROM {table} WHERE note IN {{}}", whole)
        for table in ("link", "dispute"):
            self._in(f"DELETE FROM {table} WHERE note IN {{0}} OR other IN {{0}}", whole)
        # What speaks of a text that is gone may quote it.
        self._in("DELETE FROM proposal WHERE note IN {}", shortened)
        self._in("DELETE FROM dispute WHERE note IN {0} OR other IN {0}", shortened)
        self._in("DELETE FROM reminder WHERE note IN {}", whole)
        self._drop_what_names(project, [*notes, *revisions])
        self._in("DELETE FROM change WHERE note IN {0} OR field = 'superseded_by' AND before IN {0}", whole)
        self._in("DELETE FROM change WHERE field = 'superseded_by' AND after IN {}", whole)
        self._in("DELETE FROM change WHERE field IN ('head', 'begun') AND (before IN {0} OR after IN {0})", gone)
        self._in("DELETE FROM anchor WHERE revision IN {}", gone)
        self._in("DELETE FROM revision WHERE row IN {}", gone)
        self._in("DELETE FROM note WHERE row IN {}", whole)
        self._drop_anchors(
            number, "fact", self._ask(f"SELECT row FROM fact WHERE +project = ?1 AND id IN {_IDS}", project, facts)
        )
        self._replacing.close_ranks(number, shortened)
        self._close(number)

    def erase_episodes(self, project: Project, operation: str, episodes: Sequence[str], at: int) -> None:
        """Delete episodes with all that was read from them."""
        self._db.rows("PRAGMA defer_foreign_keys = ON")
        number = self._operation(project, operation)
        seqs = [row[0] for row in self._ask(f"SELECT seq FROM episode WHERE seq IN {_EPISODES}", project, episodes)]
        self._embed_again(project, episodes)
        self._drop_anchors(number, "episode", [(seq,) for seq in seqs])
        self._replacing.take_out_windows(seqs)
        self._in("DELETE FROM window WHERE episode IN {}", seqs)
        self._erase_facts(project, seqs)
        for table in ("alias", "operation_episode", "hidden_episode", "transcript_event", "evidence", "reminder"):
            self._in(f"DELETE FROM {table} WHERE episode IN {{}}", seqs)
        self._drop_what_names(project, episodes)
        sessions = [row[0] for row in self._in("SELECT DISTINCT session FROM episode WHERE seq IN {}", seqs)]
        correcting = self._in("SELECT seq FROM episode WHERE corrects IN {0} AND seq NOT IN {0}", seqs)
        for (seq,) in correcting:
            self._replacing.episode(seq, {"corrects": None}, at)
        self._in(f"INSERT OR REPLACE INTO erasure SELECT value, 'forgotten', {int(at)} FROM json_each(?1)", seqs)
        self._in("DELETE FROM episode WHERE seq IN {}", seqs)
        self._in(
            "DELETE FROM session WHERE row IN {0} AND row NOT IN (SELECT session FROM episode WHERE session IN {0})",
            sessions,
        )
        self._close(number)

    def erase_rows(self, project: Project, operation: str, pins: Sequence[str], reminders: Sequence[str]) -> None:
        """Delete pins and reminders."""
        number = self._operation(project, operation)
        of_pins = f"SELECT row FROM pin WHERE project = ?1 AND id IN {_IDS}"
        rows = [row[0] for row in self._ask(of_pins, project, pins)]
        self._permit(number, "pin", rows)
        self._in("DELETE FROM pin WHERE row IN {}", rows)
        self._ask(f"DELETE FROM reminder WHERE project = ?1 AND id IN {_IDS}", project, reminders)
        self._close(number)

    def replace_episode(
        self,
        project: Project,
        operation: str,
        new: ReplacedEpisode,
        windows: Sequence[Window],
        at: int,
        *,
        commands: bool,
    ) -> None:
        """Put other words under the id, the number and the key of an episode, and index them in its place.

        The facts that were read from it go, and with `commands` the outcome of the command that it ran.
        """
        self._db.rows("PRAGMA defer_foreign_keys = ON")
        number = self._operation(project, operation)
        seqs = [row[0] for row in self._ask(f"SELECT seq FROM episode WHERE seq IN {_EPISODES}", project, [new.id])]
        self._embed_again(project, [new.id])
        self._replacing.take_out_windows(seqs)
        sql = f"SELECT row FROM fact WHERE project = ?1 AND episode IN {_EPISODES} AND (kind <> 'command' OR ?3)"
        facts = self._db.rows(sql, project.row, json.dumps([new.id]), commands)
        self._drop_anchors(number, "fact", facts)
        self._erase_facts(project, seqs, commands=commands)
        for seq in seqs:
            self._replacing.with_words(project, number, seq, new, windows, at)
        self._close(number)

    def holding(self, project: Project, needles: Sequence[str]) -> list[str]:
        """The episodes of which the content, the tool's input or a name holds one of these texts."""
        found: list[str] = []
        wanted = [needle.encode("utf-8", "surrogatepass") for needle in needles]
        for id_, content, encoding, *names in self._db.execute(
            "SELECT id, content, encoding, tool_input, tool_name, author FROM episode WHERE project = ? ORDER BY seq",
            (project.row,),
        ):
            text = decoded(content, encoding)
            if any(one in text for one in wanted) or any(one in name for one in needles for name in names):
                found.append(id_)
        return found

    def redact_rows(self, project: Project, operation: str, replaced: Mapping[str, str]) -> dict[str, int]:
        """Replace texts in everything but episodes; return how many rows were changed, by their names in the plural."""
        self._db.rows("PRAGMA defer_foreign_keys = ON")
        number = self._operation(project, operation)
        changed = self._replacing.redact(project, number, replaced)
        self._close(number)
        return changed

    def redact_said(self, project: Project, operation: str, replaced: Mapping[str, str]) -> None:
        """Replace texts in what was said about notes, in rules and in operations: in what has no episode of its own."""
        self._db.rows("PRAGMA defer_foreign_keys = ON")
        number = self._operation(project, operation)
        self._replacing.redact_said(project, number, replaced)
        self._close(number)

    def unfinished(self) -> str:
        """What is still to be done to the files of the store after an erasure, empty when nothing is."""
        row = self._db.row("SELECT value FROM meta WHERE key = ?", UNFINISHED)
        return row[0] if row else ""

    def set_unfinished(self, what: str) -> None:
        """Keep what is still to be done; empty when it is done."""
        self._db.execute("DELETE FROM meta WHERE key = ?", (UNFINISHED,))
        if what:
            self._db.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (UNFINISHED, what))

    def every_text(self) -> Iterator[bytes]:
        """Every text of every project as bytes, also those kept compressed; the contents of episodes come last."""
        return self._replacing.every_text()

    def _erase_facts(self, project: Project, seqs: Sequence[int], *, commands: bool = True) -> None:
        """Delete what was read from episodes. A command has the outcome again that it had before them, if any."""
        among = json.dumps(list(seqs))
        with self._db.ledger_writer():
            gone = self._db.rows(_FACTS.format(episodes="(SELECT value FROM json_each(?2))"), project.row, among)
            rows = [row[0] for row in gone]
            if not commands:
                rows = [row[0] for row in self._in("SELECT row FROM fact WHERE row IN {} AND kind <> 'command'", rows)]
            self._in("DELETE FROM fact_version WHERE fact IN {}", rows)
            self._in("DELETE FROM fact WHERE row IN {}", rows)
            if not commands:
                return
            self._in("DELETE FROM fact_version WHERE episode IN {} AND episode <> 0", seqs)
            self._db.execute(
                """UPDATE fact SET (value, signature_hash, body_hash, line, episode, since) = (
                    SELECT v.value, v.signature_hash, v.body_hash, v.line, v.episode, v.since FROM fact_version v
                    WHERE v.fact = fact.row ORDER BY v.row DESC LIMIT 1)
                WHERE project = ?1 AND kind = 'command' AND episode IN (SELECT value FROM json_each(?2))
                RETURNING row""",
                (project.row, among),
            )
            self._db.execute(
                """DELETE FROM fact_version WHERE row IN (
                    SELECT max(v.row) FROM fact_version v JOIN fact f ON f.row = v.fact
                    WHERE f.project = ?1 AND f.kind = 'command' AND v.since = f.since AND v.episode = f.episode
                    GROUP BY f.row)""",
                (project.row,),
            )

    def _drop_anchors(self, operation: int, target: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Take anchors to targets that go from the revisions that stay."""
        targets = [row[0] for row in rows]
        self._permit(
            operation,
            "revision",
            [row[0] for row in self._in(f"SELECT DISTINCT revision FROM anchor WHERE {target} IN {{}}", targets)],
        )
        self._in(f"DELETE FROM anchor WHERE {target} IN {{}}", targets)

    def _drop_what_names(self, project: Project, ids: Sequence[str]) -> None:
        """Delete proposals and links that are there because of something that goes: they may repeat it."""
        for table, column in (("proposal", "evidence"), ("link", "reason")):
            self._ask(
                f"""DELETE FROM {table} WHERE project = ?1 AND EXISTS (
                    SELECT 1 FROM json_each(?2) gone WHERE instr({column}, gone.value))""",
                project,
                ids,
            )

    def _free_replaced(self, operation: int, whole: Sequence[int]) -> None:
        """Notes that a note which goes had replaced are replaced by what replaced that one and stays, if anything."""
        self._in(
            f"""UPDATE note SET operation = {operation}, superseded_by = (
                WITH RECURSIVE later (row) AS (SELECT note.superseded_by
                    UNION SELECT s.superseded_by FROM later l JOIN note s ON s.row = l.row WHERE l.row IN {{0}})
                SELECT row FROM later WHERE row NOT IN {{0}})
            WHERE superseded_by IN {{0}} AND row NOT IN {{0}}""",
            whole,
        )

    def _embed_again(self, project: Project, episodes: Sequence[str]) -> None:
        """Let what was said right after these episodes wait for a vector again, as they may be part of its own."""
        after = [
            row[0]
            for row in self._ask(
                f"""SELECT DISTINCT n.row FROM window w JOIN window n
                    ON n.session = w.session AND n.ordinal BETWEEN w.ordinal + 1 AND w.ordinal + {BEFORE}
                WHERE w.episode IN {_EPISODES} AND n.episode NOT IN {_EPISODES} AND n.dense = 1""",
                project,
                episodes,
            )
        ]
        vectors = Vectors(self._db)
        for row in after:
            vectors.remove("window", row)
        vectors.enqueue(project, "window", after)

    def _permit(self, operation: int, kind: str, rows: Iterable[int]) -> None:
        """Say that these rows may be deleted, until the operation's permissions are taken back."""
        self._db.executemany(
            "INSERT OR IGNORE INTO erased (kind, row, operation) VALUES (?, ?, ?)",
            [(kind, row, operation) for row in rows],
        )

    def _close(self, operation: int) -> None:
        """Take the permissions back that are not used up. The others stay: such a number is not given again."""
        for kind in ("note", "revision", "pin"):
            self._db.execute(
                f"DELETE FROM erased WHERE operation = ? AND kind = '{kind}' AND row IN (SELECT row FROM {kind})",
                (operation,),
            )

    def _operation(self, project: Project, operation: str) -> int:
        return self._db.value("SELECT row FROM operation WHERE project = ? AND id = ?", project.row, operation)

    def _ask(self, sql: str, project: Project, ids: Sequence[str]) -> list[tuple[Any, ...]]:
        """Ask about ids of a project: ?1 is the project, ?2 a list of them."""
        return self._db.rows(sql, project.row, json.dumps(list(ids)))

    def _in(self, sql: str, rows: Sequence[int]) -> list[tuple[Any, ...]]:
        """Run a statement on rows by their numbers, which stand where its braces are."""
        return self._db.rows(sql.format("(SELECT value FROM json_each(?1))"), json.dumps(list(rows)))
