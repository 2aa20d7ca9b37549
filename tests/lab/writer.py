"""A process that writes transactions to a store and says so on its standard output after each acknowledgement.

Arguments: the path of the store, the durability class, the name of the writer, how many transactions.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from lab.author import Author
from moored.model.hashing import digest
from moored.model.ids import RandomIds
from moored.store.durability import Durability
from moored.store.sqlite.store import Store


def main(path: str, durability: str, name: str, count: int) -> None:
    """Write `count` transactions of one episode and one note each, keyed by the writer's name and a number."""
    store = Store(Path(path))
    author = Author(ids=RandomIds())
    for number in range(count):
        key = f"{name}-{number}"
        content = f"{key} moored at berth {number}. ".encode() * (1 + number * 37 % 400)
        with store.write(Durability[durability]) as tx:
            project, session, _ = author.begin(tx)
            new = author.episode(session, content, key=key)
            author.record(tx, project, new)
            author.remember(tx, project, f"Berth of {key}", episode=new.id)
        sys.stdout.write(f"{key} {digest(content)}\n")
        sys.stdout.flush()
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
