"""Link the source folders into one package tree, as setup.py installs them.

Usage: python tools/link_namespace.py FOLDER

Tools that do not support ``package_dir``, such as mypy, can then run in FOLDER.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAPPED = ("cext", "em", "eval", "data")


def link_namespace(folder: Path) -> None:
    """Make ``folder/forest_align`` a tree of links to the sources."""
    package = folder / "forest_align"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for source in sorted((ROOT / "forest_align").iterdir()):
        if source.name != "__pycache__":
            (package / source.name).symlink_to(source)
    for name in MAPPED:
        (package / name).symlink_to(ROOT / name)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    link_namespace(Path(sys.argv[1]))
