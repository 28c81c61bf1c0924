"""Aligns documents: their sentences first, in any order, then the words and phrases of each group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from forest_align._version import __version__
from forest_align.aligners.base import Aligner
from forest_align.aligners.documents.document_sentences import (
    Document,
    SentenceEncoder,
    joined_sentences,
    sentences_of_sides,
)
from forest_align.aligners.documents.sentence_links import best_links, link_probabilities, sentence_groups
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.aligners.loading import load
from forest_align.aligners.pair import Pair
from forest_align.alignment import DocumentAlignment, SentenceGroup
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import check_probability


class DocumentAligner:
    """Aligns pairs of documents.

    Parameters
    ----------
    aligner : Aligner or str or Path or None
        Aligns words and phrases of the sentences that correspond; an aligner, or the name or folder of one.
        With None, only sentences are aligned.
    threshold : float
        Links of sentences less probable than this are left out.

    Raises
    ------
    InputError
        If the threshold is not a probability.
    ModelError
        If there is no such aligner.
    """

    def __init__(self, aligner: Aligner | str | Path | None = "forest", *, threshold: float = 0.5) -> None:
        self.threshold = check_probability(threshold, "threshold")
        self.aligner = load(aligner) if isinstance(aligner, str | Path) else aligner
        self._encoder = SentenceEncoder()

    def align(self, source: Document, target: Document, *, id: str = "") -> DocumentAlignment:
        """Align two documents.

        Parameters
        ----------
        source, target : str or sequence of str or sequence of Sentence
            Texts, which are split into sentences, or their sentences one by one. Blank sentences keep their
            numbers and correspond to nothing.
        id : str
            Name of the pair.

        Raises
        ------
        InputError
            If a document is neither a text nor a sequence of sentences, or is too long.
        """
        sides = sentences_of_sides(source=source, target=target)
        encoded = list(self._encoder([*sides[0].sentences, *sides[1].sentences]))
        count = len(sides[0].sentences)
        first, second = encoded[:count], encoded[count:]
        matches = SentenceMatches(first, second)
        probabilities = link_probabilities(matches)
        links = best_links(matches, probabilities, self.threshold)
        groups = []
        for rows, columns in sentence_groups(links):
            inside = [probabilities[i, j] for i, j in links if i in rows and j in columns]
            groups.append(SentenceGroup(rows, columns, prod(inside)))
        return DocumentAlignment(
            tuple(first),
            tuple(second),
            tuple(self._with_words(first, second, groups, id)),
            sides[0].spans,
            sides[1].spans,
            id,
            "" if self.aligner is None else self.aligner.name,
            self.made_by,
            tuple(_unread(first, "source") + _unread(second, "target")),
        )

    def align_many(
        self, pairs: Iterable[tuple[Document, Document] | InputError]
    ) -> Iterator[DocumentAlignment]:
        """Align a stream of pairs of documents; a pair that cannot be aligned yields its error.

        Parameters
        ----------
        pairs : iterable of (document, document)
            As in :meth:`align`. One pair is read at a time. An InputError in the place of a pair yields an
            alignment with this error.
        """
        for number, pair in enumerate(pairs, 1):
            try:
                if isinstance(pair, InputError):
                    raise pair
                yield self.align(*pair, id=str(number))
            except InputError as error:
                yield DocumentAlignment((), (), id=str(number), made_by=self.made_by, error=str(error))

    @property
    def made_by(self) -> dict[str, str]:
        """Version of the package and, with an aligner of words, its model."""
        return {"version": __version__} if self.aligner is None else dict(self.aligner.made_by)

    def _with_words(
        self, source: Sequence[Sentence], target: Sequence[Sentence], groups: Sequence[SentenceGroup], id: str
    ) -> Iterator[SentenceGroup]:
        """The groups with the alignments of their words."""
        if self.aligner is None:
            yield from groups
            return
        pairs = (
            Pair(
                joined_sentences([source[i] for i in group.source]),
                joined_sentences([target[j] for j in group.target]),
            )
            for group in groups
        )
        alignments = self.aligner.align_many(pairs)
        for number, (group, alignment) in enumerate(zip(groups, alignments, strict=True), 1):
            yield replace(group, alignment=replace(alignment, id=f"{id}:{number}" if id else str(number)))


def _unread(sentences: Sequence[Sentence], side: str) -> list[str]:
    """Warnings for sentences with words that could not be encoded."""
    return [
        f"{side} sentence {number} could not be read: it has {len(sentence)} words"
        for number, sentence in enumerate(sentences, 1)
        if len(sentence) and sentence.vectors is None
    ]


def align_documents(
    source: Document, target: Document, *, aligner: Aligner | str | Path | None = "forest"
) -> DocumentAlignment:
    """Align two documents: their sentences, then the words and phrases of those that correspond.

    Each call with the name of an aligner loads the models again. For more than one pair, use a
    :class:`DocumentAligner`.

    Parameters
    ----------
    source, target : str or sequence of str or sequence of Sentence
        Texts, or their sentences one by one; see :meth:`DocumentAligner.align`.
    aligner : Aligner or str or Path or None
        See :class:`DocumentAligner`.

    Raises
    ------
    InputError, ModelError
        See :class:`DocumentAligner` and its :meth:`~DocumentAligner.align`.

    Examples
    --------
    >>> import forest_align
    >>> source, target = "The dog barked. He left early.", "He had left early. A dog was barking."
    >>> found = forest_align.align_documents(source, target, aligner=None)
    >>> [(group.source, group.target) for group in found.groups]
    [((0,), (1,)), ((1,), (0,))]
    """
    return DocumentAligner(aligner).align(source, target)
