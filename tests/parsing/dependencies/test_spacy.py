"""Dependencies and names of a spaCy model, renamed to what the contextual aligner reads."""

from __future__ import annotations

import importlib.util

import pytest

from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.cli import main
from forest_align.parsing.dependencies.annotators import (
    DEFAULT_MODELS,
    SpacyAnnotator,
    load_annotator,
    stanford_dependencies,
)
from forest_align.parsing.dependencies.typed import collapse
from forest_align.types import InputError, ModelError, Sentence

needs_spacy = pytest.mark.skipif(
    importlib.util.find_spec("spacy") is None
    or not any(importlib.util.find_spec(name) for name in DEFAULT_MODELS),
    reason='needs spaCy and its English model: pip install "forest-align[spacy]"',
)


def stanford(text: str, collapsed: bool = False) -> set[str]:
    """Dependencies of a tree written word/TAG/label/head."""
    rows = [item.rsplit("/", 3) for item in text.split()]
    words, tags, labels = ([row[column] for row in rows] for column in (0, 1, 2))
    dependencies = stanford_dependencies([int(row[3]) for row in rows], labels, words, tags)
    if collapsed:
        dependencies = collapse(dependencies, words, tags)
    return {
        f"{d.relation}({words[d.governor] if d.governor >= 0 else 'ROOT'}, {words[d.dependent]})"
        for d in dependencies
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Bill/NNP/nsubj/1 is/VBZ/ROOT/1 an/DT/det/3 artist/NN/attr/1 ././punct/1",
            "nsubj(artist, Bill)|cop(artist, is)|det(artist, an)|root(ROOT, artist)",
        ),
        (
            "Bill/NNP/nsubj/1 became/VBD/ROOT/1 king/NN/attr/1",
            "nsubj(king, Bill)|cop(king, became)|root(ROOT, king)",
        ),
        # What there is, is a subject.
        ("There/EX/expl/1 is/VBZ/ROOT/1 hope/NN/attr/1", "expl(is, There)|root(ROOT, is)|nsubj(is, hope)"),
        # Clauses of nouns are told apart by their verb.
        (
            "plan/NN/ROOT/0 to/TO/aux/2 win/VB/acl/0 made/VBN/acl/0 won/VBD/relcl/0",
            "root(ROOT, plan)|aux(win, to)|infmod(plan, win)|partmod(plan, made)|rcmod(plan, won)",
        ),
    ],
)
def test_a_tree_has_the_dependencies_of_stanford(text: str, expected: str) -> None:
    assert stanford(text) == set(expected.split("|"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # All conjuncts depend on the first, also in a chain; without a conjunction it is *and*.
        (
            "red/JJ/ROOT/0 ,/,/punct/0 green/JJ/conj/0 or/CC/cc/2 blue/JJ/conj/2",
            "root(ROOT, red)|conj_or(red, green)|conj_or(red, blue)",
        ),
        ("red/JJ/ROOT/0 ,/,/punct/0 green/JJ/conj/0", "root(ROOT, red)|conj_and(red, green)"),
        (
            "a/NN/ROOT/0 b/NN/conj/0 c/NN/conj/1 and/CC/cc/2 d/NN/conj/2",
            "root(ROOT, a)|conj_and(a, b)|conj_and(a, c)|conj_and(a, d)",
        ),
        # An agent is told from other prepositions.
        (
            "was/VBD/auxpass/1 built/VBN/ROOT/1 by/IN/agent/1 Jack/NNP/pobj/2 in/IN/prep/1 May/NNP/pobj/4",
            "auxpass(built, was)|root(ROOT, built)|agent(built, Jack)|prep_in(built, May)",
        ),
    ],
)
def test_conjunctions_and_prepositions_are_collapsed(text: str, expected: str) -> None:
    assert stanford(text, collapsed=True) == set(expected.split("|"))


@pytest.mark.parametrize(
    ("label", "word", "expected"),
    [
        ("dative", "to/TO", "prep"),
        ("dative", "him/PRP", "iobj"),
        ("npadvmod", "yesterday/NN", "tmod"),
        ("npadvmod", "miles/NNS", "npadvmod"),
        ("nmod", "red/JJ", "amod"),
        ("nmod", "brick/NN", "nn"),
        ("attr", "king/NN", "xcomp"),
        ("oprd", "king/NN", "xcomp"),
        ("compound", "brick/NN", "nn"),
        ("case", "'s/POS", "possessive"),
        ("nummod", "7/CD", "num"),
        ("meta", "x/NN", "dep"),
        ("agent", "by/IN", "prep"),
        ("acl", "well/RB", "dep"),
        ("dobj", "king/NN", "dobj"),
    ],
)
def test_labels_of_spacy_become_types_of_stanford(label: str, word: str, expected: str) -> None:
    assert f"{expected}(did, {word.split('/')[0]})" in stanford(f"did/VBD/ROOT/0 {word}/{label}/0")


def test_other_annotators_do_not_exist() -> None:
    with pytest.raises(InputError, match="trees, spacy"):
        load_annotator("stanford")


@pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="needs spaCy")
def test_a_model_that_is_not_installed_is_named() -> None:
    with pytest.raises(ModelError, match="en_core_none"):
        SpacyAnnotator("en_core_none")


@needs_spacy
def test_sentences_are_tagged_and_their_words_and_tags_stay() -> None:
    annotator = SpacyAnnotator()
    given = Sentence.from_words(["Cats", "sleep"], ["XX", ""])
    raw, empty, kept = annotator.prepare(["Mr. Smith left London.", "", given])
    assert isinstance(raw, Sentence) and raw.tags == ("NNP", "NNP", "VBD", "NNP", ".")
    assert raw.tokens[3].start == 15 and isinstance(empty, InputError)
    assert isinstance(kept, Sentence) and kept.words == given.words and kept.tags == ("XX", "VBP")
    names = annotator.annotate(raw).entities
    assert [(raw.words[name.start : name.end], name.kind) for name in names] == [
        (("Smith",), "person"),
        (("London",), "location"),
    ]


@needs_spacy
def test_a_lone_surrogate_does_not_end_the_other_pairs() -> None:
    aligner = SultanAligner(annotator="spacy")
    found = list(aligner.align_many([("He \ud800 died .", "He \ud800 died ."), ("He died .", "He died .")]))
    assert [one.error for one in found] == ["", ""] and len(found[1].words) == 3
    assert found[0].source.words == ("He", "\ud800", "died", ".")


@needs_spacy
def test_sultan_needs_no_parse_with_spacy() -> None:
    aligner = SultanAligner(annotator="spacy")
    source, target = "The book was written by Jack Smith.", "Smith wrote the book."
    found, swapped = aligner.align(source, target), aligner.align(target, source)
    assert found.words.to_pharaoh() == swapped.words.swap().to_pharaoh()
    assert {(1, 3), (3, 1), (6, 0)} <= {(i, j) for i, j in found.words}
    assert "parser" not in vars(aligner)


@needs_spacy
def test_align_takes_dependencies_and_names_from_spacy(capsys: pytest.CaptureFixture[str]) -> None:
    pair = ["The book was written by Jack Smith.", "Smith wrote the book."]
    options = ["--aligner", "sultan", "--annotator", "spacy", "--to", "pharaoh"]
    assert main(["align", *pair, *options]) == 0
    assert {"1-3", "3-1", "6-0"} <= set(capsys.readouterr().out.split())
