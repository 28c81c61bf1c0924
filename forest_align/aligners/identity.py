"""The baseline of every table: it links tokens that are equal, ignoring case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from forest_align.alignment import Alignment, Links
from forest_align.types import Sentence


class IdentityAligner:
    """Link every source token to every target token with the same lower-cased form.

    It needs neither a model nor a parse, and aligns no phrases. A word that occurs twice on both sides gets
    four links.
    """

    name = "identity"

    def align(self, source: Sentence, target: Sentence) -> Alignment:
        """Align one pair of tokenized sentences."""
        places: dict[str, list[int]] = {}
        for j, word in enumerate(target.words):
            places.setdefault(word.lower(), []).append(j)
        links = Links.of((i, j) for i, word in enumerate(source.words) for j in places.get(word.lower(), ()))
        return Alignment(source, target, links, aligner=self.name)

    def align_many(self, pairs: Iterable[tuple[Sentence, Sentence]]) -> Iterator[Alignment]:
        """Align pairs one by one, in order."""
        for source, target in pairs:
            yield self.align(source, target)
