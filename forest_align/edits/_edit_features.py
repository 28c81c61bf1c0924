"""What tells whether people would mark a span of changes as one edit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import product

from forest_align.alignment import MOST_SIMILAR, Alignment, Span
from forest_align.edits._edit_lattice import DELETED, INSERTED, KEPT, REPLACED, Arc
from forest_align.edits._edit_units import EditUnits, Unit, is_placeholder
from forest_align.lexicon.tables import is_punctuation
from forest_align.types.brackets import parse_bracket

_PUNCTUATION, _PLACEHOLDER = "punctuation", "placeholder"
# Beginnings of Penn tags.
_CLASSES = {
    **{"NN": "noun", "VB": "verb", "MD": "verb", "JJ": "adjective", "RB": "adverb", "IN": "preposition"},
    **{"TO": "preposition", "DT": "determiner", "PRP": "determiner", "EX": "determiner"},
    **{"CC": "conjunction", "W": "wh-word", "CD": "number"},
}
_FUNCTION = frozenset((_PUNCTUATION, "determiner", "preposition", "conjunction"))
_CONTENT = frozenset(("noun", "verb", "adjective"))
# Longer texts are not compared letter by letter.
_COMPARED = 80
_TYPES = {(True, True): "replace", (True, False): "delete", (False, True): "insert"}


def _word_kind(word: str, tag: str) -> str:
    """The kind of a word: punctuation, placeholder, or its word class."""
    if is_placeholder(word):
        return _PLACEHOLDER
    if is_punctuation(word):
        return _PUNCTUATION
    return next((name for start, name in _CLASSES.items() if tag.startswith(start)), "other")


class EditFeatures:
    """Computes the features of the possible edits of one alignment, whose tags and trees may be missing."""

    def __init__(self, alignment: Alignment, units: EditUnits) -> None:
        self._words = alignment.source.words, alignment.target.words
        self._kinds = tuple(
            [_word_kind(word, tag) for word, tag in zip(side.words, side.tags, strict=True)]
            for side in (alignment.source, alignment.target)
        )
        self._constituents = _spans_of(alignment.source_tree), _spans_of(alignment.target_tree)
        # The model learned from pairs of nodes.
        self._phrases = {
            (pair.source_node.span, pair.target_node.span): pair
            for pair in alignment.phrases
            if not pair.is_rule
        }
        words = alignment.words
        self._scores = dict(zip(words.pairs, words.scores or (1.0,) * len(words), strict=True))
        self._state: tuple[dict[int, str], dict[int, str]] = ({}, {})
        self._faced: tuple[set[int], set[int]] = (set(), set())
        for element in units.sequence:
            if isinstance(element, Unit):
                name = KEPT if element.kept else REPLACED
                for side, span in enumerate((element.source, element.target)):
                    self._state[side].update(dict.fromkeys(range(*span), name))
                continue
            for side, (name, spans) in enumerate(((DELETED, element.deleted), (INSERTED, element.inserted))):
                inside = [k for span in spans for k in range(*span)]
                self._state[side].update(dict.fromkeys(inside, name))
                if element.deleted and element.inserted:
                    self._faced[side].update(inside)

    def of(self, arc: Arc) -> dict[str, float]:
        """The features of one possible edit, by name; the missing ones are 0."""
        features: dict[str, float] = {}
        sides = arc.source, arc.target
        kinds = [[] if span is None else self._kinds[side][slice(*span)] for side, span in enumerate(sides)]
        kind = _TYPES[bool(arc.source), bool(arc.target)]
        self._add_composition(features, arc, kind)
        if arc.source is not None and arc.target is not None:
            self._add_replacement(features, arc, kinds)
        else:
            _add_one_sided(features, kind, kinds[0] or kinds[1])
            side, span = (0, arc.source) if arc.source is not None else (1, arc.target)
            assert span is not None
            features[f"{kind}: faces words"] = float(not self._faced[side].isdisjoint(range(*span)))
        for side, span in enumerate(sides):
            if span is not None:
                self._add_side(features, kind, "st"[side], kinds[side], span in self._constituents[side])
        self._add_neighbours(features, arc, kind, kinds)
        return features

    def _add_composition(self, features: dict[str, float], arc: Arc, kind: str) -> None:
        pieces = Counter(piece.kind for piece in arc.pieces)
        replaced, kept = pieces[REPLACED], pieces[KEPT]
        features[kind] = 1.0
        features[f"{kind}: {min(replaced, 3)} replaced"] = 1.0
        features[f"{min(kept, 4)} kept"] = 1.0
        features["pieces"] = math.log(len(arc.pieces))
        if kept:
            inside = [self._kinds[0][p.source[0]] for p in arc.pieces if p.kind == KEPT and p.source]
            features["kept function words"] = sum(kind in _FUNCTION for kind in inside) / kept
            features["kept content words"] = float(any(kind in _CONTENT for kind in inside))
            if kept == 1:
                features[f"kept {inside[0]}"] = 1.0
        parts = "+".join(name for name in (DELETED, INSERTED, REPLACED) if pieces[name])
        features[f"{kind}: {parts}"] = 1.0
        if pieces[DELETED] and pieces[INSERTED]:
            features["deleted and inserted"] = math.log(pieces[DELETED] * pieces[INSERTED])
        weakest = []
        for piece in arc.pieces:
            if piece.kind == REPLACED and piece.source and piece.target:
                links = product(range(*piece.source), range(*piece.target))
                weakest.append(
                    min((self._scores[link] for link in links if link in self._scores), default=0.5)
                )
        if weakest:
            features["weakest link"] = min(weakest)
            features["weak link"] = float(min(weakest) < 0.7)

    def _add_replacement(self, features: dict[str, float], arc: Arc, kinds: Sequence[Sequence[str]]) -> None:
        assert arc.source is not None and arc.target is not None
        ours, theirs = self._words[0][slice(*arc.source)], self._words[1][slice(*arc.target)]
        length, other = math.log(len(ours)), math.log(len(theirs))
        features |= {
            "source length": length,
            "target length": other,
            "length difference": abs(length - other),
        }
        one, two = "".join(ours).lower(), "".join(theirs).lower()
        ratio = 0.3
        if len(one) + len(two) < _COMPARED:
            ratio = SequenceMatcher(None, one, two, autojunk=False).ratio()
        features["letters"] = ratio
        features["equal letters"] = float(one == two)
        features["equal without punctuation"] = float("" != _plain(one) == _plain(two))
        features["initials"] = float(_is_initials(ours, two) or _is_initials(theirs, one))
        features["equal word at an end"] = float(ours[0] == theirs[0] or ours[-1] == theirs[-1])
        ends = f"{kinds[0][-1]} {kinds[1][-1]}"
        present = {piece.kind for piece in arc.pieces}
        if present <= {DELETED, INSERTED}:
            features |= {
                "unlinked": 1.0,
                "unlinked length": length + other,
                "unlinked length difference": abs(length - other),
                f"unlinked: {ends}": 1.0,
                "unlinked: equal last kind": float(kinds[0][-1] == kinds[1][-1]),
                "unlinked: equal first kind": float(kinds[0][0] == kinds[1][0]),
                "unlinked: equal kinds": float(kinds[0] == kinds[1]),
                "unlinked: punctuation": float({*kinds[0], *kinds[1]} <= {_PUNCTUATION, _PLACEHOLDER}),
                "unlinked: punctuation and words": float(
                    ({*kinds[0]} == {_PUNCTUATION}) != ({*kinds[1]} == {_PUNCTUATION})
                ),
                "unlinked: two words": float(len(ours) == 1 == len(theirs)),
            }
        elif len(arc.pieces) == 1:
            features |= {"one unit": 1.0, "one unit: letters": ratio, f"one unit: {ends}": 1.0}
        both = (arc.source in self._constituents[0]) + (arc.target in self._constituents[1])
        features[f"{both} constituents"] = 1.0
        pair = self._phrases.get((arc.source, arc.target))
        if pair is not None:
            features |= {"phrase pair": 1.0, "phrase probability": pair.probability}
            if pair.relation is not None:
                features[pair.relation.name] = 1.0
                features |= dict.fromkeys(pair.relation.changes, 1.0)
            if pair.similarity is not None:
                features["similarity"] = pair.similarity / MOST_SIMILAR

    @staticmethod
    def _add_side(
        features: dict[str, float], kind: str, side: str, kinds: Sequence[str], constituent: bool
    ) -> None:
        first, last = kinds[0], kinds[-1]
        for name in (f"begins {first}", f"ends {last}", f"{kind} begins {first}", f"{kind} ends {last}"):
            features[f"{side} {name}"] = 1.0
        if len(kinds) == 1:
            features[f"{side} {kind} one {first}"] = 1.0
        features[f"{side} {kind} constituent"] = float(constituent)

    def _add_neighbours(
        self, features: dict[str, float], arc: Arc, kind: str, kinds: Sequence[Sequence[str]]
    ) -> None:
        alone = True
        for name, end in (("before", 0), ("after", -1)):
            states = []
            for side, span in enumerate((arc.source, arc.target)):
                if span is None:
                    states.append("-")
                    continue
                place = span[0] - 1 if end == 0 else span[1]
                state = self._state[side].get(place, "end")
                states.append(state)
                if state in (DELETED, INSERTED, REPLACED):
                    alone = False
                    neighbour = self._kinds[side][place]
                    features[f"{name} {side} {state} {neighbour}"] = 1.0
                    features[f"{name} {side} {state} {neighbour}, own {kinds[side][end]}"] = 1.0
            both = " ".join(states)
            features[f"{name} {both}"] = 1.0
            features[f"{kind} {name} {both}"] = 1.0
            features[f"{arc.pieces[end].kind} {name} {both}"] = 1.0
        features["alone"] = features[f"{kind} alone"] = float(alone)


def _add_one_sided(features: dict[str, float], kind: str, kinds: Sequence[str]) -> None:
    features[f"{kind} length"] = math.log1p(len(kinds))
    features[f"{kind} one word"] = float(len(kinds) == 1)
    if len(kinds) > 1:
        begins, ends = (kinds[k] == _PUNCTUATION for k in (0, -1))
        features[f"{kind}: punctuation first"] = float(begins)
        features[f"{kind}: punctuation last"] = float(ends)
        features[f"{kind}: punctuation around"] = float(begins and ends)
        features[f"{kind}: punctuation"] = float(list(kinds).count(_PUNCTUATION))


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _is_initials(words: Sequence[str], short: str) -> bool:
    return len(words) > 1 and "".join(word[0] for word in words).lower() == short


def _spans_of(tree: str) -> set[Span]:
    """The spans of the constituents of a tree in Penn brackets; empty if there is none."""
    spans: set[Span] = set()
    if not tree:
        return spans
    open_nodes = [(iter(parse_bracket(tree)), 0)]
    passed = 0  # words
    while open_nodes:
        children, start = open_nodes[-1]
        for child in children:
            if not isinstance(child, str):
                open_nodes.append((iter(child), passed))
                break
            passed += 1
        else:
            spans.add((start, passed))
            open_nodes.pop()
    return spans
