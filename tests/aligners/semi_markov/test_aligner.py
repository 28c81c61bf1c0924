"""The semi-Markov aligner: what its alignments hold, symmetry, probabilities, options and errors."""

from __future__ import annotations

import importlib.resources
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import forest_align
from forest_align.aligners.semi_markov.aligner import SemiMarkovAligner
from forest_align.aligners.semi_markov.lattice import LatticeOptions
from forest_align.alignment import Alignment
from forest_align.cext import semicrf
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence

from ...cext.reference import semicrf_reference
from .semi_markov_cases import PAIRS, random_model, simple_model, tagged

WORDS = ("the/DT", "cat/NN", "cats/NNS", "sat/VBD", "sits/VBZ", "on/IN", "mat/NN", "./.", "big/JJ", "NYC/NNP")
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(
    lambda words: tagged(" ".join(words))
)

KINDS = (LatticeOptions(), LatticeOptions(longest_null=3, resources=("wordnet", "names", "groups")))


def test_phrases_are_aligned_as_wholes_where_that_scores_higher() -> None:
    aligner = SemiMarkovAligner(simple_model({"same words in order": 15.0}))
    source, target = (
        tagged("the/DT old/JJ man/NN left/VBD"),
        tagged("then/RB the/DT old/JJ man/NN went/VBD out/RB"),
    )
    alignment = aligner.align(source, target)
    assert [(p.source_node.span, p.target_node.span) for p in alignment.phrases] == [((0, 3), (1, 4))]
    assert alignment.to_pharaoh() == "0-1 0-2 0-3 1-1 1-2 1-3 2-1 2-2 2-3"
    phrase = alignment.phrases[0]
    assert (phrase.source_node.label, phrase.target_node.label, phrase.constituents) == ("NP", "NP", False)
    assert phrase.probability > 0.9


def test_phrases_are_constituents_where_the_trees_have_them() -> None:
    aligner = SemiMarkovAligner(simple_model({"same words in order": 15.0}))
    source = sentence_from_bracket("(S (NP (DT the) (JJ old) (NN man)) (VP (VBD left) (ADVP (RB then))))")
    target = sentence_from_bracket(
        "(S (NP (DT the) (JJ old)) (VP (VBP man) (NP (NNS boats)) (ADVP (RB then))))"
    )
    phrases = aligner.align(source, target).phrases
    assert [pair.source_node.span for pair in phrases] == [(0, 3), (4, 5)]
    old_man, then = phrases
    assert (old_man.source_node.label, old_man.source_node.is_constituent, old_man.source_node.head) == (
        "NP",
        True,
        2,
    )
    assert (old_man.target_node.label, old_man.target_node.is_constituent) == ("", False)
    assert then.constituents and then.target_node.label == "ADVP::RB" and not old_man.constituents


