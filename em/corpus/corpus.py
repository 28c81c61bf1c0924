"""Reads sentence pairs and computes, once, everything that is needed to align them many times.

It also learns the dictionary of a training corpus (Arase & Tsujii 2017, §6.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.forest.features import (
    CONFIDENT_LINK,
    RELATIONS,
    PairFeatures,
    features_of_candidates,
    phrase_classes,
)
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence, judged_phrases
from forest_align.aligners.forest.prepared_pair import PreparedPair
from forest_align.aligners.words.candidate import Candidate, CandidateProvider
from forest_align.aligners.words.choose import DEFAULT_WORDS, word_candidate_files, word_candidates
from forest_align.aligners.words.lexical import Dictionary, suffix_pairs
from forest_align.alignment import Links, SpanPair
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.parsed_pairs import (
    LazyParser,
    ParsedPair,
    parse_pairs,
    parser_fingerprint,
    prepare_pairs,
    text_to_parse,
)
from forest_align.eval.metrics.tree_scores import head_dependencies, tree_heads
from forest_align.lexicon.evidence import check_comparable, lexical_evidence
from forest_align.lexicon.lexicon import Lexicon, load_lexicon
from forest_align.parsing.forests.trees import forest_from_enju
from forest_align.storage.fingerprints import files_fingerprint, fingerprint_of
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners.forest.model import ForestModel
    from forest_align.aligners.phrases.model import PhraseModel
    from forest_align.data.formats.format import PhraseUnit, SentencePair

#: Names of the arrays of :class:`PhraseEvidence` in the cache.
_PHRASE_ARRAYS = ("phrase_spans", "phrase_log_odds")
_RELATION_BITS = 1 << np.arange(len(RELATIONS))
Report = Callable[[int], None]


@dataclass(frozen=True, slots=True, eq=False)
class CorpusPair:
    """A sentence pair, ready to be aligned."""

    id: str
    # source, target: With forests; without word vectors, unless a judge will read them
    source: Sentence
    target: Sentence
    candidates: tuple[Candidate, ...]
    features: PairFeatures  # Features of the phrase pairs
    links: Links | None = None  # Gold word links, if the corpus has them
    # Heads of the tokens in the gold trees of both sentences. None if the corpus has no trees, or if these
    # are the forests themselves.
    gold_heads: tuple[list[int], list[int]] | None = None
    # Short hash of the forests that came with the sentences; empty where both were parsed
    given_forests: str = ""
    phrases: PhraseEvidence | None = None  # What the phrase-pair model says, if there is one
    # For each annotator the corresponding phrases, if the corpus has them
    annotations: tuple[frozenset[SpanPair], ...] = ()
    units: tuple[PhraseUnit, ...] = ()  # Phrases that people marked, if the pair will be judged

    def prepared(self, options: ForestOptions) -> PreparedPair:
        """The pair in the form that the kernel reads."""
        return PreparedPair.of(
            self.source, self.target, self.features, self.candidates, options, self.phrases
        )


class CorpusReader:
    """Prepares the pairs of files, with a cache.

    Parameters
    ----------
    parser : str
        Name or folder of the parser; it is loaded only if something is missing in the cache.
    forest_size : int
        Trees in a forest.
    candidates : str
        Name of the word candidates, see :func:`forest_align.aligners.words.choose.word_candidates`.
    dictionary : Dictionary, optional
        That of the model, see :class:`ForestModel`.
    phrases : PhraseModel, optional
        That of the model.
    cache : pathlib.Path, optional
        Folder of the cache.
    given_trees : bool
        Whether sentences that come with trees use these as forests, as ``forest-align align`` does by
        default.
    links : {"sure", "all"}
        The convention that word candidates follow, see :func:`~.choose.word_candidates`.
    judged : bool
        Whether pairs keep what the model's judge reads: word vectors, and all that is known about phrases.
        This is much, and not cached.
    """

    def __init__(
        self,
        parser: str = "en",
        *,
        forest_size: int = 10,
        candidates: str = DEFAULT_WORDS,
        dictionary: Dictionary | None = None,
        phrases: PhraseModel | None = None,
        cache: Path | None = None,
        given_trees: bool = False,
        links: str = "sure",
        judged: bool = False,
    ) -> None:
        self.parser = parser
        self.links = links
        self.forest_size = forest_size
        self.candidate_name = candidates
        self.dictionary = dictionary
        self.phrases = phrases
        self.given_trees = given_trees
        self.judged = judged
        self._store = ArrayStore(cache) if cache is not None else None
        self._parser = LazyParser(parser, forest_size)
        self._parser_identity = [parser_fingerprint(parser), forest_size]

    @classmethod
    def for_model(
        cls,
        model: ForestModel,
        parser: str = "en",
        *,
        forest_size: int | None = None,
        candidates: str | None = None,
        cache: Path | None = None,
        given_trees: bool = False,
        links: str = "sure",
        judged: bool = False,
    ) -> CorpusReader:
        """A reader that prepares pairs as a model needs them; arguments that are given take precedence."""
        return cls(
            parser,
            forest_size=model.forest_size if forest_size is None else forest_size,
            candidates=model.words if candidates is None else candidates,
            dictionary=model.dictionary,
            phrases=model.phrases,
            cache=cache,
            given_trees=given_trees,
            links=links,
            judged=judged,
        )

    @cached_property
    def _pair_identity(self) -> list[Any]:
        words = self.candidate_name
        files = files_fingerprint(word_candidate_files(words))
        identity = [self._parser_identity, words, CONFIDENT_LINK, files]
        if self.dictionary is not None:
            values, derivations = self.dictionary.encoded()
            identity.append([values, fingerprint_of(derivations)])
        if self.phrases is not None:
            identity.append(self.phrases.fingerprint)
        if self.links != "sure":
            identity.append(f"{self.links} links")
        return identity

    @property
    def identity(self) -> list[Any]:
        """What prepared pairs depend on besides their texts and trees, as JSON values."""
        return [*self._pair_identity, *(["given trees"] if self.given_trees else [])]

    @cached_property
    def _provider(self) -> CandidateProvider:
        return word_candidates(self.candidate_name, dictionary=self.dictionary, links=self.links)

    def read(
        self, pairs: Iterable[SentencePair | InputError], report: Report | None = None
    ) -> tuple[list[CorpusPair], list[str]]:
        """Prepare pairs.

        Parameters
        ----------
        pairs : iterable of SentencePair or InputError
            From :func:`forest_align.data.pairs.read_pairs`.
        report : callable, optional
            Called with the numbers of sentences and pairs done since the last call.

        Returns
        -------
        list of CorpusPair
            The pairs that could be prepared.
        list of str
            Why the other pairs could not be prepared.
        """
        return self.prepare(self.parse(pairs, report), report)

    def parse(
        self, pairs: Iterable[SentencePair | InputError], report: Report | None = None
    ) -> list[ParsedPair | InputError]:
        """The first half of :meth:`read`: parse sentences, or load them from the cache."""
        parser, identity = self._parser, self._parser_identity
        return parse_pairs(pairs, parser, self._store, identity, given_trees=self.given_trees, report=report)

    def learn_dictionary(self, parsed: Iterable[ParsedPair | InputError]) -> Dictionary:
        """The dictionary of a training corpus; :meth:`prepare` uses it from now on.

        Raises
        ------
        InputError
            If vectors of a pair, which came with its sentences, differ in size or are not finite.
        """
        usable = (pair for pair in parsed if isinstance(pair, ParsedPair))
        pairs = (self._with_vectors(pair.source, pair.target) for pair in usable)
        self.dictionary = learn_dictionary(pairs, load_lexicon())
        for name in ("_pair_identity", "_provider"):
            self.__dict__.pop(name, None)
        return self.dictionary

    def prepare(
        self, parsed: Iterable[ParsedPair | InputError], report: Report | None = None
    ) -> tuple[list[CorpusPair], list[str]]:
        """The second half of :meth:`read`: word candidates and features."""
        return prepare_pairs(parsed, self._prepare, report)

    def _prepare(self, parsed: ParsedPair) -> CorpusPair:
        pair, source, target = parsed.pair, parsed.source, parsed.target
        given_forests = parsed.given_forests
        key = [self._pair_identity, text_to_parse(pair.source), text_to_parse(pair.target)]
        if given_forests:
            key.append(given_forests)
        store = None if self.judged else self._store
        entry = store.get(key) if store is not None else None
        if entry is None:
            if self._provider.uses_vectors or self.judged:
                source, target = self._with_vectors(source, target)
            candidates, features, phrases = self._look_up(source, target)
            if phrases is not None and not self.judged:
                phrases = PhraseEvidence(*phrases.arrays)
            if store is not None:
                spans = [[*c.source, *c.target] for c in candidates]
                relations = (features.relations != 0) @ _RELATION_BITS
                arrays: dict[str, np.ndarray] = {
                    "spans": np.array(spans, np.int32).reshape(-1, 4),
                    "scores": np.array([c.score for c in candidates], np.float64),
                    "weighted": np.array([c.weighted for c in candidates], bool),
                    "relations": relations.astype(np.uint8),
                }
                if phrases is not None:
                    arrays |= dict(zip(_PHRASE_ARRAYS, phrases.arrays, strict=True))
                store.put(key, arrays, {})
        else:
            arrays = dict(entry[0])
            columns = (arrays[name].tolist() for name in ("spans", "scores", "weighted"))
            candidates = tuple(
                Candidate((a, b), (c, d), score, weighted=weighted)
                for (a, b, c, d), score, weighted in zip(*columns, strict=True)
            )
            relations = ((arrays["relations"][:, :, None] & _RELATION_BITS) != 0).astype(np.float64)
            features = PairFeatures(phrase_classes(source), phrase_classes(target), relations)
            phrases = None
            if _PHRASE_ARRAYS[0] in arrays:
                spans_name, odds_name = _PHRASE_ARRAYS
                phrases = PhraseEvidence(arrays[spans_name], arrays[odds_name])
        if not self.judged:
            source, target = replace(source, vectors=None), replace(target, vectors=None)
        links = pair.links.check(len(source), len(target)) if pair.links is not None else None
        gold_heads = None if given_forests else _gold_heads(pair)
        return CorpusPair(
            pair.id,
            source,
            target,
            candidates,
            features,
            links,
            gold_heads,
            given_forests,
            phrases,
            pair.annotations,
            (pair.units or ()) if self.judged else (),
        )

    def _look_up(
        self, source: Sentence, target: Sentence
    ) -> tuple[tuple[Candidate, ...], PairFeatures, PhraseEvidence | None]:
        candidates = self._provider.candidates(source, target)
        candidates = tuple(replace(c, score=float(c.score)) for c in candidates)
        features = features_of_candidates(source, target, candidates, load_lexicon(), self.dictionary)
        # As in the aligner, sentences without word vectors have no phrase evidence.
        has_vectors = source.vectors is not None and target.vectors is not None
        if self.phrases is None or not has_vectors or not len(source) or not len(target):
            return candidates, features, None
        phrases = judged_phrases(self.phrases, source, target, candidates, load_lexicon())
        return candidates, features, phrases

    def _with_vectors(self, source: Sentence, target: Sentence) -> tuple[Sentence, Sentence]:
        if source.vectors is None or target.vectors is None:
            source, target = self._parser.with_vectors([source, target])
        return source, target


def _gold_heads(pair: SentencePair) -> tuple[list[int], list[int]] | None:
    """Heads of the tokens in the first tree of each sentence, or in its Enju tree."""
    if pair.source_enju is not None and pair.target_enju is not None:
        source, target = (forest_from_enju(tree)[0] for tree in (pair.source_enju, pair.target_enju))
        return head_dependencies(source), head_dependencies(target)
    if not pair.source_trees or not pair.target_trees:
        return None
    return tree_heads(pair.source_trees[0][0]), tree_heads(pair.target_trees[0][0])


#: Words are similar from the similarity on that is this high in the ranking of the corpus.
RANK = 100
# Similarities that are kept at a time.
_MOST_KEPT = 20 * RANK


def learn_dictionary(pairs: Iterable[tuple[Sentence, Sentence]], lexicon: Lexicon) -> Dictionary:
    """Find the words that a corpus relates.

    Words are compared if they are in the two sentences of a pair, as by the aligner. The similarity of two
    lemmas is the highest cosine of two of their occurrences. Words of equal lemmas do not count, nor words
    without a letter.
    """
    similarities: dict[tuple[str, str], float] = {}
    derivations: set[tuple[str, str]] = set()
    least = -1.0
    for source, target in pairs:
        evidence = lexical_evidence(source, target, lexicon)
        derivations.update(words for _, _, words in suffix_pairs(source, target, evidence, lexicon))
        check_comparable(source, target)
        if source.vectors is None or target.vectors is None or not evidence.size:
            continue
        cosines = np.asarray(source.vectors @ target.vectors.T, np.float64)
        lemmas = [[word.lemma for word in lexicon.profiles(side)] for side in (source, target)]
        for i, j in np.argwhere(cosines >= least).tolist():
            one, two = sorted((lemmas[0][i], lemmas[1][j]))
            if one != two and all(any(map(str.isalpha, lemma)) for lemma in (one, two)):
                cosine = min(1.0, float(cosines[i, j]))
                similarities[one, two] = max(cosine, similarities.get((one, two), -1.0))
        if len(similarities) > _MOST_KEPT:
            least = _ranked(similarities)
            similarities = {words: cosine for words, cosine in similarities.items() if cosine >= least}
    return Dictionary(_ranked(similarities) if similarities else None, frozenset(derivations))


def _ranked(similarities: dict[tuple[str, str], float]) -> float:
    """The similarity of rank :data:`RANK`."""
    return sorted(similarities.values(), reverse=True)[:RANK][-1]
