"""The contextual word aligner: Sultan, Bethard & Sumner (2014), and a link model over all evidence."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.base import Text
from forest_align.aligners.canonical_order import is_after
from forest_align.aligners.contextual.likely_links import most_likely_links
from forest_align.aligners.contextual.model import LinkModel
from forest_align.aligners.model_folder import bundled_folder, damaged
from forest_align.aligners.parsing_aligner import ParsingAligner, check_tokens, parse_or_complete
from forest_align.aligners.sultan.parameters import PublishedParameters, load_parameters, save_parameters
from forest_align.aligners.sultan.pipeline import published_links
from forest_align.aligners.sultan.similarity import similar_words
from forest_align.aligners.sultan.words import SentenceView
from forest_align.alignment import Alignment, Links
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.word_vectors import check_finite
from forest_align.parsing.dependencies.annotators import load_annotator
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import is_number
from forest_align.types.spans import gaps

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser
    from forest_align.parsing.dependencies.annotation import Annotator

VARIANTS = ("default", "published")


class ContextualAligner(ParsingAligner):
    """Aligns words by their similarity and by the similarity of what surrounds them.

    The result for swapped sentences is the transpose, always: pairs are aligned in one canonical order.

    Parameters
    ----------
    model : LinkModel, optional
        The bundled model by default, loaded when needed; the published variant needs none.
    variant : str
        ``"default"``: the link model, with a probability for every link. ``"published"``: the pipeline of the
        paper, whose links bear no probabilities.
    parameters : PublishedParameters
        Parameters of the published variant.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, or their file: the similar words of the published variant, more synonyms in
        the default one. Without a table, what the lexicon and word vectors relate is similar in the published
        variant; with an empty one, no two different words are.
    parser : Parser or str or Path, optional
        For sentences that lack a parse or word vectors: a parser, or the name or folder of one, which is
        loaded when needed; the bundled English one by default.
    lexicon : Lexicon, optional
        The bundled one by default.
    threshold : float, optional
        Probability from which on the default variant links two words; the model's by default. Words that
        stand several times in both sentences may share it
        (:mod:`forest_align.aligners.contextual.likely_links`).
    annotator : str or Annotator
        Where the published variant has its dependencies and names from: ``"trees"``, the parse; or
        ``"spacy"``, a spaCy model (extra ``[spacy]``), which needs no parse. The default variant takes none.

    Raises
    ------
    InputError
        If there is no such variant or annotator, the variant reads none, the threshold is no probability, or
        ``ppdb`` is neither a table nor the path of one that can be read.
    ModelError
        If spaCy is asked for and not installed.
    """

    name = "contextual"

    def __init__(
        self,
        model: LinkModel | None = None,
        *,
        variant: str = "default",
        parameters: PublishedParameters | None = None,
        ppdb: PairTable | str | Path | None = None,
        parser: Parser | str | Path | None = None,
        lexicon: Lexicon | None = None,
        threshold: float | None = None,
        annotator: str | Annotator = "trees",
    ) -> None:
        if variant not in VARIANTS:
            raise InputError(f"expected one of {', '.join(VARIANTS)}, found {variant!r}", field="variant")
        if variant != "published" and annotator != "trees":
            name = annotator if isinstance(annotator, str) else annotator.name
            message = f"expected none in the {variant} variant, which reads no dependencies, found {name!r}"
            raise InputError(message, field="annotator")
        if threshold is not None and not (is_number(threshold) and 0 <= threshold <= 1):
            raise InputError(f"expected a probability, found {threshold!r}", field="threshold")
        self.variant = variant
        self.parameters = parameters or PublishedParameters()
        self.annotator = load_annotator(annotator) if isinstance(annotator, str) else annotator
        super().__init__(parser, lexicon, ppdb)
        self._model = model
        self._threshold = threshold

    @cached_property
    def model(self) -> LinkModel:
        """The link model."""
        return self._model or bundled_model()

    @property
    def settings(self) -> dict[str, Any]:
        """Variant, and what decides on its links."""
        if self.variant == "default":
            return {"variant": self.variant, "threshold": self.threshold}
        modules = sorted(self.parameters.modules)
        return {"variant": self.variant, **asdict(self.parameters), "modules": modules}

    @property
    def threshold(self) -> float:
        """Probability from which on the default variant links two words."""
        return self.model.threshold if self._threshold is None else self._threshold

    @classmethod
    def load(cls, name_or_path: str | Path = "contextual", **options: Any) -> ContextualAligner:
        """Load the bundled model (``"contextual"``) or what :meth:`save` wrote into a folder.

        Options go to the constructor; they come before what the folder says, but for its variant.

        Raises
        ------
        InputError
            If another variant is asked for than that of the folder.
        ModelError
            If there is no such model.
        """
        if str(name_or_path) == "contextual":
            return cls(**options)
        published = load_parameters(name_or_path)
        own = "default" if published is None else "published"
        asked = options.setdefault("variant", own)
        if asked in VARIANTS and asked != own:  # what the folder holds would have no effect
            message = f"the model {name_or_path} is of the {own} variant, not the {asked} one"
            raise InputError(message, field="variant")
        if published is None:
            return cls(LinkModel.load(name_or_path), **options)
        parameters, annotator = published
        if "annotator" not in options:
            try:
                options["annotator"] = load_annotator(annotator)
            except InputError as error:
                raise damaged(name_or_path, error) from None
        return cls(**{"parameters": parameters, **options})

    def save(self, path: str | Path) -> None:
        """Write into a folder: the model with the threshold, or the parameters of the published variant."""
        if self.variant == "published":
            save_parameters(path, self.parameters, self.annotator.name)
        else:
            replace(self.model, threshold=self.threshold).save(path)

    def with_values(self, values: Mapping[str, float]) -> ContextualAligner:
        """A copy that shares everything but these values.

        Parameters
        ----------
        values : mapping of str to float
            ``threshold`` in the default variant; fields of :class:`PublishedParameters` in the published one.
        """
        changed = copy.copy(self)
        if self.variant == "published":
            changed.parameters = replace(self.parameters, **dict(values))  # type: ignore[arg-type]
        else:
            changed._threshold = values["threshold"]
        return changed

    def prepare(self, sentences: Sequence[Text], batch_size: int = 32) -> list[Sentence | InputError]:
        """Parse what lacks what the variant reads: word vectors, a forest, or both.

        A forest that a sentence came with is kept, with its tags and lemmas.
        """
        if self.variant == "published":
            annotated = self.annotator.prepare(sentences)
            if annotated is not None:
                return annotated
        return parse_or_complete(
            lambda: self.parser,
            sentences,
            forests=self._reads_trees(),
            vectors=self.reads_vectors(),
            batch_size=batch_size,
        )

    def _reads_trees(self) -> bool:
        return self.variant == "published"

    def reads_vectors(self) -> bool:
        """Whether a sentence needs word vectors: not where the user's paraphrases stand in for them."""
        return self.variant == "default" or self.ppdb is None

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two prepared sentences.

        Raises
        ------
        InputError
            If a sentence has no tokens, or none of the word vectors or the forest that the variant needs, or
            vectors of numbers that are not finite.
        ModelError
            If the link model expects word vectors of another size.
        """
        check_tokens(source, target)
        log_probability = None
        if self.variant == "published":
            links = Links(tuple(sorted(self._published(source, target))))
        else:
            probability = self.link_probabilities(source, target)
            links, log_probability = most_likely_links(
                (source.words, target.words), probability, self.threshold
            )
        return Alignment(
            source,
            target,
            links,
            unaligned_source=gaps({i for i, _ in links}, len(source)),
            unaligned_target=gaps({j for _, j in links}, len(target)),
            log_probability=log_probability,
            aligner=self.name,
        )

    def link_probabilities(self, source: Sentence, target: Sentence) -> np.ndarray:
        """Probability of a link for every two words of two prepared sentences, float32 (n, m).

        Raises
        ------
        InputError, ModelError
            See :meth:`scored_cells`.
        """
        return self.scored_cells(source, target)[0]

    def scored_cells(self, source: Sentence, target: Sentence) -> tuple[np.ndarray, np.ndarray]:
        """Link probability, float32 (n, m), and lexical evidence, int32 (n, m), of every two words.

        Raises
        ------
        InputError
            If a sentence has no word vectors, or some of numbers that are not finite; or in the published
            variant, whose links have no probabilities.
        ModelError
            If the link model expects word vectors of another size.
        """
        self._check_has_probabilities()
        evidence = self._evidence(source, target)
        return self.model.link_probabilities(source, target, evidence), evidence

    def explain(self, source: Text, target: Text, i: int, j: int) -> dict[str, float]:
        """What each feature adds to the log-odds of a link between two words, strongest first.

        Swapped sentences, with their words swapped, have the same explanation.

        Parameters
        ----------
        source, target : str or Sentence
            Raw text, or sentences, prepared or not.
        i, j : int
            Numbers of the words, counted from 0: word ``i`` of the source, word ``j`` of the target.

        Raises
        ------
        InputError
            If a sentence cannot be prepared, see :meth:`align`, or has no word of this number; or in the
            published variant, whose links have no probabilities.
        ModelError
            If the link model expects word vectors of another size.
        """
        self._check_has_probabilities()
        source, target = self.prepare_pair(source, target)
        for field, number, side, length in (("i", i, "source", len(source)), ("j", j, "target", len(target))):
            if number not in range(length):
                raise InputError(
                    f"expected a word of the {side}, 0 to {length - 1}, found {number}", field=field
                )
        return self.model.explain_link(source, target, self._evidence(source, target), i, j)

    def _check_has_probabilities(self) -> None:
        if self.variant != "default":
            raise InputError(f"links of the {self.variant} variant have no probabilities")

    def _evidence(self, source: Sentence, target: Sentence) -> np.ndarray:
        # Of words alone: the model has the cosines themselves.
        return lexical_evidence(source, target, self.lexicon, self.ppdb)

    def _published(self, source: Sentence, target: Sentence) -> list[tuple[int, int]]:
        if self.reads_vectors():
            check_finite(source, target)
        views = self._view(source), self._view(target)
        keys = tuple(map(_view_key, views))
        # Sentences that look the same may differ in their vectors, whose product rounds by their order.
        if keys[0] > keys[1] or (keys[0] == keys[1] and is_after(source, target)):
            return [(i, j) for j, i in self._in_order(target, source, views[::-1])]
        return list(self._in_order(source, target, views))

    def _in_order(
        self, source: Sentence, target: Sentence, views: tuple[SentenceView, SentenceView]
    ) -> set[tuple[int, int]]:
        if self.ppdb is not None:
            return published_links(*views, self.ppdb.partners, self.parameters)
        similar = similar_words(source, target, self.lexicon, self.parameters.cosine)
        return published_links(*views, _no_paraphrases, self.parameters, similar)

    def _view(self, sentence: Sentence) -> SentenceView:
        annotation = self.annotator.annotate(sentence)
        if "dependencies" not in self.parameters.modules:
            annotation = annotation._replace(basic=(), collapsed=())
        lemmas = [token.lemma or self.lexicon.lemma(token.text, token.tag) for token in sentence.tokens]
        return SentenceView.of(sentence, lemmas, annotation)


def bundled_model() -> LinkModel:
    """The link model that comes with the package."""
    with bundled_folder("contextual") as folder:
        return LinkModel.load(folder)


def _no_paraphrases(word: str) -> tuple[str, ...]:
    return ()


def _view_key(view: SentenceView) -> tuple[Any, ...]:
    return (
        len(view),
        view.forms,
        view.lemmas,
        view.categories,
        view.neighbours,
        view.basic_neighbours,
        view.entities,
    )
