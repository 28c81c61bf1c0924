"""The corpora of the models of phrases: each pair once, from the cache where it is, and none is skipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from forest_align.em.phrases.linked_pairs import read_linked_pairs
from forest_align.types import InputError


def test_pairs_have_forests_links_and_evidence_and_are_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = tmp_path / "pairs.tsv", tmp_path / "cache"
    path.write_text("the old man bought a car\ta car was bought\nit rains\tit is raining now\n")
    first = list(read_linked_pairs(path, "en", cache))
    assert [one.links.shape for one in first] == [one.evidence.shape for one in first] == [(6, 4), (2, 4)]
    links, evidence = first[0].links, first[0].evidence
    assert links[3].argmax() == 3 and links[5].argmax() == 1 and links[5, 1] > 0.9
    assert evidence[5, 1] and not evidence[5, 3]
    forests = [side.forest for one in first for side in (one.parsed.source, one.parsed.target)]
    assert all(forest is not None for forest in forests)

    monkeypatch.setattr("forest_align.parsing.load_parser_for_alignment", None)
    again = list(read_linked_pairs(path, "en", cache))
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.links, two.links)
        np.testing.assert_array_equal(one.evidence, two.evidence)


def test_a_pair_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("it rains\tit is raining\nit rains\n")
    with pytest.raises(InputError, match=r"pairs\.tsv"):
        list(read_linked_pairs(path, "en", tmp_path / "cache"))
