"""``python -m forest_align`` is the same as ``forest-align``."""

import sys

from forest_align.cli import main

sys.exit(main())
