"""The measurements stand at the root of the repository, beside the package; the made-up data stands here."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]
