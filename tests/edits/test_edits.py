"""Edits cover both texts, make the target from the source, and say what kind of change each is."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align import Alignment, InputError, Links, ModelError, Sentence, Token
from forest_align.edits import (
    EDIT_KINDS,
    EDIT_REASONS,
    Arc,
    Edit,
    EditConventions,
    EditLattice,
    apply_edits,
    best_path,
    bundled_conventions,
    edits_to_thresh,
    path_probabilities,
    possible_edits,
)
from forest_align.edits._edit_lattice import Piece
from forest_align.edits._edit_reasons import EditReasons

WORDS = st.sampled_from(["a", "A", "the", "cats", "cat", "saw", "dog", "😂", ",", ".", "[MATH]"])
MARKS = st.sampled_from(["<b>", "{--", "x--}", "~~>", "++}"])
GAPS = st.sampled_from(["", " ", " \r\n"])


def aligned(source: str, target: str, links: str = "") -> Alignment:
    texts = (Sentence.from_words(text.split()) for text in (source, target))
    return Alignment(*texts, Links.from_pharaoh(links))


@st.composite
def sentences(draw: st.DrawFn, most: int) -> Sentence:
    """Words with any space between them, perhaps of several sentences."""
    tokens, text = [], draw(GAPS)
    for word in draw(st.lists(WORDS | MARKS, max_size=most)):
        tokens.append(Token(word, start=len(text), end=len(text) + len(word)))
        text += word + draw(GAPS)
    starts = draw(st.sets(st.integers(1, len(tokens) - 1))) if len(tokens) > 1 else set()
    return Sentence(tuple(tokens), text=text, starts=tuple(sorted(starts)))


@st.composite
def alignments(draw: st.DrawFn, most: int = 7) -> Alignment:
    source, target = draw(sentences(most)), draw(sentences(most))
    possible = list(itertools.product(range(len(source)), range(len(target))))
    pairs = draw(st.lists(st.sampled_from(possible), max_size=8, unique=True)) if possible else []
    return Alignment(source, target, Links.of(pairs), id="1")


def changed(alignment: Alignment, **options: bool) -> list[tuple[str, str, str, str]]:
    edits = alignment.edits(**options)
    return [(e.kind, e.source_text, e.target_text, e.reason) for e in edits if e.kind != "keep"]


def inner(sentence: Sentence) -> str:
    """The raw text from the first to the last word."""
    return sentence.text[sentence.tokens[0].start : sentence.tokens[-1].end] if sentence.tokens else ""


@given(alignments(), st.booleans())
def test_all_edits_together_make_the_target_from_the_source(alignment: Alignment, minimal: bool) -> None:
    edits = alignment.edits(minimal=minimal)
    assert apply_edits(alignment.source.text, edits) == inner(alignment.target)
    for side, sentence in enumerate((alignment.source, alignment.target)):
        words = sorted(k for edit in edits for k in range(*(edit.source, edit.target)[side]))
        assert words == list(range(len(sentence)))
    for edit in edits:
        assert edit.kind in EDIT_KINDS and (not edit.reason or edit.reason in EDIT_REASONS)
        assert alignment.source.text[slice(*edit.source_characters)] == edit.source_text
        assert alignment.target.text[slice(*edit.target_characters)] == edit.target_text
        assert Edit.from_dict(edit.to_dict()) == edit


def test_edits_that_do_not_fit_the_source_are_refused() -> None:
    edits = aligned("a red cat", "a blue cat", "0-0 1-1 2-2").edits()
    assert apply_edits("a red cat", edits) == "a blue cat"
    with pytest.raises(InputError, match="'a' at characters 0 to 1"):
        apply_edits("o red cat", edits)


def test_words_change_or_come_or_go() -> None:
    one = aligned("we saw many dogs", "we saw cats again", "0-0 1-1 3-2")
    assert changed(one, minimal=True) == [
        ("delete", "many", "", "content"),
        ("replace", "dogs", "cats", "content"),
        ("insert", "", "again", "content"),
    ]


REASONS = {
    "inflection": (("dogs", "dog"), ("a", "an"), ("this", "these"), ("has", "have")),
    "spelling": (
        *(("colour", "color"), ("well-known", "wellknown"), ("recieve", "received")),
        ("recieve teh", "receive the"),
    ),
    "derivation": (("decide", "decision"),),
    "synonym": (("car", "automobile"),),
    "more general": (("animal", "dog"),),
    "more specific": (("dog", "animal"),),
    "function word": (("of", "for"), ("and", "an")),
    "punctuation": ((",", ";"),),
    "placeholder": (("[MATH]", "[EQUATION]"),),
    "capitals": (("Model", "model"),),
    "number": (("$5", "$6"), ("1.5", "15"), ("second", "third"), ("Half", "A third of")),
    "format": (("12", "twelve"), ("50 %", "half")),
    "opposite": (("all", "none"), ("won", "failed to win"), ("went", "did not go"), ("up", "down")),
    "equivalent": (("not happy", "unhappy"),),
    "content": (("dog", "theory"),),
}


@pytest.mark.parametrize(
    ("source", "target", "reason"), [(*pair, reason) for reason, pairs in REASONS.items() for pair in pairs]
)
def test_the_reason_says_what_kind_of_change_it_is(source: str, target: str, reason: str) -> None:
    lengths = len(source.split()), len(target.split())
    inside = (f"{2 + i}-{2 + j}" for i in range(lengths[0]) for j in range(lengths[1]))
    ends = f"{2 + lengths[0]}-{2 + lengths[1]}"
    one = aligned(f"so x {source} y", f"so x {target} y", " ".join(["0-0", "1-1", *inside, ends]))
    assert changed(one) == [("replace", source, target, reason)]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        *(("not", "opposite"), ("did not", "opposite"), ("hardly", "opposite"), ("not bad cats", "content")),
        *(("not only", "content"), ("of", "function word"), ("$", "content")),
    ],
)
def test_an_inserted_negation_is_no_function_word(word: str, reason: str) -> None:
    one = aligned("so x y", f"so x {word} y", f"0-0 1-1 2-{2 + len(word.split())}")
    assert changed(one) == [("insert", "", word, reason)]
    assert changed(one.swap()) == [("delete", word, "", reason)]


def test_a_relation_that_a_negation_makes_is_not_said_of_other_words() -> None:
    one = aligned("he was not aiding them", "he was aiding them", "0-0 1-1 3-2 4-3")
    assert changed(one) == [("delete", "not", "", "opposite")]
    other = aligned("he was aiding them", "he was doing nothing to discourage us", "0-0 1-1 2-5 2-3 3-6")
    assert "opposite" not in [reason for *_, reason in changed(other)]


def test_years_that_are_close_are_other_numbers() -> None:
    one = aligned("it was in 1990", "it was in 1991", "0-0 1-1 2-2 3-3")
    assert changed(one) == [("replace", "1990", "1991", "number")]


@pytest.mark.parametrize("text", ["third chapter", "chapter third"])
def test_a_number_and_the_same_ordinal_do_not_differ(text: str) -> None:
    one = aligned("so chapter 3", f"so {text}", "0-0 1-1 1-2 2-1 2-2")
    assert "number" not in [reason for *_, reason in changed(one)]


def test_a_word_whose_capital_changes_with_its_place_is_kept() -> None:
    one = aligned("We saw it", "Then we saw it", "0-1 1-2 2-3")
    assert changed(one) == [("insert", "", "Then", "content")]
    assert [(e.source_text, e.target_text, e.reason) for e in one.edits() if e.kind == "keep"] == [
        ("We", "we", "capitals"),
        ("saw it", "saw it", ""),
    ]


def test_a_moved_phrase_is_one_edit_with_its_punctuation_and_changed_words() -> None:
    links = "0-4 1-5 2-6 3-7 4-3 5-0 6-1 7-2"
    one = aligned("now we saw it , this old house", "this older house , now we saw it", links)
    moved = ("move", "this old house", "this older house", "synonym")
    assert [edit for edit in changed(one) if edit[0] == "move"] == [moved]
    two = aligned("about 6 % we fell", "we fell about 6 %", "0-2 1-3 2-4 3-0 4-1")
    assert len(changed(two)) == 1


def test_function_words_do_not_move_alone_unless_they_change_the_meaning() -> None:
    links = "0-2 1-0 2-1"
    assert changed(aligned("and tall trees", "tall trees and", links)) == [
        ("delete", "and", "", "function word"),
        ("insert", "", "and", "function word"),
    ]
    assert "move" in [edit[0] for edit in changed(aligned("only tall trees", "tall trees only", links))]


def test_the_reason_of_a_form_is_not_said_where_content_is_lost() -> None:
    source, target = Sentence.from_words(["a", "populist", "party"]), Sentence.from_words(["an", "party"])
    pieces = Piece("replaced", (0, 1), (0, 1)), Piece("deleted", (1, 2), None)
    arc = Arc(0, 1, (0, 2), (0, 1), pieces)
    assert EditReasons(Alignment(source, target, Links.of([(0, 0), (2, 1)]))).of(arc) == "content"


def test_one_sentence_that_becomes_two_is_a_split_and_the_reverse_a_merge() -> None:
    source = Sentence.from_words(["he", "came", ",", "and", "she", "left", "."])
    words = ["he", "came", ".", "she", "left", "."]
    target = Sentence(Sentence.from_words(words).tokens, text=" ".join(words), starts=(3,))
    links = Links.from_pharaoh("0-0 1-1 4-3 5-4 6-5")
    split, merge = Alignment(source, target, links), Alignment(target, source, links.swap())
    assert "split" in [edit.kind for edit in split.edits()]
    assert "merge" in [edit.kind for edit in merge.edits()]
    assert "split" not in [edit.kind for edit in merge.edits()]


def test_a_failed_pair_has_no_edits() -> None:
    with pytest.raises(InputError, match="too long"):
        Alignment.failed("too long").edits()


def test_characters_of_texts_without_offsets_are_those_of_the_joined_words() -> None:
    source = Sentence((Token("a"), Token("cat")), text="a   cat")
    one = Alignment(source, Sentence.from_words(["cat"]), Links.from_pharaoh("1-0"))
    edits = one.edits()
    assert apply_edits("a cat", edits) == "cat"
    found = edits_to_thresh(one, edits)
    ((start, end),) = found["edits"][0]["input_idx"]
    assert (found["source"], found["source"][start:end]) == ("a cat", "a")
    (span,) = one.differences().spans
    assert (span.text, span.characters) == ("a", (0, 1))


@given(alignments(most=4), st.integers(0, 2**32 - 1))
def test_probabilities_and_best_paths_agree_with_an_enumeration(alignment: Alignment, seed: int) -> None:
    lattice = possible_edits(alignment).lattice
    scores = np.random.default_rng(seed).normal(size=len(lattice.arcs))
    paths = enumerated(lattice, 0)
    weights = np.array([scores[list(path)].sum() for path in paths])
    total, probabilities = path_probabilities(lattice, scores)
    assert total == pytest.approx(np.log(np.exp(weights).sum()))
    shares = np.exp(weights - total)
    for number in range(len(lattice.arcs)):
        expected = sum(share for share, path in zip(shares, paths, strict=True) if number in path)
        assert probabilities[number] == pytest.approx(expected, abs=1e-9)
    assert scores[best_path(lattice, scores)].sum() == pytest.approx(weights.max())


def enumerated(lattice: EditLattice, place: int) -> list[tuple[int, ...]]:
    """All paths from a place, by the numbers of their arcs."""
    if place == lattice.size - 1:
        return [()]
    paths: list[tuple[int, ...]] = []
    for number, arc in enumerate(lattice.arcs):
        if arc.start == place:
            paths += [(number, *rest) for rest in enumerated(lattice, arc.end)]
    for start, end, _ in lattice.kept:
        if start == place:
            paths += enumerated(lattice, end)
    return paths


def test_edits_of_many_changed_words_stay_affordable() -> None:
    source, target = (" ".join(f"{name}{k}" for k in range(60)) for name in "ab")
    lattice = possible_edits(aligned(source, target)).lattice
    assert len(lattice.arcs) < 5000


def test_conventions_are_saved_and_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    EditConventions({"replace": 0.5, "delete": -1.0}, 0.25).save(folder, {"trained on": []})
    assert EditConventions.load(folder) == EditConventions({"delete": -1.0, "replace": 0.5}, 0.25)
    (folder / "model.json").write_text('{"least": 2, "features": []}')
    with pytest.raises(ModelError, match="least"):
        EditConventions.load(folder)
    assert len(bundled_conventions().weights) > 100


def test_an_edit_read_from_json_is_checked() -> None:
    values = aligned("a cat", "a dog", "0-0 1-1").edits()[1].to_dict()
    with pytest.raises(InputError, match="'kind': expected one of keep, replace"):
        Edit.from_dict({**values, "kind": "change"})
    with pytest.raises(InputError, match="'source': expected a half-open span"):
        Edit.from_dict({**values, "source": [2, 1]})
