"""Random short sentences with forests of a few trees, and word candidates of random probabilities."""

from __future__ import annotations

import random
from collections.abc import Sequence

from forest_align.aligners.words.candidate import Candidate
from forest_align.parsing import sentence_from_trees
from forest_align.parsing.forests.trees import read_bracket
from forest_align.types import Sentence

PHRASES = ("NP", "VP", "S")


def random_bracket(rng: random.Random, words: list[str], phrases: Sequence[str] = PHRASES) -> str:
    """A tree of up to four children a node."""
    if len(words) == 1:
        return f"({rng.choice(['NN', 'VB', 'JJ', 'IN'])} {words[0]})"
    cuts = sorted(rng.sample(range(1, len(words)), min(len(words) - 1, rng.choice([1, 1, 2, 3]))))
    parts = [words[a:b] for a, b in zip([0, *cuts], [*cuts, len(words)], strict=True)]
    inside = " ".join(random_bracket(rng, part, phrases) for part in parts)
    return f"({rng.choice(phrases)} {inside})"


def random_pair(rng: random.Random) -> tuple[Sentence, Sentence, tuple[Candidate, ...]]:
    """Two sentences of two to eight words, and candidates for some of their words and neighbours."""
    sides = []
    for _ in range(2):
        words = [rng.choice("abcdefgh") for _ in range(rng.randint(2, 8))]
        # Trees of one kind of phrase have more in common.
        phrases = PHRASES[: rng.choice([1, 3])]
        trees = [read_bracket(random_bracket(rng, words, phrases)) for _ in range(rng.randint(1, 4))]
        sides.append(sentence_from_trees(trees, [-rng.random() for _ in trees]))
    source, target = sides
    spans = {
        ((i, i + 1), (j, j + 1))
        for i, one in enumerate(source.words)
        for j, two in enumerate(target.words)
        if one == two or rng.random() < 0.15
    }
    i, j = rng.randrange(len(source) - 1), rng.randrange(len(target))
    spans.add(((i, i + 2), (j, j + 1)))
    return source, target, tuple(Candidate(*pair, rng.uniform(0.05, 0.99)) for pair in sorted(spans))
