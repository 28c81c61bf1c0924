"""What the sweep varies in the contextual aligner, and how a set of values is scored on dev pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.alignment import Links
from forest_align.em.corpus.cache import ArrayStore, cached_sentences
from forest_align.em.corpus.corpus import forest_fingerprint, parser_fingerprint, text_to_parse
from forest_align.em.corpus.problems import problem_of, with_gold
from forest_align.em.tuning.trials import Range, Values
from forest_align.eval.metrics.scores import MatchCounts
from forest_align.parsing.forests.given_trees import with_given_trees
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners.contextual.aligner import ContextualAligner
    from forest_align.data.formats.format import SentencePair

_SPACES: dict[str, dict[str, Range]] = {
    "default": {"threshold": Range(0.05, 0.95)},
    # The grid of the paper (§3.3.5) goes from 0.1 to 1.
    "published": {"ppdb_similarity": Range(0.1, 1.0), "word_weight": Range(0.1, 1.0)},
}
_COSINES = Range(0.4, 0.9)


def contextual_space(aligner: ContextualAligner) -> dict[str, Range]:
    """What to vary: the threshold of the default variant, *ppdbSim* and *w* of the published one.

    Where word vectors stand in for a paraphrase table, their threshold is varied too. The ranges are wide
    enough for the aligner's own values.
    """
    space = dict(_SPACES[aligner.variant])
    if aligner.variant == "published" and aligner.ppdb is None and aligner.annotator.name == "trees":
        space["cosine"] = _COSINES
    return {name: range_.holding(_own_value(aligner, name)) for name, range_ in space.items()}


def contextual_start(aligner: ContextualAligner) -> dict[str, float]:
    """The aligner's own values."""
    return {name: _own_value(aligner, name) for name in contextual_space(aligner)}


def _own_value(aligner: ContextualAligner, name: str) -> float:
    return float(getattr(aligner.parameters if aligner.variant == "published" else aligner, name))


@dataclass(frozen=True, slots=True, eq=False)
class ContextualPair:
    """A dev pair, ready to be aligned.

    Attributes
    ----------
    source, target : Sentence
        With what the aligner reads.
    links : Links
        Gold word links.
    given_forests : str
        Short hash of the forests that came with the sentences; empty where both were parsed.
    """

    source: Sentence
    target: Sentence
    links: Links
    given_forests: str = ""


class ContextualSweep:
    """A :class:`~.trials.TuningProblem`: word F1 of dev pairs under the values of a trial.

    Parameters
    ----------
    aligner : ContextualAligner
        Gives everything but the values.
    pairs : sequence of ContextualPair
        Of their gold links only the sure ones count.
    identity : object
        What the sentences were prepared with, and the user's paraphrases: the text of a value that differs
        where these do.

    Raises
    ------
    InputError
        If there are no pairs.
    """

    def __init__(
        self,
        aligner: ContextualAligner,
        pairs: Sequence[ContextualPair],
        identity: object = None,
    ) -> None:
        if not pairs:
            raise InputError("expected at least one dev pair with gold links")
        self._aligner, self._identity = aligner, identity
        self._pairs = list(pairs)
        self._gold = [set(pair.links.only_sure().pairs) for pair in pairs]

    @property
    def pair_count(self) -> int:
        """Number of dev pairs."""
        return len(self._pairs)

    @property
    def fingerprint(self) -> str:
        """See :class:`~.trials.TuningProblem`; values that are varied do not count.

        Nor do forests that were parsed: parsers round a little differently on different machines, which may
        share a study all the same.
        """
        aligner = self._aligner
        varied = contextual_space(aligner)
        kept = {name: value for name, value in aligner.settings.items() if name not in varied}
        gold = [
            (pair.source.words, pair.target.words, sorted(links), pair.given_forests)
            for pair, links in zip(self._pairs, self._gold, strict=True)
        ]
        weights = _arrays_of(aligner.model) if aligner.variant == "default" else ()
        return fingerprint_of(kept, aligner.annotator.name, gold, self._identity, *weights)

    def statistics(self, values: Values, pairs: Sequence[int]) -> np.ndarray:
        """Counts of words: float64, one row of ``MatchCounts`` a pair."""
        aligner = self._aligner.with_values(values)
        rows = []
        for pair, gold in ((self._pairs[index], self._gold[index]) for index in pairs):
            found = set(aligner.align_prepared(pair.source, pair.target).words.pairs)
            right = len(found & gold)
            rows.append((right, len(found), right, len(gold)))
        return np.array(rows, np.float64).reshape(-1, 4)

    def score(self, rows: np.ndarray) -> float:
        """F1 of macro-averaged precision and recall, in percent."""
        return 100 * MatchCounts(rows).macro().f1


