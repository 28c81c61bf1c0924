from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.parsing.forests.trees import forest_from_bracket
from forest_align.types import InputError, Node, Sentence, Token
from forest_align.types.brackets import escape_word

probabilities = st.floats(0, 1)
# Controls and halves of surrogate pairs too; of these only first halves, because two that meet become one.
characters = st.characters(max_codepoint=0xDBFF) | st.characters(min_codepoint=0xE000)
texts = st.text(characters, max_size=8)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    words = draw(st.lists(st.text(characters, min_size=1, max_size=5), min_size=1, max_size=6))
    if draw(st.booleans()):
        return Sentence.from_words(words, [draw(texts) for _ in words])
    text = draw(st.text(characters, max_size=30))
    tokens = []
    for word in words:
        start = draw(st.integers(0, len(text)))
        offsets = (start, draw(st.integers(start, len(text)))) if draw(st.booleans()) else (-1, -1)
        tokens.append(Token(word, draw(texts), draw(texts), *offsets))
    return Sentence(tuple(tokens), text=text)


@st.composite
def nodes(draw: st.DrawFn, length: int) -> Node:
    start = draw(st.integers(0, length - 1))
    end = draw(st.integers(start + 1, length))
    head = draw(st.just(-1) | st.integers(start, end - 1))
    return Node(start, end, draw(texts), draw(st.booleans()), head)


@st.composite
def links(draw: st.DrawFn, source: int, target: int) -> Links:
    pairs = draw(
        st.lists(st.tuples(st.integers(0, source - 1), st.integers(0, target - 1)), unique=True, max_size=6)
    )
    values = {}
    if draw(st.booleans()):
        values["sure"] = [draw(st.booleans()) for _ in pairs]
    if draw(st.booleans()):
        values["scores"] = [draw(probabilities) for _ in pairs]
    return Links.of(pairs, **values)


def flat_tree(sentence: Sentence) -> str:
    return f"(S {' '.join(f'(NN {escape_word(word)})' for word in sentence.words)})"


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    source, target = draw(sentences()), draw(sentences())
    trees = [draw(st.sampled_from(["", flat_tree(side)])) for side in (source, target)]
    words = draw(links(len(source), len(target)))
    pair = st.builds(PhrasePair, nodes(len(source)), nodes(len(target)), probabilities, st.booleans())
    spans = [
        tuple(node.span for node in draw(st.lists(nodes(len(side)), max_size=2))) for side in (source, target)
    ]
    evidence = tuple(tuple(draw(st.lists(texts, max_size=2))) for _ in words) if draw(st.booleans()) else ()
    return Alignment(
        source,
        target,
        words,
        tuple(draw(st.lists(pair, max_size=4))),
        *spans,
        *trees,
        draw(st.none() | st.floats(max_value=0, allow_infinity=False, allow_nan=False)),
        draw(st.booleans()),
        draw(texts),
        draw(texts),
        tuple(draw(st.lists(texts, max_size=2))),
        draw(texts),
        evidence,
    )


def contents(alignment: Alignment) -> tuple[Any, ...]:
    """Everything of an alignment that can be compared; sentences compare by identity."""
    return tuple(
        (value.tokens, value.text) if isinstance(value, Sentence) else value
        for value in (getattr(alignment, name) for name in alignment.__dataclass_fields__)
    )


@given(alignments())
def test_json_gives_back_everything_that_was_written(alignment: Alignment) -> None:
    line = alignment.to_json()
    assert "\n" not in line
    line.encode("utf-8")
    assert contents(Alignment.from_json(line)) == contents(alignment)


@given(st.builds(PhrasePair, nodes(9), nodes(9), probabilities, st.booleans()))
def test_a_phrase_pair_comes_back_from_json(pair: PhrasePair) -> None:
    values = json.loads(json.dumps(pair.to_dict()))
    assert PhrasePair.from_dict(values) == PhrasePair.from_dict(values, "phrases[0]", 9, 9) == pair
    with pytest.raises(InputError, match="source': expected a half-open span, found"):
        PhrasePair.from_dict(values | {"source": [3, 3]})


