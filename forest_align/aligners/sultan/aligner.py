"""Sultan's word aligner: the rules of Sultan, Bethard & Sumner (2014)."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.aligners.model_folder import damaged, model_folder
from forest_align.aligners.pair import Text, is_after
from forest_align.aligners.parsing_aligner import ParsingAligner, check_tokens
from forest_align.aligners.sultan._pipeline import published_links
from forest_align.aligners.sultan.parameters import PublishedParameters, load_parameters, save_parameters
from forest_align.aligners.sultan.sentence_view import SentenceView, similar_words
from forest_align.alignment import Alignment, Links
from forest_align.lexicon.evidence import check_finite
from forest_align.parsing.dependencies.annotators import load_annotator
from forest_align.types import InputError, Sentence
from forest_align.types.spans import gaps

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser
    from forest_align.parsing.dependencies.annotators import Annotator


class SultanAligner(ParsingAligner):
    """Aligns words by six rules, one after another, based on the similarity of words and of their contexts.

    Links have no probabilities. The result for swapped sentences is always the transpose, because pairs are
    aligned in one canonical order.

    Parameters
    ----------
    parameters : PublishedParameters, optional
        By default those of the paper.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, or their file: only these different words are similar. Without a table,
        words are similar if the lexicon or word vectors relate them.
    parser : Parser or str or Path, optional
        For sentences that lack a parse or word vectors: a parser, or the name or folder of one, which is
        loaded when needed. By default the bundled English parser.
    lexicon : Lexicon, optional
        By default the bundled one.
    annotator : str or Annotator
        Source of dependencies and named entities: ``"trees"``, the parse; or ``"spacy"``, a spaCy model
        (extra ``[spacy]``), which needs no parse.

    Raises
    ------
    InputError
        If the annotator is unknown, or ``ppdb`` is neither a table nor the path of a readable one.
    ModelError
        If spaCy is requested but not installed.
    """

    name = "sultan"

    def __init__(
        self,
        parameters: PublishedParameters | None = None,
        *,
        ppdb: PairTable | str | Path | None = None,
        parser: Parser | str | Path | None = None,
        lexicon: Lexicon | None = None,
        annotator: str | Annotator = "trees",
    ) -> None:
        self.parameters = parameters or PublishedParameters()
        self.annotator = load_annotator(annotator) if isinstance(annotator, str) else annotator
        super().__init__(parser, lexicon, ppdb)

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters and the name of the annotator."""
        modules = sorted(self.parameters.modules)
        return {**asdict(self.parameters), "modules": modules, "annotator": self.annotator.name}

    @classmethod
    def load(cls, name_or_path: str | Path = "sultan", **options: Any) -> SultanAligner:
        """Load the bundled parameters (``"sultan"``) or what :meth:`save` wrote into a folder.

        Options are passed to the constructor and override the values in the folder.
        """
        with model_folder(name_or_path) as folder:
            parameters, annotator = load_parameters(folder)
        if "annotator" not in options:
            try:
                options["annotator"] = load_annotator(annotator)
            except InputError as error:
                raise damaged(name_or_path, error) from None
        return cls(parameters, **options)

    def save(self, path: str | Path) -> None:
        """Write the parameters and the name of the annotator into a folder."""
        save_parameters(path, self.parameters, self.annotator.name)

    def with_values(self, values: Mapping[str, float]) -> SultanAligner:
        """A copy that shares everything except these values: fields of :class:`PublishedParameters`."""
        changed = copy.copy(self)
        changed.made_by = type(self).made_by
        changed.parameters = replace(self.parameters, **dict(values))  # type: ignore[arg-type]
        return changed

    def prepare(self, sentences: Sequence[Text], batch_size: int = 32) -> list[Sentence | InputError]:
        """Annotate or parse sentences without a forest; add word vectors if there is no paraphrase table."""
        annotated = self.annotator.prepare(sentences)
        return super().prepare(sentences, batch_size) if annotated is None else annotated

    def reads_vectors(self) -> bool:
        """Whether a sentence needs word vectors: not if the user's paraphrases replace them."""
        return self.ppdb is None

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two prepared sentences."""
        check_tokens(source, target)
        links = Links(tuple(sorted(self._links(source, target))))
        return Alignment(
            source,
            target,
            links,
            unaligned_source=gaps({i for i, _ in links}, len(source)),
            unaligned_target=gaps({j for _, j in links}, len(target)),
            aligner=self.name,
        )

    def _links(self, source: Sentence, target: Sentence) -> Iterable[tuple[int, int]]:
        if self.reads_vectors():
            check_finite(source, target)
        views = self._view(source), self._view(target)
        keys = tuple(map(_view_key, views))
        # Sentences with equal views may differ in their vectors, whose product rounds depending on the order.
        if keys[0] > keys[1] or (keys[0] == keys[1] and is_after(source, target)):
            return [(i, j) for j, i in self._in_order(target, source, views[::-1])]
        return self._in_order(source, target, views)

    def _in_order(
        self, source: Sentence, target: Sentence, views: tuple[SentenceView, SentenceView]
    ) -> set[tuple[int, int]]:
        if self.ppdb is not None:
            return published_links(*views, self.ppdb.partners, self.parameters)
        similar = similar_words(source, target, self.lexicon, self.parameters.cosine)
        return published_links(*views, lambda word: (), self.parameters, similar)

    def _view(self, sentence: Sentence) -> SentenceView:
        annotation = self.annotator.annotate(sentence)
        if "dependencies" not in self.parameters.modules:
            annotation = annotation._replace(basic=(), collapsed=())
        lemmas = [token.lemma or self.lexicon.lemma(token.text, token.tag) for token in sentence.tokens]
        return SentenceView.of(sentence, lemmas, annotation)


def _view_key(view: SentenceView) -> tuple[Any, ...]:
    words = len(view), view.forms, view.lemmas, view.categories
    return *words, view.neighbours, view.basic_neighbours, view.entities
