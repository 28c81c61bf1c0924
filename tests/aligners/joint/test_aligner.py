"""The joint aligner: its alignments, its features, its model's folder."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import forest_align
from forest_align.aligners.joint import program as joint_program
from forest_align.aligners.joint._link_features import LINK_DELETION_FEATURES, LINK_WORD_FEATURES
from forest_align.aligners.joint._phrase_edits import DELETED_PHRASE_FEATURES, PHRASE_FEATURES
from forest_align.aligners.joint.aligner import JointAligner, bundled_model, margins
from forest_align.aligners.joint.edit_table import ARC_FEATURES, MOST_PARTNERS, phrase_pairs
from forest_align.aligners.joint.features import DELETION_FEATURES, WORD_FEATURES, PairEdits, pair_edits
from forest_align.aligners.joint.model import VARIANTS, WEIGHT_COUNT, JointModel, summed_features
from forest_align.aligners.joint.program import Solution, best_edits
from forest_align.alignment import Alignment
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError, Sentence

from ...places import SHARED
from .joint_cases import violations
from .joint_sentences import ToyParser, sentence

ONE = "the old man bought a car in London"
TWO = "in London he bought the old car a man sold"


@pytest.fixture(scope="module")
def aligner() -> JointAligner:
    return JointAligner(parser=ToyParser())  # type: ignore[arg-type]


def edits_of(
    one: str = ONE, two: str = TWO, longest: int = 3, arcs: bool = True, phrase_deletions: bool = False
) -> PairEdits:
    options = {"longest": longest, "arcs": arcs, "phrase_deletions": phrase_deletions}
    return pair_edits(sentence(one), sentence(two), load_lexicon(), **options)


def random_weights(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=WEIGHT_COUNT) * 0.1


def test_phrases_of_several_words_link_all_their_words_and_say_whether_they_are_constituents() -> None:
    first, second = sentence("she bought the car"), sentence("he sold")
    assert first.vectors is not None
    like_all = first.vectors[1:].sum(axis=0)
    unlike = np.linalg.svd(first.vectors)[2][-1]  # at right angles to all
    table = np.stack([unlike, like_all / np.linalg.norm(like_all)]).astype(np.float32)
    weights = np.zeros(WEIGHT_COUNT)
    start = WEIGHT_COUNT - len(ARC_FEATURES) - len(DELETION_FEATURES) - len(PHRASE_FEATURES)
    for name in ("1 and 3 words", "both constituents"):
        weights[start + PHRASE_FEATURES.index(name)] = 1
    alignments = JointAligner(JointModel(weights, "phrase")).align_prepared(
        first, replace(second, vectors=table)
    )
    (pair,) = alignments.phrases
    assert (pair.source_node.span, pair.target_node.span) == ((1, 4), (1, 2))
    assert (pair.source_node.label, pair.constituents) == ("VP", True)
    assert alignments.words.pairs == ((1, 1), (2, 1), (3, 1))
    assert alignments.unaligned_source == alignments.unaligned_target == ((0, 1),)


def test_swapped_sentences_give_exactly_the_transposed_probabilities_whatever_the_weights() -> None:
    for seed, links in ((1, True), (3, False)):
        model = JointModel(random_weights(seed), link_features=links)
        aligner = JointAligner(model, parser=ToyParser())  # type: ignore[arg-type]
        there, back = aligner.align(ONE, TWO), aligner.align(TWO, ONE)
        assert there.words.pairs and there.words == back.words.swap()
        assert there.words.scores == back.words.swap().scores


def test_the_json_of_an_alignment_comes_back(aligner: JointAligner) -> None:
    alignment = aligner.align(ONE, TWO)
    again = Alignment.from_json(alignment.to_json())
    assert again.words.pairs == alignment.words.pairs
    assert [p.source_node.span for p in again.phrases] == [p.source_node.span for p in alignment.phrases]


def test_every_alignment_meets_the_constraints_of_the_program(aligner: JointAligner) -> None:
    for seed in range(3):
        model = JointModel(random_weights(seed))
        edits = edits_of()
        phrases, arcs = model.scores(edits)
        found = best_edits(edits.lengths, edits.spans, phrases, edits.arc_pairs, arcs)
        assert not violations(edits.lengths, edits.spans, edits.arc_pairs, found.phrases, found.arcs)


@pytest.mark.parametrize("arcs", [True, False])
def test_the_score_of_edits_is_the_product_of_their_summed_features_and_the_weights(arcs: bool) -> None:
    edits, weights = edits_of(arcs=arcs, phrase_deletions=True), random_weights()
    model = JointModel(weights)
    phrase_scores, arc_scores = model.scores(edits)
    deletion_scores = model.deletion_scores(edits)
    assert bool(len(edits.arc_pairs)) == arcs
    for phrases in ([], [0], [1, len(edits.spans) - 1]):
        chosen = np.arange(min(2, len(arc_scores)))
        gone = np.array([1, 4])
        total = phrase_scores[phrases].sum() + arc_scores[chosen].sum() + deletion_scores[gone].sum()
        found = Solution(np.array(phrases, int), chosen, 0.0, deletions=gone)
        assert summed_features(edits, found) @ weights == pytest.approx(total, abs=1e-4)


def test_aligned_arcs_and_the_total_score_are_part_of_the_result(aligner: JointAligner) -> None:
    alignment = aligner.align(ONE, TWO)
    edits = aligner.edits(alignment.source, alignment.target)
    best = aligner.model.best_edits(edits)
    assert 0 < len(best.arcs) == len(alignment.arcs)
    assert all(set(pair.links) <= set(alignment.words.pairs) for pair in alignment.arcs)
    for side, arcs in enumerate(edits.arcs):
        own = {(arc.governor, arc.dependent): arc.relation for arc in arcs}
        shown = [
            (pair.target, pair.target_relation) if side else (pair.source, pair.source_relation)
            for pair in alignment.arcs
        ]
        assert shown and all(own[arc] == relation for arc, relation in shown)
    # Equation 1: the edits that align, and the deletion of every word and every arc that they leave.
    assert alignment.score == pytest.approx(best.score + aligner.model.score_of_nothing(edits), abs=1e-4)
    assert Alignment.from_json(alignment.to_json()).arcs == alignment.arcs
    assert Alignment.from_json(alignment.to_json()).score == alignment.score


def test_models_with_deletions_of_phrases_delete_unaligned_phrases_as_wholes(tmp_path: Path) -> None:
    weights = random_weights()
    plain = JointModel(weights)
    edits = edits_of(phrase_deletions=True)
    assert len(edits.deleted) and not len(edits_of().deleted)
    assert {end - start for _, start, end in edits.deleted.tolist()} == {2, 3}
    weights = weights.copy()
    weights[-len(DELETED_PHRASE_FEATURES) :] = 5.0
    model = JointModel(weights.astype(np.float32).astype(float), phrase_deletions=True)
    assert len(model.best_edits(edits).deletions) and not len(plain.best_edits(edits_of()).deletions)
    model.save(tmp_path)
    again = JointModel.load(tmp_path)
    assert again.phrase_deletions and np.array_equal(again.weights, model.weights)


def test_paraphrases_of_the_user_are_considered_and_count_as_synonyms() -> None:
    one, two = sentence("the man died in London"), sentence("the man passed away in London")
    table = PairTable([("london", "passed"), ("died", "passed away")])
    options = {"longest": 3, "arcs": False}
    before = pair_edits(one, two, load_lexicon(), **options)
    after = pair_edits(one, two, load_lexicon(), ppdb=table, **options)
    words, phrase = (4, 5, 2, 3), (2, 3, 2, 4)
    assert list(words) not in before.spans.tolist()
    spans = [tuple(span) for span in after.spans.tolist()]
    assert after.word_features[spans.index(words), WORD_FEATURES.index("synonym")] == 1
    place = spans.index(phrase) - len(after.word_features)
    assert after.phrase_features[place, PHRASE_FEATURES.index("known as collocation")] == 1
    swapped = pair_edits(two, one, load_lexicon(), ppdb=table, **options)
    assert [2, 4, 2, 3] in swapped.spans.tolist()


def test_pairs_of_words_come_first_and_phrases_are_no_longer_than_asked_for() -> None:
    edits = edits_of(longest=2)
    sizes = np.stack([edits.spans[:, 1] - edits.spans[:, 0], edits.spans[:, 3] - edits.spans[:, 2]], axis=1)
    count = len(edits.word_features)
    assert (sizes[:count] == 1).all() and (sizes[count:].max(axis=1) == 2).all()
    assert len({tuple(span) for span in edits.spans.tolist()}) == len(edits.spans)
    assert edits.word_features.shape[1] == len(WORD_FEATURES)
    assert not (edits_of(longest=1).spans[:, 1] - edits_of(longest=1).spans[:, 0] > 1).any()


@pytest.mark.parametrize("longest", [1, 2])
def test_words_that_are_repeated_again_and_again_keep_their_closest_counterparts(longest: int) -> None:
    count, most = 100, MOST_PARTNERS
    places = np.arange(count)
    cosine = (1 - abs(places[:, None] - places) / 1000).astype(np.float32)
    same = np.full((count, count), int(Evidence.IDENTICAL), np.int32)
    for equal in (same, np.zeros_like(same)):
        spans = phrase_pairs(equal, cosine, [], longest)
        words = spans[(spans[:, 1] - spans[:, 0] == 1) & (spans[:, 3] - spans[:, 2] == 1)]
        for side in (0, 2):
            assert np.bincount(words[:, side]).max() <= most
        assert {(k, k) for k in range(count)} <= {(s, t) for s, _, t, _ in words.tolist()}
        assert len(spans) <= count * most * longest**2
    fewer = phrase_pairs(same[:most, :most], cosine[:most, :most], [], 1)
    assert len(fewer) == most * most


def test_phrases_may_be_as_long_as_their_sentences_without_any_cost() -> None:
    cosine = np.eye(4, dtype=np.float32) + 0.5
    none = np.zeros((4, 4), np.int32)
    wanted = phrase_pairs(none, cosine, [], 4)
    tracemalloc.start()
    found = phrase_pairs(none, cosine, [], 1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(found, wanted) and [0, 4, 0, 4] in found.tolist()
    assert peak < 2**20


def test_margins_say_what_the_next_best_alignment_loses() -> None:
    edits = edits_of("she bought the car", "she sold the car", arcs=False)
    scores = np.full(len(edits.spans), -1.0)
    place = {tuple(span): k for k, span in enumerate(edits.spans.tolist())}
    scores[place[0, 1, 0, 1]], scores[place[3, 4, 3, 4]], scores[place[2, 3, 2, 3]] = 2.0, 0.5, 1.0
    if (3, 4, 1, 2) in place:
        scores[place[3, 4, 1, 2]] = 0.2  # car with sold, which is free
    best = best_edits(edits.lengths, edits.spans, scores, edits.arc_pairs, np.zeros(0))
    found = dict(
        zip(
            map(tuple, edits.spans[best.phrases].tolist()),
            margins(edits, best, scores, np.zeros(0)),
            strict=True,
        )
    )
    assert found[0, 1, 0, 1] == pytest.approx(2.0) and found[2, 3, 2, 3] == pytest.approx(1.0)
    assert found[3, 4, 3, 4] == pytest.approx(0.3 if (3, 4, 1, 2) in place else 0.5)


@pytest.mark.parametrize("seed", range(6))
def test_margins_count_the_arcs_that_come_and_go_with_a_phrase_pair(seed: int) -> None:
    edits = edits_of("she bought the old car in London", "she bought the car the man", longest=2)
    rng = np.random.default_rng(seed)
    # Words in the same place are aligned most often, so that some arcs are, and that to the root.
    in_place = edits.spans[:, 0] == edits.spans[:, 2]
    scores = rng.normal(-1 + 2 * in_place, 1), rng.normal(0.5, 1, len(edits.arc_pairs))
    best = best_edits(edits.lengths, edits.spans, scores[0], edits.arc_pairs, scores[1])
    cells = [{(i, j) for i in range(s, e) for j in range(t, f)} for s, e, t, f in edits.spans.tolist()]
    linked = {cell for place in best.phrases for cell in cells[place]} | {(-1, -1)}
    ends = [
        (tuple(one), tuple(other))
        for one, other in zip(
            edits.arc_pairs.governors.tolist(), edits.arc_pairs.dependents.tolist(), strict=True
        )
    ]
    arcs = {place: scores[1][place] for place in best.arcs.tolist()}
    wanted = []
    for chosen in best.phrases.tolist():
        own = scores[0][chosen] + sum(
            score for place, score in arcs.items() if cells[chosen] & set(ends[place])
        )
        instead = 0.0
        for place, words in enumerate(cells):
            blocking = [
                other
                for other in best.phrases.tolist()
                if any(i == a or j == b for i, j in words for a, b in cells[other])
            ]
            if place in best.phrases or blocking != [chosen]:
                continue
            value = scores[0][place]
            for (one, other), score in zip(ends, scores[1], strict=True):
                value += score * ((one in words and other in linked) + (other in words and one in linked))
            instead = max(instead, value)
        wanted.append(own - instead)
    assert len(best.arcs) > 1 and (edits.arc_pairs.governors[best.arcs] < 0).any()
    assert margins(edits, best, *scores) == pytest.approx(wanted)


def test_an_alignment_that_was_cut_short_says_so_on_both_sides(
    aligner: JointAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert aligner.align(ONE, TWO).warnings == ()
    monkeypatch.setattr(
        "forest_align.aligners.joint.model.best_edits",
        lambda *problem: replace(best_edits(*problem), is_best=False),
    )
    for pair in ((ONE, TWO), (TWO, ONE)):
        (warning,) = aligner.align(*pair).warnings
        assert f"after {joint_program.MOST_NODES} nodes" in warning


@pytest.mark.parametrize("links", [True, False])
def test_a_model_comes_back_from_its_folder(tmp_path: Path, links: bool) -> None:
    weights = random_weights().astype(np.float32).astype(float)
    weights[-len(DELETED_PHRASE_FEATURES) :] = 0  # not part of such a model
    model = JointModel(weights, "phrase", 2, (0.25, -1.0), links, {"pairs": 3})
    model.save(tmp_path / "model")
    again = JointModel.load(tmp_path / "model")
    assert np.array_equal(again.weights, weights)
    assert (again.variant, again.longest, again.calibration) == ("phrase", 2, (0.25, -1.0))
    assert (again.link_features, again.card) == (links, {"pairs": 3})
    aligner = forest_align.load(tmp_path / "model")
    assert isinstance(aligner, JointAligner) and (aligner.link_model is not None) == links


def test_variants_and_lengths_are_checked() -> None:
    assert bundled_model("joint").variant in VARIANTS
    with pytest.raises(InputError, match=r"phrase\+arc, phrase"):
        JointModel(random_weights(), "arc")
    for longest in (0, 1.5):
        with pytest.raises(InputError, match="at least 1"):
            JointModel(random_weights(), longest=longest)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="finite"):
        JointModel(random_weights(), calibration=(float("inf"), 0.0))
    with pytest.raises(InputError, match="finite"):
        JointModel(random_weights(), calibration=(10**400, 0.0))


def test_sentences_that_lack_something_are_refused(aligner: JointAligner) -> None:
    ready = sentence(ONE, 768)
    # The shorter sentence comes first in the program; the side that is named is the caller's all the same.
    for bad, message in (
        (replace(ready, forest=None), "parse tree"),
        (replace(ready, vectors=None), "word vectors"),
        (replace(ready, vectors=np.full((8, 768), np.nan, np.float32)), "finite"),
        (Sentence(()), "at least one token"),
    ):
        with pytest.raises(InputError, match=f"'target': .*{message}"):
            aligner.align_prepared(ready, bad)
        with pytest.raises(InputError, match=f"'source': .*{message}"):
            aligner.align_prepared(bad, ready)


def test_settings_name_the_variant_of_the_model(aligner: JointAligner) -> None:
    model = replace(aligner.model, variant="phrase", longest=2)
    found = JointAligner(model, lexicon=load_lexicon()).settings
    assert (found["variant"], found["longest"]) == ("phrase", 2)
    assert json.loads(json.dumps(found)) == found


def test_many_workers_give_the_results_of_one(aligner: JointAligner) -> None:
    pairs = [(ONE, TWO), (TWO, ONE), ("", ONE), (ONE, ONE)] * 3
    one = [found.to_json() for found in aligner.align_many(pairs, batch_size=2)]
    assert one == [found.to_json() for found in aligner.align_many(pairs, batch_size=2, workers=3)]


def test_text_goes_in_and_links_come_out_with_the_bundled_models() -> None:
    alignment = forest_align.load("joint").align(
        "The committee rejected the proposal on Monday.", "On Monday, the proposal was turned down."
    )
    pairs = {(alignment.source.words[i], alignment.target.words[j]) for i, j in alignment.words}
    assert {("proposal", "proposal"), ("Monday", "Monday"), (".", ".")} <= pairs


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the corpora in the folder `shared` beside the repository"
)
def test_links_of_training_pairs_are_as_good_as_they_were() -> None:
    from itertools import islice

    from forest_align.data.pairs import SentencePair, read_pairs
    from forest_align.eval.metrics.word_scores import WordPair, score_words

    path = SHARED / "data" / "alignment" / "edinburgh" / "train.sure.json"
    gold = [pair for pair in islice(read_pairs(path), 40) if isinstance(pair, SentencePair)]
    alignments = forest_align.load("joint").align_many((pair.source, pair.target) for pair in gold)
    rows = [
        WordPair(pair.source.words, pair.target.words, pair.links, alignment.words, pair.id)
        for pair, alignment in zip(gold, alignments, strict=True)
        if pair.links is not None
    ]
    assert score_words(rows).statistics()["f1"].value > 0.87


def test_the_published_model_is_made_as_the_paper_says() -> None:
    model = bundled_model("joint-published")
    assert (model.variant, model.longest) == ("phrase+arc", 3)
    assert model.phrase_deletions and not model.link_features
    assert (model.card["update"], model.card["epochs"], model.card["links"]) == ("perceptron", 20, "sure")
    for name, names in (("words", LINK_WORD_FEATURES), ("deletions", LINK_DELETION_FEATURES)):
        assert not model.named_weights(name)[..., -len(names) :].any()
    assert model.named_weights("deleted_phrases").any() and model.named_weights("arcs").any()
