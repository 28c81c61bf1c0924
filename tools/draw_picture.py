r"""Align two sentences and draw the alignment, for the pages of documentation.

Examples::

    python tools/draw_picture.py "He passed away in New York City after a long illness." \
        "After being ill for a long time, he died in NYC." docs/alignment.svg
    python tools/draw_picture.py "He passed away after a long illness." "After being ill for long, he died." \
        docs/comparison.png --aligner contextual --beside sultan --size 1100x760

A name that ends in ``.png`` is a photograph of a page, which needs Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

from forest_align.aligners import load
from forest_align.alignment import Alignment
from forest_align.alignment.html import PAGE_END, PAGE_START, comparison_section, to_section


def main() -> None:
    """Align and draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("output", type=Path, help="SVG file to write, or PNG file of a page")
    parser.add_argument("--parser", default="en", help="as for forest-align align")
    parser.add_argument("--aligner", default="forest", help="the aligner; default: forest")
    parser.add_argument("--beside", help="for PNG: another aligner to stand beside it")
    parser.add_argument("--size", default="1100x620", help="for PNG: pixels of the page; default: 1100x620")
    options = parser.parse_args()
    names = [options.aligner, *filter(None, [options.beside])]
    found = [_align(name, options) for name in names]
    if options.output.suffix == ".svg" and options.beside is None:
        options.output.write_text(found[0].to_svg(), encoding="utf-8")
    elif options.output.suffix == ".png":
        section = comparison_section(*found) if options.beside else to_section(found[0], open_trees=True)
        photograph(PAGE_START + section + PAGE_END, options.output, options.size)
    else:
        parser.error("expected an output that ends in .svg (one aligner) or .png")


def photograph(page: str, output: Path, size: str) -> None:
    """Write a picture of a page, as Chromium shows it at a size such as ``1100x620``."""
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("a PNG file needs a browser: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        path.write_text(page, encoding="utf-8")
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
        window = f"--window-size={size.replace('x', ',')}"
        command = [program, *options, window, f"--screenshot={output.resolve()}", path.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def _align(name: str, options: argparse.Namespace) -> Alignment:
    reads_trees = {"parser": options.parser} if name == "forest" else {}
    return load(name, **reads_trees).align(options.source, options.target)


if __name__ == "__main__":
    main()