@given(alignments())
def test_swapping_twice_changes_nothing_but_the_order_of_phrases(alignment: Alignment) -> None:
    once, twice = alignment.swap(), alignment.swap().swap()
    in_order = replace(twice, phrases=tuple(sorted(twice.phrases, key=repr)))
    assert contents(in_order) == contents(
        replace(alignment, phrases=tuple(sorted(alignment.phrases, key=repr)))
    )
    assert {(j, i) for i, j in once.words} == set(alignment.words)
    spans = [pair.source_node.span for pair in once.phrases]
    order = [end - start if alignment.has_derivation else end for start, end in spans]
    assert order == sorted(order)


def example() -> dict[str, Any]:
    """The example of the documentation, complete."""
    return {
        "id": "7",
        "aligner": "forest",
        "version": 1,
        "source": {
            "text": "The cat sat .",
            "tokens": ["The", "cat", "sat", "."],
            "tags": ["DT", "NN", "VBD", "."],
            "tree": "(S (NP (DT The) (NN cat)) (VP (VBD sat)) (. .))",
        },
        "target": {"text": "A cat sat", "tokens": ["A", "cat", "sat"]},
        "words": [[0, 0], [1, 1]],
        "word_probabilities": [0.99, 0.71],
        "phrases": [
            {
                "source": [0, 2],
                "target": [0, 2],
                "source_label": "NP",
                "target_label": "NP",
                "constituents": True,
                "probability": 0.93,
                "compositional": True,
            }
        ],
        "unaligned": {"source": [[3, 4]], "target": []},
        "log_probability": -41.7,
        "root_aligned": True,
    }


def test_an_alignment_is_a_page_for_a_browser() -> None:
    sentence = Sentence.from_words(["a<b"])
    page = Alignment(sentence, sentence, Links.of([(0, 0)]), id="p1").to_html()
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert "Pair p1" in page and "a&lt;b" in page


def test_an_alignment_is_shown_in_one_line_and_printed_for_people() -> None:
    sentence = Sentence.from_words(["They", "won"])
    alignment = Alignment(sentence, sentence, Links.of([(0, 0)]), id="p1")
    assert repr(alignment) == "<Alignment of 'They won' and 'They won': 1 links, 0 phrases>"
    assert repr(Alignment.failed("no")) == "<Alignment of '' and '': error 'no'>"
    title, *_, last = str(alignment).splitlines()
    assert (title, last.split()) == ("pair p1", ["words", "They–They"])


def test_the_texts_of_a_phrase_pair_are_its_words() -> None:
    source, target = (
        Sentence.from_words(["He", "died", "."]),
        Sentence.from_words(["He", "passed", "away", "."]),
    )
    pair = PhrasePair(Node(1, 2, "VP::VBD"), Node(1, 3, "VP"), 0.9)
    alignment = Alignment(source, target, phrases=(pair,))
    assert alignment.texts_of(pair) == ("died", "passed away")
    assert alignment.swap().texts_of(alignment.swap().phrases[0]) == ("passed away", "died")


def test_the_public_contract_is_written_as_it_was_read() -> None:
    assert Alignment.from_dict(example()).to_dict() == example()


def test_unknown_keys_are_ignored_and_null_means_absent() -> None:
    values = example() | {"colour": "red", "word_probabilities": None, "log_probability": None}
    values["source"]["parser"] = "en"
    read = Alignment.from_dict(values)
    assert read.words.scores is None and read.log_probability is None


