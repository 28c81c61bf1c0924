"""What says that two different words may correspond: the lexicon, and what a training corpus adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.lexicon.evidence import lexical_evidence, word_evidence
from forest_align.lexicon.kinds import Evidence
from forest_align.types import InputError
from forest_align.types.json_fields import describe, is_number

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence

# Words of real text may contain halves of surrogate pairs.
_TEXT = ("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The dictionaries of Arase & Tsujii (2017), §6.1; by default only the lexicon."""

    # Two words are similar if the cosine of their vectors is at least this; None if vectors do not count
    cosine: float | None = None
    # Pairs of lemmas from the training corpus, of which suffix rules say that one may be derived from the
    # other. Each pair is in alphabetical order. Other pairs do not count, except those of WordNet.
    derivations: frozenset[tuple[str, str]] = frozenset()

    def __post_init__(self) -> None:
        if self.cosine is not None and not (is_number(self.cosine) and -1 <= self.cosine <= 1):
            raise InputError(f"expected a number from -1 to 1, found {self.cosine!r}", field="cosine")

    def evidence(
        self, source: Sentence, target: Sentence, lexicon: Lexicon, ppdb: PairTable | None = None
    ) -> np.ndarray:
        """The evidence for every pair of words, as :func:`~forest_align.lexicon.evidence.word_evidence`.

        Sentences without vectors have no similar words.
        """
        if self.cosine is None:
            found = lexical_evidence(source, target, lexicon, ppdb)
        else:
            found = word_evidence(source, target, lexicon, ppdb, cosine=self.cosine)
        for i, j, pair in suffix_pairs(source, target, found, lexicon):
            if pair not in self.derivations:
                found[i, j] &= ~int(Evidence.SUFFIX)
        return found

    def encoded(self) -> tuple[dict[str, Any], np.ndarray]:
        """JSON values and an array for the folder of a model: the cosine, and the pairs as text (UTF-8)."""
        lines = "\n".join("\t".join(pair) for pair in sorted(self.derivations))
        return {"cosine": self.cosine}, np.frombuffer(lines.encode(*_TEXT), np.uint8).copy()

    @classmethod
    def decoded(cls, values: Any, derivations: np.ndarray) -> Dictionary:
        """The opposite of :meth:`encoded`."""
        if not isinstance(values, dict) or values.keys() != {"cosine"}:
            raise InputError(
                f"expected an object with a cosine, found {describe(values)}", field="dictionary"
            )
        try:
            lines = bytes(derivations).decode(*_TEXT)
        except ValueError as error:
            raise InputError(f"expected pairs of words in UTF-8: {error}", field="derivations") from None
        pairs = [tuple(line.split("\t")) for line in lines.split("\n")] if lines else []
        if not all(len(pair) == 2 for pair in pairs):
            raise InputError("expected two words a line", field="derivations")
        return cls(values["cosine"], frozenset((one, two) for one, two in pairs))


def suffix_pairs(
    source: Sentence, target: Sentence, evidence: np.ndarray, lexicon: Lexicon
) -> list[tuple[int, int, tuple[str, str]]]:
    """The cells with evidence by suffix rules: both tokens, and their lemmas in alphabetical order."""
    rows, columns = np.nonzero(evidence & int(Evidence.SUFFIX))
    if not len(rows):
        return []
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    cells = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(i, j, _ordered(lefts[i].lemma, rights[j].lemma)) for i, j in cells]


def _ordered(one: str, two: str) -> tuple[str, str]:
    return (one, two) if one < two else (two, one)
