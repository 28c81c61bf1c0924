"""Training examples of the parser: the treebank mix, variants of punctuation and letter case, batches."""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.data.trees.treebanks import (
    PUNCTUATION_TAGS,
    Split,
    TreebankSentence,
    known_chain,
    label_inventory,
    read_craft,
    read_gum,
    read_masc,
    read_wsj,
    without_words,
)
from forest_align.parsing.networks.encoder_batches import (
    CASE_CLASSES,
    EncodedSentence,
    join_rows,
    length_batches,
)
from forest_align.parsing.networks.vector_network import WordVectors

# Files of the WSJ sample used as dev part.
_WSJ_DEV = range(180, 185)

# Share of visits in each variant; the other visits use the treebank's own words.
_VARIANT_SHARES = {"no final": 0.05, "no punctuation": 0.05, "typos": 0.05}
CASE_SHARES = {"lower": 0.14, "upper": 0.015, "title": 0.03}
#: Share of the words with a slip of the keyboard in a sentence with typos.
TYPO_SHARE = 0.15

# How letter-case classes change if a sentence is written in another case.
_AS_CASE = {
    "lower": np.array([0, 1, 1, 1, 1, 1, 6, 7, 7]),
    "upper": np.array([0, 4, 4, 3, 4, 4, 6, 8, 8]),
    "title": np.array([0, 2, 2, 3, 2, 2, 6, 8, 8]),
}

# A sentence's number and its variant.
_Key = tuple[int, str]


@dataclass(frozen=True)
class Mix:
    """Training data: sentences, the mean number of visits of each in an epoch, and the dev parts."""

    sentences: list[TreebankSentence]
    copies: list[float]
    dev: dict[str, list[TreebankSentence]]


@dataclass(frozen=True)
class _TrainingExample:
    """One sentence ready for training: encoder input, tag numbers (-100: unknown) and gold spans."""

    encoded: EncodedSentence
    tags: np.ndarray
    spans: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Visit:
    """One use of a sentence in an epoch: its number, its variant and its letter case."""

    key: _Key
    case: str


def treebank_mix(options: argparse.Namespace) -> Mix:
    """Read the treebanks of the options of the training, without test parts and without long sentences."""
    wsj = read_wsj(options.wsj, dev=_WSJ_DEV) if options.wsj is not None else Split((), (), ())
    gum = read_gum(options.gum, options.gum_without)
    craft, masc = read_craft(options.craft), read_masc(options.masc)
    sentences: list[TreebankSentence] = []
    copies: list[float] = []
    for part, times in (
        (wsj.train, options.wsj_copies),
        (gum.train, options.gum_copies),
        (masc.train, options.masc_copies),
    ):
        short = [sentence for sentence in part if len(sentence) <= options.longest]
        sentences += short
        copies += [times] * len(short)
    short = [sentence for sentence in craft.train if 3 <= len(sentence) <= options.longest]
    sentences += random.Random(options.seed).sample(short, min(len(short), options.craft_sentences))
    copies += [options.craft_copies] * (len(sentences) - len(copies))
    chance = random.Random(f"{options.seed}/dev")
    dev = {
        **({"wsj": list(wsj.dev)} if options.wsj is not None else {}),
        "gum": chance.sample(gum.dev, min(200, len(gum.dev))),
        "craft": chance.sample(craft.dev, min(80, len(craft.dev))),
        "masc": list(masc.dev),
    }
    return Mix(sentences, copies, dev)


