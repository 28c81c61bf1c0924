"""The phrases of one sentence, as arrays: the distinct spans of its forest and what the words are like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.lexicon.tables import is_content_word
from forest_align.types import InputError, ParseForest, Sentence

#: Kinds of phrases and words, from the first label of a node; the last one stands for all others.
CATEGORIES = ("noun", "verb", "clause", "preposition", "adjective", "adverb", "number", "other")
_CATEGORY_OF_LABEL = {
    **dict.fromkeys(("NP", "NX", "NML", "WHNP", "NN", "NNS", "NNP", "NNPS", "PRP", "EX", "WP"), "noun"),
    **dict.fromkeys(("VP", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"), "verb"),
    **dict.fromkeys(("S", "SBAR", "SINV", "SQ", "SBARQ", "FRAG", "PRN", "UCP", "TEXT"), "clause"),
    **dict.fromkeys(("PP", "IN", "TO", "WHPP"), "preposition"),
    **dict.fromkeys(("ADJP", "JJ", "JJR", "JJS", "PRP$", "WP$"), "adjective"),
    **dict.fromkeys(("ADVP", "RB", "RBR", "RBS", "RP", "PRT", "WRB", "WHADVP"), "adverb"),
    **dict.fromkeys(("QP", "CD", "$"), "number"),
}  # fmt: skip
#: What a phrase is as a description of something; several may hold.
FORMS = ("pronoun", "name", "definite", "indefinite", "number")
_DEFINITE = frozenset(("the", "this", "that", "these", "those"))
_INDEFINITE = frozenset(("a", "an", "some", "another"))


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSpans:
    """The distinct spans of a forest's nodes, in ascending order, and facts about them."""

    # start, end: int64, shape (S,): half-open token spans
    start: np.ndarray
    end: np.ndarray
    head: np.ndarray  # int64, shape (S,): semantic head, a token
    category: np.ndarray  # int64, shape (S,): an index of CATEGORIES
    whole: np.ndarray  # float32, shape (S,): 1 if a node of the span is a constituent, 0 if all are parts
    marginal: np.ndarray  # float32, shape (S,): probability under the parser that a tree has a node there
    forms: np.ndarray  # float32, shape (S, len(FORMS))
    # int64, shape (S,): the token that the head depends on in the best tree, -1 for the head of the root
    governor: np.ndarray
    content: np.ndarray  # float32, shape (n,): 1 for content words

    @classmethod
    def of(cls, sentence: Sentence) -> SentenceSpans:
        """Gather the spans of a sentence with a forest."""
        forest = sentence.forest
        if forest is None:
            raise InputError("expected a sentence with a parse forest, found none")
        length = len(sentence)
        keys = forest.start.astype(np.int64) * (length + 1) + forest.end
        # The most probable node of each span, whole constituents before parts, stands for all.
        order = np.lexsort((-forest.log_marginal, ~forest.is_constituent, keys))
        _, first = np.unique(keys[order], return_index=True)
        chosen = order[first]
        marginals = np.exp(np.minimum(forest.log_marginal, 0.0)).astype(np.float32)
        start, end = forest.start[chosen].astype(np.int64), forest.end[chosen].astype(np.int64)
        head = forest.head[chosen].astype(np.int64)
        categories = np.array([_category(forest.labels[node]) for node in chosen.tolist()], np.int64)
        governor = _governors(forest, length)
        content = np.array([is_content_word(token.text) for token in sentence.tokens], np.float32)
        return cls(
            start,
            end,
            head,
            categories,
            forest.is_constituent[chosen].astype(np.float32),
            np.maximum.reduceat(marginals[order], first),
            _forms(sentence, start, end, head),
            governor[head],
            content,
        )

    def over(
        self, sentence: Sentence, spans: np.ndarray, heads: np.ndarray, labels: Sequence[str]
    ) -> SentenceSpans:
        """The same facts about other spans of the sentence, which may be no nodes.

        Shapes: ``spans`` int64 (K, 2); ``heads`` int64 (K,).
        """
        start, end = spans.T
        heads = np.where((start <= heads) & (heads < end), heads, end - 1)
        words = np.arange(len(sentence))
        governor = self.governor[self.places(np.stack([words, words + 1], axis=1))]
        places = self.places(spans)
        known = places >= 0
        return SentenceSpans(
            start,
            end,
            heads,
            np.array([_category(label) for label in labels], np.int64),
            np.where(known, self.whole[places], np.float32(0.0)),
            np.where(known, self.marginal[places], np.float32(0.0)),
            _forms(sentence, start, end, heads),
            governor[heads],
            self.content,
        )

    def __len__(self) -> int:
        return len(self.start)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The spans as pairs of numbers."""
        return list(zip(self.start.tolist(), self.end.tolist(), strict=True))

    def places(self, spans: np.ndarray) -> np.ndarray:
        """Places of spans of shape (K, 2), int64 (K,); -1 for those of no node."""
        known = {span: place for place, span in enumerate(self.spans)}
        return np.array([known.get((start, end), -1) for start, end in spans.tolist()], np.int64)


def _category(label: str) -> int:
    name = label.split("::")[0].rstrip("'")
    return CATEGORIES.index(_CATEGORY_OF_LABEL.get(name, "other"))


def _governors(forest: ParseForest, length: int) -> np.ndarray:
    """The token that each token depends on in the best tree, int64 (n,); -1 for the root's head."""
    governor = np.full(length, -1, np.int64)
    best, edges, head = forest.best_edge.tolist(), forest.edges.tolist(), forest.head.tolist()
    for node in forest.best_nodes():
        if best[node] >= 0:
            for child in edges[best[node]][1:]:
                if head[child] != head[node]:
                    governor[head[child]] = head[node]
    return governor


def _forms(sentence: Sentence, start: np.ndarray, end: np.ndarray, head: np.ndarray) -> np.ndarray:
    tags, words = sentence.tags, [word.lower() for word in sentence.words]
    first = start.tolist()
    is_pronoun = [tags[h] in ("PRP", "WP", "WDT", "EX") or words[h] in _DEFINITE for h in head.tolist()]
    forms = np.zeros((len(start), len(FORMS)), np.float32)
    forms[:, 0] = is_pronoun
    forms[:, 1] = [tags[h].startswith("NNP") for h in head.tolist()]
    forms[:, 2] = [words[i] in _DEFINITE or tags[i] == "PRP$" for i in first]
    forms[:, 3] = [words[i] in _INDEFINITE for i in first]
    numbers = np.concatenate([[0], np.cumsum([tag in ("CD", "$") for tag in tags])])
    forms[:, 4] = numbers[end] > numbers[start]
    return forms
