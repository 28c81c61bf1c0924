"""Reads the hand-aligned corpora for training the link model, with their word vectors."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.aligners.contextual.features import SentenceFeatures, word_features
from forest_align.alignment import Links
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.em.contextual._folds import Keys, folds_of, sentence_key
from forest_align.em.contextual._rearranging import Tagged, participles_of, rearranged_pair
from forest_align.em.contextual.misspellings import misspelled_sentence
from forest_align.em.corpus.corpus import parser_fingerprint
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.storage.atomic import write_atomically
from forest_align.storage.fingerprints import fingerprint_of
from forest_align.types import Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon

TRAIN = {
    "msr_rte": "msr_rte/dev.majority.json",
    "edinburgh": "edinburgh/train.sure.json",
    "mtref": "mtref/train.tsv",
    "wiki": "wiki/train.tsv",
}
DEVELOPMENT = {"mtref dev": "mtref/dev.tsv", "wiki dev": "wiki/dev.tsv"}
#: All files that are read.
FILES = {**TRAIN, **DEVELOPMENT}
#: One in this many pairs is repeated with a word misspelled.
MISSPELLED_STEP = 3
#: One in this many pairs is repeated with a sentence rearranged, if possible.
REARRANGED_STEP = 3
#: Only the sentences of these files are read, to exclude them from the training parts of other corpora.
TEST = {"msr_rte": "msr_rte/test.majority.json", "edinburgh": "edinburgh/test.sure.json"}
#: Maximum number of pairs read from a corpus. More of Wiki, whose sentences hardly differ, changes nothing.
MOST_PAIRS = {"wiki": 1200}
#: MSR-RTE has few pairs and few links in a pair. With this weight it gains and the others hardly lose.
CORPUS_WEIGHTS = {"msr_rte": 4.0}


@dataclass(frozen=True, slots=True, eq=False)
class LinkExample:
    """One pair, with everything that does not change during training.

    Attributes
    ----------
    corpus : str
        Key of :data:`TRAIN` or :data:`DEVELOPMENT`.
    sentences : (str, str)
        Keys of the sentences; pairs with a common sentence share a key.
    fold : int
        Fold of the cross-fitting; -1 for pairs that are never trained on.
    is_altered : bool
        Whether it is a misspelled or rearranged copy, used for training only.
    source, target : SentenceFeatures
        With empty projections.
    evidence : numpy.ndarray
        int32, shape (n, m).
    gold : numpy.ndarray
        bool, shape (n, m): sure links.
    wanted : numpy.ndarray
        float32, shape (n, m): targets of the later passes; see :func:`wanted_links`.
    """

    corpus: str
    sentences: Keys
    fold: int
    is_altered: bool
    source: SentenceFeatures
    target: SentenceFeatures
    evidence: np.ndarray
    gold: np.ndarray
    wanted: np.ndarray

    @property
    def weight(self) -> np.float32:
        """Weight of the cells. Scores are averages over pairs, so short pairs must count nearly as much."""
        return np.float32(CORPUS_WEIGHTS.get(self.corpus, 1.0) * 20 / (5 + self.gold.sum()))


@dataclass(frozen=True, slots=True)
class Version:
    """A pair for training: from the corpus, unchanged or altered.

    Attributes
    ----------
    number : int
        The pair's id in the corpus.
    source, target : tuple of str
        Words.
    links : list of (int, int)
        Sure links.
    share : numpy.ndarray, optional
        See :func:`wanted_links`.
    """

    number: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: list[tuple[int, int]]
    share: np.ndarray | None = None


class Annotated(NamedTuple):
    """A sentence of n words with its tags and its word vectors, float32 (n, D)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    vectors: np.ndarray


def read_examples(data: Path, parser: str, cache: Path) -> Iterator[LinkExample]:
    """Read all corpora and compute features of their sentences."""
    lexicon = load_lexicon()
    corpora = {
        name: [pair for pair in read_pairs(data / file) if isinstance(pair, SentencePair)][
            : MOST_PAIRS.get(name)
        ]
        for name, file in FILES.items()
    }
    folds = iter(folds_of([keys_of(pair) for name in TRAIN for pair in corpora[name]]))
    for name, pairs in corpora.items():
        path = data / FILES[name]
        sure = (
            mtref_train_links(path)
            if name == "mtref"
            else [list(only_sure(pair.links).pairs) for pair in pairs]
        )
        wanted = wanted_links(path, pairs) if name == "msr_rte" else [None] * len(pairs)
        fold = [next(folds) if name in TRAIN else -1 for _ in pairs]
        versions = [
            Version(number, pair.source.words, pair.target.words, links, share)
            for number, (pair, links, share) in enumerate(zip(pairs, sure, wanted, strict=True))
        ]
        originals = len(versions)
        if name in TRAIN:
            versions += misspelled_copies(versions)
        annotated = list(annotate_versions(versions, name, parser, cache))
        if name in TRAIN:
            copies = rearranged_copies(versions[:originals], annotated[:originals], lexicon)
            if copies:
                annotated += annotate_versions(copies, f"{name} rearranged", parser, cache)
                versions += copies
        for place, (version, sides) in enumerate(zip(versions, annotated, strict=True)):
            source, target = (Sentence.from_words(side.words, side.tags) for side in sides)
            gold = np.zeros((len(source), len(target)), dtype=bool)
            for i, j in version.links:
                gold[i, j] = True
            evidence = lexical_evidence(source, target, lexicon)
            first, second = (
                SentenceFeatures(*word_features(sentence), side.vectors, np.zeros((0, 0), dtype=np.float32))
                for sentence, side in zip((source, target), sides, strict=True)
            )
            yield LinkExample(
                name,
                keys_of(pairs[version.number]),
                fold[version.number],
                place >= originals,
                first,
                second,
                evidence.astype(np.int32),
                gold,
                gold.astype(np.float32) if version.share is None else (gold + version.share) / np.float32(2),
            )


