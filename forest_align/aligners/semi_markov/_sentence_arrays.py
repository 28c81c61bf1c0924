"""The data of a single sentence for the semi-Markov aligner, in arrays, base phrases included."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.features import word_features

if TYPE_CHECKING:
    from forest_align.types import Sentence


#: Types of chunks, similar to CoNLL-2000; the first means no chunk.
CHUNK_TYPES = ("none", "NP", "VP", "PP", "ADVP", "ADJP", "PRT")

# One letter per tag, so that a sentence is a string and a chunk is a regular expression.
_LETTERS = {
    **dict.fromkeys(("DT", "PDT", "PRP$", "WP$"), "D"),
    **dict.fromkeys(("PRP", "WP", "EX", "WDT"), "P"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "J"),
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS", "FW"), "N"),
    **dict.fromkeys(("CD", "$", "#"), "C"),
    **dict.fromkeys(("VBG", "VBN"), "G"),
    **dict.fromkeys(("VB", "VBD", "VBP", "VBZ"), "V"),
    **dict.fromkeys(("RB", "RBR", "RBS", "WRB"), "R"),
    "MD": "M",
    "TO": "T",
    "IN": "I",
    "RP": "L",
    "POS": "S",
}
_CHUNK = re.compile(
    # A noun phrase up to its last noun; participles count if another word of the phrase precedes them.
    r"(?P<NP>S?D*(?:R(?=[JRC])|[CJ]|(?<=[DJCS])G(?=[NJG]))*N+|S?D*C+|P|D+)"
    # A verb group, with to and adverbs between its verbs.
    r"|(?P<VP>(?:[MVG]|T(?=R*[VGM])|R(?=R*[VG]))*[MVG])"
    r"|(?P<PRT>L)|(?P<PP>[IT])|(?P<ADJP>R*J+)|(?P<ADVP>R+)"
)


def tag_chunks(tags: Sequence[str]) -> tuple[tuple[int, int, str], ...]:
    """Base phrases of a tagged sentence.

    A chunk extends from the beginning of a phrase to its head; a possessive ``'s`` begins a new one.
    Punctuation and conjunctions are outside of chunks.
    """
    return _chunks("".join([_LETTERS.get(tag, ".") for tag in tags]))


@lru_cache(maxsize=10_000)
def _chunks(letters: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((*chunk.span(), str(chunk.lastgroup)) for chunk in _CHUNK.finditer(letters))


#: Maximum words in a phrase of the source and of the target, unless a model says otherwise: these cover 98 to
#: 99% of the alignments (Yao et al. 2013, §4.1).
LONGEST = 3, 3
CONTENT, FUNCTION, PUNCTUATION = range(3)
#: Part-of-speech tags with their own weights; the first is for all others.
TAGS = (
    *("other", "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP"),
    *("NNPS", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG"),
    *("VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "$", "#", ".", ",", ":", "``", "''", "-LRB-"),
    *("-RRB-", "HYPH"),
)
_TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}
_CHUNK_NUMBERS = {name: number for number, name in enumerate(CHUNK_TYPES)}


@dataclass(frozen=True, slots=True, eq=False)
class LatticeSentence:
    """One sentence of n words."""

    words: tuple[str, ...]
    kinds: np.ndarray  # int32, shape (n,): 0 content word, 1 function word, 2 punctuation
    capital: np.ndarray  # bool, shape (n,): whether the word begins with a capital
    letters: np.ndarray  # int32: code points of all words in lower case, one after another
    ends: np.ndarray  # int32, shape (n,): the end of each word's letters
    tags: np.ndarray  # int32, shape (n,): indices in TAGS
    # int32, shape (longest, n): type of the chunk that has this length (minus 1) and begins at this word, an
    # index in CHUNK_TYPES; 0 if there is none
    chunks: np.ndarray
    # int32, shape (n,): number of the chunk that contains the word; each word outside has its own number
    inside: np.ndarray
    starts: tuple[int, ...]  # Words at which further sentences of a text begin

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def of(cls, sentence: Sentence, longest: int) -> LatticeSentence:
        """The arrays of a sentence with tags, its phrases of ``longest`` words at most."""
        kinds, capital, letters, ends = word_features(sentence)
        tags = sentence.tags
        count = len(tags)
        chunks = np.zeros((longest, count), dtype=np.int32)
        inside = np.arange(count, dtype=np.int32)
        for start, end, name in tag_chunks(tags):
            inside[start:end] = start
            if end - start <= longest:
                chunks[end - start - 1, start] = _CHUNK_NUMBERS[name]
        numbers = np.array([_TAG_NUMBERS.get(tag, 0) for tag in tags], dtype=np.int32)
        capital = capital.astype(bool)
        words, starts = sentence.words, sentence.starts
        return cls(words, kinds, capital, letters, ends, numbers, chunks, inside, starts)
