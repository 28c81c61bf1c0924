"""The lexicon of the aligners, the kinds of evidence that two words correspond, and WordNet's relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forest_align.lexicon._morphology import Lemmatizer, part_of_speech, suffix_stems
from forest_align.lexicon._wordnet_store import WordNetStore
from forest_align.lexicon.tables import (
    FUNCTION_GROUPS,
    PREPOSITIONS,
    abbreviation_keys,
    is_punctuation,
    number_value,
    plain_apostrophes,
    spelling_key,
)

if TYPE_CHECKING:
    from forest_align.types import Sentence

#: Name for a link that no kind of evidence supports: only the words around it do.
CONTEXT = "context"


class Evidence(IntFlag):
    """Kinds of evidence; a cell of :func:`~forest_align.lexicon.evidence.word_evidence` is their sum.

    Two words with the same lemma have ``LEMMA``, and ``IDENTICAL`` if they differ at most in letter case.
    They have none of the relations between different lemmas.
    """

    IDENTICAL = 1
    LEMMA = 2
    SPELLING = 4
    NUMBER = 8
    ABBREVIATION = 16
    SYNONYM = 32
    DERIVATION = 64
    SUFFIX = 128
    SUBSTRING = 256
    PREPOSITION = 512
    FUNCTION = 1024
    ACRONYM = 2048
    PPDB = 4096
    EMBEDDING = 8192


#: The sums of kinds that several modules ask for, as plain integers, which combine much faster than flags:
#: words of one lemma, and words of different lemmas that the lexicon or the user's table relates.
SAME_LEMMA = int(Evidence.IDENTICAL | Evidence.LEMMA)
RELATED_LEMMAS = int(
    Evidence.SPELLING
    | Evidence.NUMBER
    | Evidence.ABBREVIATION
    | Evidence.SYNONYM
    | Evidence.DERIVATION
    | Evidence.SUFFIX
    | Evidence.PPDB
)


# Shortest word that counts as a substring of another one.
_SHORTEST_SUBSTRING = 4
# Most steps up WordNet's hierarchy that still relate two words.
_STEPS_UP = 3
_PROFILES_KEPT = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class WordProfile:
    """The properties of a word that its evidence depends on."""

    # lower, lemma: Lower-cased form, its apostrophes plain, and lemma
    lower: str
    lemma: str
    provides: tuple[str | int, ...]  # Keys by which other words find it
    seeks: tuple[tuple[str | int, int], ...]  # Keys that it looks for, each with the evidence bit of a match
    surface: str  # The form to compare as a substring; empty if it is too short or a function word
    is_function: bool  # Whether it is a function word or punctuation
    is_punctuation: bool  # Whether it has neither a letter nor a digit
    word_class: str  # First two letters of its tag


class _RelatedSynsets(NamedTuple):
    """Synsets to which another one leads, each with the least number of steps."""

    # wholes, consequences: Of which it is a part, a member or the substance; which it entails or causes.
    # Always one step.
    wholes: tuple[tuple[int, int], ...]
    consequences: tuple[tuple[int, int], ...]
    above: tuple[tuple[int, int], ...]  # More general ones, at most STEPS_UP steps above it


class Lexicon:
    """English lexicon from WordNet and closed tables; immutable, apart from a bounded cache of profiles.

    Parameters
    ----------
    store : WordNetStore
        The WordNet arrays.
    """

    def __init__(self, store: WordNetStore) -> None:
        self.store = store
        self._lemmatizer = Lemmatizer(store)
        self.profile = lru_cache(maxsize=_PROFILES_KEPT)(self._profile)
        #: Synset numbers of a lemma, of all parts of speech.
        self.synsets = lru_cache(maxsize=_PROFILES_KEPT)(store.synsets)
        self.related_synsets = lru_cache(maxsize=_PROFILES_KEPT)(self._related_synsets)

    def __reduce__(self) -> tuple[Any, ...]:
        if self is not load_lexicon():
            raise TypeError("only the bundled lexicon, load_lexicon(), can be pickled")
        return load_lexicon, ()

    def lemma(self, word: str, tag: str = "") -> str:
        """Lower-cased lemma of a word with a Penn tag (or none)."""
        return self._lemmatizer(word, tag)

    def profiles(self, sentence: Sentence) -> list[WordProfile]:
        """The profiles of the words of a sentence."""
        profile = self.profile
        return [profile(token.text, token.tag, token.lemma) for token in sentence.tokens]

    def _profile(self, word: str, tag: str = "", lemma: str = "") -> WordProfile:
        """Profile of a word with its Penn tag and its lemma; an empty lemma is looked up."""
        lower = plain_apostrophes(word.lower())
        lemma = lemma or self.lemma(word, tag)
        shared: list[tuple[str | int, int]] = [
            (f"={lower}", Evidence.IDENTICAL),
            (f"~{lemma}", Evidence.LEMMA),
            (f"/{spelling_key(lemma)}", Evidence.SPELLING),
        ]
        number = number_value(lower)
        if number:
            shared.append((f"#{number}", Evidence.NUMBER))
        shared += [(f".{key}", Evidence.ABBREVIATION) for key in abbreviation_keys(word, tag, lemma)]
        groups = FUNCTION_GROUPS.get(lower, ())
        shared += [(f"&{group}", Evidence.FUNCTION) for group in groups]
        if lower in PREPOSITIONS or lower == "toward":
            shared.append(("@", Evidence.PREPOSITION))
        is_mark = is_punctuation(lower)
        is_function = bool(groups) or lower in PREPOSITIONS or is_mark
        if is_function or number:
            sought = shared
            provided: list[str | int] = []
        else:
            shared += [(synset, Evidence.SYNONYM) for synset in self.senses(lemma, tag)]
            shared += [(f"-{stem}", Evidence.SUFFIX) for stem in suffix_stems(lemma)]
            # Being relatives is not transitive: a lemma provides its own number and seeks its relatives'.
            own = self.store.ids.get(lemma)
            provided = [] if own is None else [~own]
            sought = shared + [(~other, Evidence.DERIVATION) for other in self.store.relatives(lemma)]
        usable = not is_function and len(lower) >= _SHORTEST_SUBSTRING
        return WordProfile(
            lower,
            lemma,
            (*(key for key, _ in shared), *provided),
            tuple((key, int(bit)) for key, bit in sought),
            lower if usable else "",
            is_function,
            is_mark,
            tag[:2],
        )

    def senses(self, lemma: str, tag: str) -> list[int]:
        """Synset numbers of a lemma of the tag's part of speech; all if it has none or WordNet disagrees."""
        return self.store.synsets(lemma, part_of_speech(tag)) or self.store.synsets(lemma)

    def _related_synsets(self, synset: int) -> _RelatedSynsets:
        """What a synset leads to in WordNet."""
        steps_to: dict[int, int] = {}
        level = [synset]
        for step in range(1, _STEPS_UP + 1):
            level = [above for below in level for above in self.store.hypernyms(below)]
            for above in level:
                steps_to.setdefault(above, step)
        wholes = tuple((other, 1) for other in self.store.wholes(synset))
        consequences = tuple((other, 1) for other in self.store.consequences(synset))
        return _RelatedSynsets(wholes, consequences, tuple(steps_to.items()))


