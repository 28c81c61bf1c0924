"""The parser facade over a fake scorer, and over a real model where one is installed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forest_align.cext import chart
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import Parser, load_parser, load_parser_for_alignment
from forest_align.parsing.networks.encoder_batches import CASE_COUNT
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.parsing.networks.word_tagger import WordTagger
from forest_align.types import InputError, ModelError, Sentence
from forest_align.types._forest_objects import check_forest
from forest_align.types.errors import MemoryLimitError

from ..cext.reference import chart_reference
from . import fake_scorer as fake

BAD_INPUT = {
    "empty": "",
    "blanks": " \t \u00a0",
    "punctuation": "...!?",
    "one token": "Yes",
    "600 tokens": "word " * 600,
    "control characters": "a\x00b \x01 \x1b[0m c\x7f",
    "lone surrogate": "a \ud800 b\udfff",
    "emoji": "I ❤️ 👩‍👩‍👧 !",
    "right to left": "אני אוהב \u202eabc\u202c עברית",
    "zero width": "\u200b \ufeff",
    "brackets": "( [ { ) -LRB- (a)",
    "combining": "Z̸̢̛a̷l̶g̵o",
    "1 MB in one word": "a" * 10**6,
    "1 MB in many words": "ab " * 333_333,
}


@pytest.fixture
def parser() -> Parser:
    return Parser(fake.FakeScorer(), vectors=fake.fake_vectors, lemmatizer=lambda word, tag: f"{word}/{tag}")


def test_trees_far_from_the_best_are_left_out_when_asked_for(parser: Parser) -> None:
    words = [f"word{place}" for place in range(9)]
    (full,) = parser.n_best_many([words])
    assert not isinstance(full, InputError)
    log_ratios = full.log_probabilities - full.log_probabilities[0]
    ratio = float(np.exp(log_ratios[4] - 1e-6))
    (few,) = Parser(fake.FakeScorer(), least_ratio=ratio).n_best_many([words])
    assert not isinstance(few, InputError)
    assert len(few.log_probabilities) == (log_ratios >= np.log(ratio)).sum() < len(log_ratios)


def test_a_parsed_sentence_has_offsets_tags_lemmas_vectors_and_a_forest(parser: Parser) -> None:
    sentence = parser.parse("He didn’t Sleep.")
    assert sentence.words == ("He", "did", "n’t", "Sleep", ".")
    assert [sentence.text[t.start : t.end] for t in sentence.tokens] == list(sentence.words)
    assert sentence.tags == ("NN",) * 5
    assert sentence.lemmas[3] == "Sleep/NN"
    assert sentence.vectors is not None and sentence.vectors.shape == (5, 4)
    assert sentence.forest is not None
    check_forest(sentence.forest)


@pytest.mark.parametrize("apostrophe", "'’´`")
def test_the_model_reads_plain_apostrophes(apostrophe: str) -> None:
    scorer = fake.FakeScorer()
    Parser(scorer).parse(f"He didn{apostrophe}t sleep.")
    assert scorer.seen == [["He", "did", "n't", "sleep", "."]]


def test_the_model_reads_an_ellipsis_as_full_stops_and_learns_where_blanks_are() -> None:
    class Watched(fake.FakeScorer):
        def score(self, batch, space_after=None):
            self.spaces = space_after
            return super().score(batch, space_after)

    scorer = Watched()
    sentence = Parser(scorer).parse("Well… he didn't.")
    assert sentence.words == ("Well", "…", "he", "did", "n't", ".")
    assert scorer.seen == [["Well", "...", "he", "did", "n't", "."]]
    assert scorer.spaces == [[False, True, True, False, False, False]]


def test_lists_have_the_same_probabilities_without_those_of_nodes() -> None:
    first, second = (Parser(fake.FakeScorer(), posteriors=asked).n_best("a b c d") for asked in (True, False))
    assert first.log_probabilities.tolist() == second.log_probabilities.tolist()


def test_a_sentence_without_memory_does_not_end_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    k_best = chart.k_best

    def limited(scores: np.ndarray, *rest: Any) -> Any:
        if len(scores) > 2:
            raise MemoryError
        return k_best(scores, *rest)

    monkeypatch.setattr(chart, "k_best", limited)
    first, second, third = Parser(fake.FakeScorer()).parse_many(["a b", "a b c", "a"])
    assert isinstance(first, Sentence) and isinstance(third, Sentence)
    assert isinstance(second, MemoryLimitError)
    assert str(second) == "not enough memory for the 10 best trees of 3 words"


@pytest.mark.parametrize("force_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_n_best_trees_have_the_probabilities_of_the_tree_crf(n: int, force_root: bool) -> None:
    scorer = fake.FakeScorer(force_root)
    words = [f"w{i}" for i in range(n)]
    (scores,) = scorer.score([words])
    table = scores.scores.astype(float)
    trees = Parser(scorer, forest_size=12).n_best(words)
    assert len(set(trees.brackets())) == len(trees.brackets())
    if n < 5:
        every = chart_reference.enumerate_trees(n, len(fake.LABELS), force_root)
        totals = [sum(table[span] for span in tree) for tree in every]
        expected = sorted(np.array(totals) - np.logaddexp.reduce(totals), reverse=True)[:12]
        np.testing.assert_allclose(trees.log_probabilities, expected, atol=1e-5)
    assert np.exp(trees.log_probabilities).sum() <= 1 + 1e-9
    forest = trees.forest()
    assert forest.bracket(words) == trees.brackets()[0]
    inside = {forest.bracket(words, derivation) for derivation in forest.derivations(500)}
    assert set(trees.brackets()) <= inside


@pytest.mark.parametrize("force_root", [True, False])
def test_the_best_tree_is_the_one_that_benepar_decodes(force_root: bool) -> None:
    from benepar import decode_chart

    decoder = decode_chart.ChartDecoder({label: i for i, label in enumerate(fake.LABELS)}, force_root)
    scorer = fake.FakeScorer(force_root)
    for n in (1, 2, 3, 8, 15, 30):
        words = [f"w{i}" for i in range(n)]
        (scores,) = scorer.score([words])
        expected = decoder.tree_from_scores(scores.scores, [(word, "NN") for word in words])
        if len(expected) == 1:
            expected = expected[0]
        forest = Parser(scorer).parse(words).forest
        assert forest is not None
        assert forest.best_tree(words) == expected


def test_a_root_without_label_is_written_as_top() -> None:
    class Bare(fake.FakeScorer):
        def _one(self, words):
            scores = super()._one(words)
            scores.scores[:, :, 1:] = -20
            return scores

    trees = Parser(Bare(force_root=False), forest_size=1).n_best(["a", "b"])
    assert trees.brackets() == ["(TOP (NN a) (NN b))"]


def test_results_come_in_input_order_whatever_their_length(parser: Parser) -> None:
    texts = [" ".join(["x"] * (1 + (7 * i) % 13)) + f" n{i}" for i in range(100)]
    results = list(parser.parse_many(texts, batch_size=4))
    assert [result.text for result in results if isinstance(result, Sentence)] == texts


def test_results_do_not_depend_on_the_batch_size(parser: Parser) -> None:
    texts = [" ".join(["x"] * (1 + (7 * i) % 13)) for i in range(30)]
    for first, second in zip(parser.parse_many(texts, 1), parser.parse_many(texts, 16), strict=True):
        assert isinstance(first, Sentence) and isinstance(second, Sentence)
        assert first.forest is not None and second.forest is not None
        assert first.forest.to_json() == second.forest.to_json()


@pytest.mark.parametrize(
    ("lengths", "batches"),
    [
        ((3, 500, 3, 400, 3, 3), [[3, 3, 3, 3], [400], [500]]),
        ((223, 224, 223, 224), [[223, 223], [224], [224]]),  # a hundred thousand spans at most
    ],
)
def test_batches_hold_sentences_of_like_length_and_a_bounded_chart(
    lengths: tuple[int, ...], batches: list[list[int]]
) -> None:
    scorer = fake.FakeScorer()
    sentences = [[f"w{place}"] * length for place, length in enumerate(lengths)]
    list(Parser(scorer, forest_size=1).parse_many(sentences, batch_size=4))
    assert scorer.batches == batches


def test_what_stands_several_times_is_parsed_once_and_comes_out_wherever_it_stands(parser: Parser) -> None:
    error = InputError("bad line")
    texts: list[Any] = ["b c", ["b", "c"], "a", "", error, "b c", ("b", "c"), {"b": 1}, ["b"], "", error, "a"]
    found = list(parser.parse_many(texts))
    assert sorted(parser._scorer.seen) == [["a"], ["b"], ["b", "c"], ["b", "c"]]  # type: ignore[attr-defined]
    for text, one in zip(texts, found, strict=True):
        (alone,) = parser.parse_many([text])
        assert type(one) is type(alone)
        if isinstance(one, Sentence) and isinstance(alone, Sentence):
            assert one.to_json() == alone.to_json() and np.array_equal(one.vectors, alone.vectors)
        else:
            assert str(one) == str(alone)


def test_in_batches_of_one_each_sentence_comes_out_before_the_next_is_read(parser: Parser) -> None:
    read: list[str] = []
    results = parser.parse_many((read.append(text) or text for text in ("a b", "c d")), batch_size=1)
    next(results)
    assert read == ["a b"]


def test_an_endless_stream_is_read_ahead_by_some_batches_only(parser: Parser) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield "a b c"

    stream = parser.parse_many(endless(), batch_size=2)
    for _ in range(3):
        next(stream)
    assert taken <= 64


def test_memory_stays_flat_over_a_long_stream() -> None:
    parser = Parser(fake.FakeScorer(), forest_size=3)

    def used_after(count: int) -> int:
        for _ in parser.parse_many((f"a b c d w{i % 50}" for i in range(count)), batch_size=8):
            pass
        parser._scorer.seen.clear()  # type: ignore[attr-defined]
        parser._scorer.batches.clear()  # type: ignore[attr-defined]
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first, second = used_after(64), used_after(400)
    finally:
        tracemalloc.stop()
    assert second - first < 200_000


@pytest.mark.parametrize("kind", BAD_INPUT)
def test_bad_input_gives_a_forest_or_a_clear_error_and_the_rest_goes_on(parser: Parser, kind: str) -> None:
    before, result, after = parser.parse_many(["All is well.", BAD_INPUT[kind], "All is well."])
    assert isinstance(before, Sentence) and isinstance(after, Sentence)
    if isinstance(result, InputError):
        assert kind in ("empty", "blanks", "1 MB in one word", "1 MB in many words")
        assert len(str(result)) < 200
    else:
        assert result.forest is not None
        check_forest(result.forest)
        assert "".join(result.words) == "".join(BAD_INPUT[kind].split())
        result.forest.bracket(result.words)


def test_words_that_are_given_are_kept(parser: Parser) -> None:
    assert parser.parse(["can't", "(", "a.b"]).words == ("can't", "(", "a.b")
    with pytest.raises(InputError, match="without blanks"):
        parser.parse(["a b"])


def test_a_sentence_that_cannot_be_parsed_raises_when_alone(parser: Parser) -> None:
    with pytest.raises(InputError, match="empty"):
        parser.parse("")
    with pytest.raises(InputError, match="longer than the parser can read"):
        parser.parse(["w"] * (fake.LONGEST + 1))


@pytest.mark.parametrize("sentence", [5, None, ["a", 5], {"a": 1}, b"bytes"])
def test_what_is_no_sentence_gives_a_clear_error_and_the_rest_goes_on(parser: Parser, sentence: Any) -> None:
    first, second = parser.parse_many([sentence, "b"])
    assert isinstance(first, InputError) and "expected a text or a sequence of words" in str(first)
    assert isinstance(second, Sentence)


def test_one_text_in_place_of_many_is_refused(parser: Parser) -> None:
    with pytest.raises(InputError, match="expected sentences, found one text"):
        list(parser.parse_many("He died."))


def test_sizes_are_checked(parser: Parser) -> None:
    for size in (-1, 10**20):
        with pytest.raises(InputError, match=f"at most 1,000,000 trees, or 0 for none, found {size}"):
            Parser(fake.FakeScorer(), forest_size=size)
    for ratio in (1.5, -0.1):
        with pytest.raises(InputError, match="expected a ratio from 0 to 1, found"):
            Parser(fake.FakeScorer(), least_ratio=ratio)
    with pytest.raises(InputError, match="at least 1"):
        list(parser.parse_many(["a"], batch_size=0))


@pytest.mark.parametrize("size", [1.5, 2.0, True, False, "3", None])
def test_a_size_that_is_no_whole_number_is_refused(size: Any, parser: Parser) -> None:
    with pytest.raises(InputError, match=f"'forest_size': .* or 0 for none, found {size!r}$"):
        Parser(fake.FakeScorer(), forest_size=size)
    for name in ("batch_size", "workers"):
        with pytest.raises(InputError, match=f"^field '{name}': expected a whole number, found {size!r}$"):
            list(parser.parse_many(["a"], **{name: size}))


def test_sizes_may_be_numbers_of_numpy() -> None:
    (found,) = Parser(fake.FakeScorer(), forest_size=np.int64(2)).parse_many(["a b"], batch_size=np.int32(1))
    assert isinstance(found, Sentence)


def test_a_parser_made_by_hand_says_that_it_cannot_be_pickled(parser: Parser) -> None:
    with pytest.raises(TypeError, match=r"this Parser cannot be pickled.*load_parser"):
        pickle.dumps(parser)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("vectors", [True, False], ids=["vectors", "no vectors"])
def test_a_parser_without_trees_gives_sentences_that_lack_nothing_else(workers: int, vectors: bool) -> None:
    many = [f"They saw {k} of the dogs." for k in range(40)]
    texts = ["It isn’t late …", "", *many, ["word"] * 700, "Why?"]
    parser = load_parser("en", forest_size=0, lemmatizer=load_lexicon().lemma, vectors=vectors)
    with_trees = load_parser("en", forest_size=1, lemmatizer=load_lexicon().lemma, vectors=vectors)
    for one, other in zip(
        parser.parse_many(texts, workers=workers), with_trees.parse_many(texts), strict=True
    ):
        if isinstance(one, InputError):
            assert isinstance(other, InputError)
            assert vectors or str(one) == str(other)
        else:
            assert one.forest is None and isinstance(other, Sentence)
            assert one.tokens == other.tokens and one.text == other.text
            assert np.array_equal(one.vectors, other.vectors)


def test_a_tagger_takes_the_place_of_the_model_where_there_are_vectors_and_no_trees() -> None:
    arrays = {
        "vector": np.eye(4, 2),
        "case": np.zeros((CASE_COUNT, 2)),
        "output": np.array([[0, 1], [1, 0]]),
        "bias": np.zeros(2),
    }
    tagger = WordTagger(["NN", "DT"], arrays)
    parser = Parser(None, vectors=fake.fake_vectors, forest_size=0, tagger=tagger)
    assert parser.parse("the cat").tags == ("DT", "NN")
    errors = list(parser.parse_many([["word"] * 511, "the cat", []]))
    assert str(errors[0]) == "sentence of 511 words is longer than can be tagged (510)"
    assert isinstance(errors[1], Sentence) and isinstance(errors[2], InputError)


def test_a_tagger_needs_vectors_and_makes_no_trees() -> None:
    tagger = WordTagger.read()
    for vectors, size in ((None, 0), (fake.fake_vectors, 1)):
        with pytest.raises(InputError, match="needs word vectors, and makes no forests"):
            Parser(fake.FakeScorer(), vectors=vectors, forest_size=size, tagger=tagger)
    with pytest.raises(InputError, match="a model or a tagger, found neither"):
        Parser(None)


def test_a_parser_without_trees_lists_none() -> None:
    with pytest.raises(InputError, match="at least one tree a forest, found one with none"):
        Parser(fake.FakeScorer(), forest_size=0).n_best("a b")


def test_an_unknown_parser_is_named_in_the_error() -> None:
    with pytest.raises(ModelError, match="no-such-parser"):
        load_parser("no-such-parser")


@pytest.fixture(scope="module")
def english() -> Parser:
    return load_parser("en")


def test_bad_input_does_not_stop_the_bundled_parser(english: Parser) -> None:
    *results, after = english.parse_many([*BAD_INPUT.values(), "All is well."])
    assert isinstance(after, Sentence)
    for result in results:
        if isinstance(result, Sentence):
            assert result.forest is not None
            check_forest(result.forest)


def test_the_bundled_parser_parses_a_plain_sentence(english: Parser) -> None:
    sentence = english.parse("The cat sat on the mat.")
    assert sentence.forest is not None
    assert sentence.forest.bracket(sentence.words) == (
        "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .))"
    )


def test_a_parser_for_alignment_has_lemmas_and_no_improbable_trees() -> None:
    parser = load_parser_for_alignment("en", forest_size=7)
    assert (parser.forest_size, parser.least_ratio) == (7, 0.1)
    assert parser.parse("The mice ran.").lemmas == ("the", "mouse", "run", ".")


TWO = "The cat sat on the mat. It slept."


def test_each_sentence_of_a_text_has_the_trees_that_it_has_alone(english: Parser) -> None:
    for text in (TWO, TWO.replace(".", " .").split()):
        whole = english.parse(text)
        first, second = (english.parse(part) for part in ("The cat sat on the mat.", "It slept."))
        assert whole.starts == (7,) and first.starts == ()
        assert whole.forest is not None and first.forest is not None and second.forest is not None
        check_forest(whole.forest)
        trees = [one.forest.bracket(one.words) for one in (first, second)]  # type: ignore[union-attr]
        assert whole.forest.bracket(whole.words) == f"(TEXT {trees[0]} {trees[1]})"
        assert len(whole.forest) == len(first.forest) + len(second.forest) + 1
        assert whole.tags == first.tags + second.tags


def watched_vectors() -> tuple[Any, list[list[str]]]:
    """Fake word vectors, and the sentences that they were made of."""
    seen: list[list[str]] = []

    def vectors(sentences: Any) -> list[np.ndarray]:
        seen.extend(map(list, sentences))
        return fake.fake_vectors(sentences)

    return vectors, seen


def test_word_vectors_of_a_text_are_read_together() -> None:
    vectors, seen = watched_vectors()
    scorer = fake.FakeScorer()
    sentence = Parser(scorer, vectors=vectors).parse("He left. She stayed.")
    assert scorer.seen == [["He", "left", "."], ["She", "stayed", "."]]
    assert seen == [["He", "left", ".", "She", "stayed", "."]]
    assert sentence.vectors is not None and len(sentence.vectors) == 6


@pytest.mark.parametrize("wanted", [True, False])
def test_vectors_that_come_with_the_scores_of_a_whole_text_are_taken(wanted: bool) -> None:
    vectors, seen = watched_vectors()

    class WithVectors(fake.FakeScorer):
        def _one(self, words: Any) -> Any:
            scores = super()._one(words)
            made = np.full((len(words), 4), len(words), dtype=np.float32)
            return scores if isinstance(scores, InputError) else replace(scores, vectors=made)

    parser = Parser(WithVectors(), vectors=vectors if wanted else None)
    texts = ["Go on.", "He left. She stayed.", ["word"] * 701, "All is well."]
    one, two, error, last = parser.parse_many(texts, batch_size=4)
    assert isinstance(error, InputError)
    if not wanted:
        assert [item.vectors for item in (one, two, last)] == [None] * 3  # type: ignore[union-attr]
        return
    assert seen == [["He", "left", ".", "She", "stayed", "."]]
    assert np.array_equal(one.vectors, np.full((3, 4), 3))  # type: ignore[union-attr]
    assert np.array_equal(two.vectors, fake.fake_vectors(seen)[0])  # type: ignore[union-attr]
    assert np.array_equal(last.vectors, np.full((4, 4), 4))  # type: ignore[union-attr]


def test_one_sentence_has_the_forest_of_its_trees_and_nothing_of_a_text() -> None:
    parser = Parser(fake.FakeScorer(), forest_size=5)
    sentence, trees = parser.parse("He left."), parser.n_best("He left.")
    assert sentence.forest is not None
    assert sentence.forest.to_dict() == trees.forest().to_dict()
    assert "sentences" not in sentence.to_dict() and "TEXT" not in sentence.forest.labels


def test_a_text_is_as_long_as_its_longest_sentence_for_the_parser(parser: Parser) -> None:
    fits, does_not = " ".join(["word"] * 400) + ". ", " ".join(["word"] * 701) + ". "
    first, second, third = parser.parse_many([fits.capitalize() * 2, "Yes. " + does_not, "No. Yes."])
    assert isinstance(first, Sentence) and first.starts == (401,)
    assert isinstance(second, InputError) and "702 words is longer" in str(second)
    assert isinstance(third, Sentence) and third.starts == (2,)


def test_texts_of_too_many_words_are_refused_and_the_rest_goes_on(parser: Parser) -> None:
    sentence = "Word " + "word " * 98 + ". "
    first, second = parser.parse_many([sentence * 10, sentence * 10 + "No."])
    assert isinstance(first, Sentence) and len(first) == 1000
    assert str(second) == "expected a text of at most 1,000 words, found 11 sentences with 1,002 words"


def test_sentences_without_trees_know_where_they_begin() -> None:
    sentence = Parser(fake.FakeScorer(), forest_size=0).parse("He left. She stayed.")
    assert sentence.forest is None and sentence.sentences == ((0, 3), (3, 6))


FORK = """
import multiprocessing, torch
from forest_align.parsing import load_parser
torch.set_num_threads(2)
parser = load_parser("en")
parser.parse("They won a long and hard game.")
child = multiprocessing.get_context("fork").Process(target=parser.parse, args=("They won.",), daemon=True)
child.start()
child.join(60)
print(child.exitcode)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_a_forked_process_does_not_wait_for_threads_that_it_has_not() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_the_bundled_parser_gives_the_vectors_of_its_encoder_alone_and_in_a_text(english: Parser) -> None:
    assert english._vectors is english._scorer.word_vectors  # the encoder is loaded once
    for text in ("All is well.", "He left. She stayed."):
        sentence = english.parse(text)
        (expected,) = WordVectors()([sentence.words])
        np.testing.assert_array_equal(sentence.vectors, expected)


