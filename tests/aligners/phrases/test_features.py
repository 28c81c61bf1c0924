"""Evidence about pairs of phrases, against a slow computation from the definitions, and the model of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from forest_align.aligners.phrases._word_tables import MOST_CERTAIN
from forest_align.aligners.phrases.features import FEATURES, LEAST_CONSISTENT, ProposedPairs
from forest_align.aligners.phrases.model import FARTHEST, PhraseModel
from forest_align.aligners.phrases.sentence_spans import CATEGORIES, SentenceSpans
from forest_align.aligners.words.candidate import link_probabilities
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence

from .phrase_cases import pair_with_vectors, random_model

SEEDS = range(10)


def proposed_of(seed: int) -> tuple[ProposedPairs, Sentence, Sentence, np.ndarray]:
    source, target, candidates = pair_with_vectors(seed)
    links = link_probabilities(candidates, len(source), len(target))
    evidence = word_evidence(source, target, load_lexicon())
    return ProposedPairs.of(source, target, links, evidence), source, target, links


def column(found: ProposedPairs, name: str) -> np.ndarray:
    values: np.ndarray = found.features[:, FEATURES.index(name)]
    return values


def spans_of(found: ProposedPairs) -> list[tuple[int, int, int, int]]:
    return list(map(tuple, found.spans.tolist()))


@pytest.mark.parametrize("seed", SEEDS)
def test_links_inside_and_across_are_sums_of_the_table(seed: int) -> None:
    found, _, _, links = proposed_of(seed)
    table = np.minimum(links, MOST_CERTAIN)
    for k, (i, j, s, t) in enumerate(spans_of(found)):
        inside = table[i:j, s:t].sum()
        leaving = [table[i:j].sum() - inside, table[:, s:t].sum() - inside]
        assert column(found, "links inside")[k] == pytest.approx(np.log1p(inside), abs=1e-5)
        larger = column(found, "links that leave it, larger")[k]
        assert larger == pytest.approx(min(max(leaving), 4.0), abs=1e-5)
        apart = np.log1p(-table)
        kept = [
            (apart[i:j].sum() - apart[i:j, s:t].sum()),
            (apart[:, s:t].sum() - apart[i:j, s:t].sum()),
        ]
        smaller = column(found, "certainty that no link leaves it, smaller")[k]
        assert smaller == pytest.approx(max(min(kept), -12.0) / 4, abs=1e-5)
        sizes = sorted([np.log(j - i), np.log(t - s)])
        assert column(found, "number of words, larger")[k] == pytest.approx(sizes[1], abs=1e-5)
        assert column(found, "number of words, smaller")[k] == pytest.approx(sizes[0], abs=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_similarity_is_the_mean_of_the_best_cosines(seed: int) -> None:
    found, source, target, _ = proposed_of(seed)
    assert source.vectors is not None and target.vectors is not None
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (source.vectors, target.vectors)]
    cosines = unit[0] @ unit[1].T
    for k, (i, j, s, t) in enumerate(spans_of(found)):
        block = cosines[i:j, s:t]
        best = [block.max(axis=1).mean(), block.max(axis=0).mean()]
        name = "most similar words of the other phrase"
        assert column(found, f"{name}, larger")[k] == pytest.approx(max(best), abs=1e-4)
        assert column(found, f"{name}, smaller")[k] == pytest.approx(min(best), abs=1e-4)
        assert column(found, "mean cosine of words")[k] == pytest.approx(block.mean(), abs=1e-4)
        sums = unit[0][i:j].sum(axis=0), unit[1][s:t].sum(axis=0)
        cosine = sums[0] @ sums[1] / np.linalg.norm(sums[0]) / np.linalg.norm(sums[1])
        assert column(found, "cosine of mean vectors")[k] == pytest.approx(cosine, abs=1e-4)


@pytest.mark.parametrize("seed", SEEDS)
def test_swapped_sentences_have_the_same_pairs_and_features(seed: int) -> None:
    source, target, candidates = pair_with_vectors(seed)
    links = link_probabilities(candidates, len(source), len(target))
    evidence = word_evidence(source, target, load_lexicon())
    straight = ProposedPairs.of(source, target, links, evidence)
    swapped = ProposedPairs.of(target, source, links.T, evidence.T)
    ours = dict(zip(spans_of(straight), straight.features, strict=True))
    theirs = {
        (s, t, i, j): row for (i, j, s, t), row in zip(spans_of(swapped), swapped.features, strict=True)
    }
    assert ours.keys() == theirs.keys()
    for spans, row in ours.items():
        np.testing.assert_allclose(row, theirs[spans], atol=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_proposed_are_all_pairs_that_links_do_not_forbid_and_no_two_words(seed: int) -> None:
    found, _, _, links = proposed_of(seed)
    apart = np.log1p(-np.minimum(links, MOST_CERTAIN))
    one, two = found.phrases.source, found.phrases.target
    wanted = set()
    for i, j in zip(one.start.tolist(), one.end.tolist(), strict=True):
        for s, t in zip(two.start.tolist(), two.end.tolist(), strict=True):
            inside = apart[i:j, s:t].sum()
            across = apart[i:j].sum() + apart[:, s:t].sum() - 2 * inside
            lengths = sorted([j - i, t - s])
            hopeless = lengths[1] > 3 * lengths[0] + 5 and inside > -0.5
            if across >= LEAST_CONSISTENT and lengths[1] > 1 and not hopeless:
                wanted.add((i, j, s, t))
    assert set(spans_of(found)) == wanted


def test_a_span_is_described_by_its_most_probable_constituent() -> None:
    sentence = sentence_from_bracket(
        "(S (NP (NNP Ann)) (VP (VBD gave) (NP (PRP him)) (NP (DT the) (CD two) (NNS books))) (. .))"
    )
    spans = SentenceSpans.of(sentence)
    place = {span: k for k, span in enumerate(zip(spans.start.tolist(), spans.end.tolist(), strict=True))}
    category = {span: CATEGORIES[spans.category[k]] for span, k in place.items()}
    assert category[0, 1] == "noun" and category[1, 6] == "verb" and category[0, 7] == "clause"
    pronoun, name, definite, indefinite, number = (spans.forms[:, k] for k in range(5))
    assert pronoun[place[2, 3]] == 1 and name[place[0, 1]] == 1
    assert definite[place[3, 6]] == 1 and number[place[3, 6]] == 1 and not indefinite.any()
    assert spans.head[place[3, 6]] == 5 and spans.governor[place[3, 6]] == 1
    assert spans.governor[place[0, 7]] == -1
    assert spans.content.tolist() == [1, 1, 0, 0, 1, 1, 0]


def test_sentences_need_forests_and_vectors() -> None:
    bare = Sentence.from_words(["a", "dog"])
    with pytest.raises(InputError, match="parse forest"):
        SentenceSpans.of(bare)
    source, target, _ = pair_with_vectors(1)
    empty = np.zeros((len(source), len(target)))
    with pytest.raises(InputError, match="word vectors"):
        ProposedPairs.of(replace(source, vectors=None), target, empty, empty.astype(np.int32))


def test_log_odds_are_those_of_the_same_network_in_torch() -> None:
    model = random_model()
    network = model.network
    rows = np.random.default_rng(1).normal(size=(50, len(FEATURES)), scale=3).astype(np.float32)
    values = torch.from_numpy(np.clip((rows - network.mean) / network.scale, -FARTHEST, FARTHEST))
    for number, (weights, bias) in enumerate(network.layers, start=1):
        values = torch.nn.functional.linear(values, torch.from_numpy(weights.T), torch.from_numpy(bias))
        values = values if number == len(network.layers) else torch.relu(values)
    np.testing.assert_allclose(model.log_odds(rows), values[:, 0].numpy(), atol=1e-4)


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    model = random_model()
    model.save(tmp_path)
    found = PhraseModel.load(tmp_path)
    rows = np.random.default_rng(1).normal(size=(9, len(FEATURES))).astype(np.float32)
    np.testing.assert_array_equal(found.log_odds(rows), model.log_odds(rows))
    assert found.card == model.card