def vocabularies(sentences: Sequence[TreebankSentence], rare: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the label chains (the empty one first) and the tags (one for unknown tags first)."""
    tags = sorted({tag for sentence in sentences for tag in sentence.tags})
    return label_inventory(sentences, rare), ("UNK", *tags)


class ExampleStore:
    """Training examples, each made from its treebank sentence on first use."""

    def __init__(
        self,
        sentences: list[TreebankSentence],
        labels: Sequence[str],
        tags: Sequence[str],
        frozen: WordVectors,
    ) -> None:
        self._sentences, self.encode, self._network = sentences, frozen.encode, frozen.network
        self._labels = {label: index for index, label in enumerate(labels)}
        self._tags = {tag: index for index, tag in enumerate(tags)}
        self._cache: dict[_Key, _TrainingExample] = {}
        self._states: dict[_Key, np.ndarray] = {}

    def get(self, key: _Key) -> _TrainingExample:
        """Return a sentence in a variant, or unchanged if the variant would be empty."""
        if key not in self._cache:
            sentence = self._sentences[key[0]]
            variant: TreebankSentence | None = sentence
            if key[1] == "no final":
                end = len(sentence)
                while end > 1 and sentence.tags[end - 1] in PUNCTUATION_TAGS:
                    end -= 1
                variant = without_words(sentence, [place < end for place in range(len(sentence))])
            elif key[1] == "no punctuation":
                variant = without_words(sentence, [tag not in PUNCTUATION_TAGS for tag in sentence.tags])
            elif key[1] == "typos":
                variant = with_typos(sentence, random.Random(f"{key[0]}/typos"))
            used = variant or sentence
            known = [(first, last, known_chain(chain, self._labels)) for first, last, chain in used.spans]
            spans = tuple((first, last, self._labels[label]) for first, last, label in known if label)
            tags = np.array([self._tags.get(tag, -100) for tag in used.tags], dtype=np.int64)
            self._cache[key] = _TrainingExample(self.encode(used.words), tags, spans)
        return self._cache[key]

    @property
    def size(self) -> int:
        """Number of sentences."""
        return len(self._sentences)

    def states(self, key: _Key) -> np.ndarray:
        """States of a sentence's subwords in the frozen encoder, float16 (S, D)."""
        if key not in self._states:
            self._states[key] = self.states_of(self.get(key).encoded)
        return self._states[key]

    def states_of(self, sentence: EncodedSentence) -> np.ndarray:
        """States of any sentence's subwords in the frozen encoder, float16 (S, D)."""
        return self._network.states(join_rows([sentence])).astype(np.float16)


def with_typos(sentence: TreebankSentence, chance: random.Random) -> TreebankSentence:
    """A sentence in which some longer words have two letters exchanged, or one left out or written twice."""
    words = []
    for word in sentence.words:
        if len(word) > 3 and word.isalpha() and chance.random() < TYPO_SHARE:
            place = chance.randrange(len(word) - 1)
            left, one, two, right = word[:place], word[place], word[place + 1], word[place + 2 :]
            word = left + chance.choice((two + one, one, one + one + two)) + right
        words.append(word)
    return TreebankSentence(tuple(words), sentence.tags, sentence.spans)


def epoch_batches(
    store: ExampleStore, copies: Sequence[float], budget: int, seed: int, epoch: int
) -> list[list[Visit]]:
    """Draw the visits of an epoch, group those of similar length into batches and shuffle the batches.

    The same seed and epoch give the same batches, so that a training run can resume within an epoch.
    """
    chance = random.Random(f"{seed}/{epoch}")
    visits = []
    for place, count in enumerate(copies):
        for _ in range(int(count) + (chance.random() < count % 1)):
            variant, case = _drawn(chance, _VARIANT_SHARES), _drawn(chance, CASE_SHARES)
            visits.append(Visit((place, variant), case))
    chance.shuffle(visits)
    batches: list[list[Visit]] = []
    pool = 100 * budget // 30  # about 100 batches of sentences of 30 subwords
    for start in range(0, len(visits), pool):
        near = visits[start : start + pool]
        sizes = [len(store.get(visit.key).encoded.subwords) for visit in near]
        batches.extend([near[item] for item in items] for items in length_batches(sizes, budget))
    chance.shuffle(batches)
    return batches


def _drawn(chance: random.Random, shares: dict[str, float]) -> str:
    """Draw the name of a variant; the empty name means none."""
    left = chance.random()
    for name, share in shares.items():
        if left < share:
            return name
        left -= share
    return ""


def with_case(encoded: EncodedSentence, case: str) -> EncodedSentence:
    """Return a sentence with the letter-case classes of another case; unchanged if the name is empty."""
    if not case:
        return encoded
    is_first = encoded.cases >= len(CASE_CLASSES)
    cases = _AS_CASE[case][encoded.cases - is_first * len(CASE_CLASSES)] + is_first * len(CASE_CLASSES)
    return EncodedSentence(encoded.subwords, encoded.word_ends, cases)