def change(path: str, value: Any) -> dict[str, Any]:
    values = example()
    *above, last = path.split(".")
    inner: Any = values
    for key in above:
        inner = inner[int(key) if key.isdecimal() else key]
    inner[int(last) if last.isdecimal() else last] = value
    return values


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("version", 2, "version"),
        ("version", "1", "version"),
        ("id", 7, "id"),
        ("source", None, "source"),
        ("source", "The cat sat .", "source"),
        ("source.tokens", "The cat", "source.tokens"),
        ("source.tokens.1", 3, "source.tokens[1]"),
        ("source.tags", ["DT"], "source.tags"),
        ("source.offsets", [[0, 3]], "source.offsets"),
        ("source.offsets", [[0, 3], [4, 7], [8, 11], [12, 99]], "source.offsets[3]"),
        ("source.tokens", None, "source.tokens"),
        ("words", None, "words"),
        ("words", {"0": 0}, "words"),
        ("words.1", [1], "words[1]"),
        ("words.1", [1, 3], "words[1]"),
        ("words.1", [-1, 0], "words[1]"),
        ("words.1", [True, 0], "words[1]"),
        ("words.1", [0, 0], "words"),
        ("word_probabilities", [0.5], "word_probabilities"),
        ("word_probabilities", [0.5, "x"], "word_probabilities[1]"),
        ("word_probabilities", [0.5, 1.5], "word_probabilities[1]"),
        ("word_probabilities", [-0.5, 1], "word_probabilities[0]"),
        ("source.tree", "(((", "source.tree"),
        ("source.tree", "The cat sat .", "source.tree"),
        ("source.tree", "(S (DT The))) (NN cat)", "source.tree"),
        ("source.tree", "(S (DT The) (NN cat) (VBD sat))", "source.tree"),
        ("source.tree", "(S (DT A) (NN cat) (VBD sat) (. .))", "source.tree"),
        ("source.tree", "(NN The) (NN cat) (NN sat) (. .)", "source.tree"),
        ("target.tree", 3, "target.tree"),
        ("phrases.0", [], "phrases[0]"),
        ("phrases.0.source", [2, 2], "phrases[0].source"),
        ("phrases.0.target", [0, 4], "phrases[0].target"),
        ("phrases.0.probability", 1.5, "phrases[0].probability"),
        ("phrases.0.probability", None, "phrases[0].probability"),
        ("phrases.0.compositional", 1, "phrases[0].compositional"),
        ("phrases.0.source_head", 2, "phrases[0].source_head"),
        ("unaligned.source", [[3, 5]], "unaligned.source[0]"),
        ("log_probability", "low", "log_probability"),
        ("root_aligned", "yes", "root_aligned"),
        ("warnings", "slow", "warnings"),
        ("word_evidence", [["lemma"]], "word_evidence"),
    ],
)
def test_a_wrong_value_is_refused_with_its_field(path: str, value: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        Alignment.from_json(json.dumps(change(path, value)), file="out.jsonl", line=3)
    assert (caught.value.file, caught.value.line, caught.value.field) == ("out.jsonl", 3, field)
    assert str(caught.value).startswith(f"out.jsonl:3: field '{field}': ")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '"x"', "NaN", '{"id": NaN}', "[" * 100_000, '{"id": ' + "9" * 5000]
)
def test_what_is_not_a_json_object_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Alignment.from_json(text)


def test_numbers_that_json_cannot_hold_are_never_written() -> None:
    sentence = Sentence.from_words(["a"])
    assert Alignment(sentence, sentence, log_probability=-math.inf).to_dict()["log_probability"] is None
    with pytest.raises(InputError, match="finite"):
        Alignment(sentence, sentence, Links(((0, 0),), scores=(math.nan,))).to_json()


def test_an_index_of_thousands_of_digits_is_no_link() -> None:
    with pytest.raises(InputError, match="expected links such as 0-0"):
        Links.from_pharaoh("0-" + "9" * 5000)


def test_a_failed_pair_is_a_line_with_its_error_and_no_phrases() -> None:
    values = json.loads(Alignment.failed("in.tsv:2: no tab", id="2", aligner="forest").to_json())
    assert values["error"] == "in.tsv:2: no tab" and values["phrases"] == [] and values["id"] == "2"


