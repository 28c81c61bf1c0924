"""The baseline of phrase alignment: the contextual aligner's word links, projected onto the best trees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.model_folder import ModelFormat, damaged, model_folder
from forest_align.aligners.pair import GivenWords
from forest_align.aligners.parsing_aligner import ParsingAligner, check_tokens
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Alignment, Links, PhrasePair, project
from forest_align.types import InputError, Node, Sentence
from forest_align.types.json_fields import Fields
from forest_align.types.spans import gaps

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser

FORMAT = ModelFormat("projection", 1)


class ProjectionAligner(ParsingAligner):
    """Aligns constituents whose words are linked to each other and to nothing else.

    Word links are those of the contextual aligner, or of the caller. The parser's best trees are fixed: links
    do not choose among trees, and no structure chooses among links. Every pair of constituents that the links
    allow is aligned (:func:`~forest_align.alignment.project`); of pairs that differ only by words without a
    link, the smallest. Any other phrase aligner should be compared with this one. The result for swapped
    sentences is always the transpose.

    The probability of a phrase pair is that of its least probable link.

    Parameters
    ----------
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, or their file: evidence for word links.
    parser : Parser or str or Path, optional
        For sentences without a forest: a parser, or the name or folder of one, which is loaded when needed.
        By default the bundled English parser.
    lexicon : Lexicon, optional
        By default the bundled one.
    threshold : float, optional
        Minimum probability of a word link; by default that of the link model.

    Raises
    ------
    InputError
        If the threshold is not a probability, or ``ppdb`` is neither a table nor the path of a readable one.
    """

    name = "projection"

    def __init__(
        self,
        *,
        ppdb: PairTable | str | Path | None = None,
        parser: Parser | str | Path | None = None,
        lexicon: Lexicon | None = None,
        threshold: float | None = None,
    ) -> None:
        super().__init__(parser, lexicon, ppdb)
        self._words = ContextualAligner(ppdb=self.ppdb, lexicon=lexicon, threshold=threshold)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that decide on the links."""
        return self._words.settings

    @classmethod
    def load(cls, name_or_path: str | Path = "projection", **options: Any) -> ProjectionAligner:
        """Load the baseline (``"projection"``) or what :meth:`save` wrote into a folder.

        Options are passed to the constructor and override the values in the folder.
        """
        with model_folder(name_or_path) as folder:
            card = FORMAT.card(folder)
        try:
            threshold = Fields(card).probability("threshold", None)
        except InputError as error:
            raise damaged(name_or_path, error) from None
        return cls(**({"threshold": threshold} | options))

    def save(self, path: str | Path) -> None:
        """Write the threshold into a folder. The link model is always the bundled one."""
        FORMAT.save(path, {"threshold": self._words.threshold})

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two sentences with forests and word vectors."""
        return _with_phrases(self._words.align_prepared(source, target))

    def align_candidates(self, source: Sentence, target: Sentence, candidates: GivenWords) -> Alignment:
        """Project word links of the caller. A link without a score counts as certain."""
        if not isinstance(candidates, Links):
            raise InputError("expected word links as Links, found candidates", field="candidates")
        check_tokens(source, target)
        GivenCandidates(candidates).candidates(source, target)  # checks ranges and scores
        return _with_phrases(
            Alignment(
                source,
                target,
                candidates,
                unaligned_source=gaps({i for i, _ in candidates}, len(source)),
                unaligned_target=gaps({j for _, j in candidates}, len(target)),
            )
        )


def _with_phrases(words: Alignment) -> Alignment:
    """Add the trees, and the constituent pairs that the word links allow."""
    source, target = words.source, words.target
    nodes = _best_constituents(source), _best_constituents(target)
    pairs = sorted(project(nodes[0], nodes[1], words.words).sure_pairs())
    probability = np.ones((len(source), len(target)))
    scores = words.words.scores
    if scores is not None:
        for (i, j), score in zip(words.words, scores, strict=True):
            probability[i, j] = score
    return replace(
        words,
        phrases=tuple(
            PhrasePair(nodes[0][one], nodes[1][other], float(probability[slice(*one), slice(*other)].min()))
            for one, other in pairs
        ),
        source_tree=forest_of(source).bracket(source.words),
        target_tree=forest_of(target).bracket(target.words),
        root_aligned=((0, len(source)), (0, len(target))) in pairs,
        aligner=ProjectionAligner.name,
    )


def _best_constituents(sentence: Sentence) -> dict[tuple[int, int], Node]:
    """The constituents of the parser's best tree by their spans, words included."""
    forest = forest_of(sentence)
    nodes = (forest.node(place) for place in forest.best_nodes())
    return {node.span: node for node in nodes if node.is_constituent}
