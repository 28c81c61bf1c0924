"""The search spaces of the contextual and Sultan's aligner, and the score of values on dev pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.alignment import Links
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.parsed_pairs import (
    ParsedPair,
    parse_pairs,
    parser_fingerprint,
    prepare_pairs,
    with_gold,
)
from forest_align.em.tuning.trials import Range, Values
from forest_align.eval.metrics.scores import MatchCounts
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners.sultan.aligner import SultanAligner
    from forest_align.data.formats.format import SentencePair

_SPACES: dict[str, dict[str, Range]] = {
    "contextual": {"threshold": Range(0.05, 0.95)},
    # The grid of the paper (§3.3.5) goes from 0.1 to 1.
    "sultan": {"ppdb_similarity": Range(0.1, 1.0), "word_weight": Range(0.1, 1.0)},
}
_COSINES = Range(0.4, 0.9)


def word_space(aligner: ContextualAligner | SultanAligner) -> dict[str, Range]:
    """What to vary: the threshold of the contextual aligner, *ppdbSim* and *w* of Sultan's.

    If word vectors replace the paraphrase table, their threshold is varied too. The ranges are widened to
    include the aligner's own values.
    """
    space = dict(_SPACES[aligner.name])
    if aligner.name == "sultan" and aligner.ppdb is None and _reads_trees(aligner):
        space["cosine"] = _COSINES
    return {name: range_.holding(float(aligner.settings[name])) for name, range_ in space.items()}


def word_start(aligner: ContextualAligner | SultanAligner) -> dict[str, float]:
    """The aligner's own values."""
    return {name: float(aligner.settings[name]) for name in word_space(aligner)}


def _reads_trees(aligner: ContextualAligner | SultanAligner) -> bool:
    """Whether the parser prepares the sentences, not an annotator."""
    return str(aligner.settings.get("annotator", "trees")) == "trees"


@dataclass(frozen=True, slots=True, eq=False)
class WordDevPair:
    """A dev pair, ready to be aligned."""

    # source, target: With the annotations that the aligner reads
    source: Sentence
    target: Sentence
    links: Links
    # Short hash of the forests that came with the sentences; empty where both were parsed
    given_forests: str = ""


class WordSweep:
    """A :class:`~.trials.TuningProblem`: word F1 of dev pairs under the values of a trial."""

    def __init__(
        self,
        aligner: ContextualAligner | SultanAligner,
        pairs: Sequence[WordDevPair],
        identity: object = None,
        links: str = "sure",
    ) -> None:
        if not pairs:
            raise InputError("expected at least one dev pair with gold links")
        self._aligner, self._identity = aligner, identity
        self._pairs = list(pairs)
        wanted = [pair.links if links == "all" else pair.links.only_sure() for pair in pairs]
        self._gold = [set(gold.pairs) for gold in wanted]

    @property
    def pair_count(self) -> int:
        """Number of dev pairs."""
        return len(self._pairs)

    @property
    def fingerprint(self) -> str:
        """See :class:`~.trials.TuningProblem`; values that are varied do not count.

        Forests from the parser do not count either: parsers round slightly differently on different machines,
        and these may share a study.
        """
        aligner = self._aligner
        varied = word_space(aligner)
        kept = {name: value for name, value in aligner.settings.items() if name not in varied}
        gold = [
            (pair.source.words, pair.target.words, sorted(links), pair.given_forests)
            for pair, links in zip(self._pairs, self._gold, strict=True)
        ]
        weights = _arrays_of(aligner.model) if isinstance(aligner, ContextualAligner) else ()
        return fingerprint_of(kept, aligner.name, gold, self._identity, *weights)

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        """Counts of words: float64, one row of ``MatchCounts`` a pair."""
        aligner = self._aligner.with_values(values)
        rows = []
        for index in pairs:
            pair, gold = self._pairs[index], self._gold[index]
            links = set(aligner.align_prepared(pair.source, pair.target).words.pairs)
            right = len(links & gold)
            rows.append((right, len(links), right, len(gold)))
        return np.array(rows, np.float64).reshape(-1, 4)

    def score(self, rows: np.ndarray) -> float:
        """F1 of macro-averaged precision and recall, in percent."""
        return 100 * MatchCounts(rows).macro().f1


def _arrays_of(model: Any) -> Iterator[np.ndarray]:
    """The arrays of a dataclass and of the dataclasses in it."""
    for value in (getattr(model, field.name) for field in fields(model)):
        if isinstance(value, np.ndarray):
            yield value
        elif is_dataclass(value):
            yield from _arrays_of(value)


def dev_pairs(
    aligner: ContextualAligner | SultanAligner,
    pairs: Sequence[SentencePair],
    parser: str,
    cache: Path | None = None,
    report: Callable[[int], None] | None = None,
    *,
    given_trees: bool = False,
) -> tuple[list[WordDevPair], list[str]]:
    """Prepare pairs with gold links for a sweep."""

    def prepare(texts: Sequence[Any]) -> list[Sentence | InputError]:
        return aligner.prepare(
            [text if isinstance(text, str) else Sentence.from_words(text) for text in texts]
        )

    identity = [aligner.name, aligner.reads_vectors(), parser_fingerprint(parser)]
    # Other annotators have no fingerprint, so nothing is cached.
    store = ArrayStore(cache) if cache is not None and _reads_trees(aligner) else None
    gold, given = with_gold(pairs), aligner.prepare
    parsed = parse_pairs(
        gold, prepare, store, identity, given_trees=given_trees, prepare_given=given, report=report
    )

    def dev_pair(parsed: ParsedPair) -> WordDevPair:
        assert parsed.pair.links is not None
        links = parsed.pair.links.check(len(parsed.source), len(parsed.target))
        return WordDevPair(parsed.source, parsed.target, links, parsed.given_forests)

    return prepare_pairs(parsed, dev_pair)
