"""Folders that tests look into."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Corpora that are no part of the repository; tests that need them skip where they are missing.
SHARED = Path(os.environ.get("FOREST_ALIGN_SHARED", ROOT.parent / "shared"))