@cache
def load_lexicon() -> Lexicon:
    """The lexicon that comes with the package; read once."""
    return Lexicon(WordNetStore.bundled())


#: The tables of :func:`wordnet_relations`.
WORDNET_RELATIONS = ("more general", "more special", "part or whole", "consequence or condition")

# A word as its lemma and its senses.
_Senses = tuple[str, Sequence[int]]


def wordnet_relations(source: Sentence, target: Sentence, lexicon: Lexicon) -> np.ndarray:
    """Compute how closely WordNet relates each word of a sentence to each word of another one.

    A word is more general than another one if one of its senses is at most three steps above one of the
    other's: *animal* and *dog*. The value is 1 divided by the least number of steps. Words are part and whole
    (also member and group, substance and thing), or a verb entails or causes the other, if their senses are
    related directly: the value is 1. Function words and words of one lemma are not related.

    Shapes: returns float32 (4, n, m).
    """
    lefts, rights = _word_senses(source, lexicon), _word_senses(target, lexicon)
    tables = np.zeros((len(WORDNET_RELATIONS), len(lefts), len(rights)), dtype=np.float32)
    general, special, parts, consequences = tables
    _raise_cells((parts, consequences, special), lefts, rights, lexicon)
    _raise_cells((parts.T, consequences.T, general.T), rights, lefts, lexicon)
    return tables


def _word_senses(sentence: Sentence, lexicon: Lexicon) -> list[_Senses]:
    words = zip(lexicon.profiles(sentence), sentence.tags, strict=True)
    return [
        (profile.lemma, () if profile.is_function else lexicon.senses(profile.lemma, tag))
        for profile, tag in words
    ]


def _raise_cells(
    tables: Sequence[np.ndarray],
    words: Sequence[_Senses],
    others: Sequence[_Senses],
    lexicon: Lexicon,
) -> None:
    """Raise the cells of words with a sense that leads to one of the other's; one table per relation."""
    places: dict[int, list[int]] = {}
    for j, (_, senses) in enumerate(others):
        for sense in senses:
            places.setdefault(sense, []).append(j)
    for i, (lemma, senses) in enumerate(words):
        for sense in senses:
            for table, related in zip(tables, lexicon.related_synsets(sense), strict=True):
                for other, steps in related:
                    for j in places.get(other, ()):
                        if others[j][0] != lemma:
                            table[i, j] = max(table[i, j], 1 / steps)
