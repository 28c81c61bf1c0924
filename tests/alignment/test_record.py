"""The record of an alignment as JSON: what is written, read and refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.types import InputError, Node, Sentence

from .random_alignments import alignments, contents


@given(alignments())
def test_json_gives_back_everything_that_was_written(alignment: Alignment) -> None:
    line = alignment.to_json()
    assert "\n" not in line
    line.encode("utf-8")
    assert contents(Alignment.from_json(line)) == contents(alignment)


def example() -> dict[str, Any]:
    """The example of the documentation, complete."""
    return {
        "id": "7",
        "aligner": "forest",
        "version": 1,
        "made_by": {"version": "0.1.0", "model": "forest", "digest": "0123456789abcdef"},
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
                **{"source": [0, 2], "target": [0, 2], "source_label": "NP", "target_label": "NP"},
                **{"constituents": True, "probability": 0.93, "compositional": True},
                **{"relation": "equivalent", "relation_probability": 0.93, "changes": ["inflection"]},
                "similarity": 4.7,
            }
        ],
        "unaligned": {"source": [[3, 4]], "target": []},
        "log_probability": -41.7,
        "root_aligned": True,
        "paraphrase_probability": 0.84,
    }


def test_the_public_contract_is_written_as_it_was_read() -> None:
    assert Alignment.from_dict(example()).to_dict() == example()


def test_alternatives_are_written_without_the_sentences() -> None:
    best = Alignment.from_dict(example())
    changes = {"words": [[0, 0]], "outside": [[0, 0]], "word_probabilities": [0.9]}
    other = Alignment.from_dict(example() | changes)
    values = replace(best, alternatives=(other,)).to_dict()
    (alternative,) = values.pop("alternatives")
    assert values == example()
    assert not alternative.keys() & {"id", "aligner", "version", "source", "target", "alternatives"}
    assert alternative["source_tree"] == example()["source"]["tree"] and "target_tree" not in alternative
    assert alternative["words"] == alternative["outside"] == [[0, 0]]


def test_unknown_keys_are_ignored_and_null_means_absent() -> None:
    values = example() | {"colour": "red", "word_probabilities": None, "log_probability": None}
    values["source"]["parser"] = "en"
    values["made_by"]["host"] = "here"
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
        ("words.1", [-1, 0], "words[1][0]"),
        ("words.1", [True, 0], "words[1][0]"),
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
        ("phrases.0.relation", "the same", "phrases[0].relation"),
        ("phrases.0.relation", 1, "phrases[0].relation"),
        ("phrases.0.relation", None, "phrases[0].relation"),
        ("phrases.0.relation_evidence", [{"rule": "negation"}], "phrases[0].relation_evidence[0].relation"),
        ("phrases.0.relation_probability", 1.5, "phrases[0].relation_probability"),
        ("phrases.0.changes", "inflection", "phrases[0].changes"),
        ("phrases.0.changes", ["inflection", "mood"], "phrases[0].changes[1]"),
        ("phrases.0.similarity", 5.1, "phrases[0].similarity"),
        ("phrases.0.similarity", -1, "phrases[0].similarity"),
        ("phrases.0.similarity", "high", "phrases[0].similarity"),
        ("paraphrase_probability", 1.1, "paraphrase_probability"),
        ("paraphrase_probability", "yes", "paraphrase_probability"),
        ("unaligned.source", [[3, 5]], "unaligned.source[0]"),
        ("log_probability", "low", "log_probability"),
        ("root_aligned", "yes", "root_aligned"),
        ("warnings", "slow", "warnings"),
        ("made_by", "forest-align", "made_by"),
        ("made_by.digest", 7, "made_by.digest"),
        ("word_evidence", [["lemma"]], "word_evidence"),
        ("outside", [[0, 1]], "outside[0]"),
        ("outside", [[0, 0], [1]], "outside[1]"),
        ("outside", "0-0", "outside"),
        ("alternatives", {}, "alternatives"),
        ("alternatives", ["x"], "alternatives[0]"),
        ("alternatives", [{"words": []}, {}], "alternatives[1].words"),
        ("alternatives", [{"words": [[0, 0]], "outside": [[1, 1]]}], "alternatives[0].outside[0]"),
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
    whole, pair = Alignment(*[Sentence.from_words(["a"])] * 2), PhrasePair(*[Node(0, 1, "")] * 2, 1.0)
    assert replace(whole, log_probability=-math.inf).to_dict()["log_probability"] is None
    for wrong, field in (
        (replace(whole, words=Links(((0, 0),), scores=(math.nan,))), "word_probabilities"),
        (replace(whole, paraphrase_probability=math.nan), "paraphrase_probability"),
        (replace(pair, similarity=math.inf), r"phrases\.similarity"),
        (replace(pair, relation=PhraseRelation("similar", math.nan)), r"phrases\.relation_probability"),
    ):
        with pytest.raises(InputError, match=f"{field}': expected a finite"):
            wrong.to_dict()


@pytest.mark.parametrize("version", [0, 2])
def test_no_other_version_is_read(version: int) -> None:
    with pytest.raises(InputError, match=f"expected version 1, found {version}"):
        Alignment.from_dict(example() | {"version": version})
