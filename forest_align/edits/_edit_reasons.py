"""The reason of an edit: what kind of change it is, from what is known about the words that it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import category

from forest_align.alignment import CHANGE_NAMES, RELATION_NAMES, Alignment, AtomicRelation, Span
from forest_align.edits._edit_lattice import Arc
from forest_align.edits._edit_units import is_placeholder
from forest_align.lexicon.lexicon import WordProfile, load_lexicon
from forest_align.lexicon.quantities import QuantityComparison, compare_values
from forest_align.lexicon.tables import is_punctuation, negating_words
from forest_align.meaning import WordChanges, word_relation
from forest_align.meaning.relation_algebra import (
    EQUIVALENT,
    MIXED,
    NEGATION,
    OPPOSITE,
    UNKNOWN,
    related_by,
)
from forest_align.meaning.sentence_comparison import known_and_settled

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
_OTHER_VALUES = (QuantityComparison.OTHER, QuantityComparison.OTHER_UNIT)
# Rules that have names of their own as reasons.
_NAMED_RULES = {"synonyms": SYNONYM, "spelling": "spelling"}
# Changes that say more than the relation that comes with them.
_REFERENCES = ("name", "pronoun")


class EditReasons:
    """Finds the reasons of the edits of one alignment."""

    def __init__(self, alignment: Alignment) -> None:
        self._sentences = alignment.source, alignment.target
        self._profiles = tuple(map(load_lexicon().profiles, self._sentences))
        self._links = set(alignment.words.pairs)
        self._changes = WordChanges(*self._sentences, self._links)
        # What a model holds for equivalent counts as such only where it judged the very phrases.
        self._known, self._settled = known_and_settled(alignment)
        self._equivalent = {
            (pair.source_node.span, pair.target_node.span)
            for pair in alignment.phrases
            if pair.relation is not None and pair.relation.name == EQUIVALENT
        }

    def of(self, arc: Arc) -> str:
        """The reason of an edit, one of :data:`EDIT_REASONS`."""
        words = [
            [] if span is None else list(sentence.words[slice(*span)])
            for sentence, span in zip(self._sentences, (arc.source, arc.target), strict=True)
        ]
        changed = [*words[0], *words[1]]
        if all(map(_is_punctuation, changed)):
            return PUNCTUATION
        if all(is_placeholder(word) or _is_punctuation(word) for word in changed):
            return PLACEHOLDER
        is_denied = any(self._denials(0, arc.source)) or any(self._denials(1, arc.target))
        if arc.source is not None and arc.target is not None:
            one, two = (" ".join(side) for side in words)
            if one.lower() == two.lower():
                return CAPITALS
            return OPPOSITE if is_denied else self._of_replacement(arc.source, arc.target)
        if is_denied:
            return OPPOSITE
        profiles = [*self._words(0, arc.source), *self._words(1, arc.target)]
        return FUNCTION_WORD if all(map(_is_function, profiles)) and not _negating(profiles) else CONTENT

    def _words(self, side: int, span: Span | None) -> Sequence[WordProfile]:
        return () if span is None else self._profiles[side][slice(*span)]

    def _denials(self, side: int, span: Span | None) -> Iterator[AtomicRelation]:
        """The negations of one sentence alone whose words are in a span of it."""
        for word in _negating(self._words(side, span)):
            assert span is not None
            place = span[0] + word
            for atom in self._known:
                denied = (atom.source, atom.target)[side] if atom.rule == NEGATION else None
                if atom.relation == OPPOSITE and denied is not None and denied[0] <= place < denied[1]:
                    yield atom

    def _of_replacement(self, source: Span, target: Span) -> str:
        inside = [atom for atom in self._known if atom.lies_in(source, target)]
        changes = [name for name in self._changes.of(source, target) if name != "number"]
        values = self._compared_values(source, target)
        if values in _OTHER_VALUES:
            return "number"
        relation = related_by(inside)
        if relation == OPPOSITE:
            return OPPOSITE
        ours, theirs = self._words(0, source), self._words(1, target)
        if "" != _plain(ours) == _plain(theirs):
            return "spelling"
        if self._is_left_over(source, target, inside):
            return CONTENT
        if relation == EQUIVALENT and any(atom.lies_in(source, target) for atom in self._settled):
            return EQUIVALENT if (source, target) in self._equivalent else CONTENT
        if changes and (relation == EQUIVALENT or changes[0] in _REFERENCES):
            return changes[0]
        if relation not in (EQUIVALENT, MIXED, UNKNOWN):
            return relation
        if all(map(_is_function, [*ours, *theirs])) and not _negating([*ours, *theirs]):
            return "inflection" if {one.lower for one in (*ours, *theirs)} in _FORMS else FUNCTION_WORD
        if relation != EQUIVALENT:
            return CONTENT
        if values is QuantityComparison.EQUAL:
            return "format"
        return self._of_equivalent(source, target)

    def _of_equivalent(self, source: Span, target: Span) -> str:
        """Why equivalent spans are so: the rule that relates the only word that differs, if it has a name."""
        lower = [
            {word.lower for word in self._words(side, span)} for side, span in ((0, source), (1, target))
        ]
        places = [
            [word for word, one in enumerate(self._words(side, span), span[0]) if one.lower not in others]
            for side, span, others in ((0, source, lower[1]), (1, target, lower[0]))
        ]
        if any(len(words) != 1 for words in places):
            return EQUIVALENT
        i, j = places[0][0], places[1][0]
        one, other = self._sentences
        texts, tags = (one.words[i], other.words[j]), (one.tags[i] or "", other.tags[j] or "")
        _, rule = word_relation(self._profiles[0][i], self._profiles[1][j], texts, tags)
        return _NAMED_RULES.get(rule, EQUIVALENT)

    def _compared_values(self, source: Span, target: Span) -> QuantityComparison:
        """Compare the quantities of two spans, of which an edit may hold only a part."""
        one, other = self._sentences
        tags = [side.tags if any(side.tags) else () for side in self._sentences]
        return compare_values(one.words, other.words, source, target, tags[0], tags[1])

    def _is_left_over(self, source: Span, target: Span, inside: Sequence[AtomicRelation]) -> bool:
        """Whether content words have no partner in the edit, and nothing is known of them."""
        for side, (span, other) in enumerate(((source, target), (target, source))):
            known = [(atom.source, atom.target)[side] or (0, 0) for atom in inside]
            covered = {word for place in known for word in range(*place)}
            linked = {link[side] for link in self._links if link[1 - side] in range(*other)}
            for word in range(*span):
                if word not in covered | linked and not _is_function(self._profiles[side][word]):
                    return True
        return False


def _is_currency(word: str) -> bool:
    return len(word) == 1 and category(word) == "Sc"


def _is_punctuation(word: str) -> bool:
    return is_punctuation(word) and not _is_currency(word)


def _is_function(profile: WordProfile) -> bool:
    """Whether a word says nothing by itself: *the*, *was*."""
    return not _is_currency(profile.lower) and (
        profile.is_function or profile.lower == "and" or profile.lemma in ("be", "have", "do")
    )


def _negating(profiles: Sequence[WordProfile]) -> list[int]:
    return negating_words([one.lower for one in profiles], [one.lemma for one in profiles])


def _plain(words: Sequence[WordProfile]) -> str:
    return "".join(filter(str.isalnum, "".join(word.lower for word in words)))
