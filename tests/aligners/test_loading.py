"""Finding an aligner by its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_overloads

import pytest

from forest_align import __version__
from forest_align.aligners import load
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.model_folder import bundled_models
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError

DECLARED = {
    name: overload.__annotations__["return"]
    for overload in get_overloads(load)
    for name in re.findall(r"'([a-z-]+)'", overload.__annotations__["name_or_path"])
}
KINDS = ("forest", "contextual", "sultan", "semi-markov", "joint", "projection")


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_the_type_that_is_declared_for_a_name_is_what_is_loaded(name: str) -> None:
    assert type(load(name)).__name__ == DECLARED[name]


def test_every_bundled_model_has_a_type_declared() -> None:
    assert DECLARED.keys() == bundled_models().keys()
    assert set(bundled_models().values()) == set(KINDS)


def test_an_alignment_names_the_version_and_the_model_with_a_digest_of_its_files(tmp_path: Path) -> None:
    aligner = load("semi-markov")
    found = aligner.align("He died.", "He passed away.")
    assert found.made_by == aligner.made_by
    assert (found.made_by["version"], found.made_by["model"]) == (__version__, "semi-markov")
    many = aligner.align_many([("He died.", "He passed away."), ("", "He died.")])
    assert [one.made_by for one in many] == [found.made_by] * 2  # of a pair that failed as well
    aligner.save(tmp_path / "mine")
    mine = load(tmp_path / "mine").made_by
    assert mine == load(tmp_path / "mine").made_by and mine["model"] == "mine"
    card = tmp_path / "mine" / "model.json"
    card.write_text(card.read_text() + "\n")
    assert load(tmp_path / "mine").made_by["digest"] != mine["digest"]


def test_an_aligner_that_is_not_what_was_loaded_names_the_version_only() -> None:
    assert ContextualAligner().made_by == {"version": __version__}
    assert load("contextual").with_values({"threshold": 0.4}).made_by == {"version": __version__}


@pytest.mark.parametrize("name", ["contextual", "forest", "semi-markov"])
def test_who_asks_for_a_variant_is_shown_the_aligners_that_have_taken_its_place(name: str) -> None:
    with pytest.raises(InputError) as refused:
        load(name, variant="published")
    assert str(refused.value) == "variant is gone: load 'sultan' or 'forest-published'"


@pytest.mark.parametrize(
    ("kind", "option", "others"),
    [
        ("forest", "words", "parser, candidates, ppdb, lexicon, alignments, paraphrases, links"),
        ("forest", "model", "parser, candidates, ppdb, lexicon, alignments, paraphrases, links"),
        ("contextual", "annotator", "ppdb, parser, lexicon, threshold, links"),
        ("sultan", "threshold", "ppdb, parser, lexicon, annotator"),
        ("semi-markov", "candidates", "ppdb, parser, lexicon"),
        ("joint", "threshold", "ppdb, parser, lexicon, link_model, links"),
    ],
)
def test_an_option_that_a_kind_does_not_take_is_refused_with_those_that_it_takes(
    kind: str, option: str, others: str
) -> None:
    with pytest.raises(InputError) as refused:
        load(kind, **{option: "x"})
    assert (
        str(refused.value) == f"the {kind} aligner has no option {option!r}; expected one of {others}, device"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_is_described_with_those_of_its_kind(kind: str) -> None:
    items = str(load.__doc__).split("\n        - ")
    described = "".join(item for item in items if item.startswith(("All", f"``{kind}``")))
    with pytest.raises(InputError) as refused:
        load(kind, nonesuch=1)
    options = str(refused.value).partition("expected one of ")[2].split(", ")
    assert [name for name in options if f"``{name}``" not in described] == []


@pytest.mark.parametrize("kind", KINDS)
def test_paraphrases_are_a_table_or_the_path_of_one(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "ppdb.tsv"
    path.write_text("quick\tfast\n", encoding="utf-8")
    table = PairTable([("quick", "fast")])
    assert load(kind, ppdb=table).ppdb is table
    for given in (path, str(path)):
        assert ("fast", "quick") in load(kind, ppdb=given).ppdb


@pytest.mark.parametrize("kind", KINDS)
def test_paraphrases_that_cannot_be_used_are_refused_before_anything_is_aligned(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "broken.tsv"
    path.write_text("quick\tfast\nslow\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.tsv:2: expected two words or phrases"):
        load(kind, ppdb=path)
    with pytest.raises(InputError, match="expected a PairTable or the path of a file of pairs, found list"):
        load(kind, ppdb=[("quick", "fast")])
