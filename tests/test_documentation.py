"""What the pages for users say can be done: links lead somewhere, options exist, Python examples run."""

from __future__ import annotations

import argparse
import importlib
import re
import shutil
from pathlib import Path

import pytest
from run_examples import BLOCK, fresh_page, steps_of

from forest_align.cli import COMMANDS, command_parser

from .places import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("forest_align/**/README.md")])
LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"\d+\.\d+")
COMMAND = re.compile(r"\b(?:forest-align|python) [^`\n]*(?:\\\n[^`\n]*)*")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
MODULE = re.compile(
    r"`((?:aligners|alignment|batches|benchmarks|cext|cli|data|em|eval|lexicon|parsing|service|storage|system|tests|tools|types)"
    r"/[\w/]+\.(?:py|pyx|pxi|sh))`"
)
NAME = re.compile(r"`([A-Za-z_]\w*)`")
# COMMIT:PATH is a script of a commit, as in git.
SCRIPT = re.compile(r"(?<![\w/:])(?:tools|benchmarks)/[\w/]+\.(?:py|sh)\b")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def links_of(page: Path) -> list[tuple[Path, str]]:
    """Files and anchors that a page links to; a bare anchor belongs to the page itself."""
    found = [(path, anchor) for path, anchor in LINK.findall(text_of(page)) if "://" not in path]
    return [((page.parent / path).resolve() if path else page, anchor) for path, anchor in found]


def anchors_of(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(FENCED.sub("", text_of(page)))
    found: set[str] = set()
    for heading in headings:
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", heading).lower())
        anchor = words.replace(" ", "-")
        repeated = (f"{anchor}-{number}" for number in range(1, len(headings)))
        found.add(anchor if anchor not in found else next(one for one in repeated if one not in found))
    return found


def options_of(command: str) -> set[str]:
    """Options of a command, those of its subcommands included."""
    parser = command_parser(command)
    found, todo = {"--debug", "--help"}, [parser]
    for one in todo:
        for action in one._actions:
            found.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                todo.extend(action.choices.values())
    return found


def test_links_lead_to_files() -> None:
    links = [(name_of(page), path) for page in PAGES for path, _ in links_of(page)]
    assert [(page, str(path)) for page, path in links if not path.exists()] == []


def test_anchors_lead_to_headings() -> None:
    links = [(name_of(page), *link) for page in PAGES for link in links_of(page)]
    anchors = [link for link in links if link[2] and link[1].suffix == ".md"]
    assert [(page, name_of(path), name) for page, path, name in anchors if name not in anchors_of(path)] == []


def test_anchors_are_made_from_headings(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b`, c-d\n```console\n# no heading\n```\n## Twice\n## Twice\n", encoding="utf-8")
    assert anchors_of(page) == {"a-b-c-d", "twice", "twice-1"}


def test_everything_in_docs_is_linked_from_a_page() -> None:
    linked = {path for page in PAGES for path, _ in links_of(page) if path != page.resolve()}
    files = [file for file in ROOT.glob("docs/**/*") if file.is_file() and file.name != "README.md"]
    assert [name_of(file) for file in files if file.resolve() not in linked] == []


def test_scripts_and_their_options_exist() -> None:
    named = [(name_of(page), name) for page in PAGES for name in SCRIPT.findall(text_of(page))]
    assert [one for one in named if not (ROOT / one[1]).is_file()] == []
    missing = []
    for command in (command for page in PAGES for command in COMMAND.findall(text_of(page))):
        script = SCRIPT.search(command)
        if script and command.startswith("python"):
            source = text_of(ROOT / script[0])
            asked = OPTION.findall(command[script.end() :].partition(";")[0])
            missing += [(command, option) for option in asked if f'"{option}"' not in source]
    assert missing == []


def file_of(module: str) -> Path:
    """The file of a module; parts of the package need no ``forest_align`` in front."""
    return next(
        (path for path in (ROOT / module, ROOT / "forest_align" / module) if path.is_file()), ROOT / module
    )


def test_modules_exist() -> None:
    named = [(name_of(page), name) for page in PAGES for name in MODULE.findall(text_of(page))]
    assert [(page, name) for page, name in named if not file_of(name).is_file()] == []


def test_what_the_page_of_the_papers_names_is_in_the_modules_beside_it() -> None:
    cells = [
        cell
        for line in text_of(ROOT / "docs/background/papers.md").splitlines()
        for cell in line.split(" | ")
    ]
    named = [(MODULE.findall(cell), NAME.findall(cell)) for cell in cells]
    assert sum(bool(modules and names) for modules, names in named) > 50
    for modules, names in named:
        texts = [text_of(file_of(module)) for module in modules]
        missing = [
            name for name in names if modules and not any(re.search(rf"\b{name}\b", text) for text in texts)
        ]
        assert missing == [], modules


def test_commands_and_their_options_exist() -> None:
    known, missing = {name: options_of(name) for name in COMMANDS}, []
    for command in (command for page in PAGES for command in COMMAND.findall(text_of(page))):
        # A pipe, a comment or another command ends it.
        words = re.split(r"[|#;]", command)[0].split()
        if words[0] == "forest-align" and words[1:] and words[1] in COMMANDS:
            unknown = set(OPTION.findall(" ".join(words))) - known[words[1]]
            missing += [(command, option) for option in unknown]
    assert missing == []


@pytest.mark.parametrize("page", [page for page in PAGES if PYTHON.search(text_of(page))], ids=name_of)
def test_each_python_example_runs_alone(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "pairs.tsv", tmp_path)
    for block in PYTHON.findall(text_of(page)):
        exec(compile(block, name_of(page), "exec"), {})


def test_names_of_the_api_are_public() -> None:
    page = text_of(ROOT / "docs" / "reference" / "api.md")
    top = page.partition("## Aligners")[0]
    rows = [("forest_align", " ".join(re.findall(r"^\| (`.*?) \|", top, re.MULTILINE)))]
    rows += re.findall(r"^\| `(forest_align[\w.]+)` \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) > 10
    for package, cell in rows:
        missing = set(re.findall(r"`(\w+)`", cell)) - set(importlib.import_module(package).__all__)
        assert missing == set(), package


PRINTING = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if any(output for block in BLOCK.findall(text_of(page)) for _, output in steps_of(block))
]


@pytest.mark.parametrize("page", PRINTING, ids=name_of)
def test_commands_print_what_their_page_shows(page: Path) -> None:
    """To write what they print into the pages: ``python tools/run_examples.py PAGE…``."""
    shown, printed = (BLOCK.findall(text) for text in (text_of(page), fresh_page(page)))
    for before, after in zip(shown, printed, strict=True):
        figures = [[float(figure) for figure in FIGURE.findall(text)] for text in (before, after)]
        assert _without_figures(before) == _without_figures(after)
        # Another kind of processor may round differently.
        assert figures[1] == pytest.approx(figures[0], rel=0.005, abs=0.021), after


def _without_figures(block: str) -> list[str]:
    return [re.sub(r" +", " ", FIGURE.sub("#", line)).rstrip() for line in block.splitlines()]


def test_a_figure_or_word_that_a_command_does_not_print_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ cat it\n0.5 yes\n$ echo 0.75 \\\n    no\n0.5 no\n…\n```\n", encoding="utf-8"
    )
    assert fresh_page(page) == page.read_text(encoding="utf-8").replace("no\n0.5 no", "no\n0.75 no")
