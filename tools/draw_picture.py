r"""Align two sentences and draw the alignment, as for the README's picture.

Example::

    python tools/draw_picture.py "The storm destroyed the old houses near the coast last week." \
        "Last week, the old houses close to the coast were wiped out by the storm." docs/alignment.svg
"""

from __future__ import annotations

import argparse
from pathlib import Path

from forest_align.aligners import load


def main() -> None:
    """Align and draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("output", type=Path, help="SVG file to write")
    parser.add_argument("--parser", default="en", help="as for forest-align align")
    options = parser.parse_args()
    aligner = load("forest", parser=options.parser)
    options.output.write_text(aligner.align(options.source, options.target).to_svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
