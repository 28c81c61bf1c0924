"""Alignments of any content that JSON can hold, for property tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from forest_align.alignment import (
    CHANGE_NAMES,
    RELATION_NAMES,
    Alignment,
    Links,
    PhrasePair,
    PhraseRelation,
)
from forest_align.types import Node, Sentence, Token
from forest_align.types.brackets import escape_word

probabilities = st.floats(0, 1)
# Controls and halves of surrogate pairs too; of these only first halves, because two that meet become one.
characters = st.characters(max_codepoint=0xDBFF) | st.characters(min_codepoint=0xE000)
texts = st.text(characters, max_size=8)
relations = st.none() | st.builds(
    PhraseRelation,
    st.sampled_from(RELATION_NAMES),
    probabilities,
    st.lists(st.sampled_from(CHANGE_NAMES), unique=True, max_size=3).map(tuple),
)
similarities = st.none() | st.floats(0, 5)


@st.composite
def phrase_pairs(draw: st.DrawFn, source: int, target: int) -> PhrasePair:
    return PhrasePair(
        draw(nodes(source)),
        draw(nodes(target)),
        draw(probabilities),
        draw(st.booleans()),
        draw(relations),
        draw(similarities),
    )


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
    best = draw(alignments_of(draw(sentences()), draw(sentences())))
    names = {"id": best.id, "aligner": best.aligner}
    others = draw(st.lists(alignments_of(best.source, best.target), max_size=2))
    return replace(best, alternatives=tuple(replace(one, **names) for one in others))


@st.composite
def alignments_of(draw: st.DrawFn, source: Sentence, target: Sentence) -> Alignment:
    trees = [draw(st.sampled_from(["", flat_tree(side)])) for side in (source, target)]
    words = draw(links(len(source), len(target)))
    pair = phrase_pairs(len(source), len(target))
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
        outside=tuple(pair for pair in words if draw(st.booleans())),
        made_by=draw(st.sampled_from([{}, {"version": "0.1.0"}, {"model": "mine", "digest": "0a"}])),
        paraphrase_probability=draw(st.none() | probabilities),
    )


def contents(alignment: Alignment) -> tuple[Any, ...]:
    """Everything of an alignment that can be compared; sentences compare by identity."""
    values = {name: getattr(alignment, name) for name in alignment.__dataclass_fields__}
    values["alternatives"] = tuple(map(contents, alignment.alternatives))
    return tuple(
        (value.tokens, value.text) if isinstance(value, Sentence) else value for value in values.values()
    )
