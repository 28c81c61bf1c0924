"""Reads sentence pairs with gold links as examples for the joint aligner; parses are kept in a cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.joint_features import pair_edits
from forest_align.em.cache import ArrayStore, cached_sentences
from forest_align.em.corpus import parser_fingerprint
from forest_align.em.joint_training import JointExample
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import ForestAlignError, InputError, Sentence

if TYPE_CHECKING:
    from forest_align.data.pair_types import SentencePair


def read_examples(
    pairs: Iterable[SentencePair | InputError],
    *,
    parser: str = "en",
    cache: Path | None = None,
    longest: int = 3,
    arcs: bool = True,
    links: str = "sure",
    report: Callable[[int], None] | None = None,
) -> tuple[list[JointExample], list[str]]:
    """Parse pairs and compute the features of their edits.

    Parameters
    ----------
    pairs : iterable of SentencePair or InputError
        From :func:`forest_align.data.pairs.read_pairs`.
    parser : str
        Name or folder of the parser, loaded when a sentence is not in the cache.
    cache : Path, optional
        Folder that keeps parses.
    longest, arcs
        See :func:`forest_align.aligners.joint_features.pair_edits`.
    links : {"sure", "all"}
        Which gold links to learn from.
    report : callable, optional
        Called with the numbers of sentences and pairs done since the last call.

    Returns
    -------
    list of JointExample
    list of str
        Why other pairs cannot be used.
    """
    problems: list[str] = []
    usable: list[SentencePair] = []
    for pair in pairs:
        if isinstance(pair, InputError):
            problems.append(str(pair))
        elif pair.links is None or not len(pair.source) or not len(pair.target):
            problems.append(f"pair {pair.id!r}: expected words with gold links, found none")
        else:
            usable.append(pair)
    sentences = cached_sentences(
        [list(side.words) for pair in usable for side in (pair.source, pair.target)],
        _LazyParser(parser),
        ArrayStore(cache) if cache is not None else None,
        [parser_fingerprint(parser), 1],
        report=report,
    )
    examples, lexicon = [], load_lexicon()
    for pair, source, target in zip(usable, sentences[::2], sentences[1::2], strict=True):
        try:
            first, second = _parsed(source), _parsed(target)
            edits = pair_edits(first, second, lexicon, longest=longest, arcs=arcs)
            examples.append(JointExample(edits, gold_links(pair, links)))
        except ForestAlignError as error:
            problems.append(f"pair {pair.id!r}: {error}")
        if report is not None:
            report(1)
    return examples, problems


def gold_links(pair: SentencePair, links: str) -> np.ndarray:
    """The gold links of a pair of n and m words, bool (n, m).

    Raises
    ------
    InputError
        If a link points beyond the last word.
    """
    assert pair.links is not None
    chosen = pair.links if links == "all" else pair.links.only_sure()
    gold = np.zeros((len(pair.source), len(pair.target)), dtype=bool)
    for i, j in chosen.check(*gold.shape):
        gold[i, j] = True
    return gold


def fingerprint(examples: Iterable[JointExample]) -> str:
    """Short hash of what is learned from."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(repr(example.gold.shape).encode())
        for array in (example.gold, example.edits.spans, example.edits.word_features):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _parsed(sentence: Sentence | InputError) -> Sentence:
    if isinstance(sentence, InputError):
        raise sentence
    return sentence


class _LazyParser:
    """Parses; the parser is loaded when it is first needed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loaded: Any = None

    def __call__(self, sentences: Sequence[Any]) -> Iterable[Sentence | InputError]:
        if self._loaded is None:
            from forest_align.parsing import load_parser_for_alignment

            self._loaded = load_parser_for_alignment(self._name, forest_size=1)
        parsed: Iterable[Sentence | InputError] = self._loaded.parse_many(sentences)
        return parsed
