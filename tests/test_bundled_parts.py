"""The licences of the bundled parts: complete, as the pages say, and what an aligner really loads."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from write_licences import BLOCK, pages, rewritten

from forest_align.aligners.model_folder import bundled_models
from forest_align.cli.commands.licences import BundledPart, BundledParts, Source, bundled_parts

from .places import ROOT

PARTS = bundled_parts().parts

# Files that an alignment opens, apart from the list of aligners, which reads each model.json once.
WHAT_IS_OPENED = """
import collections, json, os, sys
opened = collections.Counter()
def count(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
        opened[os.path.realpath(os.fspath(arguments[0]))] += 1
sys.addaudithook(count)
import forest_align
forest_align.load(sys.argv[1]).align("He died in 1990.", "He passed away in 1990.")
print(json.dumps(opened))
"""


def part(name: str, learned_from: tuple[str, ...] = (), **others: tuple[str, ...]) -> BundledPart:
    made_with, loads = others.get("made_with", ()), others.get("loads", ())
    learned = dict.fromkeys(learned_from, "training")
    return BundledPart(name, "", "Apache-2.0", "", learned, made_with, loads)


def test_a_part_has_the_worst_terms_of_all_that_it_depends_on() -> None:
    sources = {answer: Source(answer.title(), "", answer, "") for answer in ("yes", "unclear", "no")}
    parts = [
        *(part("code"), part("free", ("yes",)), part("mixed", ("unclear", "yes"))),
        *(
            part("far", made_with=("mixed",)),
            part("farther", ("yes",), loads=("far",)),
            part("shut", ("no",)),
        ),
        part("all", loads=("farther", "shut")),
    ]
    known = BundledParts({one.name: one for one in parts}, sources)
    answers = {name: (known.commercial(name), known.reason(name)) for name in known.parts}
    assert answers == {
        "code": ("yes", ""),
        "free": ("yes", ""),
        "mixed": ("unclear", "Unclear"),
        "far": ("unclear", "Unclear"),
        "farther": ("unclear", "Unclear"),
        "shut": ("no", "No"),
        "all": ("no", "No"),
    }
    assert known.behind("all") == ("all", "farther", "shut", "far", "mixed")


def test_every_bundled_model_and_resource_is_a_part() -> None:
    folders = {
        path.parent for folder in ("forest_align", "data") for path in (ROOT / folder).rglob("*.safetensors")
    }
    folders |= {ROOT / "forest_align/aligners/models" / name for name in bundled_models()}
    assert {str(folder.relative_to(ROOT)) for folder in folders} == {one.path for one in PARTS.values()} - {
        ""
    }
    assert {name for name, one in PARTS.items() if one.kind == "aligner"} == set(bundled_models())


def test_pages_and_cards_have_the_tables_of_the_parts() -> None:
    shown = set()
    for path in pages():
        text = path.read_text(encoding="utf-8")
        shown |= {found[2] for found in BLOCK.finditer(text)}
        assert rewritten(text) == text, f"{path}: run tools/write_licences.py"
    assert shown == {"parts", "sources"} | set(PARTS) - {"code", "lexicon"}


def test_the_distribution_names_the_licence_of_each_part() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["license"].split(" AND ")) == {one.licence for one in PARTS.values()}
    defined = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8").split("## Parts")[1]
    for term in project["license"].split(" AND "):
        assert not term.startswith("LicenseRef") or f"\n- `{term}`" in defined


def test_models_that_list_their_corpora_have_them_as_sources() -> None:
    corpora = {"mtref": "mtref", "wiki": "wiki", "edinburgh": "edinburgh", "msr_rte": "msr-rte"}
    compared = 0
    for name in bundled_models():
        path = ROOT / "forest_align/aligners/models" / name / "model.json"
        model = json.loads(path.read_text(encoding="utf-8"))
        files = [
            *model.get("card", {}).get("trained on", ()),
            *model.get("description", {}).get("calibrated_on", ()),
        ]
        listed = {corpora[folder] for file in files if (folder := file.split("/")[0]) in corpora}
        compared += len(listed)
        assert listed <= set(PARTS[name].learned_from), name
    assert compared >= 10


@pytest.mark.parametrize(
    "name", ["contextual", "forest", "forest-published", "joint-published", "semi-markov", "sultan"]
)
def test_an_aligner_loads_the_parts_that_are_listed(name: str) -> None:
    command = [sys.executable, "-c", WHAT_IS_OPENED, name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    opened = {Path(path): times for path, times in json.loads(done.stdout).items()}
    files = {
        **{
            other: ROOT / PARTS[other].path / "model.json"
            for other in (name, "contextual", "phrases", "judge", "relations", "paraphrases")
        },
        "en": ROOT / PARTS["en"].path / "config.json",
        "vectors": ROOT / PARTS["vectors"].path / "encoder.json",
        "tagger": ROOT / PARTS["tagger"].path / "tagger.json",
        "lexicon": ROOT / PARTS["lexicon"].path / "wordnet.safetensors",
    }
    # The cards of all aligners are opened to list them, and the files of the parser's folder for a digest.
    merely_opened = {
        ROOT / "forest_align/aligners/models": opened[ROOT / PARTS["fixed"].path / "model.json"],
        # No Python reads the tokenizer.
        ROOT / "forest_align/parsing/models": opened.get(ROOT / PARTS["en"].path / "tokenizer.json", 0),
    }
    loaded = {
        other
        for other, path in files.items()
        if opened.get(path, 0) > merely_opened.get(path.parent.parent, 0)
    }
    loads = PARTS[name].loads
    assert loaded == {name, *loads, *(PARTS["en"].loads if "en" in loads else ())}
