"""Prepared pairs align as the aligner aligns them, and dev pairs are counted as the metrics count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.words.choose import word_candidates
from forest_align.alignment import Links
from forest_align.data.formats.format import PhraseUnit, SentencePair
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.corpus.parsed_pairs import parser_fingerprint, with_gold
from forest_align.em.forest.dev_set import DevSet, align_pair, figures, objective_value
from forest_align.em.tuning.forest_sweep import SweepProblem, search_space, start_values, with_values
from forest_align.eval.benchmarks.marked_phrases import core_scorer
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence

TREES = {
    "the old man bought a car": "(S (NP (DT the) (JJ old) (NN man)) (VP (VBD bought) (NP (DT a) (NN car))))",
    "a car was purchased by the man": "(S (NP (DT a) (NN car)) (VP (VBD was) (VP (VBN purchased) "
    "(PP (IN by) (NP (DT the) (NN man))))))",
    "she sold her house quickly": "(S (NP (PRP she)) (VP (VBD sold) (NP (PRP$ her) (NN house)) "
    "(RB quickly)))",
    "she sold her home": "(S (NP (PRP she)) (VP (VBD sold) (NP (PRP$ her) (NN home))))",
}
GOLD = (
    ("the old man bought a car", "a car was purchased by the man", [(0, 5), (2, 6), (3, 3), (4, 0), (5, 1)]),
    ("she sold her house quickly", "she sold her home", [(0, 0), (1, 1), (2, 2), (3, 3)]),
)


def parse_many(texts: Iterable[list[str]]) -> Iterator[Sentence | InputError]:
    for words in texts:
        tree = TREES.get(" ".join(words))
        if tree is None:
            yield InputError("no tree")
        else:
            yield sentence_from_bracket(tree, lemmatizer=load_lexicon().lemma)


def gold_pairs() -> list[SentencePair]:
    return [
        SentencePair(
            str(number), *(Sentence.from_words(text.split()) for text in texts), links=Links.of(links)
        )
        for number, (*texts, links) in enumerate(GOLD)
    ]


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CorpusReader:
    made = CorpusReader("toy", candidates="dictionary", cache=tmp_path)
    monkeypatch.setattr(made, "_parser", parse_many)
    return made


def corpus(reader: CorpusReader) -> list[CorpusPair]:
    pairs, problems = reader.read(gold_pairs())
    assert not problems
    return pairs


@pytest.mark.parametrize("cached", [False, True])
def test_a_prepared_pair_aligns_as_the_aligner_aligns_it(reader: CorpusReader, cached: bool) -> None:
    aligner = ForestAligner(replace(ForestAligner.load().model, judge=None))
    if cached:
        corpus(reader)
    for pair in corpus(reader):
        sentences = [parsed for parsed in parse_many([list(pair.source.words), list(pair.target.words)])]
        source, target = sentences
        assert isinstance(source, Sentence) and isinstance(target, Sentence)
        candidates = word_candidates("dictionary").candidates(source, target)
        expected = aligner.align_candidates(source, target, candidates)
        found = align_pair(pair, aligner.model)
        assert found.words == expected.words
        assert list(found.phrases) == [replace(one, relation=None) for one in expected.phrases]
        assert found.log_probability == expected.log_probability


def test_figures_are_those_worked_out_by_hand() -> None:
    constituents, words = [[1, 2, 1, 4], [3, 3, 3, 4]], [[1, 2, 1, 1], [1, 1, 1, 4]]
    reached, heads = [[1], [0]], [[2, 4, 2, 4], [3, 3, 3, 4]]
    rows = np.concatenate([constituents, words, reached, heads], axis=1).astype(float)
    found = {name: figure.value for name, figure in figures(rows).items()}
    assert found == pytest.approx(
        {
            "constituent precision": 4 / 5,
            "constituent recall": 4 / 8,
            "constituent f1": 8 / 13,
            "word f1": 15 / 22,  # of the mean precision, 3/4, and the mean recall, 5/8
            "reachability": 1 / 2,
            "uas": 5 / 8,
        }
    )


def test_links_that_are_merely_possible_do_not_count(reader: CorpusReader) -> None:
    sure = corpus(reader)
    assert sure[0].links is not None
    possible = [*sure[0].links.pairs, (0, 0), (4, 4)]
    number = len(sure[0].links.pairs)
    links = Links.of(possible, sure=[place < number for place in range(len(possible))])
    model = ForestAligner.load().model
    rows = DevSet([replace(sure[0], links=links)]).statistics(model)
    assert (rows == DevSet(sure[:1]).statistics(model)).all()
    every = DevSet([replace(sure[0], links=links)], "all").statistics(model)
    assert (rows == DevSet([replace(sure[0], links=links)], "sure").statistics(model)).all()
    # The gold words of recall, which are in the eighth column, are two more.
    assert every[0, 7] == rows[0, 7] + 2 == len(possible)


def test_attachment_is_scored_where_there_are_gold_trees(reader: CorpusReader) -> None:
    pairs = [
        replace(
            pair,
            source_trees=((TREES[pair.source.text], 0.0),),
            target_trees=((TREES[pair.target.text], 0.0),),
        )
        for pair in gold_pairs()
    ]
    found, _ = reader.read(pairs)
    rows = DevSet(found).statistics(ForestAligner.load().model)
    assert objective_value(rows, "uas") == 100.0


def test_attachment_is_tuned_on_the_pairs_that_have_gold_trees(reader: CorpusReader) -> None:
    plain, other = gold_pairs()
    trees = [((TREES[sentence.text], 0.0),) for sentence in (other.source, other.target)]
    found, _ = reader.read([plain, replace(other, source_trees=trees[0], target_trees=trees[1])])
    model = ForestAligner.load().model
    space = search_space(model, [10])
    problem = SweepProblem(model, "uas", [10], lambda size: DevSet(found), space)
    assert problem.pair_count == 1
    assert problem.score(problem.statistics(start_values(model, space), [0])) == 100.0
    with pytest.raises(InputError, match="no gold trees"):
        SweepProblem(model, "uas", [10], lambda size: DevSet(found[:1]), space)


def test_a_parser_is_told_from_another_by_the_files_that_are_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bundled = parser_fingerprint("en")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").mkdir()
    assert parser_fingerprint("en") == bundled
    weights = tmp_path / "mine" / "benepar_model.bin"
    weights.parent.mkdir()
    weights.write_bytes(b"1")
    first = parser_fingerprint(str(weights.parent))
    weights.write_bytes(b"2")
    assert len({bundled, first, parser_fingerprint(str(weights.parent))}) == 3
    assert parser_fingerprint("benepar_en3").startswith("benepar_en3 ")


def test_the_values_of_a_trial_reach_the_search(reader: CorpusReader) -> None:
    model = ForestAligner.load().model
    space = search_space(model, [10], also=["parser_weight"])
    problem = SweepProblem(model, "word-f1", [10], lambda size: DevSet(corpus(reader)), space)
    assert problem.pair_count == 2
    values = {**start_values(model, space), "generation_gap": 1, "beam": 17, "parser_weight": 0.25}
    tuned = with_values(model, values)
    assert (tuned.options.generation_gap, tuned.options.beam, tuned.options.parser_weight) == (1, 17, 0.25)
    rows = problem.statistics(values, [0, 1])
    assert (rows == DevSet(corpus(reader)).statistics(tuned)).all()
    assert problem.score(rows) == pytest.approx(100 * figures(rows)["word f1"].value)
    assert np.isfinite(rows).all()


def test_a_trial_has_the_pairs_with_forests_of_its_size(reader: CorpusReader) -> None:
    model, pairs = ForestAligner.load().model, corpus(reader)
    sets = {1: DevSet(pairs), 10: DevSet(pairs[::-1])}
    space = search_space(model, [1, 10])
    problem = SweepProblem(model, "word-f1", [1, 10], sets.__getitem__, space)
    start = start_values(model, space)
    for size in (1, 10):
        values = {**start, "forest_size": size}
        assert (problem.statistics(values, [0]) == sets[size].statistics(model, [0])).all()
        assert problem.tuned(values).description["tuned"]["forest_size"] == size
    del start["forest_size"]
    assert (problem.statistics(start, [0]) == sets[1].statistics(model, [0])).all()
    assert problem.tuned(start).description["tuned"]["forest_size"] == 1


def test_a_sweep_is_known_by_all_that_decides_on_its_scores(reader: CorpusReader) -> None:
    model, pairs = ForestAligner.load().model, corpus(reader)
    other_links = [replace(pairs[0], links=Links.of([(0, 5)])), pairs[1]]
    lexical = {**model.lexical, next(iter(model.lexical)): 7.0}

    def fingerprint(
        used: ForestModel = model,
        objective: str = "word-f1",
        sizes: Sequence[int] = (10,),
        loaded: Sequence[CorpusPair] = pairs,
        identity: object = None,
    ) -> str:
        space = search_space(used, [1, 10])
        return SweepProblem(used, objective, sizes, lambda size: DevSet(loaded), space, identity).fingerprint

    def with_heads(heads: list[int]) -> CorpusPair:
        return replace(pairs[0], gold_heads=(heads, heads))

    known = [
        fingerprint(),
        fingerprint(replace(model, lexical=lexical)),
        fingerprint(replace(model, options=replace(model.options, strict=True))),
        fingerprint(objective="constituent-f1"),
        fingerprint(sizes=(10, 1)),
        fingerprint(loaded=other_links),
        fingerprint(loaded=[replace(pairs[0], given_forests="other trees"), pairs[1]]),
        *(fingerprint(objective="uas", loaded=[with_heads(heads)]) for heads in ([0, 1], [1, 0])),
        fingerprint(identity="another parser"),
    ]
    assert len(set(known)) == len(known)
    assert fingerprint(sizes=(1, 10)) == fingerprint(sizes=(10, 1))


def test_forest_sizes_are_searched_only_if_there_is_a_choice() -> None:
    model = ForestAligner.load().model
    assert "forest_size" not in search_space(model, [10])
    assert search_space(model, [50, 1])["forest_size"].choices == (1, 50)


@pytest.mark.parametrize(
    ("tuned", "sizes", "first"),
    [(None, [1, 10, 50], 10), (50, [1, 10, 50], 50), (1, [50, 10, 1], 1), (None, [1, 8, 50], 8)],
)
def test_the_first_forest_size_is_the_model_s_own(tuned: int | None, sizes: list[int], first: int) -> None:
    model = ForestAligner.load().model
    description = {} if tuned is None else {"tuned": {"forest_size": tuned}}
    model = replace(model, description=description)
    assert start_values(model, search_space(model, sizes))["forest_size"] == first


def test_options_that_are_kept_are_not_searched() -> None:
    model = ForestAligner.load().model
    assert {"beam", "generation_gap"}.isdisjoint(search_space(model, [10], ["beam", "generation_gap"]))
    assert "beam" not in start_values(model, search_space(model, [10], ["beam"]))
    with pytest.raises(InputError, match="found 'beems'"):
        search_space(model, [10], ["beems"])
    with pytest.raises(InputError, match="something to vary"):
        search_space(model, [10], list(search_space(model, [10])))


def test_an_unknown_objective_is_refused() -> None:
    model = ForestAligner.load().model
    with pytest.raises(InputError, match="constituent-f1"):
        SweepProblem(model, "nonsense", [10], lambda size: DevSet([]), search_space(model, [10]))


MARKED = (
    (
        "The board is composed of ten members.",
        "The board has ten members.",
        [((2, 3, 4), (2,)), ((0, 1), (3, 4))],
    ),
    ("She takes care of her grandmother.", "She looks after her grandmother.", [((1, 2, 3), (1, 2))]),
    ("The talks were put off.", "The talks were postponed.", [((3, 4), (3,))]),
    ("They sang.", "Nobody knew the way.", [((1,), (2, 3))]),
)


def test_core_f1_is_that_of_the_metric_for_what_the_aligner_reports(tmp_path: Path) -> None:
    model = ForestAligner.load().model
    aligner = ForestAligner(replace(model, relations=None), paraphrases=False)
    pairs = []
    for number, (source, target, units) in enumerate(MARKED):
        parsed = aligner.prepare_pair(source, target)
        sides = [Sentence.from_words(side.words) for side in parsed]
        marked = tuple(PhraseUnit(*unit, "") for unit in units)
        pairs.append(SentencePair(str(number), *sides, units=marked))
    gold = with_gold(pairs, "marked phrases")
    for _ in range(2):  # The second time parses come from the cache.
        found, problems = CorpusReader.for_model(model, cache=tmp_path, judged=True).read(gold)
        assert not problems
        alignments = [align_pair(pair, model) for pair in found]
        assert [one.phrases for one in alignments] == [
            aligner.align_prepared(pair.source, pair.target).phrases for pair in found
        ]
    space = search_space(model, [10], also=["phrase_weight"])
    problem = SweepProblem(model, "core-f1", [10], lambda size: DevSet(found), space)
    sides = [(pair.source, pair.target) for pair in found]
    values = core_scorer("core", sides, [pair.units for pair in found])(alignments)[0].values
    assert 0 < values["near_f1"] < 100
    assert problem.score(problem.statistics(problem.start, range(4))) == pytest.approx(values["near_f1"])
    assert problem.statistics({**problem.start, "phrase_weight": 0.0}, range(4)).shape == (4, 17)
    other = [replace(found[0], units=found[1].units), *found[1:]]
    changed = [
        SweepProblem(model, "core-f1", [10], lambda size: DevSet(other), space),
        SweepProblem(replace(model, judge=None), "core-f1", [10], lambda size: DevSet(found), space),
    ]
    assert len({one.fingerprint for one in (problem, *changed)}) == 3
    with pytest.raises(InputError, match="no marked phrases"):
        with_gold([replace(pair, units=()) for pair in pairs], "marked phrases")