def _arrays_of(model: Any) -> Iterator[np.ndarray]:
    """The arrays of a dataclass and of those in it."""
    for value in (getattr(model, one.name) for one in fields(model)):
        if isinstance(value, np.ndarray):
            yield value
        elif is_dataclass(value):
            yield from _arrays_of(value)


def dev_pairs(
    aligner: ContextualAligner,
    pairs: Sequence[SentencePair],
    parser: str,
    cache: Path | None = None,
    report: Callable[[int], None] | None = None,
    *,
    given_trees: bool = False,
) -> tuple[list[ContextualPair], list[str]]:
    """Prepare pairs with gold links for a sweep.

    Parameters
    ----------
    aligner : ContextualAligner
        Prepares the sentences with its parser or annotator.
    pairs : sequence of SentencePair
        From :func:`forest_align.data.pairs.read_pairs`.
    parser : str
        Name or folder of the aligner's parser: parses of another one in the cache are not used.
    cache : pathlib.Path, optional
        Folder that keeps what is computed; not used where spaCy annotates.
    report : callable, optional
        Called with the number of sentences done since the last call.
    given_trees : bool
        Whether sentences that come with trees keep these for forests, as ``forest-align align`` does by
        default.

    Returns
    -------
    list of ContextualPair
        What :class:`ContextualSweep` takes.
    list of str
        Why other pairs could not be prepared.

    Raises
    ------
    InputError
        If there are pairs and none of them has gold links.
    """
    usable: list[SentencePair] = []
    sides: list[Sentence] = []
    problems: list[str] = []
    for pair in with_gold(pairs):
        if isinstance(pair, InputError):
            problems.append(str(pair))
            continue
        try:
            sides += with_given_trees(pair) if given_trees else (pair.source, pair.target)
            usable.append(pair)
        except InputError as error:
            problems.append(problem_of(pair, error))

    def prepare(texts: Sequence[Any]) -> list[Sentence | InputError]:
        return aligner.prepare(
            [text if isinstance(text, str) else Sentence.from_words(text) for text in texts]
        )

    identity = ["contextual", aligner.variant, aligner.reads_vectors(), parser_fingerprint(parser)]
    # Of what another annotator is made, nothing is known; and it remembers what it has prepared.
    store = ArrayStore(cache) if cache is not None and aligner.annotator.name == "trees" else None
    with_trees = [side for side in sides if side.forest is not None]
    texts = [text_to_parse(side) for side in sides if side.forest is None]
    own = iter(aligner.prepare(with_trees))
    if report is not None and with_trees:
        report(len(with_trees))
    others = iter(cached_sentences(texts, prepare, store, identity, report=report))
    sentences = [next(others if side.forest is None else own) for side in sides]
    found = []
    given = (forest_fingerprint(both) for both in zip(sides[::2], sides[1::2], strict=True))
    for pair, source, target, forests in zip(usable, sentences[::2], sentences[1::2], given, strict=True):
        if isinstance(source, InputError) or isinstance(target, InputError):
            problems.append(problem_of(pair, source if isinstance(source, InputError) else target))
        else:
            assert pair.links is not None
            links = pair.links.check(len(source), len(target))
            found.append(ContextualPair(source, target, links, forests))
    return found, problems
