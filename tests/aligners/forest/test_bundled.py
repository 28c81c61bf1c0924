"""What users get: raw text in, the bundled parser and models, phrases with probabilities out.

The sentences of figures 1, 2 and 5 of Arase & Tsujii (2017) are among them.
"""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

import forest_align
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.legitimacy import alignment_violations
from forest_align.alignment import Alignment, Span
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.eval.metrics.word_scores import WordPair, score_words
from forest_align.parsing import sentence_from_bracket

from ...places import ROOT, SHARED

MTREF = SHARED / "data" / "alignment" / "mtref" / "dev.tsv"
PAIRS = [
    tuple(line.split("\t"))
    for line in (ROOT / "examples" / "pairs.tsv").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def aligner() -> ForestAligner:
    found = forest_align.load("forest")
    assert isinstance(found, ForestAligner)
    return found


@pytest.fixture(scope="module")
def alignments(aligner: ForestAligner) -> list[Alignment]:
    return list(aligner.align_many(PAIRS))


def test_phrases_that_mean_the_same_are_found_in_the_example_pairs(alignments: list[Alignment]) -> None:
    found = {alignment.texts_of(pair) for alignment in alignments for pair in alignment.phrases}
    assert {
        ("passed away", "died"),
        ("New York City", "NYC"),
        ("a long illness", "being ill for a long time"),
        ("in New York City", "in NYC"),
        ("go to the ground floor for a smoke", "go down to smoke a cigarette"),
    } <= found


@pytest.mark.parametrize(
    ("text", "rule", "categories"),
    [
        ("The committee {} ten members .", ("is composed of", "has"), {"VP/NP", "S\\NP/NP"}),
        ("The team {} of volunteers .", ("is made up", "consists"), {"VP/PP", "S\\NP/PP"}),
    ],
)
def test_a_pair_less_aligned_pairs_at_its_edges_is_reported(
    aligner: ForestAligner, text: str, rule: tuple[str, str], categories: set[str]
) -> None:
    alignment = aligner.align(*map(text.format, rule))
    rules = {alignment.texts_of(pair): pair for pair in alignment.phrases if pair.is_rule}
    # The same words are the verb phrase without its object, and the sentence without its subject and that.
    assert rules[rule].source_node.label == rules[rule].target_node.label in categories
    assert alignment_violations(alignment) == []


def test_words_of_the_example_in_the_readme_are_linked_as_it_says(alignments: list[Alignment]) -> None:
    assert alignments[4].words.to_pharaoh().startswith("0-8 1-9 ")


def test_alignments_are_whole_probable_legitimate_and_come_back_from_json(
    alignments: list[Alignment],
) -> None:
    for alignment in alignments:
        assert alignment.root_aligned and not alignment.error and not alignment.warnings
        assert alignment_violations(alignment) == []
        assert all(0 < pair.probability <= 1 for pair in alignment.phrases)
        links = dict(zip(alignment.words.pairs, alignment.words.scores or (), strict=True))
        for pair in alignment.phrases:
            (start, end), (low, high) = pair.source_node.span, pair.target_node.span
            if end - start == high - low == 1:
                assert pair.probability == links[start, low]
            for i, j in links.keys() - set(alignment.outside):
                assert (start <= i < end) == (low <= j < high)
        assert all(0 < score <= 1 for score in alignment.words.scores or ())
        assert alignment_violations(Alignment.from_json(alignment.to_json())) == []
        for sentence in (alignment.source, alignment.target):
            assert all(sentence.text[token.start : token.end] == token.text for token in sentence.tokens)


def test_sentences_that_only_share_a_part_are_improbable_as_wholes(aligner: ForestAligner) -> None:
    alignment = aligner.align(
        "The firm was bought by a bank, and its shares fell by ten percent",
        "A bank bought the firm after months of negotiations with the union",
    )
    (root,) = (pair.probability for pair in alignment.phrases if alignment.is_root_pair(pair))
    assert alignment.paraphrase_probability == root < 0.25
    names = {alignment.texts_of(pair): pair.probability for pair in alignment.phrases}
    assert names["a bank", "A bank"] > 0.9 and alignment.root_aligned
    assert alignment_violations(alignment) == []


def test_who_does_what_matters_and_the_construction_does_not(aligner: ForestAligner) -> None:
    plain = "The young lawyer accused the old judge."
    said = ("The old judge was accused by the young lawyer.", "The old judge accused the young lawyer.")
    same, exchanged = aligner.align_many([(plain, one) for one in said])
    assert (same.paraphrase_probability or 0) > 0.7 > 0.3 > (exchanged.paraphrase_probability or 1)


def test_paraphrases_are_not_judged_by_models_of_the_paper_or_on_demand(aligner: ForestAligner) -> None:
    without = ForestAligner.load("forest", parser=aligner.parser, paraphrases=False)
    published = ForestAligner.load("forest-published", parser=aligner.parser)
    for one in (without, published):
        alignment = one.align("He died.", "He passed away.")
        assert (
            alignment.paraphrase_probability is None and "paraphrase_probability" not in alignment.to_dict()
        )


def test_the_published_aligner_satisfies_every_condition(aligner: ForestAligner) -> None:
    published = ForestAligner.load("forest-published", parser=aligner.parser)
    for alignment in published.align_many(PAIRS):
        assert alignment_violations(alignment, maximum_set=True) == []


def test_workers_change_nothing(aligner: ForestAligner, alignments: list[Alignment]) -> None:
    two = aligner.align_many(PAIRS * 3, batch_size=len(PAIRS), workers=2)
    assert [one.to_json() for one in two] == [one.to_json() for one in alignments] * 3


def test_trees_given_in_place_of_text_cost_no_links(
    aligner: ForestAligner, alignments: list[Alignment]
) -> None:
    first = alignments[4]
    trees = (sentence_from_bracket(tree) for tree in (first.source_tree, first.target_tree))
    again = aligner.align(*trees)
    assert again.words.pairs == first.words.pairs
    assert (again.source_tree, again.target_tree) == (first.source_tree, first.target_tree)


@pytest.mark.skipif(not MTREF.exists(), reason="needs shared/data/alignment/mtref, see CONTRIBUTING.md")
def test_f1_on_a_part_of_the_mtref_development_set(aligner: ForestAligner) -> None:
    pairs = [pair for pair in islice(read_pairs(MTREF), 80) if isinstance(pair, SentencePair)]
    found = list(aligner.align_many([(pair.source, pair.target) for pair in pairs]))
    assert all(alignment.root_aligned for alignment in found)
    scored = [
        WordPair(pair.source.words, pair.target.words, pair.links, result.words)
        for pair, result in zip(pairs, found, strict=True)
        if pair.links is not None
    ]
    assert score_words(scored).counts.macro().f1 > 0.86


# Figure 1.
SMOKE = (
    "Whenever I go to the ground floor for a smoke, I always come face to face with them.",
    "Whenever I go down to smoke a cigarette, I come face to face with one of them.",
)
# Figures 2 and 5.
SPIRIT = (
    "Relying on team spirit, expedition members defeated difficulties.",
    "Members of the scientific team overcame difficulties through the spirit of teamwork.",
)


@cache
def figures(name: str) -> dict[tuple[str, str], Alignment]:
    """The alignments of the sentences in the figures by this aligner."""
    pairs = [SMOKE, SPIRIT]
    return dict(zip(pairs, forest_align.load(name).align_many(pairs), strict=True))


def span_of(words: tuple[str, ...], phrase: str) -> Span:
    wanted = tuple(phrase.split())
    places = [k for k in range(len(words)) if words[k : k + len(wanted)] == wanted]
    assert len(places) == 1, f"{phrase!r} is {len(places)} times in the sentence"
    return places[0], places[0] + len(wanted)


def is_half_or_more(found: Span, wanted: Span) -> bool:
    """Whether a span lies inside another one and has at least half of its words."""
    inside = wanted[0] <= found[0] and found[1] <= wanted[1]
    return inside and 2 * (found[1] - found[0]) >= wanted[1] - wanted[0]


def halves_of(found: Alignment, source: str, target: str) -> list[tuple[str, str]]:
    """The aligned phrases that are, on both sides, these phrases or at least half of them."""
    wanted = span_of(found.source.words, source), span_of(found.target.words, target)
    return [
        found.texts_of(one)
        for one in found.phrases
        if is_half_or_more(one.source_node.span, wanted[0])
        and is_half_or_more(one.target_node.span, wanted[1])
    ]


def test_half_of_a_phrase_is_inside_of_it_and_not_a_word_more() -> None:
    wanted = (2, 6)
    assert [is_half_or_more(found, wanted) for found in ((2, 6), (4, 6), (3, 5))] == [True] * 3
    assert [is_half_or_more(found, wanted) for found in ((2, 3), (1, 6), (0, 9), (5, 7))] == [False] * 4


@pytest.mark.parametrize(
    ("name", "pair", "source", "target"),
    [
        ("forest", SMOKE, "for a smoke", "to smoke a cigarette"),
        ("forest", SMOKE, "to the ground floor", "down"),
        ("forest", SPIRIT, "Relying on team spirit", "through the spirit of teamwork"),
        ("forest", SPIRIT, "expedition members", "Members of the scientific team"),
        # The system of the paper aligns two of the four.
        ("forest-published", SMOKE, "for a smoke", "to smoke a cigarette"),
        ("forest-published", SPIRIT, "Relying on team spirit", "through the spirit of teamwork"),
    ],
)
def test_the_phrases_of_the_figure_are_aligned_or_at_least_half_of_both(
    name: str, pair: tuple[str, str], source: str, target: str
) -> None:
    assert halves_of(figures(name)[pair], source, target)


@pytest.mark.parametrize(
    ("pair", "source", "target"),
    [
        (SMOKE, "go to the ground floor for a smoke", "go down to smoke a cigarette"),
        (SMOKE, "come face to face with them", "come face to face with one of them"),
        (SPIRIT, "defeated difficulties", "overcame difficulties"),
    ],
)
def test_other_phrases_of_the_figures_are_aligned(pair: tuple[str, str], source: str, target: str) -> None:
    found = figures("forest")[pair]
    assert (source, target) in [found.texts_of(one) for one in found.phrases]
