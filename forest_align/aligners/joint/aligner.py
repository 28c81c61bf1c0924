"""The joint phrasal and dependency aligner of Thadani, Martin & White (2012)."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.contextual.aligner import bundled_model as bundled_link_model
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.joint.features import PairEdits, check_parsed, pair_edits
from forest_align.aligners.joint.model import JointModel
from forest_align.aligners.joint.program import MOST_NODES, import_solver
from forest_align.aligners.link_convention import check_convention
from forest_align.aligners.model_folder import bundled_folder, model_folder
from forest_align.aligners.pair import is_after
from forest_align.aligners.parsing_aligner import ParsingAligner
from forest_align.aligners.span_nodes import phrase_pairs_of
from forest_align.alignment import Alignment, ArcPair, Links, arc_order
from forest_align.types import Sentence
from forest_align.types.spans import SpanSums, gaps

if TYPE_CHECKING:
    from forest_align.aligners.contextual.model import LinkModel
    from forest_align.aligners.joint.program import Solution
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser


def margins(
    edits: PairEdits, best: Solution, phrase_scores: np.ndarray, arc_scores: np.ndarray
) -> np.ndarray:
    """Margin of each chosen phrase pair over its best replacement, all else being equal.

    A linear model has no probabilities, and solving the program again without each pair in turn would take
    twenty times as long. So the margin only compares with simple alternatives. They delete the words of the
    pair, or replace it by one other phrase pair that overlaps no other chosen one. Arc pairs that begin or
    end in a phrase pair are added and removed with it.
    """
    n, m = edits.lengths
    owner = np.full((n, m), -1)
    for place, (start, end, other_start, other_end) in enumerate(edits.spans[best.phrases].tolist()):
        owner[start:end, other_start:other_end] = place
    taken = owner.max(axis=1, initial=-1), owner.max(axis=0, initial=-1)
    own = phrase_scores[best.phrases] + _arc_sums(edits, best, arc_scores, owner)
    # Only phrase pairs that overlap exactly one chosen pair count as replacements.
    other = phrase_scores + _context(edits, arc_scores, owner >= 0)
    instead = np.zeros(len(best.phrases))
    chosen = set(best.phrases.tolist())
    for place in np.flatnonzero(other > 0).tolist():
        start, end, other_start, other_end = edits.spans[place].tolist()
        in_way = {*taken[0][start:end].tolist(), *taken[1][other_start:other_end].tolist()} - {-1}
        if len(in_way) == 1 and place not in chosen:
            (pair,) = in_way
            instead[pair] = max(instead[pair], other[place])
    return np.asarray(own - instead)


def _arc_sums(edits: PairEdits, best: Solution, arc_scores: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Sum of the scores of the chosen arc pairs that begin or end in each chosen phrase pair."""
    pairs = edits.arc_pairs
    sums = np.zeros(len(best.phrases))
    for arc in best.arcs.tolist():
        ends = {int(owner[tuple(pairs.dependents[arc])])}
        if pairs.governors[arc, 0] >= 0:
            ends.add(int(owner[tuple(pairs.governors[arc])]))
        sums[list(ends)] += arc_scores[arc]
    return sums


def _context(edits: PairEdits, arc_scores: np.ndarray, linked: np.ndarray) -> np.ndarray:
    """Sum of the scores of the arc pairs with one end in a phrase pair and the other in linked words."""
    pairs = edits.arc_pairs
    sums = np.zeros(linked.shape)
    # The artificial roots, at index -1, are aligned.
    padded = np.pad(linked, (0, 1))
    padded[-1, -1] = True
    for here, there in ((pairs.dependents, pairs.governors), (pairs.governors, pairs.dependents)):
        counted = (here[:, 0] >= 0) & padded[tuple(there.T)]
        np.add.at(sums, (here[counted, 0], here[counted, 1]), arc_scores[counted])
    return SpanSums.of(sums).between(*edits.spans.T)


_CUT_SHORT = f"the search stopped after {MOST_NODES} nodes; there may be a better alignment"


