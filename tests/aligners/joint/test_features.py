"""Features of longer phrases and of deletions of the joint aligner, against a computation word by word."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from forest_align.aligners.contextual.features import related_word_features
from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.joint._phrase_edits import PHRASE_FEATURES
from forest_align.aligners.joint.edit_table import arcs_of
from forest_align.aligners.joint.features import DELETION_FEATURES, PairEdits, pair_edits
from forest_align.aligners.span_nodes import constituents_of
from forest_align.lexicon.lexicon import Evidence, load_lexicon
from forest_align.types import Sentence

from .joint_sentences import sentence

ONE = "the old man he bought a car in London ."
TWO = "in London , he bought the old old car a man sold"
CONTENT, PUNCTUATION = 0, 2


@dataclass
class Words:
    """What is known of two sentences, word by word."""

    sentences: tuple[Sentence, Sentence]
    cosine: list[list[float]]
    centred: list[list[float]]
    same: list[list[bool]]
    kinds: tuple[list[int], list[int]]


@pytest.fixture(scope="module")
def case() -> tuple[Words, PairEdits]:
    one, two = sentence(ONE), sentence(TWO)
    assert one.vectors is not None and two.vectors is not None
    # Some words look alike, so that there are phrases of all sizes.
    mixed = 0.5 * two.vectors + one.vectors.mean(axis=0)
    two = replace(two, vectors=(mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32))
    assert two.vectors is not None
    every = [row.tolist() for row in (*one.vectors, *two.vectors)]
    mean = [sum(row[k] for row in every) / len(every) for k in range(len(every[0]))]
    less = [[value - middle for value, middle in zip(row, mean, strict=True)] for row in every]
    n, evidence = len(one), pair_evidence(one, two, load_lexicon())
    words = Words(
        (one, two),
        [[cosine_of(a, b) for b in every[n:]] for a in every[:n]],
        [[cosine_of(a, b) for b in less[n:]] for a in less[:n]],
        [[bool(cell & (Evidence.IDENTICAL | Evidence.LEMMA)) for cell in row] for row in evidence.tolist()],
        (related_word_features(one)[0].tolist(), related_word_features(two)[0].tolist()),
    )
    return words, pair_edits(one, two, load_lexicon(), longest=4, arcs=True)


def cosine_of(one: list[float], other: list[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))


def head_of(text: Sentence, words: range) -> int:
    governors = {arc.dependent: arc.governor for arc in arcs_of(text)}
    return next((k for k in words if k in governors and governors[k] not in words), words[0])


def expected_of(known: Words, rows: range, columns: range) -> dict[str, float]:
    """Features of a pair of phrases, by name."""
    one, two = known.sentences
    a, b = len(rows), len(columns)
    shorter, longer = sorted((a, b))
    best = [max(known.cosine[i][j] for j in columns) for i in rows]
    best += [max(known.cosine[i][j] for i in rows) for j in columns]
    overall = [max(known.cosine[i]) for i in rows] + [max(row[j] for row in known.cosine) for j in columns]
    best_inside = (sum(best[:a]) / a + sum(best[a:]) / b) / 2
    assert one.vectors is not None and two.vectors is not None
    whole = cosine_of(
        one.vectors[rows.start : rows.stop].sum(axis=0).tolist(),
        two.vectors[columns.start : columns.stop].sum(axis=0).tolist(),
    )
    heads = head_of(one, rows), head_of(two, columns)
    forwards = sum(known.same[rows[k]][columns[k]] for k in range(shorter))
    backwards = sum(known.same[rows[-1 - k]][columns[-1 - k]] for k in range(shorter))
    there = min(
        sum(any(known.same[i][j] for j in columns) for i in rows),
        sum(any(known.same[i][j] for i in rows) for j in columns),
    )
    in_order = min(max(forwards, backwards), there)
    constituents = (
        (rows.start, rows.stop) in set(constituents_of(one)),
        ((columns.start, columns.stop) in set(constituents_of(two))),
    )
    contents = sorted(
        (
            sum(known.kinds[0][i] == CONTENT for i in rows),
            sum(known.kinds[1][j] == CONTENT for j in columns),
        )
    )
    marks = [known.kinds[0][i] == PUNCTUATION for i in rows]
    marks += [known.kinds[1][j] == PUNCTUATION for j in columns]
    sizes = {
        f"{x} and {y} words": float((shorter, longer) == (x, y))
        for x, y in ((1, 2), (1, 3), (2, 2), (2, 3), (3, 3))
    }
    values = sizes | {
        "best inside: cosine": best_inside,
        "a pair of phrases": 1,
        "longer phrases": longer > 3,
        "number of words": (a + b) / 4,
        "difference in words": abs(a - b) / 2,
        "both constituents": all(constituents),
        "one constituent": sum(constituents) == 1,
        "cosine of phrases": whole,
        "cosine of phrases over 0.4": max(whole - 0.4, 0),
        "cosine of phrases less best inside": whole - best_inside,
        "least cosine of a word inside": min(best),
        "nearer words outside": sum(overall) / (a + b) - sum(best) / (a + b),
        "cosine of heads": known.cosine[heads[0]][heads[1]],
        "centred cosine of heads": known.centred[heads[0]][heads[1]],
        "words equal in order": in_order / shorter,
        "words equal elsewhere": (there - in_order) / shorter,
        "difference in content words": (contents[1] - contents[0]) / 2,
        "one content word each": contents == [1, 1],
        "no content word in one phrase": contents[0] == 0 < contents[1],
        "no content word in either": contents == [0, 0],
        "punctuation inside": any(marks),
    }
    return {name: float(value) for name, value in values.items()}


def test_features_of_phrases_are_those_of_their_words(case: tuple[Words, PairEdits]) -> None:
    known, edits = case
    count = len(edits.word_features)
    met: set[str] = set()
    for row, (s, e, t, f) in zip(edits.phrase_features, edits.spans[count:].tolist(), strict=True):
        wanted = expected_of(known, range(s, e), range(t, f))
        found = {name: float(row[PHRASE_FEATURES.index(name)]) for name in wanted}
        assert found == pytest.approx(wanted, abs=1e-4), (s, e, t, f)
        met |= {name for name, value in wanted.items() if value}
    assert met == set(wanted)


@pytest.mark.parametrize("side", [0, 1])
def test_features_of_deletions_are_those_of_the_word(case: tuple[Words, PairEdits], side: int) -> None:
    known, edits = case
    text, other = known.sentences[side], known.sentences[1 - side]
    for place, row in enumerate(edits.deletions[side]):
        cosines = known.cosine[place] if side == 0 else [line[place] for line in known.cosine]
        equal = known.same[place] if side == 0 else [line[place] for line in known.same]
        kind = ("content word", "function word", "punctuation")[known.kinds[side][place]]
        wanted = {
            kind: 1.0,
            f"{kind}, cosine of the nearest word": max(cosines),
            f"{kind}, that over 0.4": max(max(cosines) - 0.4, 0),
            f"{kind}, the same word is there": float(any(equal)),
            f"{kind}, relative length": math.log(len(text) / len(other)),
        }
        tag = text.tags[place]
        # VBD counts as VB, but NNS and NNP are tags of their own.
        if tag not in (".", ","):
            wanted[f"tagged {'VB' if tag == 'VBD' else tag}"] = 1.0
        wanted |= {"first word": float(place == 0), "last word": float(place == len(text) - 1)}
        every = {name: wanted.get(name, 0.0) for name in DELETION_FEATURES}
        assert dict(zip(DELETION_FEATURES, row.tolist(), strict=True)) == pytest.approx(every, abs=1e-4)
