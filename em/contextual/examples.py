"""Reads the hand-aligned corpora for training the link model, and makes altered copies of their pairs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.features import SentenceFeatures, related_word_features
from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.alignment import Links
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.em.contextual import _wordings as wordings
from forest_align.em.contextual._annotating import Annotated, annotate
from forest_align.em.contextual._constructions import CONSTRUCTIONS
from forest_align.em.contextual._notations import amounts
from forest_align.em.contextual._writing import PairWriter, Vocabulary, vocabulary_of
from forest_align.em.contextual.rearranging import (
    RearrangedPair,
    Tagged,
    misspelled_sentence,
    participles_of,
    rearranged_pair,
)
from forest_align.em.corpus.parsed_pairs import parser_fingerprint
from forest_align.em.fitting.cross_fitting import FOLDS, Keys, folds_of, sentence_key
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon


#: Kinds of pairs, each as often as the number says.
KINDS: dict[Callable[[PairWriter], RearrangedPair], int] = {
    **CONSTRUCTIONS,
    wordings.opposed: 5,
    wordings.pronoun: 7,
    wordings.speech: 3,
    amounts: 13,
    wordings.particle: 4,
    wordings.same_particle: 2,
    wordings.light_verb: 2,
    wordings.auxiliary: 5,
    wordings.spoken: 3,
    wordings.hashtag: 2,
    wordings.acronym: 2,
}


def constructed_pairs(vocabulary: Vocabulary, number: int) -> list[RearrangedPair]:
    """Pairs of all kinds, always the same ones."""
    chance = random.Random(2)
    writer = PairWriter(vocabulary, chance)
    found: list[RearrangedPair] = []
    while len(found) < number:
        (kind,) = chance.choices(list(KINDS), list(KINDS.values()))
        pair = kind(writer)
        # Equal sentences are aligned without the model.
        if [word.lower() for word in pair.source] != [word.lower() for word in pair.target]:
            found.append(pair)
    return found


def _wanted_links(path: Path, pairs: Sequence[SentencePair]) -> list[np.ndarray | None]:
    """For each pair of MSR-RTE the share of annotators who made a link, float32 (n, m).

    A link that one of three annotators made is more likely right than a link that none made. A possible link
    counts a third. None if an annotator's file splits the sentences into other words.
    """
    annotators = [list(read_pairs(path.with_name(f"RTE2_dev_{name}.align.txt"))) for name in "ABC"]
    result: list[np.ndarray | None] = []
    for pair, *versions in zip(pairs, *annotators, strict=True):
        share = np.zeros((len(pair.source), len(pair.target)), dtype=np.float32)
        for version in versions:
            links = version.links if isinstance(version, SentencePair) else None
            if links is None or (len(version.source), len(version.target)) != share.shape:
                break
            for (i, j), sure in zip(links.pairs, links.sure or (True,) * len(links), strict=True):
                share[i, j] += (1 if sure else 1 / 3) / len(versions)
        else:
            result.append(share)
            continue
        result.append(None)
    return result


def only_sure(links: Links | None) -> Links:
    """The sure links of a pair that has links."""
    assert links is not None
    return links.only_sure()


def mtref_train_links(path: Path) -> list[list[tuple[int, int]]]:
    """Sure links of MTRef's train part, which lists sure links first and possible links after, each in order.

    If the source index decreases once, the links after that point are the possible ones. They are 12.6% of
    all links, similar to the dev part (13.1%), which marks them.
    """
    result = []
    for line in path.read_text(encoding="utf-8").splitlines():
        ends = [item.split("-") for item in line.split("\t")[7].split()]
        links = [(int(i), int(j)) for i, j in ends]
        falls = [k for k in range(1, len(links)) if links[k][0] < links[k - 1][0]]
        result.append(links[: falls[0]] if len(falls) == 1 else links)
    return result


TRAIN = {
    "msr_rte": "msr_rte/dev.majority.json",
    "edinburgh": "edinburgh/train.sure.json",
    "mtref": "mtref/train.tsv",
    "wiki": "wiki/train.tsv",
}
_DEVELOPMENT = {"mtref dev": "mtref/dev.tsv", "wiki dev": "wiki/dev.tsv"}
#: All files that are read.
FILES = {**TRAIN, **_DEVELOPMENT}
# One in this many pairs is repeated with a word misspelled.
_MISSPELLED_STEP = 3
# One in this many pairs is repeated with a sentence rearranged, if possible.
_REARRANGED_STEP = 3
#: Only the sentences of these files are read, to exclude them from the training parts of other corpora.
TEST = {"msr_rte": "msr_rte/test.majority.json", "edinburgh": "edinburgh/test.sure.json"}
# Maximum number of pairs read from a corpus. More of Wiki, whose sentences hardly differ, changes nothing.
_MOST_PAIRS = {"wiki": 1200}
# MSR-RTE has few pairs and few links in a pair. With this weight it gains and the others hardly lose.
_CORPUS_WEIGHTS = {"msr_rte": 4.0, "constructed": 0.5}
#: Name and number of the pairs made by :mod:`forest_align.em.contextual.examples`.
CONSTRUCTED, CONSTRUCTED_PAIRS = "constructed", 2200


@dataclass(frozen=True, slots=True, eq=False)
class LinkExample:
    """One pair, with everything that does not change during training."""

    corpus: str  # Key of TRAIN or DEVELOPMENT
    sentences: Keys  # Keys of the sentences; pairs with a common sentence share a key
    fold: int  # Fold of the cross-fitting; -1 for pairs that are never trained on
    is_altered: bool  # Whether it is a misspelled or rearranged copy, used for training only
    source: SentenceFeatures
    target: SentenceFeatures
    evidence: np.ndarray  # int32, shape (n, m)
    gold: np.ndarray  # bool, shape (n, m): sure links
    wanted: np.ndarray  # float32, shape (n, m): targets of the later passes; see wanted_links

    @property
    def weight(self) -> np.float32:
        """Weight of the cells. Scores are averages over pairs, so short pairs must count nearly as much."""
        return np.float32(_CORPUS_WEIGHTS.get(self.corpus, 1.0) * 20 / (5 + self.gold.sum()))


@dataclass(frozen=True, slots=True)
class Version:
    """A pair for training: from the corpus, unchanged or altered."""

    number: int  # The pair's id in the corpus
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: list[tuple[int, int]]
    share: np.ndarray | None = None


def read_examples(
    data: Path, parser: str, cache: Path, left_out: Sequence[str] = ()
) -> Iterator[LinkExample]:
    """Read all corpora and compute features. No pairs are constructed from words of those left out."""
    lexicon = load_lexicon()
    corpora = {name: _pairs_of(data / file)[: _MOST_PAIRS.get(name)] for name, file in FILES.items()}
    tagged: list[Tagged] = []
    folds = iter(folds_of([_keys_of(pair) for name in TRAIN for pair in corpora[name]]))
    for name, pairs in corpora.items():
        path = data / FILES[name]
        sure = (
            mtref_train_links(path)
            if name == "mtref"
            else [list(only_sure(pair.links).pairs) for pair in pairs]
        )
        wanted = _wanted_links(path, pairs) if name == "msr_rte" else [None] * len(pairs)
        fold = [next(folds) if name in TRAIN else -1 for _ in pairs]
        versions = [
            Version(number, pair.source.words, pair.target.words, links, share)
            for number, (pair, links, share) in enumerate(zip(pairs, sure, wanted, strict=True))
        ]
        originals = len(versions)
        if name in TRAIN:
            versions += _misspelled_copies(versions)
        annotated = list(_annotate_versions(versions, name, parser, cache))
        if name in TRAIN:
            if name not in left_out:
                tagged += [Tagged(side.words, side.tags) for sides in annotated[:originals] for side in sides]
            copies = _rearranged_copies(versions[:originals], annotated[:originals], lexicon)
            if copies:
                annotated += _annotate_versions(copies, f"{name} rearranged", parser, cache)
                versions += copies
        for place, (version, sides) in enumerate(zip(versions, annotated, strict=True)):
            keys, is_altered = _keys_of(pairs[version.number]), place >= originals
            yield _example_of(name, version, sides, keys, fold[version.number], is_altered, lexicon)
    yield from _constructed_examples(tagged, parser, cache, lexicon)


def _constructed_examples(
    tagged: Sequence[Tagged], parser: str, cache: Path, lexicon: Lexicon
) -> Iterator[LinkExample]:
    """Pairs in different constructions, made from the words of tagged training sentences if these suffice."""
    vocabulary = vocabulary_of(tagged, participles_of(tagged, lexicon.lemma), lexicon)
    if not vocabulary.suffices:
        return
    versions = [Version(k, *pair) for k, pair in enumerate(constructed_pairs(vocabulary, CONSTRUCTED_PAIRS))]
    annotated = _annotate_versions(versions, CONSTRUCTED, parser, cache)
    for version, sides in zip(versions, annotated, strict=True):
        keys = sentence_key(version.source), sentence_key(version.target)
        yield _example_of(CONSTRUCTED, version, sides, keys, version.number % FOLDS, True, lexicon)


def _example_of(
    corpus: str,
    version: Version,
    sides: tuple[Annotated, Annotated],
    keys: Keys,
    fold: int,
    is_altered: bool,
    lexicon: Lexicon,
) -> LinkExample:
    """The example of a pair whose sentences have tags and vectors."""
    source, target = (Sentence.from_words(side.words, side.tags) for side in sides)
    gold = np.zeros((len(source), len(target)), dtype=bool)
    for i, j in version.links:
        gold[i, j] = True
    evidence = pair_evidence(source, target, lexicon)
    first, second = (
        SentenceFeatures(*related_word_features(sentence), side.vectors, np.zeros((0, 0), dtype=np.float32))
        for sentence, side in zip((source, target), sides, strict=True)
    )
    wanted = gold.astype(np.float32) if version.share is None else (gold + version.share) / np.float32(2)
    return LinkExample(corpus, keys, fold, is_altered, first, second, evidence, gold, wanted)


def _misspelled_copies(versions: Sequence[Version]) -> list[Version]:
    """A copy of every n-th pair, with a misspelled word."""
    chance = random.Random(0)
    found = []
    for version in versions[::_MISSPELLED_STEP]:
        if chance.random() < 0.5:
            found.append(replace(version, source=misspelled_sentence(version.source, chance)))
        else:
            found.append(replace(version, target=misspelled_sentence(version.target, chance)))
    return found


def _rearranged_copies(
    versions: Sequence[Version], annotated: Sequence[tuple[Annotated, Annotated]], lexicon: Lexicon
) -> list[Version]:
    """A copy of every n-th pair with a rearranged sentence, if possible."""
    tagged = [tuple(Tagged(side.words, side.tags) for side in sides) for sides in annotated]
    participles = participles_of((sentence for pair in tagged for sentence in pair), lexicon.lemma)
    chance = random.Random(1)
    found = []
    for version, (source, target) in list(zip(versions, tagged, strict=True))[::_REARRANGED_STEP]:
        pair = rearranged_pair(source, target, version.links, lexicon.lemma, participles, chance)
        if pair is not None:
            found.append(Version(version.number, *pair))
    return found


def _keys_of(pair: SentencePair) -> Keys:
    """Keys of the two sentences of a pair, by which overlaps are found."""
    return sentence_key(pair.source.words), sentence_key(pair.target.words)


def sentences_of_tests(data: Path) -> dict[str, set[str]]:
    """The sentences of the test part of each corpus in :data:`TEST`."""
    return {
        name: {key for pair in _pairs_of(data / file) for key in _keys_of(pair)}
        for name, file in TEST.items()
    }


def _pairs_of(path: Path) -> list[SentencePair]:
    """The pairs of a file; those that cannot be read are skipped."""
    return [pair for pair in read_pairs(path) if isinstance(pair, SentencePair)]


def _annotate_versions(
    versions: Sequence[Version], name: str, parser: str, cache: Path
) -> Iterator[tuple[Annotated, Annotated]]:
    """Yield the two sentences of each pair with tags and word vectors."""
    sentences = [words for version in versions for words in (version.source, version.target)]
    mark = fingerprint_of(parser_fingerprint(parser), *sentences)
    annotated = annotate(sentences, parser, cache / f"vectors-{name.replace(' ', '-')}-{mark}.npz")
    return zip(annotated, annotated, strict=True)  # one iterator gives both
