"""Reads sentence pairs and computes, once, everything that is needed to align them many times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.forest.base_pairs import CONFIDENT_LINK, features_of_candidates
from forest_align.aligners.forest.features import RELATIONS, PairFeatures, phrase_classes
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence, judged_phrases
from forest_align.aligners.forest.prepared_pair import PreparedPair
from forest_align.aligners.words.candidate import Candidate, CandidateProvider
from forest_align.aligners.words.choose import DEFAULT_WORDS, word_candidate_files, word_candidates
from forest_align.alignment import Links, SpanPair
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.learned_dictionary import learn_dictionary
from forest_align.em.corpus.parsed_pairs import ParsedPair, parse_pairs, prepare_pairs, text_to_parse
from forest_align.eval.metrics.tree_scores import head_dependencies, tree_heads
from forest_align.parsing.forests.given_trees import forest_from_enju
from forest_align.parsing.networks.model_files import ENCODER_FILES
from forest_align.parsing.networks.vector_network import BUNDLED
from forest_align.storage.fingerprints import files_fingerprint, fingerprint_of, model_files
from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.aligners.forest.model import ForestModel
    from forest_align.aligners.phrases.model import PhraseModel
    from forest_align.aligners.words.lexical import Dictionary
    from forest_align.data.formats.format import PhraseUnit, SentencePair
    from forest_align.parsing import Parser

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
        found = [self._parser_identity, words, CONFIDENT_LINK, _candidate_fingerprint(words)]
        if self.dictionary is not None:
            values, derivations = self.dictionary.encoded()
            found.append([values, fingerprint_of(derivations)])
        if self.phrases is not None:
            found.append(self.phrases.fingerprint)
        if self.links != "sure":
            found.append(f"{self.links} links")
        return found

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
        return parse_pairs(
            pairs,
            self._parser,
            self._store,
            self._parser_identity,
            given_trees=self.given_trees,
            report=report,
        )

    def learn_dictionary(self, parsed: Iterable[ParsedPair | InputError]) -> Dictionary:
        """The dictionary of a training corpus; :meth:`prepare` uses it from now on.

        Raises
        ------
        InputError
            If vectors of a pair, which came with its sentences, differ in size or are not finite.
        """
        from forest_align.lexicon.lexicon import load_lexicon

        pairs = (self._with_vectors(one.source, one.target) for one in parsed if isinstance(one, ParsedPair))
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
                spans = np.array([[*c.source, *c.target] for c in candidates], np.int32).reshape(-1, 4)
                scores = np.array([c.score for c in candidates], np.float64)
                weighted = np.array([c.weighted for c in candidates], bool)
                relations = (features.relations != 0) @ _RELATION_BITS
                arrays: dict[str, np.ndarray] = {
                    "spans": spans,
                    "scores": scores,
                    "weighted": weighted,
                    "relations": relations.astype(np.uint8),
                }
                if phrases is not None:
                    named = zip(_PHRASE_ARRAYS, phrases.arrays, strict=True)
                    arrays |= dict(named)
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
                phrase_spans, log_odds = (arrays[name] for name in _PHRASE_ARRAYS)
                phrases = PhraseEvidence(phrase_spans, log_odds)
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
        from forest_align.lexicon.lexicon import load_lexicon

        found = tuple(replace(c, score=float(c.score)) for c in self._provider.candidates(source, target))
        features = features_of_candidates(source, target, found, load_lexicon(), self.dictionary)
        # As in the aligner, sentences without word vectors have no phrase evidence.
        if self.phrases is None or source.vectors is None or target.vectors is None:
            return found, features, None
        if not len(source) or not len(target):
            return found, features, None
        return found, features, judged_phrases(self.phrases, source, target, found, load_lexicon())

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


class LazyParser:
    """A parser that is loaded when it is first needed."""

    def __init__(self, name: str, forest_size: int) -> None:
        self._name, self._forest_size = name, forest_size

    @cached_property
    def _loaded(self) -> Parser:
        from forest_align.parsing import load_parser_for_alignment

        return load_parser_for_alignment(self._name, forest_size=self._forest_size)

    def __call__(self, texts: Sequence[Any]) -> Iterable[Sentence | InputError]:
        """Parse texts or words; see :meth:`forest_align.parsing.Parser.parse_many`."""
        return self._loaded.parse_many(texts)

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """See :meth:`forest_align.parsing.Parser.with_vectors`."""
        return self._loaded.with_vectors(sentences)


def parser_fingerprint(name: str) -> str:
    """Short hash of a parser's files and of the files of word vectors and lemmas.

    If the folder of the parser cannot be found, its name is used instead of its files.
    """
    bundled = Path(str(files("forest_align.parsing")))
    # Bundled names take precedence, as when a parser is loaded.
    folder = bundled / "models" / name
    if name != Path(name).name or not folder.is_dir():
        folder = Path(name)
    vectors = files_fingerprint([BUNDLED / name for name in ENCODER_FILES])
    lemmas = _candidate_fingerprint("dictionary")  # those of the lexicon
    return f"{files_fingerprint(model_files(folder)) if folder.is_dir() else name} {vectors} {lemmas}"


def _candidate_fingerprint(candidates: str) -> str:
    """Short hash of the data from which word candidates of this name and evidence are computed."""
    return files_fingerprint(word_candidate_files(candidates))