class JointAligner(ParsingAligner):
    """Aligns phrases and dependencies together; an integer linear program finds the best edits.

    A word is in at most one pair of phrases, so words are linked many to many only inside a pair. The result
    for swapped sentences is the transpose, because pairs are aligned in one canonical order. (A sentence
    paired with itself has no such order, so links of repeated words may be asymmetric.)

    Parameters
    ----------
    model : JointModel, optional
        By default the bundled model.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, of words and of phrases, or their file: additional synonyms.
    parser : Parser or str or Path, optional
        For sentences that lack a parse or word vectors: a parser, or the name or folder of one, which is
        loaded when needed. By default the bundled English parser.
    lexicon : Lexicon, optional
        By default the bundled one.
    link_model : LinkModel, optional
        For a model with link features. By default that of the contextual aligner, loaded when needed.
    links : {"sure", "all"}
        The convention of annotators that links and their probabilities follow: sure links alone, or possible
        ones too.

    Raises
    ------
    InputError
        If ``ppdb`` is neither a table nor the path of a readable one, the convention is unknown, or the model
        knows sure links only.
    ModelError
        If the solver HiGHS is missing.
    """

    name = "joint"

    def __init__(
        self,
        model: JointModel | None = None,
        *,
        ppdb: PairTable | str | Path | None = None,
        parser: Parser | str | Path | None = None,
        lexicon: Lexicon | None = None,
        link_model: LinkModel | None = None,
        links: str = "sure",
    ) -> None:
        import_solver()
        self.model = model or bundled_model()
        # What decides on the links; ``model`` is what is saved.
        self._deciding = self.model.for_all_links() if check_convention(links) else self.model
        self._links = links
        super().__init__(parser, lexicon, ppdb)
        self._link_model = link_model

    @property
    def settings(self) -> dict[str, Any]:
        """Variant, length of phrases, and whether there are link features and deletions of phrases."""
        names = ("variant", "longest", "link_features", "phrase_deletions")
        values = {name: getattr(self.model, name) for name in names}
        return values if self._links == "sure" else {**values, "links": self._links}

    @cached_property
    def link_model(self) -> LinkModel | None:
        """The link model, if the model has its features."""
        return (self._link_model or bundled_link_model()) if self.model.link_features else None

    @classmethod
    def load(cls, name_or_path: str | Path = "joint", **options: Any) -> JointAligner:
        """Load the bundled model (``"joint"``) or what :meth:`save` wrote into a folder.

        Options are passed to the constructor.

        Raises
        ------
        ModelError
            If the model does not exist, or the solver is not installed.
        """
        with model_folder(name_or_path) as folder:
            return cls(JointModel.load(folder), **options)

    def save(self, path: str | Path) -> None:
        """Write the model into a folder."""
        self.model.save(path)

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two sentences with forests and word vectors.

        Raises
        ------
        InputError
            If a sentence has no tokens, no forest or no word vectors.
        ModelError
            If the link model expects word vectors of another size.
        """
        check_parsed(source, target)
        if is_after(source, target):
            return self.align_prepared(target, source).swap()
        edits = self.edits(source, target)
        scores = self._deciding.scores(edits)
        best = self._deciding.best_edits(edits)
        spans = edits.spans[best.phrases]
        probabilities = self._deciding.probabilities(margins(edits, best, *scores))
        links = _links(spans, probabilities)
        phrases = phrase_pairs_of(spans, probabilities, source, target)
        return Alignment(
            source,
            target,
            links,
            tuple(sorted(phrases, key=lambda pair: pair.source_node.end)),
            gaps({i for i, _ in links}, len(source)),
            gaps({j for _, j in links}, len(target)),
            source_tree=forest_of(source).bracket(source.words),
            target_tree=forest_of(target).bracket(target.words),
            aligner=self.name,
            warnings=() if best.is_best else (_CUT_SHORT,),
            arcs=_arc_pairs(edits, best),
            score=best.score + self._deciding.score_of_nothing(edits),
        )

    def edits(self, source: Sentence, target: Sentence) -> PairEdits:
        """The edits of two prepared sentences among which the program chooses, with their features."""
        return pair_edits(
            source,
            target,
            self.lexicon,
            longest=self.model.longest,
            arcs=self.model.arcs,
            phrase_deletions=self.model.phrase_deletions,
            link_model=self.link_model,
            links=self._links,
            ppdb=self.ppdb,
        )


def _arc_pairs(edits: PairEdits, best: Solution) -> tuple[ArcPair, ...]:
    """The aligned arcs, in the order of the source's dependents."""
    pairs = []
    for own, other in edits.arc_pairs.arcs[best.arcs].tolist():
        (governor, dependent, relation), (above, below, kind) = edits.arcs[0][own], edits.arcs[1][other]
        pairs.append(ArcPair((governor, dependent), (above, below), relation, kind))
    return tuple(sorted(pairs, key=arc_order))


def bundled_model(name: str = "joint") -> JointModel:
    """A model that comes with the package."""
    with bundled_folder(name) as folder:
        return JointModel.load(folder)


def _links(spans: np.ndarray, probabilities: np.ndarray) -> Links:
    """Link every word of a phrase to every word of its partner, with the probability of the pair."""
    scores = {
        (i, j): probability
        for (start, end, first, last), probability in zip(spans.tolist(), probabilities.tolist(), strict=True)
        for i in range(start, end)
        for j in range(first, last)
    }
    return Links.of(list(scores), scores=list(scores.values()))
