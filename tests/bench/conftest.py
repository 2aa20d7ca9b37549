"""The measurements stand at the root of the repository, beside the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
