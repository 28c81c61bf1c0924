"""Build the documentation as a site.

    python tools/build_site.py build/site

The pages of docs/ and the README are copied next to each other. Links to other files of the repository are
replaced by their paths. A page of the reference is made for each public package, from the table of
docs/reference/api.md and the docstrings. Then Sphinx builds them; a warning is an error.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from forest_align import __version__

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)]*)?\)")
_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_CONFIGURATION = f"""
project = "forest-align"
author = "the forest-align developers"
version = release = {__version__!r}
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "forest-align"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# Bare names in backquotes are code.
default_role = "code"
suppress_warnings = ["myst.header", "ref.python"]
highlight_language = "none"
"""
_GUIDE = (
    *("install", "read-a-result", "align", "python", "edits", "differences", "documents", "attribution"),
    *("extract", "what-for", "train", "evaluate", "serve", "scale", "parse", "limits"),
)


def main() -> None:
    """Copy the pages, write those of the reference, and run Sphinx."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=Path, help="folder of the site")
    options = parser.parse_args()
    source = options.output / "pages"
    shutil.rmtree(options.output, ignore_errors=True)
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        path = _place(page, source)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_with_links(page, pages), encoding="utf-8")
    for picture in [*ROOT.glob("docs/*.svg"), *ROOT.glob("docs/*.png")]:
        shutil.copy(picture, source / "docs" / picture.name)
    names = write_reference(source / "docs" / "reference" / "packages")
    background = sorted(path.stem for path in (ROOT / "docs" / "background").glob("*.md"))
    groups = {
        "Guide": [f"docs/guide/{name}" for name in _GUIDE],
        "Reference": [
            "docs/reference/formats",
            "docs/reference/api",
            *(f"docs/reference/packages/{name}" for name in names),
            "docs/reference/glossary",
            "docs/reference/conventions",
        ],
        "Background": [f"docs/background/{name}" for name in background],
    }
    with (source / "README.md").open("a", encoding="utf-8") as index:
        for caption, paths in groups.items():
            listed = "\n".join(paths)
            index.write(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n")
    (source / "conf.py").write_text(
        f'{_CONFIGURATION}root_doc = "README"\nexclude_patterns = ["docs/README.md"]\n', encoding="utf-8"
    )
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run([*command, str(source), str(options.output / "html")], check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
    print(f"{options.output / 'html' / 'README.html'}")


def _place(page: Path, source: Path) -> Path:
    return source / page.relative_to(ROOT)


def _with_links(page: Path, pages: list[Path]) -> str:
    """The text of a page; links that lead to no other page become text with a path."""

    def replace(link: re.Match[str]) -> str:
        picture, text, path = link[1], link[2], link[3]
        if not path or "://" in path or picture:
            return link[0]
        target = (page.parent / path).resolve()
        if target in pages:
            return link[0] if target != ROOT / "docs" / "README.md" else text
        shown = os.path.relpath(target, ROOT)
        return text if shown in text or text.strip("`") == shown else f"{text} (`{shown}`)"

    parts = _CODE.split(page.read_text(encoding="utf-8"))
    return "".join(part if part.startswith("```") else _LINK.sub(replace, part) for part in parts)


def write_reference(folder: Path) -> list[str]:
    """Write a page for each package of the table of public names; return the names of the packages."""
    folder.mkdir(parents=True, exist_ok=True)
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    top = page.partition("## Aligners")[0]
    rows = [("forest_align", " ".join(re.findall(r"^\| (`.*?) \|", top, re.MULTILINE)))]
    rows += re.findall(r"^\| `(forest_align[\w.]+)` \| (.*) \|$", page, re.MULTILINE)
    for package, cell in rows:
        module = importlib.import_module(package)
        names = [name for name in dict.fromkeys(re.findall(r"`(\w+)", cell)) if name in module.__all__]
        lines = [package, "=" * len(package), "", inspect.getdoc(module) or "", ""]
        lines += [f".. currentmodule:: {package}", ""]
        for name in names:
            value = getattr(module, name)
            if inspect.isclass(value):
                lines += [f".. autoclass:: {name}", "   :members:", ""]
            elif callable(value):
                lines += [f".. autofunction:: {name}", ""]
            else:
                lines += [f".. py:data:: {name}", "", f"   {type(value).__name__}", ""]
        (folder / f"{package}.rst").write_text("\n".join(lines), encoding="utf-8")
    return [package for package, _ in rows]


if __name__ == "__main__":
    main()
