"""Loads the bundled WordNet arrays and answers by lemma; built by ``tools/build_lexicon.py``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from itertools import accumulate
from typing import TYPE_CHECKING

from forest_align.types import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

# Parts of speech in the order of the synset numbers, and their bits.
_PARTS_OF_SPEECH = "nvar"
_PART_BITS = {part: 1 << index for index, part in enumerate(_PARTS_OF_SPEECH)}
_LEXICON_FILE = "wordnet.safetensors"


@dataclass(frozen=True, slots=True, eq=False)
class WordNetStore:
    """Lemmas with their synsets, derivational relatives and opposites, and relations of synsets."""

    ids: Mapping[str, int]  # Number of each lower-cased lemma; words of a collocation are joined by `_`
    lemmas: list[str]
    # Lemma of an irregular form, by part of speech (n, v, a, r) and form
    exceptions: Mapping[tuple[str, str], str]
    collocation_starts: frozenset[str]  # First words of the lemmas that have several words
    _parts: bytes
    _synset_starts: list[int]
    _synset_ids: np.ndarray
    _first_synsets: tuple[int, ...]
    _relative_starts: list[int]
    _relative_ids: np.ndarray
    _antonyms: Mapping[int, frozenset[int]]
    _males: frozenset[int]
    _females: frozenset[int]
    _countries: Mapping[int, frozenset[int]]
    _hypernym_ends: np.ndarray
    _hypernym_ids: np.ndarray
    _wholes: np.ndarray
    _consequences: np.ndarray

    @classmethod
    def from_bytes(cls, content: bytes) -> WordNetStore:
        """Read the content of a lexicon file."""
        import numpy as np
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            arrays = load(content)
            lemmas = arrays["lemmas"].tobytes().decode("utf-8").split("\n")
            exceptions: dict[tuple[str, str], str] = {}
            for line in arrays["exceptions"].tobytes().decode("utf-8").split("\n"):
                if line:
                    part, form, lemma = line.split(" ")
                    exceptions.setdefault((part, form), lemma)
            return cls(
                dict(zip(lemmas, range(len(lemmas)), strict=True)),
                lemmas,
                exceptions,
                frozenset(lemma.partition("_")[0] for lemma in lemmas if "_" in lemma),
                arrays["parts_of_speech"].tobytes(),
                [0, *accumulate(arrays["synset_counts"].tolist())],
                arrays["synset_ids"],
                tuple(arrays["first_synsets"].tolist()),
                [0, *accumulate(arrays["relative_counts"].tolist())],
                arrays["relative_ids"],
                _partners(np.concatenate((arrays["antonyms"], arrays["antonyms"][:, ::-1]))),
                frozenset(arrays["males"].tolist()),
                frozenset(arrays["females"].tolist()),
                _partners(arrays["countries"]),
                arrays["hypernym_counts"].cumsum(dtype=np.int32),
                arrays["hypernym_ids"],
                arrays["wholes"],
                arrays["consequences"],
            )
        except (SafetensorError, KeyError, ValueError, IndexError) as error:
            raise ModelError(f"{_LEXICON_FILE} is damaged ({error}); install forest-align again") from error

    @classmethod
    def bundled(cls) -> WordNetStore:
        """Read the lexicon that comes with the package."""
        return cls.from_bytes(
            (resources.files("forest_align.data") / "resources" / _LEXICON_FILE).read_bytes()
        )

    def has(self, lemma: str, part: str) -> bool:
        """Whether the lemma exists as this part of speech (n, v, a or r)."""
        number = self.ids.get(lemma)
        return number is not None and bool(self._parts[number] & _PART_BITS[part])

    def synsets(self, lemma: str, part: str = "") -> list[int]:
        """Ascending numbers of the lemma's synsets, for one part of speech or for all."""
        number = self.ids.get(lemma)
        if number is None:
            return []
        start, end = self._synset_starts[number : number + 2]
        synsets: list[int] = self._synset_ids[start:end].tolist()
        if part:
            index = _PARTS_OF_SPEECH.index(part)
            low, high = self._first_synsets[index : index + 2]
            synsets = [synset for synset in synsets if low <= synset < high]
        return synsets

    def relatives(self, lemma: str) -> list[int]:
        """Numbers of the lemmas that WordNet calls derivationally related, in either direction."""
        number = self.ids.get(lemma)
        if number is None:
            return []
        start, end = self._relative_starts[number : number + 2]
        relatives: list[int] = self._relative_ids[start:end].tolist()
        return relatives

    def antonyms(self, lemma: str) -> frozenset[int]:
        """Numbers of the lemmas that WordNet calls antonyms of a lemma."""
        return self._antonyms.get(self.ids.get(lemma, -1), frozenset())

    def sex(self, lemma: str) -> str:
        """``male`` or ``female`` for a noun whose most frequent person is one; empty for others."""
        number = self.ids.get(lemma, -1)
        return "male" if number in self._males else "female" if number in self._females else ""

    def countries(self, lemma: str) -> frozenset[int]:
        """Synset numbers of the countries that a lemma names or is derived from: *norway*, *norwegian*."""
        return self._countries.get(self.ids.get(lemma, -1), frozenset())

    def hypernyms(self, synset: int) -> list[int]:
        """Numbers of the synsets directly above a synset: of more general meaning, or its class."""
        start, end = (int(self._hypernym_ends[at]) if at >= 0 else 0 for at in (synset - 1, synset))
        above: list[int] = self._hypernym_ids[start:end].tolist()
        return above

    def wholes(self, synset: int) -> list[int]:
        """Numbers of the synsets of which a synset is a part, a member or the substance."""
        return _seconds(self._wholes, synset)

    def consequences(self, synset: int) -> list[int]:
        """Numbers of the verb synsets that a verb's synset entails or causes."""
        return _seconds(self._consequences, synset)


def _seconds(pairs: np.ndarray, first: int) -> list[int]:
    """The second numbers of sorted pairs with this first number."""
    start, end = pairs[:, 0].searchsorted([first, first + 1])
    seconds: list[int] = pairs[start:end, 1].tolist()
    return seconds


def _partners(pairs: np.ndarray) -> dict[int, frozenset[int]]:
    """Map each first number of the pairs to the second ones."""
    partners: dict[int, set[int]] = {}
    for one, two in pairs.tolist():
        partners.setdefault(one, set()).add(two)
    return {one: frozenset(others) for one, others in partners.items()}
