"""The result of an aligner as users meet it: what can be done with the record of one sentence pair."""

from __future__ import annotations

import importlib
import reprlib
from collections.abc import Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forest_align.alignment._links import arc_order
from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._svg import WIDEST, to_svg
from forest_align.alignment.html import to_html, to_iframe
from forest_align.alignment.table_rows import phrase_frame
from forest_align.alignment.text import DEFAULT_WIDTH, to_text
from forest_align.types.json_fields import check_probability

if TYPE_CHECKING:
    import pandas


class Alignment(AlignmentRecord):
    """The alignment of one sentence pair; ``print`` shows what differs.

    Attributes
    ----------
    source, target : Sentence
        The sentences.
    words : Links
        Word links, with probabilities as scores.
    phrases : tuple of PhrasePair
        If there is a derivation (:attr:`has_derivation`), its pairs, leaves included. They are in bottom-up
        order of the source tree, the shortest first. Otherwise the pairs that the aligner found, in the order
        of their ends. Empty for aligners that make no phrases.
    unaligned_source, unaligned_target : tuple of (int, int)
        Maximal half-open token spans that align to nothing.
    source_tree, target_tree : str
        The two trees that the alignment chose, in Penn brackets; empty when there are none.
    log_probability : float or None
        Log score of the whole alignment.
    root_aligned : bool
        Whether the two root phrases are aligned.
    aligner : str
        Name of the aligner that made it.
    id : str
        Name of the pair, as the input gave it.
    warnings : tuple of str
        Messages for the user, such as that a search was cut short.
    error : str
        Why the pair could not be aligned; empty when it could.
    word_evidence : tuple of tuple of str
        For each link of ``words`` the names of the evidence for it; empty unless requested.
    arcs : tuple of ArcPair
        Aligned dependency arcs, in the order of the source's dependents. Only the joint aligner aligns arcs.
    score : float or None
        Total score of the alignment, which is no log-probability (the joint and the semi-Markov aligner).
    outside : tuple of (int, int)
        The links of ``words`` that the derivation leaves out, ascending. No other link leads out of a phrase
        pair.
    alternatives : tuple of Alignment
        Further alignments of the same sentences, the next best first; empty unless asked for.
    made_by : mapping of str to str
        What made it: ``version`` of the package, and name (``model``) and ``digest`` of the loaded model.
    paraphrase_probability : float or None
        Probability that the whole sentences mean the same; None if it was not determined.
    """

    __slots__ = ()
    alternatives: tuple[Alignment, ...]

    @property
    def decoding_score(self) -> float | None:
        """The score per word of the shorter sentence: how well the two match, whatever their length.

        None without a score. Yao et al. (2013, §5) classify and rank sentence pairs by such a score.
        """
        shorter = min(len(self.source), len(self.target))
        return None if self.score is None or not shorter else self.score / shorter

    def swap(self) -> Alignment:
        """The same alignment seen from the target side, phrases in the order of the new source."""
        order_of = _bottom_up if self.has_derivation else _by_end
        phrases = sorted((pair.swap() for pair in self.phrases), key=order_of)
        order = sorted(range(len(self.words)), key=lambda k: self.words.pairs[k][::-1])
        return replace(
            self,
            source=self.target,
            target=self.source,
            words=self.words.swap(),
            phrases=tuple(phrases),
            unaligned_source=self.unaligned_target,
            unaligned_target=self.unaligned_source,
            source_tree=self.target_tree,
            target_tree=self.source_tree,
            word_evidence=tuple(self.word_evidence[k] for k in order) if self.word_evidence else (),
            arcs=tuple(sorted((pair.swap() for pair in self.arcs), key=arc_order)),
            outside=tuple(sorted((j, i) for i, j in self.outside)),
            alternatives=tuple(other.swap() for other in self.alternatives),
        )

    def above(self, probability: float) -> Alignment:
        """The alignment without the word links and phrase pairs that are less probable.

        Links without a probability are kept. A word that loses its last link becomes unaligned. Arcs need
        the links of their words. Trees, log-probability and score remain those of the whole alignment.

        Raises
        ------
        InputError
            If the value is not a probability.
        """
        least = check_probability(probability, "probability")
        words, scores = self.words, self.words.scores
        # NaN scores are kept: the writers that cannot hold them raise the error.
        kept = [k for k in range(len(words)) if scores is None or not scores[k] < least]
        links = words.at(kept)
        lost = [{link[side] for link in words} - {link[side] for link in links} for side in (0, 1)]
        phrases = tuple(pair for pair in self.phrases if not pair.probability < least)
        return replace(
            self,
            words=links,
            phrases=phrases,
            unaligned_source=_with_words(self.unaligned_source, lost[0]),
            unaligned_target=_with_words(self.unaligned_target, lost[1]),
            root_aligned=self.root_aligned and any(map(self.is_root_pair, phrases)),
            word_evidence=tuple(self.word_evidence[k] for k in kept) if self.word_evidence else (),
            arcs=tuple(pair for pair in self.arcs if {*links.pairs}.issuperset(pair.links)),
            outside=tuple(pair for pair in self.outside if pair in links),
            alternatives=tuple(other.above(least) for other in self.alternatives),
        )

    def in_parts(self, probability: float = 0.5) -> Alignment:
        """The alignment without the outermost phrase pairs that are less probable.

        What remains is a set of pairs inside of which all is kept. Where sentences share a part only, the
        pair of the whole sentences is improbable, and their common parts are side by side. Links stay.

        Raises
        ------
        InputError
            If the value is not a probability.
        """
        least = check_probability(probability, "probability")
        phrases = list(self.phrases)
        while dropped := [
            pair
            for pair in phrases
            if pair.probability < least and not any(_lies_in(pair, other) for other in phrases)
        ]:
            phrases = [pair for pair in phrases if pair not in dropped]
        return replace(
            self,
            phrases=tuple(phrases),
            root_aligned=self.root_aligned and any(map(self.is_root_pair, phrases)),
            alternatives=tuple(other.in_parts(least) for other in self.alternatives),
        )

    def edits(self, *, minimal: bool = False) -> tuple[Any, ...]:
        """The edits that make the target from the source, each a :class:`forest_align.edits.Edit`.

        Parameters
        ----------
        minimal : bool
            Whether to return the smallest edits instead of those that people would mark.

        Raises
        ------
        InputError
            If the pair could not be aligned.
        """
        edits: tuple[Any, ...] = importlib.import_module("forest_align.edits").edits_of(self, minimal=minimal)
        return edits

    def differences(self) -> Any:
        """How much each word says something else, a :class:`forest_align.differences.TextDifferences`.

        Raises
        ------
        InputError
            If the pair could not be aligned.
        """
        return importlib.import_module("forest_align.differences").differences_of(self)

    def to_text(self, *, width: int = DEFAULT_WIDTH, everything: bool = False) -> str:
        """What differs, for the terminal; see :mod:`forest_align.alignment.text`.

        Parameters
        ----------
        width : int
            Columns that a line may take, at least 40.
        everything : bool
            Whether to show all phrase pairs and links, also those with the same words.
        """
        return to_text(self, width=width, everything=everything)

    def phrases_to_frame(self) -> pandas.DataFrame:
        """A pandas table with a row for each phrase pair.

        ``source`` and ``target`` are the phrases, ``differs`` marks those that the views show, and spans are
        half-open and count tokens. ``probability``, ``relation`` and labels follow the pair.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return phrase_frame(self)

    def to_pharaoh(self) -> str:
        """The word links as ``"0-0 1-2"``."""
        return self.words.to_pharaoh()

    def to_html(self) -> str:
        """A page for any browser; :mod:`forest_align.alignment.html` puts several alignments on one."""
        return to_html([self])

    def to_svg(self, *, simple: bool = False, width: int = WIDEST) -> str:
        """A picture of phrases and links, and of the trees if any; see :mod:`forest_align.alignment._svg`.

        Parameters
        ----------
        simple : bool
            Whether to draw words, phrases and links only, without trees.
        width : int
            Pixels that it may take; long sentences run from the top down.

        Raises
        ------
        InputError
            If a side has no words, or a tree that is not over its tokens.
        """
        return to_svg(self, simple=simple, width=width)

    def __str__(self) -> str:
        return to_text(self).rstrip("\n")

    def __repr__(self) -> str:
        source, target = (reprlib.repr(sentence.text) for sentence in (self.source, self.target))
        sizes = f"{len(self.words)} links, {len(self.phrases)} phrases"
        return f"<Alignment of {source} and {target}: {f'error {self.error!r}' if self.error else sizes}>"

    def _repr_html_(self) -> str:
        """The view for notebooks."""
        return to_iframe([self])


def _bottom_up(pair: PhrasePair) -> tuple[int, int]:
    """The order of the nodes of a forest."""
    node = pair.source_node
    return node.end - node.start, node.start


def _by_end(pair: PhrasePair) -> tuple[int, int]:
    node = pair.source_node
    return node.end, node.end - node.start


def _with_words(spans: tuple[tuple[int, int], ...], words: Set[int]) -> tuple[tuple[int, int], ...]:
    """Maximal spans of the words of some spans and of further words."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted([*spans, *((word, word + 1) for word in words)]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def _lies_in(pair: PhrasePair, other: PhrasePair) -> bool:
    """Whether both phrases lie in those of another pair, and one of them is smaller."""
    sides = ((pair.source_node, other.source_node), (pair.target_node, other.target_node))
    inside = all(outer.start <= inner.start and inner.end <= outer.end for inner, outer in sides)
    return inside and any(inner.span != outer.span for inner, outer in sides)


class AlignmentList(tuple[Alignment, ...]):
    """A tuple of alignments that a notebook shows below each other: ``AlignmentList(align_many(pairs))``."""

    __slots__ = ()

    def __str__(self) -> str:
        """The alignments as text, with an empty line between two."""
        return "\n\n".join(map(str, self))

    def _repr_html_(self) -> str:
        """The view for notebooks."""
        return to_iframe(self)
