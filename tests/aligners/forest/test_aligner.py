"""The forest aligner from sentences with trees to alignments, on the examples of Arase & Tsujii (2017)."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.legitimacy import violations
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.aligners.forest.result import reported_derivation
from forest_align.aligners.pair import PairLike
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Alignment, Links
from forest_align.cext.alignment_arrays import NONCOMPOSITIONAL
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket, sentence_from_trees
from forest_align.parsing.forests.trees import read_bracket
from forest_align.types import InputError, Sentence

from ..random_sentences import random_bracket, random_pair

RELYING = (
    "(S (S (VP (VBG Relying) (PP (IN on) (NP (NN team) (NN spirit))))) (, ,) (NP (NN expedition) "
    "(NNS members)) (VP (VBD defeated) (NP (NNS difficulties))) (. .))",
    "(S (NP (NP (NNS Members)) (PP (IN of) (NP (DT the) (JJ scientific) (NN team)))) (VP (VBD overcame) "
    "(NP (NNS difficulties)) (PP (IN through) (NP (NP (DT the) (NN spirit)) "
    "(PP (IN of) (NP (NN teamwork)))))) (. .))",
)
RELYING_LINKS = Links.of([(0, 7), (2, 11), (3, 9), (5, 4), (6, 0), (7, 5), (8, 6), (9, 12)])
RELYING_PHRASES = {
    ("Relying on team spirit", "through the spirit of teamwork"),
    ("defeated difficulties", "overcame difficulties"),
    ("expedition members", "Members of the scientific team"),
}

GROUND_FLOOR = (
    "(NP (NP (DT the) (NN ground) (NN floor)) (PP (IN for) (NP (DT a) (NN smoke))))",
    "(NP (DT the) (NN ground) (NN floor))",
)
WHENEVER = (
    "(S (SBAR (WHADVP (WRB Whenever)) (S (NP (PRP I)) (VP (VBP go) (PP (TO to) {0}){1}))) (, ,) (NP (PRP I)) "
    "(ADVP (RB always)) (VP (VBP come) (NP (NN face) (PP (TO to) (NP (NN face)))) "
    "(PP (IN with) (NP (PRP them)))) (. .))"
)
WHENEVER_TARGET = (
    "(S (SBAR (WHADVP (WRB Whenever)) (S (NP (PRP I)) (VP (VBP go) (ADVP (RB down)) (S (VP (TO to) "
    "(VP (VB smoke) (NP (DT a) (NN cigarette)))))))) (, ,) (NP (PRP I)) (VP (VBP come) (NP (NN face) "
    "(PP (TO to) (NP (NN face)))) (PP (IN with) (NP (NP (CD one)) (PP (IN of) (NP (PRP them)))))) (. .))"
)
WHENEVER_LINKS = Links.from_pharaoh(
    "0-0 1-1 2-2 5-3 6-3 7-4 9-5 10-8 11-9 13-10 14-11 15-12 16-13 17-14 18-17 19-18"
)


def sentence(bracket: str) -> Sentence:
    return sentence_from_bracket(bracket, lemmatizer=load_lexicon().lemma)


def align_links(aligner: ForestAligner, source: Sentence, target: Sentence, links: Links) -> Alignment:
    return aligner.align_candidates(source, target, GivenCandidates(links).candidates(source, target))


def phrases(alignment: Alignment) -> dict[tuple[str, str], bool]:
    return {alignment.texts_of(pair): pair.compositional for pair in alignment.phrases}


def test_relying_on_team_spirit_needs_the_noncompositional_step(aligner: ForestAligner) -> None:
    source, target = map(sentence, RELYING)
    found = align_links(aligner, source, target, RELYING_LINKS)
    pairs = phrases(found)
    assert found.root_aligned
    assert pairs.keys() >= RELYING_PHRASES
    assert list(pairs.values()).count(False) == 1
    monotonic = aligner.model.with_options(noncompositional_penalty=None)
    without = align_links(ForestAligner(monotonic, lexicon=aligner.lexicon), source, target, RELYING_LINKS)
    assert not phrases(without).keys() >= RELYING_PHRASES


def test_the_forest_corrects_the_attachment_of_for_a_smoke(aligner: ForestAligner) -> None:
    wrong = WHENEVER.format(GROUND_FLOOR[0], "")
    right = WHENEVER.format(GROUND_FLOOR[1], " (PP (IN for) (NP (DT a) (NN smoke)))")
    source = sentence_from_trees(
        [read_bracket(wrong), read_bracket(right)], [-0.5, -0.9], lemmatizer=aligner.lexicon.lemma
    )
    found = align_links(aligner, source, sentence(WHENEVER_TARGET), WHENEVER_LINKS)
    assert ("for a smoke", "to smoke a cigarette") in phrases(found)
    assert found.source_tree == right
    assert ("ground floor for a smoke", "down to smoke a cigarette") not in phrases(found)


def test_words_are_linked_with_probabilities_and_the_rest_is_unaligned(aligner: ForestAligner) -> None:
    found = align_links(aligner, *map(sentence, RELYING), RELYING_LINKS)
    assert found.words.pairs == RELYING_LINKS.pairs
    assert found.words.scores is not None and all(0 < score <= 1 for score in found.words.scores)
    assert found.unaligned_source == ((1, 2), (4, 5))
    assert found.unaligned_target == ((1, 4), (8, 9), (10, 11))


def test_calibration_moves_probabilities_of_phrases_and_nothing_else(aligner: ForestAligner) -> None:
    plain = ForestAligner(replace(aligner.model, calibration=PhraseCalibration()), lexicon=aligner.lexicon)
    source, target = map(sentence, RELYING)
    one, two = (align_links(which, source, target, RELYING_LINKS) for which in (aligner, plain))
    assert [replace(pair, probability=0.5) for pair in one.phrases] == [
        replace(pair, probability=0.5) for pair in two.phrases
    ]
    assert [pair.probability for pair in one.phrases] != [pair.probability for pair in two.phrases]
    assert replace(one, phrases=()) == replace(two, phrases=())


def test_a_phrase_that_a_likely_link_leaves_is_less_probable(aligner: ForestAligner) -> None:
    source = target = sentence("(S (NP (DT the) (NN a)) (VP (VB b)))")
    sure = [Candidate((i, i + 1), (i, i + 1), 0.9) for i in range(3)]
    probabilities = []
    for score in (0.1, 0.4):
        alignment = aligner.align_candidates(source, target, [*sure, Candidate((1, 2), (2, 3), score)])
        inside = {
            (pair.source_node.span, pair.target_node.span): pair.probability for pair in alignment.phrases
        }
        probabilities.append(inside[(0, 2), (0, 2)])
    assert probabilities[0] > probabilities[1]


def test_a_confident_link_that_structure_left_out_is_kept_as_a_word_link(aligner: ForestAligner) -> None:
    source, target = sentence("(S (NP (NN a)) (VP (VB b)))"), sentence("(S (NP (NN b)))")
    found = align_links(aligner, source, target, Links.of([(1, 0)]))
    assert found.words.pairs == ((1, 0),) and found.root_aligned


def test_one_word_against_a_phrase_reaches_the_roots(aligner: ForestAligner) -> None:
    source, target = sentence("(NP (DT the) (NNS mats))"), sentence("(NP (NNS mats))")
    found = align_links(aligner, source, target, Links.of([(1, 0)]))
    assert phrases(found) == {("the mats", "mats"): True}
    assert found.words.pairs == ((1, 0),)


def test_a_group_of_words_aligns_as_a_whole(aligner: ForestAligner) -> None:
    source = sentence("(S (NP (NNP New) (NNP York)) (VP (VBZ sleeps)))")
    target = sentence("(S (NP (NNP NYC)) (VP (VBZ sleeps)))")
    links = Links.of([(0, 0), (1, 0), (2, 1)])
    found = align_links(aligner, source, target, links)
    assert ("New York", "NYC") in phrases(found)
    assert found.words.pairs == links.pairs
    strict = ForestAligner(aligner.model.with_options(strict=True), lexicon=aligner.lexicon)
    without = align_links(strict, source, target, links)
    assert ("New York", "NYC") not in phrases(without)


def test_sentences_with_nothing_in_common_align_to_nothing(aligner: ForestAligner) -> None:
    found = align_links(aligner, *map(sentence, RELYING), Links())
    assert not found.root_aligned and not found.phrases and not found.words
    assert found.unaligned_source == ((0, 10),)


def test_without_single_support_unreached_roots_leave_partial_alignments(aligner: ForestAligner) -> None:
    source, target = sentence("(S (NP (DT the) (NN cat)) (VP (VB sat)))"), sentence("(NP (DT the) (NN cat))")
    partial = ForestAligner(aligner.model.with_options(strict=True), lexicon=aligner.lexicon)
    target = sentence("(S (NP (DT the) (NN cat)) (. .))")
    found = align_links(partial, source, target, Links.of([(0, 0), (1, 1)]))
    assert not found.root_aligned
    assert ("the cat", "the cat") in phrases(found)


def test_the_published_search_knows_neither_links_of_groups_nor_single_supports() -> None:
    source = sentence("(S (NP (PRP He)) (VP (VBD died)) (. .))")
    target = sentence("(S (NP (PRP He)) (VP (VBD passed) (PRT (RP away))))")
    links = Links.of([(0, 0), (1, 1), (1, 2)])
    extended, published = (
        ForestAligner.load(name, candidates=GivenCandidates(links)) for name in ("forest", "forest-published")
    )
    assert ("died", "passed away") in phrases(extended.align_prepared(source, target))
    alignments = published.align_prepared(source, target)
    assert ("died", "passed away") not in phrases(alignments) and not alignments.root_aligned


def test_a_sentence_without_forest_is_an_input_error(aligner: ForestAligner) -> None:
    with pytest.raises(InputError, match="forest"):
        aligner.align_prepared(Sentence.from_words(["a"]), Sentence.from_words(["a"]))


@pytest.mark.parametrize("workers", [1, 2])
def test_links_of_the_caller_are_used_in_place_of_the_candidates_for_their_pair_alone(
    aligner: ForestAligner, workers: int
) -> None:
    source, target = aligner.prepare_pair(*map(sentence, RELYING))
    few = Links.of([(8, 6), (9, 12)])
    candidates = GivenCandidates(RELYING_LINKS).candidates(source, target)
    pairs: list[PairLike] = [
        (source, target, RELYING_LINKS),
        (source, target, few),
        (source, target),
        (source, target, candidates),
        (source, target, Links.of([(0, 40)])),
    ]
    found = list(aligner.align_many(pairs, batch_size=2, workers=workers))
    with threadpool_limits(1, "blas"):
        wanted = [
            align_links(aligner, source, target, RELYING_LINKS),
            align_links(aligner, source, target, few),
            aligner.align(source, target),
        ]
        alone = aligner.align(source, target, few)
    expected = [replace(one, made_by=aligner.made_by).to_json() for one in (*wanted, wanted[0])]
    assert [one.to_json() for one in found[:4]] == expected
    assert len({one.words for one in wanted}) == 3
    assert found[4].error.startswith("link 0-40 is out of range")
    assert alone.to_json() == expected[1]


@settings(derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_every_alignment_is_legitimate(aligner: ForestAligner, seed: int) -> None:
    rng = random.Random(seed)
    sides = []
    for _ in range(2):
        words = [rng.choice("abcdefgh") for _ in range(rng.randint(1, 8))]
        trees = [read_bracket(random_bracket(rng, words)) for _ in range(rng.randint(1, 3))]
        sides.append(sentence_from_trees(trees))
    source, target = sides
    links = Links.of(
        {
            (i, j)
            for i, one in enumerate(source.words)
            for j, two in enumerate(target.words)
            if one == two or rng.random() < 0.1
        }
    )
    options = replace(
        aligner.model.options,
        strict=rng.random() < 0.3,
        noncompositional_penalty=rng.choice([0.5, 2.0, 5.0, None]),
        generation_gap=rng.randint(1, 5),
    )
    chosen = ForestAligner(replace(aligner.model, options=options), lexicon=aligner.lexicon)
    candidates = GivenCandidates(links).candidates(source, target)
    searched = chosen.search(source, target, candidates)
    arrays = searched.arrays
    merged = set(arrays.parent[arrays.absorbed & (arrays.kind == NONCOMPOSITIONAL)].tolist())
    reported = reported_derivation(searched, options)
    for shown in (arrays, reported.arrays):
        pairs = [
            (int(s), int(t), kind != NONCOMPOSITIONAL and place not in merged)
            for place, (s, t, kind, absorbed) in enumerate(
                zip(shown.source, shown.target, shown.kind, shown.absorbed, strict=True)
            )
            if not absorbed
        ]
        assert not violations(*searched.forests, *reported.trees, pairs, root_aligned=arrays.root_aligned)
    assert (arrays.log_posterior <= 0).all() and np.isfinite(arrays.log_posterior).all()


def test_k_best_alignments_begin_with_the_best_one(aligner: ForestAligner) -> None:
    source, target = map(sentence, RELYING)
    given = ForestAligner(aligner.model, lexicon=aligner.lexicon, candidates=GivenCandidates(RELYING_LINKS))
    alignments = given.align_k_best(source, target, 5)
    best = given.align_prepared(source, target)
    assert alignments[0].phrases == best.phrases
    scores = [one.log_probability for one in alignments]
    assert len(scores) == 5 and scores == sorted(scores, key=lambda score: -(score or 0.0))


def test_k_best_alignments_differ_in_constituents_or_words(aligner: ForestAligner) -> None:
    for seed in range(12):
        source, target, candidates = random_pair(random.Random(seed))
        several = ForestAligner(aligner.model, lexicon=aligner.lexicon, alignments=6)
        best = several.align_candidates(source, target, candidates)
        found = [best, *best.alternatives]
        assert len(found) <= 6 and not any(one.alternatives for one in best.alternatives)
        shown = {
            (
                frozenset(
                    (pair.source_node.span, pair.target_node.span)
                    for pair in one.phrases
                    if pair.constituents
                ),
                one.words.pairs,
            )
            for one in found
        }
        assert len(shown) == len(found)
        alone = aligner.align_candidates(source, target, candidates)
        assert replace(best, alternatives=()) == alone
        if best.root_aligned and len(candidates) > 3:
            assert len(found) > 1
    with pytest.raises(InputError, match="'alignments': expected at least 1, found 0"):
        ForestAligner(aligner.model, alignments=0)


def test_where_the_roots_are_not_reached_there_is_one_alignment(aligner: ForestAligner) -> None:
    partial = ForestAligner(
        aligner.model.with_options(strict=True),
        lexicon=aligner.lexicon,
        candidates=GivenCandidates(Links.of([(0, 0), (1, 1)])),
    )
    source, target = sentence("(S (NP (DT the) (NN cat)) (VP (VB sat)))"), sentence(GROUND_FLOOR[1])
    alignments = partial.align_k_best(source, target, 3)
    assert (
        alignments == [partial.align(source, target)]
        and alignments[0].phrases
        and not alignments[0].root_aligned
    )
    for k in (0, -1):
        with pytest.raises(InputError, match=f"'k': expected at least 1, found {k}"):
            partial.align_k_best(source, target, k)


def test_k_best_alignments_of_text_are_parsed_as_for_the_best(aligner: ForestAligner) -> None:
    class Parser:
        def parse_many(self, texts: list[str], batch_size: int) -> list[Sentence]:
            return [sentence(RELYING[0 if text.startswith("Relying") else 1]) for text in texts]

    given = ForestAligner(
        aligner.model,
        lexicon=aligner.lexicon,
        parser=Parser(),  # type: ignore[arg-type]
        candidates=GivenCandidates(RELYING_LINKS),
    )
    alignments = given.align_k_best("Relying on team spirit …", "Members of …", 2)
    assert alignments[0].phrases == given.align_prepared(*map(sentence, RELYING)).phrases
    with pytest.raises(InputError, match="expected a text or a Sentence"):
        given.align_k_best(["Relying"], "x", 2)  # type: ignore[arg-type]


def test_settings_are_those_of_the_model_as_json_values() -> None:
    names = ("forest", "forest-published")
    own, published = (json.loads(json.dumps(ForestAligner.load(name).settings)) for name in names)
    assert own["beam"] == published["beam"] > 0
    assert not own["strict"] and published["strict"]
    assert published["calibration"]["temperature"] == 1


@pytest.mark.parametrize(
    ("description", "size"),
    [({}, 10), ({"tuned": None}, 10), ({"tuned": {}}, 10), ({"tuned": {"beam": 9, "forest_size": 30}}, 30)],
)
def test_a_model_parses_into_forests_of_the_size_that_it_was_tuned_with(
    description: dict[str, Any], size: int, aligner: ForestAligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "forest_align.parsing.load_parser_for_alignment", lambda name, **options: (name, options)
    )
    model = replace(aligner.model, description=description)
    assert model.forest_size == size
    assert ForestAligner(model).parser == ("en", {"forest_size": size, "vectors": True, "device": "cpu"})
    one = ForestAligner(model, parser="my_parser", candidates="dictionary")
    assert one.parser == ("my_parser", {"forest_size": size, "vectors": False, "device": "cpu"})
    parser = VectorParser()
    assert ForestAligner(model, parser=parser).parser is parser  # type: ignore[arg-type]


class VectorParser:
    """Gives word vectors and no tree."""

    def __init__(self) -> None:
        self.seen: list[Sentence] = []

    def with_vectors(self, sentences: list[Sentence]) -> list[Sentence]:
        self.seen += sentences
        return [replace(one, vectors=np.eye(len(one), 16, dtype=np.float32)) for one in sentences]


def test_trees_that_sentences_come_with_are_kept_and_get_the_vectors_that_candidates_need(
    aligner: ForestAligner,
) -> None:
    source, target = map(sentence, RELYING)
    for words, wanted in (("contextual", 2), ("dictionary", 0)):
        parser = VectorParser()
        given = ForestAligner(aligner.model, parser=parser, candidates=words)  # type: ignore[arg-type]
        one, two = given.prepare([source, target])
        assert isinstance(one, Sentence) and isinstance(two, Sentence)
        for ready, came in ((one, source), (two, target)):
            assert ready.forest is came.forest and ready.tokens == came.tokens
            assert (ready.vectors is not None) == bool(wanted)
        assert len(parser.seen) == wanted


def test_a_parser_that_makes_no_trees_is_told_as_such(aligner: ForestAligner) -> None:
    class Parser:
        def parse_many(self, texts: list[str], batch_size: int) -> list[Sentence]:
            return [replace(sentence(RELYING[0]), forest=None) for _ in texts]

    given = ForestAligner(aligner.model, parser=Parser(), candidates="dictionary")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"'source': .* the parser makes none: .* with forest_size=0"):
        given.align("Relying", "on team spirit")
    (found,) = given.align_many([(sentence(RELYING[0]), "on team spirit")])
    assert found.error.startswith("field 'target': this aligner reads trees, and the parser makes none")
