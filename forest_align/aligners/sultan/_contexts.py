"""Evidence for links, as in Sultan et al. (2014): similar words, and similar words around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.aligners.sultan.parameters import PublishedParameters
from forest_align.aligners.sultan.sentence_view import crossed, is_clitic, parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from forest_align.aligners.sultan.sentence_view import SentenceView
    from forest_align.parsing.dependencies.entities import Entity


Pair = tuple[int, int]


def word_similarity(
    source: SentenceView,
    target: SentenceView,
    synonyms: Callable[[str], Iterable[str]],
    parameters: PublishedParameters,
) -> dict[Pair, float]:
    """Similarity of words that are similar at all (§3.1): 1 for equal words or lemmas, else ppdbSim.

    A clitic such as *'s* can represent several words, so it is only similar to itself. Similarity does not
    depend on which sentence comes first.
    """
    places: dict[str, list[int]] = {}
    lemma_places: dict[str, list[int]] = {}
    for j, (word, lemma) in enumerate(zip(target.words, target.lemmas, strict=True)):
        places.setdefault(word, []).append(j)
        if not is_clitic(word):
            lemma_places.setdefault(lemma, []).append(j)
    similar: dict[Pair, float] = {}
    for i, (word, lemma) in enumerate(zip(source.words, source.lemmas, strict=True)):
        for j in places.get(word, ()):
            similar[i, j] = 1.0
        if is_clitic(word):
            continue
        for j in lemma_places.get(lemma, ()):
            similar[i, j] = 1.0
        for other in synonyms(word):
            if other in places and not is_clitic(other):
                for j in places[other]:
                    similar.setdefault((i, j), parameters.ppdb_similarity)
    return similar


@dataclass(frozen=True, slots=True, eq=False)
class Contexts:
    """The similar words around two words, and what they are worth as evidence."""

    source: SentenceView
    target: SentenceView
    similar: dict[Pair, float]
    window: int  # How many words to each side belong to the textual neighbourhood

    def of_entities(self, a: Entity, b: Entity) -> float:
        """Evidence for two mentions of a name: similar words around their heads, outside of the mentions."""
        head = (self.source.head_of(a), self.target.head_of(b))
        inside_source, inside_target = range(a.start, a.end), range(b.start, b.end)
        context = {*self.by_dependencies(head), *self.by_text(head)}
        outside = [pair for pair in context if pair[0] not in inside_source and pair[1] not in inside_target]
        return self.total(outside)

    def by_dependencies(self, pair: Pair) -> list[Pair]:
        """Pairs of similar words that have equivalent dependencies with the two words (algorithm 1)."""
        i, j = pair
        own, other = self.source.categories, self.target.categories
        if own[i] != other[j]:
            return []
        context = []
        for k, left, parent_left in self.source.neighbours[i]:
            for n, right, parent_right in self.target.neighbours[j]:
                if (k, n) not in self.similar or own[k] != other[n]:
                    continue
                if parent_left == parent_right:
                    above, below = (own[k], own[i]) if parent_left else (own[i], own[k])
                    found = parallel(above, below, left, right)
                elif parent_left:
                    found = crossed(own[k], own[i], left, right)
                else:
                    found = crossed(own[i], own[k], left, right)
                if found:
                    context.append((k, n))
        # Each pair once, although two words can have several dependencies with each other.
        return list(dict.fromkeys(context))

    def by_text(self, pair: Pair) -> list[Pair]:
        """Pairs of similar content words in the windows around the two words (algorithm 2)."""
        i, j = pair
        window = self.window
        return [
            (k, n)
            for k in range(max(0, i - window), min(len(self.source), i + window + 1))
            if k != i and not self.source.stop[k]
            for n in range(max(0, j - window), min(len(self.target), j + window + 1))
            if n != j and not self.target.stop[n] and (k, n) in self.similar
        ]

    def total(self, context: Iterable[Pair]) -> float:
        """Sum of the similarities of some pairs; rounded, so that equal sums do not differ by their order."""
        return round(sum(self.similar[pair] for pair in context), 9)
