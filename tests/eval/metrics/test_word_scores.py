"""Word links by kind, pooled, and the two other averages of F1: naive second implementations."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Links
from forest_align.eval.metrics.scores import Scores
from forest_align.eval.metrics.word_scores import Block, WordPair, WordScores, blocks_of, score_words
from forest_align.types import InputError

Link = tuple[int, int]

LENGTH = 5

DRAWN_WORDS = st.lists(st.sampled_from(["a", "A", "b"]), min_size=LENGTH, max_size=LENGTH)


@st.composite
def rectangles(draw) -> set[Link]:
    """Links made of a few full rectangles, which may touch and overlap, so that there are phrases."""
    found: set[Link] = set()
    for _ in range(draw(st.integers(0, 3))):
        s, t = draw(st.integers(0, LENGTH - 1)), draw(st.integers(0, LENGTH - 1))
        height, width = draw(st.integers(1, 3)), draw(st.integers(1, 3))
        found |= {(i, j) for i in range(s, s + height) for j in range(t, t + width)}
    return {(i, j) for i, j in found if i < LENGTH and j < LENGTH}


@st.composite
def pairs(draw) -> WordPair:
    gold, predicted = draw(rectangles()), draw(rectangles())
    if draw(st.booleans()):
        predicted = gold ^ set(draw(st.lists(st.sampled_from(sorted(gold or {(0, 0)})), max_size=2)))
    classes = draw(st.lists(st.booleans(), min_size=len(gold), max_size=len(gold)))
    return WordPair(
        draw(DRAWN_WORDS), draw(DRAWN_WORDS), Links.of(sorted(gold), sure=classes), Links.of(predicted)
    )


CORPUS = st.lists(pairs(), min_size=1, max_size=4)


def naive_blocks(links: Iterable[Link]) -> set[Block]:
    """Rectangles cut off a table of links: it is searched row by row, and what a block takes is crossed out.

    A row is added if every cell of it is there, then a column, until neither can be.
    """
    table = [[(s, t) in set(links) for t in range(LENGTH)] for s in range(LENGTH)]
    found = set()
    for s in range(LENGTH):
        for t in range(LENGTH):
            if not table[s][t]:
                continue
            height = width = 1
            while True:
                before = (height, width)
                if s + height < LENGTH and all(table[s + height][t : t + width]):
                    height += 1
                if t + width < LENGTH and all(row[t + width] for row in table[s : s + height]):
                    width += 1
                if before == (height, width):
                    break
            for row in table[s : s + height]:
                row[t : t + width] = [False] * width
            found.add((s, s + height, t, t + width))
    return found


def naive_f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def naive_pooled(items: list[tuple[set, set]]) -> tuple[float, float, float]:
    """Precision, recall and F1 of (gold, predicted) sets, counted together over all pairs."""
    right = found = wanted = 0
    for gold, predicted in items:
        right += sum(item in gold for item in predicted)
        found += len(predicted)
        wanted += len(gold)
    precision, recall = right / found if found else 1.0, right / wanted if wanted else 1.0
    return precision, recall, naive_f1(precision, recall)


def wanted_links(pair: WordPair, links: str) -> set[Link]:
    assert pair.gold.sure is not None
    return {
        link for link, sure in zip(pair.gold.pairs, pair.gold.sure, strict=True) if sure or links == "all"
    }


def score(corpus: list[WordPair], links: str) -> tuple[WordScores, list[tuple[set[Link], set[Link]]]]:
    items = [(wanted_links(pair, links), set(pair.predicted.pairs)) for pair in corpus]
    return score_words(corpus, links=links), items


def figures(scores: Scores) -> tuple[float, float, float]:
    return scores.precision, scores.recall, scores.f1


@given(rectangles())
def test_blocks_equal_those_cut_off_a_table(links) -> None:
    assert blocks_of(links) == naive_blocks(links)


@given(CORPUS, st.sampled_from(["sure", "all"]))
def test_identical_and_other_links_equal_a_count_over_all_pairs(corpus, links) -> None:
    result, items = score(corpus, links)
    for kind, wanted_kind in (("identical", True), ("non_identical", False)):
        kept = []
        for pair, sides in zip(corpus, items, strict=True):
            same = {(i, j) for i in range(LENGTH) for j in range(LENGTH) if pair.source[i] == pair.target[j]}
            kept.append(tuple({link for link in side if (link in same) == wanted_kind} for side in sides))
        assert figures(result.by_kind()[kind]) == pytest.approx(naive_pooled(kept))


@given(CORPUS, st.sampled_from(["sure", "all"]))
def test_token_and_phrase_alignments_equal_a_count_over_all_pairs(corpus, links) -> None:
    result, items = score(corpus, links)
    for kind, wanted_kind in (("token", True), ("phrase", False)):
        kept = []
        for sides in items:
            blocks = [naive_blocks(side) for side in sides]
            kept.append(
                tuple(
                    {(a, b, c, d) for a, b, c, d in side if ((b - a) * (d - c) == 1) == wanted_kind}
                    for side in blocks
                )
            )
        assert figures(result.by_kind()[kind]) == pytest.approx(naive_pooled(kept))


@given(CORPUS, st.sampled_from(["sure", "all"]))
def test_pooled_figures_means_and_the_mean_f1_of_pairs_equal_plain_counts(corpus, links) -> None:
    result, items = score(corpus, links)
    values = {name: statistic.value for name, statistic in result.statistics().items()}
    assert figures(result.counts.micro()) == pytest.approx(naive_pooled(items))
    assert values["micro_f1"] == pytest.approx(naive_pooled(items)[2])
    of_pairs = [naive_pooled([item])[2] for item in items]
    assert result.pair_f1 == values["pair_f1"] == pytest.approx(sum(of_pairs) / len(of_pairs))
    assert values["exact_match"] == result.exact_match == sum(g == p for g, p in items) / len(items)
    macro = [sum(naive_pooled([item])[k] for item in items) / len(items) for k in (0, 1)]
    assert figures(result.counts.macro()) == pytest.approx((*macro, naive_f1(*macro)))
    assert values["f1"] == pytest.approx(naive_f1(*macro))


def pair(gold: str, predicted: str, source: str = "a b c d", target: str = "a B c d") -> WordPair:
    return WordPair(source.split(), target.split(), Links.from_pharaoh(gold), Links.from_pharaoh(predicted))


def test_possible_links_are_wanted_only_when_all_count() -> None:
    one = pair("0-0 1p1", "0-0 1-1")
    assert score_words([one]).counts.macro().precision == 0.5
    assert score_words([one], links="all").counts.macro().precision == 1
    with pytest.raises(InputError, match="'sure' or 'all', found 'some'"):
        score_words([one], links="some")


@pytest.mark.parametrize(("gold", "predicted", "which"), [("4-0", "", "gold"), ("", "0-9", "predicted")])
def test_a_link_out_of_range_is_an_error_that_names_the_pair(gold: str, predicted: str, which: str) -> None:
    with pytest.raises(InputError, match=f"pair 2: {which} link .* is out of range"):
        score_words([pair("", ""), pair(gold, predicted)])
    named = WordPair(["a"], ["b"], Links(), Links.of([(1, 0)]), id="rte:7")
    with pytest.raises(InputError, match="pair 'rte:7': predicted link 1-0"):
        score_words([named])
