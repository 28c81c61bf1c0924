"""How the search uses word candidates: as features of phrase pairs, and as base pairs without support."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from forest_align.aligners.forest.features import PairFeatures, forest_of, pair_features
from forest_align.types import InputError, ParseForest, Sentence

if TYPE_CHECKING:
    from forest_align.aligners.words.candidate import Candidate
    from forest_align.aligners.words.lexical import Dictionary
    from forest_align.lexicon.lexicon import Lexicon

Span = tuple[int, int]
#: Least score of a word candidate that is reported where the derivation links neither word, and of one that
#: is reported in any case.
CONFIDENT_LINK, CERTAIN_LINK = 0.5, 0.6


def features_of_candidates(
    source: Sentence,
    target: Sentence,
    candidates: Iterable[Candidate],
    lexicon: Lexicon,
    dictionary: Dictionary | None = None,
) -> PairFeatures:
    """Features of the phrase pairs of two sentences.

    Candidates with a probability of at least :data:`CONFIDENT_LINK` count as links. If there is a dictionary,
    it relates words, instead of the lexicon alone.
    """
    from forest_align.lexicon.evidence import word_evidence

    links = []
    for found in candidates:
        if not (_inside(found.source, len(source)) and _inside(found.target, len(target))):
            raise InputError(
                f"candidate {found.source}-{found.target} is out of range: "
                f"the sentences have {len(source)} and {len(target)} tokens"
            )
        if found.weighted and found.score >= CONFIDENT_LINK:
            links += [(i, j) for i in range(*found.source) for j in range(*found.target)]
    if dictionary is None:
        evidence = word_evidence(source, target, lexicon)
    else:
        evidence = dictionary.evidence(source, target, lexicon)
    return pair_features(source, target, evidence, links)


def _inside(span: Span, length: int) -> bool:
    return 0 <= span[0] < span[1] <= length


def base_pairs(
    source: Sentence, target: Sentence, candidates: Iterable[Candidate], *, groups: bool = True
) -> dict[tuple[int, int], Candidate]:
    """Node pairs that need no support: every pair of nodes that cover the two sides of a candidate.

    Groups of words are omitted without ``groups``, or if one of their sides is not a node.
    """
    nodes = _nodes_of_spans(forest_of(source)), _nodes_of_spans(forest_of(target))
    found: dict[tuple[int, int], Candidate] = {}
    for candidate in candidates:
        if not groups and max(b - a for a, b in (candidate.source, candidate.target)) > 1:
            continue
        for s in nodes[0].get(candidate.source, ()):
            for t in nodes[1].get(candidate.target, ()):
                known = found.get((s, t))
                if known is None or candidate.score > known.score:
                    found[s, t] = candidate
    return dict(sorted(found.items()))


def _nodes_of_spans(forest: ParseForest) -> dict[Span, list[int]]:
    spans: dict[Span, list[int]] = {}
    for node, span in enumerate(zip(forest.start.tolist(), forest.end.tolist(), strict=True)):
        spans.setdefault(span, []).append(node)
    return spans
