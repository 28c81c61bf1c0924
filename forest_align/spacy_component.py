"""A component for spaCy pipelines: ``doc._.align(other)`` aligns the words and phrases of two docs.

``nlp.add_pipe("forest_align")`` finds it through the entry point of the package. spaCy itself is the optional
extra ``forest-align[spacy]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import spacy.tokens
from spacy.language import Language

from forest_align.aligners.documents import DocumentAligner
from forest_align.aligners.loading import kind_of, load
from forest_align.types import InputError, Sentence, Token

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.alignment import Alignment, DocumentAlignment, PhrasePair

NAME = "forest_align"


@dataclass(frozen=True, slots=True)
class _DocAlignment:
    """The alignment of two docs in terms of their tokens and spans.

    Attributes
    ----------
    source, target : spacy.tokens.Doc
        The docs.
    alignment : Alignment
        The alignment. Its token numbers leave out tokens of white space.
    """

    source: Any
    target: Any
    alignment: Alignment

    @property
    def words(self) -> list[tuple[Any, Any, float | None]]:
        """Linked tokens with the probability of their link."""
        source, target = words_of(self.source), words_of(self.target)
        links = self.alignment.words
        scores = links.scores or (None,) * len(links)
        return [(source[i], target[j], score) for (i, j), score in zip(links, scores, strict=True)]

    @property
    def phrases(self) -> list[tuple[Any, Any, PhrasePair]]:
        """Spans that correspond, with the phrase pair: its probability, relation and similarity."""
        return [
            (_span(self.source, pair.source_node.span), _span(self.target, pair.target_node.span), pair)
            for pair in self.alignment.phrases
        ]


class AlignComponent:
    """Gives docs the methods ``doc._.align(other)`` and ``doc._.align_documents(other)``.

    It changes nothing in a doc. If several components are made, the methods use the last one.

    Parameters
    ----------
    aligner : str
        Name or folder of an aligner; it is loaded when it is needed first.

    Raises
    ------
    ModelError
        If there is no such aligner.
    """

    def __init__(self, aligner: str) -> None:
        kind_of(aligner)  # reports a wrong name at once
        self._name = aligner
        for method in (self.align, self.align_documents):
            spacy.tokens.Doc.set_extension(method.__name__, method=method, force=True)

    @cached_property
    def aligner(self) -> Aligner:
        """The aligner."""
        return load(self._name)

    def __call__(self, doc: Any) -> Any:
        """Return the doc."""
        return doc

    def align(self, doc: Any, other: Any) -> _DocAlignment:
        """Align two docs as two sentences, or two short texts.

        Raises
        ------
        InputError
            If one is no doc, or has no words.
        """
        return _DocAlignment(doc, other, self.aligner.align(sentence_of(doc), sentence_of(other)))

    def align_documents(self, doc: Any, other: Any) -> DocumentAlignment:
        """Align two docs as documents: the sentences that the pipeline found, then their words.

        Raises
        ------
        InputError
            If one is no doc, or its pipeline finds no sentences.
        """
        return DocumentAligner(self.aligner).align(_sentences(doc), _sentences(other))


def words_of(doc: Any) -> list[Any]:
    """The tokens of a doc or span that are not white space."""
    return [token for token in doc if not token.is_space]


def sentence_of(doc: Any) -> Sentence:
    """A doc, or a span of one, as a sentence with its tokens, their offsets, and tags and lemmas if known.

    Raises InputError if it is neither.
    """
    if not isinstance(doc, spacy.tokens.Doc | spacy.tokens.Span):
        raise InputError(f"expected a spaCy Doc, found {type(doc).__name__}")
    first = doc.start_char if isinstance(doc, spacy.tokens.Span) else 0
    tokens = []
    for token in words_of(doc):
        start = token.idx - first
        tokens.append(Token(token.text, token.lemma_.lower(), token.tag_, start, start + len(token.text)))
    return Sentence(tuple(tokens), text=doc.text)


def _sentences(doc: Any) -> list[str | Sentence]:
    if isinstance(doc, spacy.tokens.Doc) and not doc.has_annotation("SENT_START"):
        raise InputError("expected a Doc with sentences: add a parser, or nlp.add_pipe('sentencizer')")
    sentence_of(doc)  # refuses everything else
    return [sentence_of(sentence) for sentence in doc.sents]


def _span(doc: Any, span: tuple[int, int]) -> Any:
    words = words_of(doc)
    return doc[words[span[0]].i : words[span[1] - 1].i + 1]


@Language.factory(NAME, default_config={"aligner": "forest"})
def make_component(nlp: Language, name: str, aligner: str) -> AlignComponent:
    """Make the component of a pipeline; ``aligner`` is a name or a folder."""
    return AlignComponent(aligner)
