"""The contextual word aligner: a link model that uses all evidence for two words and their contexts."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.contextual.model import LinkModel
from forest_align.aligners.contextual.pair_evidence import link_evidence
from forest_align.aligners.link_convention import check_convention, no_all_links
from forest_align.aligners.model_folder import bundled_folder, model_folder
from forest_align.aligners.pair import Text
from forest_align.aligners.parsing_aligner import ParsingAligner, check_tokens
from forest_align.alignment import Alignment, Links
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import is_number
from forest_align.types.spans import gaps

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser


# Lower bound for the probability of a single link in the probability of a set.
_LEAST = np.float32(1e-7)


def most_likely_links(
    words: tuple[Sequence[str], Sequence[str]], probability: np.ndarray, threshold: float
) -> tuple[Links, float]:
    """Links that reach the threshold, links of repeated words, and the log-probability of this set.

    Shapes: ``probability`` float32 (n, m).
    """
    linked = probability >= threshold
    for i, j in _repeated_links(words, probability, linked, threshold):
        linked[i, j] = True
    scores = probability[linked]
    chosen = 1 - probability
    chosen[linked] = scores
    np.log(np.maximum(chosen, _LEAST, out=chosen), out=chosen)
    # Cells are sorted and unique, as Links requires.
    pairs = tuple(zip(*(places.tolist() for places in np.nonzero(linked)), strict=True))
    # A transposed table is summed in its original memory order, so that even the last digit is the same.
    return Links(pairs, None, tuple(scores.tolist())), float(chosen.sum())


def _repeated_links(
    words: tuple[Sequence[str], Sequence[str]], probability: np.ndarray, linked: np.ndarray, threshold: float
) -> list[tuple[int, int]]:
    """Links of words that have a partner among several equal words.

    Two words without links are candidates if they are equal, ignoring case, and the model expects a link:
    the probabilities of each with such words add up to the threshold. The most probable candidates are
    chosen, one to one. Ties are resolved from left to right.
    """
    source, target = (_without_link(*side) for side in zip(words, (linked, linked.T), strict=True))
    added: list[tuple[int, int]] = []
    for word in source.keys() & target.keys():
        rows, columns = source[word], target[word]
        if len(rows) == 1 or len(columns) == 1:  # the probability of one link does not reach the threshold
            continue
        # Doubles represent sums of a few such numbers exactly, in either order of the sentences.
        table = probability[np.ix_(rows, columns)].astype(np.float64)
        rows = [i for i, total in zip(rows, table.sum(1).tolist(), strict=True) if total >= threshold]
        columns = [j for j, total in zip(columns, table.sum(0).tolist(), strict=True) if total >= threshold]
        free, others_free = set(rows), set(columns)
        # Equally probable cells that share a word keep their order from the left, even if the sentences are
        # swapped.
        for i, j in sorted(product(rows, columns), key=lambda cell: -probability[cell]):
            if i in free and j in others_free:
                free.remove(i)
                others_free.remove(j)
                added.append((i, j))
    return added


def _without_link(words: Sequence[str], linked: np.ndarray) -> dict[str, list[int]]:
    """Positions of the unlinked words of one side, by their lower-cased forms."""
    places: dict[str, list[int]] = {}
    for place in np.flatnonzero(~linked.any(axis=1)).tolist():
        places.setdefault(words[place].lower(), []).append(place)
    return places


class ContextualAligner(ParsingAligner):
    """Aligns words by their similarity and by the similarity of their contexts.

    Every link has a probability. The result for swapped sentences is always the transpose.

    Parameters
    ----------
    model : LinkModel, optional
        By default the bundled model, loaded when needed.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, or their file: additional synonyms.
    parser : Parser or str or Path, optional
        For sentences that lack a parse or word vectors: a parser, or the name or folder of one, which is
        loaded when needed. By default the bundled English parser.
    lexicon : Lexicon, optional
        By default the bundled one.
    threshold : float, optional
        Minimum probability of a link; by default that of the model. For words that both sentences repeat,
        the sum over the copies counts (:mod:`forest_align.aligners.contextual.aligner`).
    links : {"sure", "all"}
        The convention of annotators that links and their probabilities follow: sure links alone, or possible
        ones too. Each has a threshold in the model.

    Raises
    ------
    InputError
        If the threshold is not a probability, ``ppdb`` is neither a table nor the path of a readable one,
        the convention is unknown, or the model knows sure links only.
    """

    name = "contextual"

    def __init__(
        self,
        model: LinkModel | None = None,
        *,
        ppdb: PairTable | str | Path | None = None,
        parser: Parser | str | Path | None = None,
        lexicon: Lexicon | None = None,
        threshold: float | None = None,
        links: str = "sure",
    ) -> None:
        if threshold is not None and not (is_number(threshold) and 0 <= threshold <= 1):
            raise InputError(f"expected a probability, found {threshold!r}", field="threshold")
        super().__init__(parser, lexicon, ppdb)
        self._model = model
        self._threshold = threshold
        self._all_links = self.model.all_links if check_convention(links) else None
        if links == "all" and self._all_links is None:
            raise no_all_links("link model")

    @cached_property
    def model(self) -> LinkModel:
        """The link model."""
        return self._model or bundled_model()

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that decide on the links."""
        if not self._all_links:
            return {"threshold": self.threshold}
        slope, offset = self._all_links.slope, self._all_links.offset
        return {"threshold": self.threshold, "links": "all", "slope": slope, "offset": offset}

    @property
    def threshold(self) -> float:
        """Minimum probability of a link."""
        if self._threshold is not None:
            return self._threshold
        return (self._all_links or self.model).threshold

    @classmethod
    def load(cls, name_or_path: str | Path = "contextual", **options: Any) -> ContextualAligner:
        """Load the bundled model (``"contextual"``) or what :meth:`save` wrote into a folder.

        Options are passed to the constructor and override the values in the folder.

        Raises
        ------
        ModelError
            If the model does not exist.
        """
        with model_folder(name_or_path) as folder:
            return cls(LinkModel.load(folder), **options)

    def save(self, path: str | Path) -> None:
        """Write the model with the threshold into a folder; that of the other convention stays."""
        kept: dict[str, Any] = {"threshold": self.threshold}
        if self._all_links:
            kept = {"all_links": replace(self._all_links, **kept)}
        replace(self.model, **kept).save(path)

    def with_values(self, values: Mapping[str, float]) -> ContextualAligner:
        """A copy that shares everything except these values: ``threshold``."""
        changed = copy.copy(self)
        changed.made_by = type(self).made_by
        changed._threshold = values["threshold"]
        return changed

    def _reads_trees(self) -> bool:
        return False

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two prepared sentences.

        Raises
        ------
        InputError
            If a sentence has no tokens or no word vectors, or its vectors are not finite.
        ModelError
            If the link model expects word vectors of another size.
        """
        check_tokens(source, target)
        links, log_probability = self.likely_links(source, target, self.link_probabilities(source, target))
        return Alignment(
            source,
            target,
            links,
            unaligned_source=gaps({i for i, _ in links}, len(source)),
            unaligned_target=gaps({j for _, j in links}, len(target)),
            log_probability=log_probability,
            aligner=self.name,
        )

    def likely_links(
        self, source: Sentence, target: Sentence, probability: np.ndarray
    ) -> tuple[Links, float]:
        """The most likely links of two sentences by :meth:`link_probabilities`, and their log-probability."""
        return most_likely_links((source.words, target.words), probability, self.threshold)

    def link_probabilities(self, source: Sentence, target: Sentence) -> np.ndarray:
        """Probability of a link for every two words of two prepared sentences, float32 (n, m)."""
        return self.scored_cells(source, target)[0]

    def scored_cells(self, source: Sentence, target: Sentence) -> tuple[np.ndarray, np.ndarray]:
        """Link probability, float32 (n, m), and lexical evidence, int32 (n, m), of every two words.

        Raises
        ------
        InputError
            If a sentence has no word vectors, or its vectors are not finite.
        ModelError
            If the link model expects word vectors of another size.
        """
        evidence = self._evidence(source, target)
        probability = self.model.link_probabilities(source, target, evidence)
        if self._all_links:
            probability = self._all_links.probabilities(probability)
        return probability, evidence

    def explain(self, source: Text, target: Text, i: int, j: int) -> dict[str, float]:
        """What each feature adds to the log-odds of a link between two words, strongest first.

        Swapping the sentences and the two words does not change the explanation.

        Parameters
        ----------
        source, target : str or Sentence
            Raw text, or sentences, prepared or not.
        i, j : int
            Numbers of the words, counted from 0: word ``i`` of the source, word ``j`` of the target.

        Raises
        ------
        InputError
            If a sentence cannot be prepared, see :meth:`align`, or has no word with this number.
        ModelError
            If the link model expects word vectors of another size.
        """
        source, target = self.prepare_pair(source, target)
        for field, number, side, length in (("i", i, "source", len(source)), ("j", j, "target", len(target))):
            if number not in range(length):
                raise InputError(
                    f"expected a word of the {side}, 0 to {length - 1}, found {number}", field=field
                )
        parts = self.model.explain_link(source, target, self._evidence(source, target), i, j)
        if self._all_links:
            parts = {name: self._all_links.slope * value for name, value in parts.items()}
            parts["possible links count too"] = self._all_links.offset
            parts = dict(sorted(parts.items(), key=lambda part: -abs(part[1])))
        return parts

    def _evidence(self, source: Sentence, target: Sentence) -> np.ndarray:
        return link_evidence(source, target, self.lexicon, self.ppdb)


def bundled_model() -> LinkModel:
    """The link model that comes with the package."""
    with bundled_folder("contextual") as folder:
        return LinkModel.load(folder)
