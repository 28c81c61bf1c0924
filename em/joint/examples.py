"""Reads sentence pairs with gold links as examples for the joint aligner."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.joint.edit_table import ARC_CLASSES
from forest_align.aligners.joint.features import PairEdits, pair_edits
from forest_align.aligners.joint.model import FEATURE_LISTS
from forest_align.aligners.joint.program import Solution, best_edits
from forest_align.em.corpus.parsed_pairs import GoldPair, read_gold_pairs
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types.spans import SpanSums

if TYPE_CHECKING:
    from forest_align.aligners.contextual.model import LinkModel
    from forest_align.data.formats.format import SentencePair
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import InputError


# Preferences among gold alignments with equally many right links: fewer phrase pairs, and arc pairs of one
# type. They are too small to outweigh a link.
_A_PHRASE = 0.01
_SAME_ARCS = 0.001
_OTHER_ARCS = 0.0005
# Unaligned words are deleted in few phrases: this for each word but the first, …
_A_DELETION = 0.0001
# … and of equally few, the longer ones come first.
_LATER = 1e-8

#: Called with the name of the current phase and the number of pairs done in it.
Report = Callable[[str, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class JointExample:
    """A pair to learn from."""

    edits: PairEdits
    gold: np.ndarray  # bool, shape (n, m): gold links

    def agreement(self, right: float = 1.0) -> np.ndarray:
        """Right links times ``right``, minus wrong links, of each phrase pair: float64 (P,)."""
        return SpanSums.of(np.where(self.gold, right, -1.0)).between(*self.edits.spans.T)

    def reachable(self) -> Solution:
        """The edits nearest to the gold links: most right minus wrong links, in few phrase pairs.

        Words without a link are deleted in few phrases, if phrases can be deleted.
        """
        edits = self.edits
        same = (edits.arc_features[:, : len(ARC_CLASSES)] > 0).any(axis=1)
        arc_scores = np.where(same, _SAME_ARCS, _OTHER_ARCS)
        scores = self.agreement() - _A_PHRASE
        _, starts, ends = edits.deleted.T.astype(float)
        saved = (ends - starts - 1) * (_A_DELETION - _LATER * starts)
        phrases = edits.spans, scores
        return best_edits(edits.lengths, *phrases, edits.arc_pairs, arc_scores, edits.deleted, saved)


def read_examples(
    pairs: Iterable[SentencePair | InputError],
    *,
    parser: str = "en",
    cache: Path | None = None,
    longest: int = 3,
    arcs: bool = True,
    phrase_deletions: bool = False,
    link_model: LinkModel | None = None,
    ppdb: PairTable | None = None,
    links: str = "sure",
    convention: str = "sure",
    report: Callable[[int], None] | None = None,
) -> tuple[list[JointExample], list[str]]:
    """Parse pairs and compute the features of their edits."""
    gold, problems = read_gold_pairs(
        pairs, parser=parser, cache=cache, links=links, whole=True, report=report
    )
    examples, lexicon = [], load_lexicon()
    options: dict[str, Any] = {"longest": longest, "arcs": arcs, "phrase_deletions": phrase_deletions}
    options |= {"link_model": link_model, "ppdb": ppdb, "links": convention}
    for pair in gold:
        examples.append(example_of(pair, lexicon, **options))
        if report is not None:
            report(1)
    return examples, problems


def example_of(pair: GoldPair, lexicon: Lexicon, **options: Any) -> JointExample:
    """The edits of a parsed pair, with its links as an array; options are those of :func:`pair_edits`."""
    gold = np.zeros((len(pair.source), len(pair.target)), dtype=bool)
    for i, j in pair.links:
        gold[i, j] = True
    return JointExample(pair_edits(pair.source, pair.target, lexicon, **options), gold)


def fingerprint(examples: Iterable[JointExample]) -> str:
    """Short hash of the training data: gold links, edits, features and the meaning of the weights."""
    return fingerprint_of(FEATURE_LISTS, *chain.from_iterable(map(_arrays_of, examples)))


def _arrays_of(example: JointExample) -> tuple[np.ndarray, ...]:
    edits = example.edits
    return (
        example.gold,
        edits.spans,
        edits.word_features,
        edits.word_classes,
        edits.phrase_features,
        *edits.deletions,
        edits.deleted_features,
        edits.arc_pairs.arcs,
        edits.arc_pairs.governors,
        edits.arc_pairs.dependents,
        edits.arc_features,
    )
