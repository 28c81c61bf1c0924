"""The reason of an edit: what kind of change it is."""

from __future__ import annotations

from collections.abc import Sequence

from forest_align.alignment import CHANGE_NAMES, RELATION_NAMES, Alignment, Span
from forest_align.edits.edit_lattice import REPLACED, Arc
from forest_align.edits.edit_units import is_placeholder, is_punctuation
from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.kinds import Evidence
from forest_align.lexicon.lexicon import WordProfile, load_lexicon
from forest_align.lexicon.word_changes import word_change
from forest_align.lexicon.wordnet_relations import wordnet_relations
from forest_align.types import Sentence

CAPITALS, PUNCTUATION, PLACEHOLDER = "capitals", "punctuation", "placeholder"
FUNCTION_WORD, SYNONYM, CONTENT = "function word", "synonym", "content"

#: Names of reasons: changes of form and the relations of
#: :data:`~forest_align.alignment.CHANGE_NAMES` and :data:`~forest_align.alignment.RELATION_NAMES` among them.
#: *Content* is what no other name explains.
EDIT_REASONS = (
    CAPITALS,
    PUNCTUATION,
    PLACEHOLDER,
    *CHANGE_NAMES,
    FUNCTION_WORD,
    SYNONYM,
    *RELATION_NAMES,
    CONTENT,
)
_SAME_MEANING = int(Evidence.SYNONYM | Evidence.PPDB)


class EditReasons:
    """Finds the reasons of the edits of one alignment.

    Parameters
    ----------
    alignment : Alignment
        The relations of its phrase pairs are used where it has them.
    """

    def __init__(self, alignment: Alignment) -> None:
        self._sentences = alignment.source, alignment.target
        self._lexicon = load_lexicon()
        self._profiles = tuple(self._lexicon.profiles(side) for side in self._sentences)
        self._relations = {
            (pair.source_node.span, pair.target_node.span): pair.relation
            for pair in alignment.phrases
            if pair.relation is not None
        }

    def of(self, arc: Arc) -> str:
        """The reason of an edit, one of :data:`EDIT_REASONS`."""
        words = [
            [] if span is None else list(sentence.words[slice(*span)])
            for sentence, span in zip(self._sentences, (arc.source, arc.target), strict=True)
        ]
        changed = [*words[0], *words[1]]
        if all(map(is_punctuation, changed)):
            return PUNCTUATION
        if all(is_placeholder(word) or is_punctuation(word) for word in changed):
            return PLACEHOLDER
        if arc.source is not None and arc.target is not None:
            return self._of_replacement(arc, arc.source, arc.target, words)
        profiles = [*self._words(0, arc.source), *self._words(1, arc.target)]
        return FUNCTION_WORD if all(one.is_function for one in profiles) else CONTENT

    def _words(self, side: int, span: Span | None) -> Sequence[WordProfile]:
        return () if span is None else self._profiles[side][slice(*span)]

    def _of_replacement(self, arc: Arc, source: Span, target: Span, words: Sequence[Sequence[str]]) -> str:
        one, two = (" ".join(side) for side in words)
        if one.lower() == two.lower():
            return CAPITALS
        if "" != _plain(one) == _plain(two):
            return "spelling"
        relation = self._relations.get((source, target))
        if relation is not None and relation.changes:
            return relation.changes[0]
        units = [(piece.source, piece.target) for piece in arc.pieces if piece.kind == REPLACED]
        if len(units) == 1 and (name := self._of_words(*units[0])):
            return name
        if relation is not None:
            return relation.name
        profiles = self._words(0, source), self._words(1, target)
        if all(profile.is_function for side in profiles for profile in side):
            return FUNCTION_WORD
        numbers = [any(any(map(str.isdigit, word)) for word in side) for side in words]
        return "number" if all(numbers) else CONTENT

    def _of_words(self, source: Span | None, target: Span | None) -> str:
        """The reason why one word stands for another; empty if the lexicon does not know it."""
        if source is None or target is None or source[1] - source[0] != 1 or target[1] - target[0] != 1:
            return ""
        one, two = self._words(0, source)[0], self._words(1, target)[0]
        if one.is_function and two.is_function:
            return ""
        if name := word_change(one, two):
            return name
        if word_relations(one, two) & _SAME_MEANING:
            return SYNONYM
        ours, theirs = (
            Sentence((sentence.tokens[span[0]],))
            for sentence, span in zip(self._sentences, (source, target), strict=True)
        )
        general, special, *_ = wordnet_relations(ours, theirs, self._lexicon)[:, 0, 0]
        if general or special:
            return "more general" if general >= special else "more specific"
        return ""


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()
