"""What the sweep varies in the contextual and Sultan's aligner, what it scores and how it is known again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.alignment import Links
from forest_align.data.formats.format import SentencePair
from forest_align.em.tuning.word_link_sweep import (
    WordDevPair,
    WordSweep,
    dev_pairs,
)
from forest_align.lexicon.pair_table import PairTable
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence

TREES = {
    "she sold her house": "(S (PRP she) (VBD sold) (PRP$ her) (NN house))",
    "she sold her home": "(S (PRP she) (VBD sold) (PRP$ her) (NN home))",
    "dogs bark": "(S (NNS dogs) (VBP bark))",
}
TABLE = PairTable([("house", "home")])


def sultan(**values: Any) -> SultanAligner:
    return SultanAligner(ppdb=TABLE).with_values(values)


def pair(source: str, target: str, links: Links, given: str = "") -> WordDevPair:
    return WordDevPair(*(sentence_from_bracket(TREES[text]) for text in (source, target)), links, given)


BOTH = Links.of([(0, 0), (1, 1)])


def dogs(links: Links = BOTH, given: str = "") -> WordDevPair:
    return pair("dogs bark", "dogs bark", links, given)


def test_trials_are_scored_by_macro_averaged_f1_on_sure_links() -> None:
    gold = Links.of([(0, 0), (1, 1), (2, 2)], sure=[True, True, False])
    sweep = WordSweep(sultan(), [pair("she sold her house", "she sold her home", gold), dogs()])
    rows = sweep.statistics({"ppdb_similarity": 0.9, "word_weight": 0.9}, [1, 0])
    assert rows.tolist() == [[2, 2, 2, 2], [2, 4, 2, 2]]
    assert sweep.score(rows) == pytest.approx(100 * 2 * 0.75 / 1.75)
    assert sweep.pair_count == 2
    with pytest.raises(InputError, match="at least one dev pair"):
        WordSweep(sultan(), [])


def test_possible_links_count_where_all_are_wanted() -> None:
    gold = Links.of([(0, 0), (1, 1), (2, 2)], sure=[True, True, False])
    one = pair("she sold her house", "she sold her home", gold)
    sweeps = [WordSweep(sultan(), [one], links=links) for links in ("sure", "all")]
    rows = [sweep.statistics({"ppdb_similarity": 0.9, "word_weight": 0.9}, [0]).tolist() for sweep in sweeps]
    assert rows == [[[2, 4, 2, 2]], [[3, 4, 3, 3]]]
    assert sweeps[0].fingerprint != sweeps[1].fingerprint


def test_the_values_of_a_trial_reach_the_aligner(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(self: ContextualAligner, source: Sentence, target: Sentence) -> np.ndarray:
        return np.eye(len(source), len(target), dtype=np.float32) * 0.5 + 0.2

    monkeypatch.setattr(ContextualAligner, "link_probabilities", half)
    sweep = WordSweep(ContextualAligner(), [dogs()])
    assert [sweep.statistics({"threshold": value}, [0])[0, 1] for value in (0.6, 0.8)] == [2, 0]


def test_a_sweep_is_known_by_all_that_decides_on_its_scores() -> None:
    default = ContextualAligner()
    model = default.model

    def fingerprint(
        aligner: ContextualAligner | SultanAligner, one: WordDevPair | None = None, identity: object = None
    ) -> str:
        return WordSweep(aligner, [one or dogs()], identity).fingerprint

    def with_pass(**networks: Any) -> ContextualAligner:
        return ContextualAligner(replace(model, **networks))

    known = [
        fingerprint(sultan()),
        fingerprint(sultan(window=2)),
        fingerprint(sultan(modules=frozenset({"text"}))),
        fingerprint(sultan(), dogs(Links.of([(0, 0)]))),
        fingerprint(sultan(), dogs(given="other trees")),
        fingerprint(sultan(), identity="another parser"),
        fingerprint(default),
        fingerprint(with_pass(first=model.first + 1)),
        fingerprint(with_pass(second=replace(model.second, output=model.second.output + 1))),
        fingerprint(with_pass(third=replace(model.third, hidden=model.third.hidden + 1))),
    ]
    assert len(set(known)) == len(known)
    # What is varied does not count, nor what links are merely possible.
    assert fingerprint(sultan(ppdb_similarity=0.5, word_weight=0.2)) == known[0]
    assert fingerprint(default.with_values({"threshold": 0.7})) == fingerprint(default)
    possible = dogs(Links.of([(0, 0), (1, 1), (0, 1)], sure=[True, True, False]))
    assert fingerprint(sultan(), possible) == known[0]


class Counting:
    """Mixed into an aligner: makes sentences of trees and notes how many."""

    prepared = 0

    def prepare(self, sentences: Sequence[Any], batch_size: int = 32) -> list[Sentence | InputError]:
        self.prepared += sum(sentence.forest is None for sentence in sentences)
        return [sentence_from_bracket(TREES[" ".join(sentence.words)]) for sentence in sentences]


class CountingSultan(Counting, SultanAligner):  # type: ignore[misc]
    pass


class CountingContextual(Counting, ContextualAligner):  # type: ignore[misc]
    pass


def test_pairs_are_prepared_once_for_each_parser_and_aligner(tmp_path: Path) -> None:
    texts = ("she sold her house", "she sold her home")
    words = [text.split() for text in texts]
    given = SentencePair("1", *map(Sentence.from_words, words), links=Links.of([(0, 0)]))
    for kind, parser, count in (
        (CountingSultan, "toy", 2),
        (CountingSultan, "toy", 0),
        (CountingSultan, "other", 2),
        (CountingContextual, "toy", 2),
    ):
        aligner = kind()
        (found,), problems = dev_pairs(aligner, [given], parser, tmp_path)
        assert (aligner.prepared, problems) == (count, [])
        assert (found.source.words, found.target.words) == tuple(map(tuple, words))
        assert (found.links.pairs, found.given_forests) == (((0, 0),), "")


def test_trees_of_the_input_are_part_of_a_pair(tmp_path: Path) -> None:
    def with_tree(tree: str) -> SentencePair:
        words = ["dogs", "bark"]
        plain = SentencePair("1", Sentence.from_words(words), Sentence.from_words(words), links=Links.of([]))
        return replace(plain, source_trees=((tree, 0.0),))

    trees = [with_tree("(S (NNS dogs) (VBP bark))"), with_tree("(S (NP (NNS dogs)) (VP (VBP bark)))")]
    aligner = CountingSultan()
    found, _ = dev_pairs(aligner, trees, "toy", given_trees=True)
    assert aligner.prepared == 1  # both targets, which have the same words
    assert len({one.given_forests for one in found}) == 2 and all(one.given_forests for one in found)
    assert [one.given_forests for one in dev_pairs(aligner, trees, "toy")[0]] == ["", ""]
