"""Documents made from pairs and verses, and the regressions of their links."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.documents.sentence_links import own_features
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.aligners.logistic_function import regression
from forest_align.em import recipes
from forest_align.em.documents import training as module
from forest_align.em.documents.training import (
    ORDERS,
    Words,
    chapters,
    construct,
    constructed_corpus,
    distinct_pairs,
    encoded,
    fit_links,
    word_pairs,
)
from forest_align.types import Sentence

from ...aligners.documents.toy_documents import sentence

#: Two verses of a chapter, and one of another; the first sentence of the source is two of the target.
VERSES = [
    {
        "id": "GEN:1:1",
        "source": ["He", "came", ",", "she", "left", ","],
        "target": ["He", "arrived", ".", "She", "went", "."],
        "phrases": [{"source": [0, 1], "target": [0, 1]}, {"source": [3, 4], "target": [3, 4]}],
    },
    {
        "id": "GEN:1:2",
        "source": ["and", "all", "slept", ".", "It", "rained", "."],
        "target": ["All", "slept", ".", "It", "rained", "."],
        "phrases": [{"source": [1, 2], "target": [0, 1]}, {"source": [4, 5], "target": [3, 4]}],
    },
    {"id": "GEN:2:1", "source": ["So"], "target": ["So"], "phrases": [{"source": [0], "target": [0]}]},
    {"id": "ROM:1:1", "source": ["No"], "target": ["No"], "phrases": [{"source": [0], "target": [0]}]},
]
WORDS = [f"word{k}" for k in range(400)]


def pairs(count: int) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Sentences with half of their words in common; every word is in one pair alone."""
    return [(tuple(WORDS[at : at + 4]), tuple(WORDS[at + 2 : at + 6])) for at in range(0, 6 * count, 6)]


class Encoder:
    """Counts the sentences that it encodes."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, ...]] = []

    def __call__(self, sentences: list[Sentence]) -> list[Sentence]:
        listed = list(sentences)
        self.seen += [one.words for one in listed]
        return [sentence(" ".join(one.words)) for one in listed]


def test_verses_make_one_pair_of_documents_per_chapter(tmp_path: Path) -> None:
    path = tmp_path / "verses.jsonl"
    path.write_text("".join(json.dumps(verse) + "\n" for verse in VERSES), encoding="utf-8")
    first, second = chapters(path)
    assert [len(side) for side in (first.source, first.target)] == [2, 4]
    assert first.source[1] == ("It", "rained", ".")
    assert first.gold == {(0, 0), (0, 1), (0, 2), (1, 3)}
    assert second.source == (("So",),)
    assert [one.source for one in chapters(path, dev=True)] == [(("No",),)]


def test_every_sentence_is_encoded_once() -> None:
    encoder = Encoder()
    documents = constructed_corpus(pairs(30), 12)
    found = list(encoded(documents, encoder))  # type: ignore[arg-type]
    assert len(found) == len(documents)
    assert all(isinstance(one, SentenceMatches) for one in found)
    assert len(encoder.seen) == len(set(encoder.seen))


def test_the_regressions_separate_what_can_be_separated() -> None:
    documents = constructed_corpus(pairs(60), 24)
    matches = list(encoded(documents, Encoder()))  # type: ignore[arg-type]
    own, both, placed = fit_links(matches, documents)
    assert (own.shape, both.shape, placed.shape) == ((6,), (10,), (15,))
    for one, found in zip(documents, matches, strict=True):
        right = np.array([pair in one.gold for pair in found.coverage])
        probability = regression(own_features(found), own.tolist())
        assert probability[right].min() > probability[~right].max()


def test_the_program_prints_all_tuples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{' '.join(a)}\t{' '.join(b)}\n" for a, b in pairs(20)), encoding="utf-8")
    assert len(word_pairs(path, 7)) == 7
    monkeypatch.setattr(module, "SentenceEncoder", Encoder)
    recipes.main(["document-links", str(path), "--seed", "1"])
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("OWN_WEIGHTS = (") and first.count(",") == 5
    assert second.startswith("CONTEXT_WEIGHTS = (") and second.count(",") == 9
    assert third.startswith("PLACE_WEIGHTS = (") and third.count(",") == 14


def pair(number: int) -> tuple[Words, Words]:
    return (f"left{number}", f"l{number}", "."), (f"right{number}", f"r{number}", ".")


PAIRS = [pair(k) for k in range(60)]
OTHERS = [("other", "."), ("another", ".")]


def numbers(words: Words) -> set[int]:
    """The pairs that a sentence is made of."""
    return {int(word.lstrip("lefright")) for word in words if word[:4] == "left" or word[:5] == "right"}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(5))
def test_gold_joins_sentences_made_of_one_pair(order: str, seed: int) -> None:
    found = construct(PAIRS, OTHERS, order, np.random.default_rng(seed))
    expected = {
        (i, j)
        for i, one in enumerate(found.source)
        for j, other in enumerate(found.target)
        if numbers(one) & numbers(other)
    }
    assert found.gold == expected
    assert len(expected) > 40
    # Some are left out, joined and inserted.
    assert len({i for i, _ in expected}) < len(found.source)
    assert any(len(numbers(words)) == 2 for words in (*found.source, *found.target))
    both = [*found.source, *found.target]
    assert max(map(both.count, OTHERS)) == 1


def test_orders_are_what_they_say() -> None:
    made = {order: construct(PAIRS, OTHERS, order, np.random.default_rng(1)) for order in ORDERS}
    first = [min(numbers(words)) for words in made["in order"].target if numbers(words)]
    assert first == sorted(first)
    for order in ("paragraphs", "shuffled"):
        assert sorted(made[order].target) == sorted(made["in order"].target)
    at = {words: k for k, words in enumerate(made["in order"].target)}
    steps = [
        at[two] - at[one]
        for one, two in zip(made["paragraphs"].target, made["paragraphs"].target[1:], strict=False)
        if one not in OTHERS and two not in OTHERS
    ]
    assert 0.6 < steps.count(1) / len(steps) < 1
    assert made["shuffled"].target != made["in order"].target


def test_a_corpus_has_all_orders_and_inserts_only_what_it_does_not_align() -> None:
    found = constructed_corpus(PAIRS, 20, others=[("extra",)])
    assert [one.order for one in found] == [*ORDERS] * 3
    inside = {k for one in found for words in one.source for k in numbers(words)}
    assert (
        max(one.source.count(words) + one.target.count(words) for one in found for words in one.source) == 1
    )
    aligned = {k for one in found for i, _ in one.gold for k in numbers(one.source[i])}
    assert aligned <= set(range(48))
    assert inside - set(range(48))


def test_repetitions_are_left_out() -> None:
    first = (("dogs", "bark", "at", "night"), ("dogs", "bark", "nightly"))
    again = (("loud", "dogs", "bark", "night"), ("barking",))
    other = (("cats", "sleep"), ("cats", "doze"))
    assert distinct_pairs([first, again, other, other]) == [first, other]
