from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.parsing_aligner import ParsingAligner


@pytest.mark.parametrize(("variant", "trees"), [("published", 1), ("default", 0)])
@pytest.mark.parametrize("given", [None, "my_parser", Path("models/mine")])
def test_a_parser_is_loaded_by_name_when_it_is_needed_for_as_many_trees_as_the_variant_reads(
    given: str | Path | None, variant: str, trees: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser", lambda name, **options: (name, options["forest_size"])
    )
    aligner: ParsingAligner = ContextualAligner(parser=given, variant=variant)
    assert aligner.parser == (given or "en", trees)


def test_a_parser_that_is_given_is_the_one_that_is_used() -> None:
    parser = SimpleNamespace()
    assert ContextualAligner(parser=parser).parser is parser  # type: ignore[arg-type]


def test_settings_of_the_contextual_aligner_are_those_of_its_variant() -> None:
    published = json.loads(json.dumps(ContextualAligner(variant="published").settings))
    assert published["variant"] == "published" and "threshold" not in published
    assert published["ppdb_similarity"] == published["word_weight"] == 0.9
    assert ContextualAligner(threshold=0.7).settings == {"variant": "default", "threshold": 0.7}