def test_a_word_and_its_abbreviation_of_several_words_are_one_phrase_pair() -> None:
    aligner = SemiMarkovAligner(simple_model({"acronym by length": 15.0}))
    alignment = aligner.align(*map(tagged, PAIRS[0]))
    spans = [(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases]
    assert ((3, 6), (1, 2)) in spans


@settings(derandomize=True)
@given(st.integers(0, 2**32 - 1), sentences, sentences, st.sampled_from(KINDS))
def test_any_weights_give_a_sound_alignment(
    seed: int, source: Sentence, target: Sentence, options: LatticeOptions
) -> None:
    aligner = SemiMarkovAligner(random_model(seed, 0.5, options))
    alignment = aligner.align(source, target)
    words = alignment.words
    covered = {
        (i, j)
        for pair in alignment.phrases
        for i in range(*pair.source_node.span)
        for j in range(*pair.target_node.span)
    }
    assert covered == set(words.pairs) and words.scores is not None
    assert all(0 < score <= 1 for score in words.scores)
    by_cell = dict(zip(words.pairs, words.scores, strict=True))
    for pair in alignment.phrases:
        assert (
            0
            < pair.probability
            <= min(
                by_cell[i, j] + 1e-9
                for i in range(*pair.source_node.span)
                for j in range(*pair.target_node.span)
            )
        )
    line = alignment.to_json()
    assert Alignment.from_json(line).to_json() == line


TOKENS: Any = {"options": LatticeOptions((1, 1)), "both_directions": True}


@settings(max_examples=20, derandomize=True)
@given(st.integers(0, 2**32 - 1), sentences, sentences)
def test_the_token_based_model_aligns_what_either_direction_aligns(
    seed: int, source: Sentence, target: Sentence
) -> None:
    assume((len(source), source.words) < (len(target), target.words))  # the first one is read first
    aligner = SemiMarkovAligner(random_model(seed, 0.5, **TOKENS))
    found: set[tuple[int, int]] = set()
    marginals = np.zeros((len(source), len(target)))
    best = []
    for one, other in ((source, target), (target, source)):
        lattice = aligner.lattice(one, other)
        scores = aligner.model.scores(lattice)
        score, path = semicrf_reference.best_path(lattice.spans, *scores)
        total, pairs, *_ = semicrf_reference.marginals(lattice.spans, *scores)
        spans = lattice.spans[[k for k in path if k >= 0]][:, [0, 2]]
        links = np.reshape(pairs, (len(one), len(other)))
        found |= {tuple(link if one is source else link[::-1]) for link in spans.tolist()}
        marginals += (links if one is source else links.T) / 2
        best.append((score, total))
    alignment = aligner.align(source, target)
    assert set(alignment.words.pairs) == found
    assert {(p.source_node.start, p.target_node.start) for p in alignment.phrases} == found
    expected = [marginals[link] for link in alignment.words.pairs]
    assert alignment.words.scores == pytest.approx(expected)
    assert [p.probability for p in alignment.phrases] == pytest.approx(
        [marginals[p.source_node.start, p.target_node.start] for p in alignment.phrases]
    )
    assert alignment.score == pytest.approx(best[0][0])
    assert alignment.log_probability == pytest.approx(sum(score - total for score, total in best))
    swapped = aligner.align(target, source)
    assert swapped.swap() == alignment and swapped.swap().swap() == swapped


def test_both_directions_of_phrases_are_the_union_of_their_paths() -> None:
    source, target = tagged("a/DT dog/NN"), tagged("a/DT cat/NN a/DT dog/NN a/DT fox/NN")
    one = SemiMarkovAligner(simple_model()).align(source, target)
    both = SemiMarkovAligner(replace(simple_model(), both_directions=True)).align(source, target)
    # each a of the longer sentence has a partner only where that sentence is read
    assert one.to_pharaoh() in ("0-0 1-3", "0-2 1-3", "0-4 1-3")
    assert both.to_pharaoh() == "0-0 0-2 0-4 1-3"


def test_probabilities_of_links_are_those_of_all_phrase_pairs_with_the_two_words() -> None:
    source, target = map(tagged, PAIRS[1])
    aligner = SemiMarkovAligner(random_model(4))
    lattice = aligner.lattice(source, target)
    _, pairs, *_ = semicrf.marginals(lattice.spans, *aligner.model.scores(lattice))
    alignment = aligner.align(source, target)
    assert alignment.words.scores is not None
    for (i, j), score in zip(alignment.words.pairs, alignment.words.scores, strict=True):
        start, end, first, last = lattice.spans.T
        inside = (start <= i) & (i < end) & (first <= j) & (j < last)
        assert score == pytest.approx(pairs[inside].sum())


@settings(max_examples=20, derandomize=True)
@given(st.integers(0, 2**32 - 1), sentences, sentences)
def test_the_alignment_is_the_best_path_with_its_probability(
    seed: int, source: Sentence, target: Sentence
) -> None:
    assume((len(source), source.words) < (len(target), target.words))  # the first one is read
    aligner = SemiMarkovAligner(random_model(seed, 0.5))
    lattice = aligner.lattice(source, target)
    scores = aligner.model.scores(lattice)
    best, path = semicrf_reference.best_path(lattice.spans, *scores)
    total, *_ = semicrf_reference.marginals(lattice.spans, *scores)
    alignment = aligner.align(source, target)
    found = [(*p.source_node.span, *p.target_node.span) for p in alignment.phrases]
    assert found == [tuple(lattice.spans[k].tolist()) for k in path if k >= 0]
    assert alignment.log_probability == pytest.approx(min(best - total, 0.0))
    assert alignment.score == pytest.approx(best)
    assert alignment.decoding_score == pytest.approx(best / len(source))
    assert aligner.align(target, source).decoding_score == alignment.decoding_score


def test_what_decides_besides_weights_is_told_for_reports() -> None:
    aligner = SemiMarkovAligner(simple_model({"same words in order": 15.0}))
    words = " ".join(f"w{i}/NN" for i in range(7))
    phrases = aligner.align(tagged(words), tagged(words)).phrases
    sizes = [pair.source_node.end - pair.source_node.start for pair in phrases]
    assert [max(sizes)] * 2 == aligner.settings["longest"]
    assert json.loads(json.dumps(aligner.settings)) == aligner.settings


@pytest.mark.parametrize(
    ("source", "message"),
    [(Sentence(()), "at least one token"), (Sentence.from_words(["yes"]), "part-of-speech tags")],
)
def test_sentences_that_lack_something_are_named(source: Sentence, message: str) -> None:
    aligner = SemiMarkovAligner(simple_model())
    with pytest.raises(InputError, match=message) as error:
        aligner.align_prepared(source, tagged("yes/UH"))
    assert error.value.field == "source"
    with pytest.raises(InputError, match=message) as error:
        aligner.align_prepared(tagged("yes/UH"), source)
    assert error.value.field == "target"


def test_a_very_long_pair_is_aligned() -> None:
    source = tagged(" ".join(f"w{i}/NN" for i in range(150)))
    target = tagged(" ".join(f"w{i}/NN" for i in range(20, 160)))
    alignment = SemiMarkovAligner(simple_model()).align(source, target)
    assert alignment.words.pairs == tuple((i, i - 20) for i in range(20, 150))


@pytest.mark.parametrize("name", ["semi-markov", "semi-markov-phrasal", "semi-markov-tokens"])
def test_a_bundled_model_knows_what_it_was_trained_on_and_aligns(name: str) -> None:
    aligner = forest_align.load(name)
    assert isinstance(aligner, SemiMarkovAligner)
    assert aligner.model.card["pairs"] == 1514
    source = tagged("The/DT cat/NN sat/VBD on/IN the/DT mat/NN ./.")
    target = tagged("A/DT cat/NN was/VBD sitting/VBG on/IN a/DT mat/NN ./.")
    links = aligner.align(source, target).words
    assert {(1, 1), (2, 3), (3, 4), (5, 6), (6, 7)} <= set(links.pairs)
    folder = importlib.resources.files("forest_align.aligners") / "models" / name
    assert sum(len(item.read_bytes()) for item in folder.iterdir()) < 100_000


def test_the_phrasal_model_links_phrases_where_the_other_links_their_words() -> None:
    source = tagged("she/PRP left/VBD New/NNP York/NNP in/IN May/NNP ./.")
    target = tagged("in/IN May/NNP ,/, she/PRP left/VBD New/NNP York/NNP ./.")
    blocks = []
    for name in ("semi-markov", "semi-markov-phrasal"):
        alignment = forest_align.load(name).align(source, target)
        blocks.append({(p.source_node.span, p.target_node.span) for p in alignment.phrases})
    assert {((2, 3), (5, 6)), ((3, 4), (6, 7))} <= blocks[0]
    assert ((2, 4), (5, 7)) in blocks[1]
