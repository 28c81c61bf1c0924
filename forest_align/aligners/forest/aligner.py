"""The forest aligner: phrase alignment on packed parse forests (Arase & Tsujii 2017)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.aligners.chunks import aligned_chunks
from forest_align.aligners.forest._k_best_alignments import k_best
from forest_align.aligners.forest.features import PairFeatures, features_of_candidates, forest_of
from forest_align.aligners.forest.judge_features import DerivationPairs
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence, judged_phrases
from forest_align.aligners.forest.prepared_pair import PreparedPair
from forest_align.aligners.forest.result import NAME, SearchedPair, build_alignment, pairs_to_judge
from forest_align.aligners.link_convention import check_convention
from forest_align.aligners.model_folder import bundled_folder, model_folder
from forest_align.aligners.pair import GivenChunks, GivenWords, Text
from forest_align.aligners.parsing_aligner import ParsingAligner
from forest_align.aligners.phrases.related import judged_relations, with_relations
from forest_align.aligners.sentence_pairs.model import ParaphraseModel, with_paraphrase_probability
from forest_align.aligners.sentence_pairs.model import bundled_model as bundled_paraphrases
from forest_align.aligners.words.candidate import link_probabilities
from forest_align.aligners.words.choose import check_name, word_candidates
from forest_align.aligners.words.lexical import given_candidates
from forest_align.alignment import Alignment
from forest_align.cext.alignment_arrays import AlignmentArrays
from forest_align.system.processes import check_counts
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners.phrases.features import SpanEvidence
    from forest_align.aligners.words.candidate import Candidate, CandidateProvider
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser

#: For each alignment asked for, at most so many derivations are looked at.
MOST_DERIVATIONS = 20


class ForestAligner(ParsingAligner):
    """Aligns words and syntactic phrases on the packed parse forests of two sentences.

    The aligner distinguishes source and target, so swapped sentences may be aligned slightly differently.
    The probabilities of phrases are one-sided: they are normalised over the phrases of the target, see
    :meth:`.ForestModel.log_probabilities`. Weights depend on which word is in the source, and the search for
    non-compositional pairs is not exhaustive. The contextual aligner is exactly symmetric.

    Parameters
    ----------
    model : ForestModel, optional
        Feature weights and search options; by default those of the bundled model.
    parser : Parser or str or Path, optional
        For sentences without a forest: a parser, or the name or folder of one, which is loaded when needed.
        A loaded parser makes forests of the size that the model was tuned with. By default the bundled
        English parser.
    candidates : CandidateProvider or str, optional
        Provider of word candidates, or its name, see
        :func:`~forest_align.aligners.words.choose.word_candidates`; loaded when needed. By default the
        model's :attr:`~.ForestModel.words`. Candidates given
        with a pair are used instead.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, of words and of phrases, or their file. They are evidence for word candidates
        that are chosen by name.
    lexicon : Lexicon, optional
        By default the bundled one.
    alignments : int
        How many alignments of each pair to find: the best one, and the next ones in its
        :attr:`~forest_align.Alignment.alternatives`, see :meth:`align_k_best`.
    paraphrases : bool
        Whether to compute :attr:`~forest_align.Alignment.paraphrase_probability`. It needs word vectors.
        Models with a dictionary, such as ``forest-published``, never have it.
    links : {"sure", "all"}
        The convention of annotators that word links and their probabilities follow: sure links alone, or
        possible ones too. The second needs word candidates ``contextual``.

    Raises
    ------
    InputError
        If the convention is unknown, or all links are wanted with other word candidates than contextual.
        If there are no word candidates of this name, or if ``ppdb`` is neither a table nor the path of a
        readable one. Also if ``ppdb`` is combined with a provider, which would ignore it.
    """

    name = NAME

    def __init__(
        self,
        model: ForestModel | None = None,
        *,
        parser: Parser | str | Path | None = None,
        candidates: CandidateProvider | str | None = None,
        ppdb: PairTable | str | Path | None = None,
        lexicon: Lexicon | None = None,
        alignments: int = 1,
        paraphrases: bool = True,
        links: str = "sure",
    ) -> None:
        check_counts(alignments=alignments)
        self.alignments = alignments
        self._judges_paraphrases = paraphrases
        self.model = model or bundled_model()
        candidates = self.model.words if candidates is None else candidates
        if check_convention(links) and candidates != "contextual":
            found = repr(candidates) if isinstance(candidates, str) else "a provider"
            raise InputError(f"all links need word candidates 'contextual', found {found}", field="links")
        self._links = links
        if isinstance(candidates, str):
            check_name(candidates)
        elif ppdb is not None:
            raise InputError(
                "expected word candidates by name, to which paraphrases are evidence, found a provider",
                field="candidates",
            )
        super().__init__(parser, lexicon, ppdb)
        self._candidates = candidates

    def _load_parser(self, name: str | Path) -> Parser:
        from forest_align.parsing import load_parser_for_alignment

        return load_parser_for_alignment(
            name, forest_size=self.model.forest_size, vectors=self.reads_vectors(), device=self.device
        )

    @cached_property
    def candidates(self) -> CandidateProvider:
        """The provider of word candidates."""
        given = self._candidates
        if not isinstance(given, str):
            return given
        return word_candidates(given, ppdb=self.ppdb, dictionary=self.model.dictionary, links=self._links)

    @cached_property
    def paraphrases(self) -> ParaphraseModel | None:
        """The model of paraphrase probabilities; None if they are not computed."""
        return bundled_paraphrases() if self._judges_paraphrases and self.model.dictionary is None else None

    @property
    def settings(self) -> dict[str, Any]:
        """Options of the search, calibration, and the dictionary if the model has one."""
        settings = asdict(self.model.options) | {"calibration": asdict(self.model.calibration)}
        if self.model.phrase_options is not None:
            settings["phrase_options"] = asdict(self.model.phrase_options)
        if self.model.dictionary is not None:
            settings["dictionary"] = self.model.dictionary.encoded()[0]
        if self._links != "sure":
            settings["links"] = self._links
        return settings

    @classmethod
    def load(cls, name_or_path: str | Path = "forest", **options: Any) -> ForestAligner:
        """Load a bundled model or one from a folder.

        Parameters
        ----------
        name_or_path : str or Path
            ``"forest"``; ``"forest-published"``, the paper's system with our parser; ``"fixed"``,
            whose weights are set by hand, not learned; ``"uniform"``, whose weights are zero; or a folder.
        **options
            Options of the constructor.

        Raises
        ------
        ModelError
            If the model does not exist.
        """
        with model_folder(name_or_path) as folder:
            return cls(ForestModel.load(folder), **options)

    def save(self, path: str | Path) -> None:
        """Write the model into a folder."""
        self.model.save(path)

    def reads_vectors(self) -> bool:
        """Whether candidates or features need word vectors."""
        dictionary = self.model.dictionary
        return self.candidates.uses_vectors or (dictionary is not None and dictionary.cosine is not None)

    def align_prepared(self, source: Sentence, target: Sentence) -> Alignment:
        """Align two sentences with forests.

        Raises
        ------
        InputError
            If a sentence has no forest.
        """
        forest_of(source), forest_of(target)
        return self.align_candidates(source, target, self.candidates.candidates(source, target))

    def align_candidates(self, source: Sentence, target: Sentence, candidates: GivenWords) -> Alignment:
        """Align two sentences with forests, given their word links or candidates.

        Raises
        ------
        InputError
            If a sentence has no forest, a link or candidate lies outside of its sentence, or the score of a
            link is not a probability.
        """
        best, *others = self._k_best(
            source, target, given_candidates(candidates, source, target), self.alignments
        )
        return replace(best, alternatives=tuple(others)) if others else best

    def align_chunks(self, source: Sentence, target: Sentence, chunks: GivenChunks) -> Alignment:
        """Align the given chunks of two sentences with forests; see :func:`aligned_chunks`.

        Raises
        ------
        InputError
            If a chunk lies outside its sentence, a sentence has no forest or no word vectors, or the model
            knows no relations.
        """
        chunks.check(len(source), len(target))
        if self.model.relations is None:
            raise InputError("given chunks need a model of relations, such as the one of 'forest'")
        probability = link_probabilities(self.candidates.candidates(source, target), len(source), len(target))
        return aligned_chunks(source, target, chunks, probability, self.model.relations, self.lexicon)

    def align_k_best(self, source: Text, target: Text, k: int) -> list[Alignment]:
        """Up to ``k`` alignments of two sentences, raw text or prepared, best first by ``log_probability``.

        The first is the result of :meth:`align`. No two have the same pairs of constituents and word links:
        of derivations that differ in supports, labels, trees or parts of constituents alone, only the best
        is there. At most ``MOST_DERIVATIONS`` · ``k`` derivations are looked at. The probability of a phrase
        pair is taken over all alignments. If the search does not reach the roots, there is only one.

        Raises
        ------
        InputError
            If a sentence cannot be aligned, see :meth:`align`, or ``k`` is less than 1.
        """
        check_counts(k=k)
        source, target = self.prepare_pair(source, target)
        forest_of(source), forest_of(target)
        alignments = self._k_best(source, target, self.candidates.candidates(source, target), k)
        return [replace(alignment, made_by=self.made_by) for alignment in alignments]

    def _k_best(
        self, source: Sentence, target: Sentence, candidates: Sequence[Candidate], k: int
    ) -> list[Alignment]:
        """Up to ``k`` distinct alignments of two sentences with forests, at least one."""
        phrases = self.phrase_evidence(source, target, candidates)
        pair = self.search(source, target, candidates, phrases, packed=k > 1)
        derivations: Iterable[AlignmentArrays] = [pair.arrays]
        if pair.arrays.root_aligned and k > 1:
            edges = [forest.edges for forest in pair.forests]
            # The kernel's own result comes first, with its last digits.
            derivations = chain(derivations, k_best(pair.arrays, edges[0], edges[1], k * MOST_DERIVATIONS))
        distinct: dict[object, Alignment] = {}
        for arrays in derivations:
            alignment = build_alignment(self.model, pair._replace(arrays=arrays))
            spans = frozenset(
                (phrase.source_node.span, phrase.target_node.span)
                for phrase in alignment.phrases
                if phrase.constituents
            )
            distinct.setdefault((spans, alignment.words.pairs), alignment)
            if len(distinct) == k:
                break
        spans_known = None if phrases is None else phrases.phrases
        return [self._judged(alignment, spans_known) for alignment in distinct.values()]

    def _judged(self, alignment: Alignment, phrases: SpanEvidence | None) -> Alignment:
        """The alignment with what its phrases say about each other, and with its paraphrase probability."""
        model, paraphrases = self.model.relations, self.paraphrases
        if model is None and paraphrases is None:
            return alignment
        judged = judged_relations(alignment, model, phrases)
        if model is not None:
            alignment = with_relations(alignment, judged)
        if paraphrases is None:
            return alignment
        return with_paraphrase_probability(alignment, paraphrases, judged.known)

    def pairs_to_judge(
        self, source: Sentence, target: Sentence, candidates: Sequence[Candidate]
    ) -> DerivationPairs | None:
        """What the judge reads about the best derivation; None without a phrase-pair model or vectors."""
        phrases = self.phrase_evidence(source, target, candidates)
        return pairs_to_judge(self.model, self.search(source, target, candidates, phrases))

    def search(
        self,
        source: Sentence,
        target: Sentence,
        candidates: Sequence[Candidate],
        phrases: PhraseEvidence | None = None,
        *,
        packed: bool = False,
    ) -> SearchedPair:
        """Run the kernel on two sentences with forests, with what :meth:`phrase_evidence` returned.

        With ``packed``, the result has the packed alignment forest. Errors are those of
        :meth:`align_candidates`.
        """
        features = self.features(source, target, candidates)
        pair = PreparedPair.of(source, target, features, candidates, self.model.options_for(phrases), phrases)
        options = self.model.search_options(phrases)._replace(packed=packed)
        arrays = pair.align(*self.model.log_probabilities(features), options)
        return SearchedPair(source, target, candidates, pair.base, arrays, phrases)

    def phrase_evidence(
        self, source: Sentence, target: Sentence, candidates: Sequence[Candidate]
    ) -> PhraseEvidence | None:
        """What the phrase-pair model says; None if there is none, or a sentence has no word vectors."""
        model = self.model.phrases
        if model is None or not len(source) or not len(target):
            return None
        if source.vectors is None or target.vectors is None:
            return None
        return judged_phrases(model, source, target, candidates, self.lexicon)

    def features(self, source: Sentence, target: Sentence, candidates: Iterable[Candidate]) -> PairFeatures:
        """Features of the phrase pairs of two sentences, see :func:`features_of_candidates`."""
        return features_of_candidates(source, target, candidates, self.lexicon, self.model.dictionary)


def bundled_model(name: str = NAME) -> ForestModel:
    """A model that comes with the package."""
    with bundled_folder(name) as folder:
        return ForestModel.load(folder)
