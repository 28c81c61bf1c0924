from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.parsing_aligner import ParsingAligner
from forest_align.aligners.sultan.aligner import SultanAligner


@pytest.mark.parametrize(("kind", "trees"), [(SultanAligner, 1), (ContextualAligner, 0)])
@pytest.mark.parametrize("given", [None, "my_parser", Path("models/mine")])
def test_a_parser_is_loaded_by_name_when_it_is_needed_for_as_many_trees_as_are_read(
    given: str | Path | None,
    kind: type[ContextualAligner | SultanAligner],
    trees: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser", lambda name, **options: (name, options["forest_size"])
    )
    aligner: ParsingAligner = kind(parser=given)
    assert aligner.parser == (given or "en", trees)


def test_a_parser_that_is_given_is_the_one_that_is_used() -> None:
    parser = SimpleNamespace()
    assert ContextualAligner(parser=parser).parser is parser  # type: ignore[arg-type]
