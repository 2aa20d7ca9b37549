"""`python -m moored.demo README.md` writes the transcript in a document anew, from the repository it stands in."""

from __future__ import annotations

import sys
from pathlib import Path

from moored.demo.transcript import transcript, with_transcript


def main(arguments: list[str]) -> None:
    """Run the demo on the repository that holds the document, and put what it said into the document."""
    document = Path(arguments[0] if arguments else "README.md").resolve()
    new = with_transcript(document.read_text(encoding="utf-8"), transcript(document.parent))
    document.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
