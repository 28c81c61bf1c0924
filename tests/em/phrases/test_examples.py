"""What gold links and marked phrases say about pairs of phrases, and the corpora that they are read from."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.phrases.features import ProposedPairs
from forest_align.aligners.words.candidate import link_probabilities
from forest_align.alignment import Links, project
from forest_align.data.formats.format import PhraseUnit
from forest_align.em.phrases.examples import (
    POSSIBLE,
    SURE,
    UNKNOWN,
    WRONG,
    labels_of,
    links_of_units,
    read_linked_pairs,
)
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError

from ...aligners.phrases.phrase_cases import pair_with_vectors


@pytest.mark.parametrize("seed", range(10))
def test_labels_are_those_of_the_projection_of_the_links(seed: int) -> None:
    source, target, candidates = pair_with_vectors(seed)
    shape = len(source), len(target)
    rng = random.Random(seed)
    links = {(i, j) for i in range(shape[0]) for j in range(shape[1]) if rng.random() < 0.15}
    proposed = ProposedPairs.of(
        source, target, link_probabilities(candidates, *shape), word_evidence(source, target, load_lexicon())
    )
    one, two, (a, b) = proposed.phrases.source, proposed.phrases.target, proposed.pairs
    ours, theirs = (list(zip(x.start.tolist(), x.end.tolist(), strict=True)) for x in (one, two))
    projection = project(ours, theirs, Links.of(links))
    sure, possible = projection.sure_pairs(), projection.possible_pairs()
    for k, label in enumerate(labels_of(proposed, Links.of(links)).tolist()):
        pair = ours[a[k]], theirs[b[k]]
        assert label == (SURE if pair in sure else POSSIBLE if pair in possible else WRONG)
    silent = {0}, set[int]()
    for k, label in enumerate(labels_of(proposed, Links.of(links), silent).tolist()):
        assert (label == UNKNOWN) == (one.start[a[k]] == 0)


def test_units_link_all_their_words_and_equal_words_one_by_one() -> None:
    source, target = (
        ["The", "airline", "said", "Monday", "it", "won"],
        ["Southwest", "'s", "said", "on", "monday", "it", "lost"],
    )
    units = [
        PhraseUnit((0, 1), (0, 1), "Same Polarity Substitution (contextual)"),
        PhraseUnit((2, 3, 4), (2, 4, 5), "Identity"),
        PhraseUnit((), (3,), "Addition/Deletion"),
        PhraseUnit((2, 3, 4, 5), (2, 5, 6), "Diathesis alternation"),
    ]
    links, silent = links_of_units(units, source, target)
    assert links == {(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (3, 4), (4, 5)}
    assert silent == (set(), set())
    assert links_of_units(units[:2], source, target)[1] == ({5}, {3, 6})


def test_equal_words_of_a_unit_that_differ_in_number_are_matched_in_order() -> None:
    source, target = ["a", "b", "a", "c"], ["b", "a", "c"]
    links, _ = links_of_units([PhraseUnit((0, 1, 2, 3), (0, 1, 2), "Identity")], source, target)
    assert links == {(1, 0), (2, 1), (3, 2)}


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
