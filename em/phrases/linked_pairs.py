"""Reads and parses the corpora of the models of phrases, with the word links that are probable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.words.candidate import link_probabilities
from forest_align.aligners.words.choose import word_candidates
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.parsed_pairs import LazyParser, ParsedPair, parse_pairs, parser_fingerprint
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import InputError

# Trees in a forest, as the forest aligner has them.
_FOREST_SIZE = 10


class LinkedPair(NamedTuple):
    """A parsed pair of n and m words with what is known of them."""

    parsed: ParsedPair
    links: np.ndarray  # float64, shape (n, m): link probabilities of the contextual aligner
    evidence: np.ndarray  # int32, shape (n, m), see pair_evidence


def read_linked_pairs(path: Path, parser: str, cache: Path) -> Iterator[LinkedPair]:
    """Read and parse the pairs of a file; the parser is loaded only if a sentence is not in the cache."""
    provider, lexicon = word_candidates("contextual"), load_lexicon()
    identity = [parser_fingerprint(parser), _FOREST_SIZE]
    for one in parse_pairs(read_pairs(path), LazyParser(parser, _FOREST_SIZE), ArrayStore(cache), identity):
        if isinstance(one, InputError):
            raise one
        candidates = provider.candidates(one.source, one.target)
        links = link_probabilities(candidates, len(one.source), len(one.target))
        yield LinkedPair(one, links, pair_evidence(one.source, one.target, lexicon))