def test_vectors_without_a_parse_are_those_with_one_and_nothing_else_changes() -> None:
    parser = load_parser("en")
    words = ["It", "’s", "late", "…"]
    parsed = parser.parse(words)
    given = Sentence.from_words(words, ["A", "B", "C", "D"])
    (found,) = parser.with_vectors([given])
    assert np.array_equal(found.vectors, parsed.vectors) and found.tokens == given.tokens
    assert found.forest is None and given.vectors is None
    long = Sentence.from_words(["word"] * 700)  # more than can be parsed
    assert [len(one.vectors) for one in parser.with_vectors([long, Sentence(())])] == [700, 0]
    (none,) = load_parser("en", vectors=False).with_vectors([given])
    assert none is given


def test_workers_parse_the_same_sentences_in_the_same_order(parser: Parser) -> None:
    sentences = [f"sentence {number} of {'many ' * (number % 7)}words" for number in range(150)]
    mixed: list[Any] = [*sentences[:70], "", InputError("no sentence", line=71), None, *sentences[70:]]

    def parsed(workers: int) -> list[Any]:
        results = parser.parse_many(mixed, batch_size=3, workers=workers)
        return [(r.to_json(), r.vectors.tolist()) if isinstance(r, Sentence) else str(r) for r in results]

    def listed(workers: int) -> list[Any]:
        results = parser.n_best_many(mixed, batch_size=3, workers=workers)
        return [str(result) if isinstance(result, InputError) else list(result) for result in results]

    assert parsed(1) == parsed(3) and listed(1) == listed(2)
    assert parsed(3)[70:73] == ["the sentence is empty", "line 71: no sentence", parsed(1)[72]]
    with pytest.raises(InputError, match=r"^field 'workers': expected at least 1, found 0$"):
        next(parser.parse_many(["x"], workers=0))