@pytest.mark.parametrize(
    ("word", "leaf"),
    [("(", "-LRB-"), ("-LRB-", "-LRB-"), ("a b", "a_b"), ("1/2", "1\\/2"), ("[", "-LSB-"), ("[", "[")],
)
def test_a_tree_may_write_words_as_treebanks_do(word: str, leaf: str) -> None:
    tree = f"(ROOT (NP (NN {leaf})))"
    values = {"version": 1, "source": {"tokens": [word], "tree": tree}, "target": {"tokens": []}, "words": []}
    assert Alignment.from_dict(values).source_tree == tree


def test_forests_stay_out_of_the_json_of_an_alignment() -> None:
    words, forest = forest_from_bracket("(S (NNS Dogs) (VBP bark))")
    sentence = Sentence(tuple(map(Token, words)), forest)
    assert "forest" not in Alignment(sentence, sentence).to_dict()["source"]


def test_seen_from_the_other_side_evidence_stays_with_its_link_and_phrases_come_bottom_up() -> None:
    words = Sentence.from_words(["a", "b"])
    spans = (((0, 2), (1, 2)), ((1, 2), (0, 2)), ((0, 1), (0, 1)))
    alignment = Alignment(
        words,
        words,
        Links.of([(0, 1), (1, 0)], scores=[0.25, 0.5]),
        tuple(PhrasePair(Node(*one, "X"), Node(*two, "X"), 1.0) for one, two in spans),
        word_evidence=(("first",), ("second",)),
    )
    swapped = alignment.swap()
    assert (swapped.words.pairs, swapped.words.scores) == (((0, 1), (1, 0)), (0.5, 0.25))
    assert swapped.word_evidence == (("second",), ("first",))
    # A phrase comes after those that end before it, and after those inside of it.
    assert [pair.source_node.span for pair in swapped.phrases] == [(0, 1), (1, 2), (0, 2)]


def test_what_is_less_probable_goes_and_words_without_a_link_are_unaligned_then() -> None:
    words = Sentence.from_words(list("abcd"))
    spans = (((0, 1), (0, 1)), ((1, 3), (1, 2)), ((0, 4), (0, 4)))
    alignment = Alignment(
        words,
        words,
        Links.of(
            [(0, 0), (1, 1), (2, 1), (2, 3)], scores=[0.5, 0.49, 0.9, 0.1], sure=[True, True, False, True]
        ),
        tuple(
            PhrasePair(Node(*one, "X"), Node(*two, "X"), p)
            for (one, two), p in zip(spans, (0.5, 0.2, 0.4), strict=True)
        ),
        unaligned_source=((3, 4),),
        unaligned_target=((2, 3),),
        root_aligned=True,
        word_evidence=(("first",), ("second",), ("third",), ()),
    )
    found = alignment.above(0.5)
    assert found.words == Links.of([(0, 0), (2, 1)], scores=[0.5, 0.9], sure=[True, False])
    assert found.word_evidence == (("first",), ("third",))
    assert found.phrases == alignment.phrases[:1] and not found.root_aligned
    assert (found.unaligned_source, found.unaligned_target) == (((1, 2), (3, 4)), ((2, 4),))
    assert alignment.above(0.4).root_aligned
    without = replace(alignment, words=Links.of([(0, 0)]), word_evidence=())
    assert without.above(1).words == without.words
    for probability in (-0.1, 1.1, math.nan):
        with pytest.raises(InputError, match="'probability'"):
            alignment.above(probability)


@given(alignments())
def test_nothing_is_less_probable_than_impossible(alignment: Alignment) -> None:
    spans = {"unaligned_source": (), "unaligned_target": (), "root_aligned": False}
    alignment = replace(alignment, **spans)
    assert contents(alignment.above(0)) == contents(alignment)


@pytest.mark.parametrize("version", [0, 2])
def test_no_other_version_is_read(version: int) -> None:
    words = {"tokens": ["a"]}
    with pytest.raises(InputError, match=f"expected version 1, found {version}"):
        Alignment.from_dict({"version": version, "source": words, "target": words, "words": []})
