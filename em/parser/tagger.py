"""Train the tagger that reads word vectors.

It learns from the train parts of GUM (genres that allow commercial use), MASC and CRAFT. In each epoch some
of the sentences are in lower case. It prints the share of correct tags on held-out parts, as written and in
lower case; the news sample is only measured.

Examples
--------
python -m forest_align.em.recipes tagger TREEBANKS OUT
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random

import numpy as np
import torch
from torch.nn import functional

from forest_align.data.trees.treebanks import (
    NON_COMMERCIAL,
    TreebankSentence,
    read_craft,
    read_gum,
    read_masc,
    read_wsj,
)
from forest_align.em.fitting.optimization import descend
from forest_align.parsing.networks.encoder_batches import CASE_COUNT, case_numbers, plain_word
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.parsing.networks.word_tagger import WordTagger

_HIDDEN = 256
_EPOCHS = 5
BATCH = 512
RATE, DECAY, DROPOUT = 4e-3, 0.01, 0.2
# Share of the sentences that are in lower case in an epoch.
_LOWER = 0.15
# The parser's training uses the same number of sentences from CRAFT in an epoch.
_CRAFT_SENTENCES = 14_000
#: Rows of unit length have small numbers; training works better with larger ones.
SCALE = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The N words of sentences, as input of the tagger."""

    vectors: torch.Tensor  # float16 `[N, D]`
    # cases, lower_cases: int64 `[N]`: classes of letter case of the words as written and in lower case
    cases: torch.Tensor
    lower_cases: torch.Tensor
    tags: torch.Tensor  # int64 `[N]`
    sentence: torch.Tensor  # int64 `[N]`: number of the sentence that contains the word


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("treebanks", type=Path, help="folder with gum, craft, masc and wsj_sample")
    parser.add_argument("output", type=Path, help="folder for the tagger")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> None:
    """Follow the recipe."""
    wsj, craft = read_wsj(options.treebanks / "wsj_sample"), read_craft(options.treebanks / "craft")
    gum, masc = read_gum(options.treebanks / "gum", NON_COMMERCIAL), read_masc(options.treebanks / "masc")
    chosen = Random(options.seed).sample(craft.train, min(_CRAFT_SENTENCES, len(craft.train)))
    train = [*gum.train, *masc.train, *chosen]
    names = tuple(sorted({tag for sentence in train for tag in sentence.tags}))
    make = WordVectors()
    tagger = fit(words_of(train, names, make), names, options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    tagger.save(options.output)
    tagger = WordTagger.read(options.output)
    held_out = {"WSJ test": wsj.test, "GUM dev": gum.dev, "GUM test": gum.test, "MASC test": masc.test}
    for name, sentences in (held_out | {"CRAFT dev": craft.dev, "CRAFT test": craft.test}).items():
        shares = (accuracy(tagger, sentences, make, lower=lower) for lower in (False, True))
        print("{}: {:.1%} of the tags are right, {:.1%} in lower case".format(name, *shares))


def with_vectors(
    sentences: Sequence[TreebankSentence], make: WordVectors, *, lower: bool = False
) -> Iterator[tuple[TreebankSentence, list[str], np.ndarray]]:
    """Each sentence with its words as written and their vectors."""
    for start in range(0, len(sentences), 256):
        some = sentences[start : start + 256]
        texts = [[plain_word(word) for word in sentence.words] for sentence in some]
        if lower:
            texts = [[word.lower() for word in words] for words in texts]
        yield from zip(some, texts, make(texts), strict=True)


def words_of(sentences: Sequence[TreebankSentence], names: Sequence[str], make: WordVectors) -> Words:
    """All words of some sentences."""
    numbers = {name: number for number, name in enumerate(names)}
    vectors, cases, lower_cases = [], [], []
    for _, words, rows in with_vectors(sentences, make):
        vectors.append(rows.astype(np.float16))
        cases.append(case_numbers(words))
        lower_cases.append(case_numbers([word.lower() for word in words]))
    tags = chain.from_iterable(sentence.tags for sentence in sentences)
    lengths = [len(sentence) for sentence in sentences]
    return Words(
        torch.from_numpy(np.concatenate(vectors)),
        torch.from_numpy(np.concatenate(cases)),
        torch.from_numpy(np.concatenate(lower_cases)),
        torch.tensor([numbers[tag] for tag in tags]),
        torch.repeat_interleave(torch.arange(len(sentences)), torch.tensor(lengths)),
    )


def fit(words: Words, names: Sequence[str], seed: int) -> WordTagger:
    """Learn the weights."""
    torch.manual_seed(seed)
    vector = torch.nn.Linear(words.vectors.shape[1], _HIDDEN, bias=False)
    case = torch.nn.Embedding(CASE_COUNT, _HIDDEN)
    output = torch.nn.Linear(_HIDDEN, len(names))
    weights = [*vector.parameters(), *case.parameters(), *output.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=RATE, weight_decay=DECAY)
    steps = _EPOCHS * -(-len(words.tags) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)

    def losses() -> Iterator[torch.Tensor]:
        for _ in range(_EPOCHS):
            is_lower = torch.rand(int(words.sentence[-1]) + 1) < _LOWER
            cases = torch.where(is_lower[words.sentence], words.lower_cases, words.cases)
            for some in torch.randperm(len(words.tags)).split(BATCH):
                hidden = torch.relu(vector(words.vectors[some].float() * SCALE) + case(cases[some]))
                scores = output(functional.dropout(hidden, DROPOUT))
                yield functional.cross_entropy(scores, words.tags[some])

    descend(losses(), optimizer, schedule)
    parts = {"vector": vector.weight.T * SCALE, "case": case.weight, "output": output.weight.T}
    arrays = {name: part.detach().numpy() for name, part in (parts | {"bias": output.bias}).items()}
    return WordTagger(names, arrays)


def accuracy(
    tagger: WordTagger, sentences: Sequence[TreebankSentence], make: WordVectors, *, lower: bool
) -> float:
    """Share of the words with the right tag."""
    right = total = 0
    for sentence, words, vectors in with_vectors(sentences, make, lower=lower):
        found = tagger(words, vectors)
        right += sum(one == other for one, other in zip(found, sentence.tags, strict=True))
        total += len(words)
    return right / total