def misspelled_copies(versions: Sequence[Version]) -> list[Version]:
    """A copy of every n-th pair, with a misspelled word."""
    chance = random.Random(0)
    found = []
    for version in versions[::MISSPELLED_STEP]:
        if chance.random() < 0.5:
            found.append(replace(version, source=misspelled_sentence(version.source, chance)))
        else:
            found.append(replace(version, target=misspelled_sentence(version.target, chance)))
    return found


def rearranged_copies(
    versions: Sequence[Version], annotated: Sequence[tuple[Annotated, Annotated]], lexicon: Lexicon
) -> list[Version]:
    """A copy of every n-th pair with a rearranged sentence, if possible."""
    tagged = [tuple(Tagged(side.words, side.tags) for side in sides) for sides in annotated]
    participles = participles_of((sentence for pair in tagged for sentence in pair), lexicon.lemma)
    chance = random.Random(1)
    found = []
    for version, (source, target) in list(zip(versions, tagged, strict=True))[::REARRANGED_STEP]:
        pair = rearranged_pair(source, target, version.links, lexicon.lemma, participles, chance)
        if pair is not None:
            found.append(Version(version.number, *pair))
    return found


def keys_of(pair: SentencePair) -> Keys:
    """Keys of the two sentences of a pair, by which overlaps are found."""
    return sentence_key(pair.source.words), sentence_key(pair.target.words)


def sentences_of_tests(data: Path) -> dict[str, set[str]]:
    """The sentences of the test part of each corpus in :data:`TEST`."""
    return {
        name: {
            key for pair in read_pairs(data / file) if isinstance(pair, SentencePair) for key in keys_of(pair)
        }
        for name, file in TEST.items()
    }


def wanted_links(path: Path, pairs: Sequence[SentencePair]) -> list[np.ndarray | None]:
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


def annotate_versions(
    versions: Sequence[Version], name: str, parser: str, cache: Path
) -> Iterator[tuple[Annotated, Annotated]]:
    """Yield the two sentences of each pair with tags and word vectors."""
    sentences = [words for version in versions for words in (version.source, version.target)]
    mark = fingerprint_of(parser_fingerprint(parser), *sentences)
    annotated = annotate(sentences, parser, cache / f"vectors-{name.replace(' ', '-')}-{mark}.npz")
    return zip(annotated, annotated, strict=True)  # one iterator gives both


def annotate(sentences: Sequence[tuple[str, ...]], parser: str, cache: Path) -> Iterator[Annotated]:
    """Yield each sentence with its tags and word vectors, from the cache or the parser."""
    if not cache.exists():
        save_whole(cache, **run_parser(sentences, parser))
    stored = np.load(cache)
    vectors, tags = stored["vectors"], stored["tags"]
    offsets = np.cumsum([0, *(len(words) for words in sentences)])
    if len(vectors) != offsets[-1]:
        raise SystemExit(f"{cache} is of other sentences, {len(vectors)} words in all: delete it")
    for words, start, end in zip(sentences, offsets[:-1], offsets[1:], strict=True):
        rows = vectors[start:end].astype(np.float32)
        yield Annotated(words, tuple(map(str, tags[start:end])), rows)


def save_whole(path: Path, **arrays: np.ndarray) -> None:
    """Write an npz file atomically: a killed run leaves no incomplete file."""
    content = io.BytesIO()
    np.savez(content, **arrays)  # type: ignore[arg-type]
    write_atomically(path, content.getvalue())


def run_parser(sentences: Sequence[tuple[str, ...]], parser: str) -> dict[str, np.ndarray]:
    """The parser's tags of all words, and their word vectors."""
    from forest_align.parsing.networks.vector_network import WordVectors
    from forest_align.parsing.parser_loading import load_span_parser

    scorer, word_vectors = load_span_parser(parser), WordVectors()
    order = sorted(range(len(sentences)), key=lambda k: len(sentences[k]))
    found = {}
    for start in range(0, len(order), 32):
        batch = order[start : start + 32]
        words = [sentences[k] for k in batch]
        for k, scores, vectors in zip(batch, scorer.score(words), word_vectors(words), strict=True):
            if isinstance(scores, Exception):
                raise SystemExit(f"cannot parse {' '.join(sentences[k])!r}: {scores}")
            found[k] = (scores.tags, vectors.astype(np.float16))
        print(f"{start}/{len(order)}", end="\r", file=sys.stderr)
    every = range(len(sentences))
    return {
        "tags": np.array([tag for k in every for tag in found[k][0]]),
        "vectors": np.concatenate([found[k][1] for k in every]),
    }
