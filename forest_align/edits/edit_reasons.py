"""The reason of an edit: what kind of change it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from unicodedata import category

from forest_align.alignment import CHANGE_NAMES, RELATION_NAMES, Alignment, Span
from forest_align.edits.edit_lattice import REPLACED, Arc
from forest_align.edits.edit_units import is_placeholder
from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.lexicon import Evidence, WordProfile, load_lexicon
from forest_align.lexicon.oppositions import Opposition, opposition, oppositions
from forest_align.lexicon.quantities import QuantityComparison, compare_values, read_quantities
from forest_align.lexicon.tables import is_content_word, is_punctuation, negating_words
from forest_align.lexicon.wordnet_relations import wordnet_relations
from forest_align.lexicon.written_forms import is_misspelling, word_change
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
# Function words that are forms of one word, and have lemmas of their own.
_FORMS = ({"a", "an"}, {"this", "these"}, {"that", "those"})
_SAME_MEANING = int(Evidence.SYNONYM | Evidence.PPDB)


class EditReasons:
    """Finds the reasons of the edits of one alignment; relations of its phrase pairs may be missing."""

    def __init__(self, alignment: Alignment) -> None:
        self._sentences = alignment.source, alignment.target
        self._lexicon = load_lexicon()
        self._profiles = tuple(self._lexicon.profiles(side) for side in self._sentences)
        self._tags = tuple(side.tags if any(side.tags) else () for side in self._sentences)
        self._counted = tuple(
            {word for one in read_quantities(side.words, tags) for word in range(one.start, one.end)}
            for side, tags in zip(self._sentences, self._tags, strict=True)
        )
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
        if all(is_punctuation(word) and not _is_currency(word) for word in changed):
            return PUNCTUATION
        if all(is_placeholder(word) or (is_punctuation(word) and not _is_currency(word)) for word in changed):
            return PLACEHOLDER
        if arc.source is not None and arc.target is not None:
            return self._of_replacement(arc, arc.source, arc.target, words)
        profiles = [*self._words(0, arc.source), *self._words(1, arc.target)]
        negating = _negating(profiles)
        if len(negating) % 2 and not _content_lemmas(profiles, negating):
            return "opposite"
        return FUNCTION_WORD if not negating and all(map(_is_function, profiles)) else CONTENT

    def _words(self, side: int, span: Span | None) -> Sequence[WordProfile]:
        return () if span is None else self._profiles[side][slice(*span)]

    def _of_replacement(self, arc: Arc, source: Span, target: Span, words: Sequence[Sequence[str]]) -> str:
        one, two = (" ".join(side) for side in words)
        if one.lower() == two.lower():
            return CAPITALS
        ours, theirs = self._words(0, source), self._words(1, target)
        if name := self._of_quantities(source, target) or self._of_polarity(ours, theirs):
            return name
        if "" != _plain(one) == _plain(two):
            return "spelling"
        if name := self._of_misspellings(ours, theirs):
            return name
        relation = self._relations.get((source, target))
        if not self._adds_content(arc):
            # Quantities have been compared above.
            changes = [name for name in relation.changes if name != "number"] if relation is not None else []
            if changes:
                return changes[0]
            units = [(piece.source, piece.target) for piece in arc.pieces if piece.kind == REPLACED]
            if len(units) == 1 and (name := self._of_words(*units[0])):
                return name
        if relation is not None:
            return relation.name
        return FUNCTION_WORD if all(map(_is_function, [*ours, *theirs])) else CONTENT

    def _adds_content(self, arc: Arc) -> bool:
        """Whether content words come or go beside words that are replaced."""
        if all(piece.kind != REPLACED for piece in arc.pieces):
            return False
        return any(
            not _is_function(word)
            for piece in arc.pieces
            if piece.source is None or piece.target is None
            for word in (*self._words(0, piece.source), *self._words(1, piece.target))
        )

    def _of_quantities(self, source: Span, target: Span) -> str:
        """*Number* if quantities differ, *format* if they are equal and nothing else changed; or empty."""
        one, two = (side.words for side in self._sentences)
        found = compare_values(one, two, source, target, *self._tags)
        if found in (QuantityComparison.OTHER, QuantityComparison.OTHER_UNIT):
            return "number"
        rest = [
            {
                profile.lemma
                for number, profile in enumerate(self._words(side, span), span[0])
                if not _is_function(profile) and number not in self._counted[side]
            }
            for side, span in enumerate((source, target))
        ]
        return "format" if found is QuantityComparison.EQUAL and rest[0] == rest[1] else ""

    @staticmethod
    def _of_polarity(ours: Sequence[WordProfile], theirs: Sequence[WordProfile]) -> str:
        """*Opposite* if only one side is negated and both have the same content words; otherwise content."""
        negating = _negating(ours), _negating(theirs)
        if (len(negating[0]) - len(negating[1])) % 2 == 0:
            return ""
        one, two = map(_content_lemmas, (ours, theirs), negating)
        if (oppositions(sorted(one - two), sorted(two - one)) & Opposition.ANTONYM).any():
            return ""  # not happy, unhappy
        return "opposite" if one <= two or two <= one else CONTENT

    def _of_misspellings(self, ours: Sequence[WordProfile], theirs: Sequence[WordProfile]) -> str:
        """*Spelling* if a word is misspelled, and all others are the same or other forms."""
        if len(ours) != len(theirs):
            return ""
        names = set()
        for one, two in zip(ours, theirs, strict=True):
            if one.lower != two.lower:
                is_wrong = is_misspelling(one, two, self._lexicon)
                names.add("spelling" if is_wrong else word_change(one, two))
        return "spelling" if "spelling" in names and names <= {"spelling", "inflection"} else ""

    def _of_words(self, source: Span | None, target: Span | None) -> str:
        """The reason why one word stands for another; empty if the lexicon does not know it."""
        if source is None or target is None or source[1] - source[0] != 1 or target[1] - target[0] != 1:
            return ""
        one, two = self._words(0, source)[0], self._words(1, target)[0]
        if (opposition(one.lower, two.lower) or 0) & Opposition.ANTONYM:
            return "opposite"
        if one.is_function and two.is_function:
            return "inflection" if one.lemma == two.lemma or {one.lower, two.lower} in _FORMS else ""
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


def _is_currency(word: str) -> bool:
    return len(word) == 1 and category(word) == "Sc"


def _is_function(profile: WordProfile) -> bool:
    return (profile.is_function and not _is_currency(profile.lower)) or profile.lower == "and"


def _negating(profiles: Sequence[WordProfile]) -> list[int]:
    return negating_words([one.lower for one in profiles], [one.lemma for one in profiles])


def _content_lemmas(profiles: Sequence[WordProfile], without: Collection[int]) -> set[str]:
    return {
        one.lemma
        for number, one in enumerate(profiles)
        if number not in without and is_content_word(one.lower)
    }


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()
