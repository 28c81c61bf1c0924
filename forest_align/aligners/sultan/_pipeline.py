"""The pipeline of Sultan, Bethard & Sumner (2014): six modules, one after another.

The paper leaves some details open; these are our readings. Sequences and candidates are processed in order of
score, then of relative distance from the diagonal. So the result does not depend on which sentence comes
first. Punctuation counts as stop words, except for the mark that ends both sentences. A mention that could
match several names is matched with the one that shares most context. ``docs/background/contextual.md`` lists
the readings and their effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align.aligners.sultan.parameters import PublishedParameters
from forest_align.aligners.sultan.sentence_view import (
    Pair,
    crossed,
    is_mark_or_bracket,
    parallel,
    word_similarity,
)
from forest_align.parsing.dependencies.entities import is_acronym, is_short_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from forest_align.aligners.sultan.sentence_view import SentenceView
    from forest_align.parsing.dependencies.entities import Entity


def published_links(
    source: SentenceView,
    target: SentenceView,
    synonyms: Callable[[str], Iterable[str]],
    parameters: PublishedParameters = PublishedParameters(),  # noqa: B008 - immutable
    similar_words: Iterable[Pair] = (),
) -> set[Pair]:
    """Align two sentences (algorithm 5)."""
    similar = word_similarity(source, target, synonyms, parameters.ppdb_similarity)
    for pair in similar_words:
        similar.setdefault(pair, parameters.ppdb_similarity)
    return Pipeline(source, target, similar, parameters).run()


class Pipeline:
    """The state that the modules share: what is aligned so far, and the similar words."""

    def __init__(
        self,
        source: SentenceView,
        target: SentenceView,
        similar: dict[Pair, float],
        parameters: PublishedParameters,
    ) -> None:
        self.source, self.target, self.similar, self.parameters = source, target, similar, parameters
        self.lengths = (len(source), len(target))
        self.links: set[Pair] = set()
        self.done_source: set[int] = set()
        self.done_target: set[int] = set()

    def run(self) -> set[Pair]:
        modules = self.parameters.modules
        self.align_final_punctuation()
        if "sequences" in modules:
            self.align_sequences()
        if "entities" in modules:
            self.align_entities()
        if "dependencies" in modules:
            self.align_content_by_dependencies()
        self.align_content_by_text()
        if "stop words" in modules:
            if "sequences" in modules:
                self.align_sequences(stop_words=True)
            if "dependencies" in modules:
                self.align_stop_words(self.shared_dependencies)
            # The ablation of the textual neighbourhood has the same evidence for every pair.
            self.align_stop_words(self.aligned_beside if "text" in modules else lambda pair: 1)
        return self.links

    def add(self, pair: Pair) -> None:
        self.links.add(pair)
        self.done_source.add(pair[0])
        self.done_target.add(pair[1])

    def free(self, pair: Pair) -> bool:
        return pair[0] not in self.done_source and pair[1] not in self.done_target

    def diagonal(self, pair: Pair) -> tuple[float, int, int]:
        """Sort key for ties: nearest to the diagonal first, then from the left."""
        i, j = pair
        n, m = self.lengths
        return (abs((i + 0.5) / n - (j + 0.5) / m), i + j, i)

    def align_final_punctuation(self) -> None:
        """Align the mark that ends both sentences."""
        last = (self.lengths[0] - 1, self.lengths[1] - 1)
        word = self.source.words[last[0]]
        if word == self.target.words[last[1]] and is_mark_or_bracket(word):
            self.add(last)

    def align_sequences(self, stop_words: bool = False) -> None:
        """*wsAlign* (§3.3.1): identical sequences of two or more words, including a content word.

        With ``stop_words``, only unaligned sequences of stop words; they come after content words.
        """
        words, others, stop = self.source.words, self.target.words, self.source.stop
        same = {
            (i, j) for i, j in self.similar if words[i] == others[j] and (not stop_words or self.free((i, j)))
        }
        runs = []
        for i, j in same:
            if (i - 1, j - 1) in same:
                continue
            length = 1
            while (i + length, j + length) in same:
                length += 1
            if length > 1 and (stop_words or not all(stop[i : i + length])):
                runs.append((-length, self.diagonal((i, j)), i, j))
        for length, _, i, j in sorted(runs):
            for step in range(-length):
                if self.free((i + step, j + step)):
                    self.add((i + step, j + step))

    def align_entities(self) -> None:
        """*neAlign* (§3.3.2): full mentions, acronyms, then partial mentions of the same name."""
        chosen: set[tuple[Entity, Entity]] = set()
        for links_of in (_full_mention, _acronym, self.partial_mention):
            mentions = []
            for a in self.source.entities:
                for b in self.target.entities:
                    links = links_of(self.source, self.target, a, b)
                    if links:
                        evidence = self.entity_evidence(a, b)
                        mentions.append((-evidence, self.diagonal((a.start, b.start)), a, b, links))
            for _, _, a, b, links in sorted(mentions, key=lambda mention: mention[:2]):
                if any(a == x or b == y for x, y in chosen):
                    continue
                chosen.add((a, b))
                done_source, done_target = set(self.done_source), set(self.done_target)
                for pair in links:
                    if pair[0] not in done_source or pair[1] not in done_target:
                        self.add(pair)

    def partial_mention(self, source: SentenceView, target: SentenceView, a: Entity, b: Entity) -> list[Pair]:
        """Link equal terms; if the shorter name is one word, link it to the rest of the longer one too.

        The longer name must be one that the shorter can stand for, see :func:`is_short_for`: *Merino* and
        *Francisco* are Francisco Merino, *Washington* is not the Washington Post.
        """
        left, right = source.words[a.start : a.end], target.words[b.start : b.end]
        if (a.kind and b.kind and a.kind != b.kind) or left == right:
            return []
        same = [
            (a.start + x, b.start + y)
            for x, word in enumerate(left)
            for y, other in enumerate(right)
            if word == other and not is_mark_or_bracket(word)
        ]
        rest_left = set(range(a.start, a.end)) - {i for i, _ in same}
        rest_right = set(range(b.start, b.end)) - {j for _, j in same}
        if rest_left and rest_right:
            return []
        if (rest_left and not is_short_for(right, left)) or (rest_right and not is_short_for(left, right)):
            return []
        if min(len(left), len(right)) > 1:
            return same
        rest_left = {i for i in rest_left if _is_unmatched(i, source, target, self.done_source)}
        rest_right = {j for j in rest_right if _is_unmatched(j, target, source, self.done_target)}
        if rest_left:
            return same + [(i, j) for i in rest_left for j in range(b.start, b.end)]
        return same + [(i, j) for j in rest_right for i in range(a.start, a.end)]

    def entity_evidence(self, a: Entity, b: Entity) -> float:
        """Evidence for two mentions of a name: similar words around their heads, outside of the mentions."""
        heads = (self.source.head_of(a), self.target.head_of(b))
        inside_source, inside_target = range(a.start, a.end), range(b.start, b.end)
        context = {*self.dependency_context(heads), *self.text_context(heads)}
        outside = [pair for pair in context if pair[0] not in inside_source and pair[1] not in inside_target]
        return self.total(outside)

    def dependency_context(self, pair: Pair) -> list[Pair]:
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
                above, below = (own[k], own[i]) if parent_left else (own[i], own[k])
                is_equivalent = parallel if parent_left == parent_right else crossed
                if is_equivalent(above, below, left, right):
                    context.append((k, n))
        # Each pair once, although two words can have several dependencies with each other.
        return list(dict.fromkeys(context))

    def text_context(self, pair: Pair) -> list[Pair]:
        """Pairs of similar content words in the windows around the two words (algorithm 2)."""
        i, j = pair
        window = self.parameters.window
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

    def content_candidates(self) -> list[Pair]:
        return [
            pair
            for pair in self.similar
            if self.free(pair) and not self.source.stop[pair[0]] and not self.target.stop[pair[1]]
        ]

    def score(self, pair: Pair, evidence: float) -> float:
        weight = self.parameters.word_weight
        return round(weight * self.similar[pair] + (1 - weight) * evidence, 9)

    def align_content_by_dependencies(self) -> None:
        """*cwDepAlign* (algorithm 3): pairs with equivalent dependencies, and their evidence."""
        candidates = []
        for pair in self.content_candidates():
            if context := self.dependency_context(pair):
                score = self.score(pair, self.total(context))
                candidates.append((-score, self.diagonal(pair), pair, context))
        for _, _, pair, context in sorted(candidates, key=lambda candidate: candidate[:2]):
            if not self.free(pair):
                continue
            self.add(pair)
            for other in sorted(context, key=lambda other: (-self.similar[other], self.diagonal(other))):
                if self.free(other):
                    self.add(other)

    def align_content_by_text(self) -> None:
        """*cwTextAlign* (algorithm 4): similar words, those in similar contexts first."""
        with_text = "text" in self.parameters.modules
        self.add_best(
            (pair, self.total(self.text_context(pair)) if with_text else 0.0)
            for pair in self.content_candidates()
        )

    def add_best(self, candidates: Iterable[tuple[Pair, float]]) -> None:
        """Align free pairs with their evidence, in the order of their scores."""
        scored = [(-self.score(pair, evidence), self.diagonal(pair), pair) for pair, evidence in candidates]
        for _, _, pair in sorted(scored):
            if self.free(pair):
                self.add(pair)

    def align_stop_words(self, evidence_of: Callable[[Pair], int]) -> None:
        """*swDepAlign* and *swTextAlign* (§3.3.4): only aligned words are evidence, and some is needed.

        This is repeated as long as it adds links, because an aligned stop word is evidence for the next one.
        """
        stop_words = [
            pair for pair in self.similar if self.source.stop[pair[0]] and self.target.stop[pair[1]]
        ]
        while candidates := [
            (pair, evidence) for pair in stop_words if self.free(pair) and (evidence := evidence_of(pair))
        ]:
            self.add_best(candidates)

    def shared_dependencies(self, pair: Pair) -> int:
        """How many basic dependencies of exactly the same type lead to aligned words."""
        return sum(
            (k, n) in self.links and left == right and parent_left == parent_right
            for k, left, parent_left in self.source.basic_neighbours[pair[0]]
            for n, right, parent_right in self.target.basic_neighbours[pair[1]]
        )

    def aligned_beside(self, pair: Pair) -> int:
        """How many of the left and right neighbours are aligned; two sentence edges count as aligned."""
        i, j = pair
        start = i == 0 and j == 0
        end = (i + 1, j + 1) == self.lengths
        return (start or (i - 1, j - 1) in self.links) + (end or (i + 1, j + 1) in self.links)


def _full_mention(source: SentenceView, target: SentenceView, a: Entity, b: Entity) -> list[Pair]:
    """Link the mentions word by word if they are the same."""
    if source.words[a.start : a.end] != target.words[b.start : b.end]:
        return []
    return list(zip(range(a.start, a.end), range(b.start, b.end), strict=True))


def _acronym(source: SentenceView, target: SentenceView, a: Entity, b: Entity) -> list[Pair]:
    """Link all words of a name to its acronym."""
    left, right = source.forms[a.start : a.end], target.forms[b.start : b.end]
    for short, full in ((left, right), (right, left)):
        if len(short) == 1 and is_acronym(short[0], full):
            return [(i, j) for i in range(a.start, a.end) for j in range(b.start, b.end)]
    return []


def _is_unmatched(index: int, own: SentenceView, other: SentenceView, done: set[int]) -> bool:
    """Whether a term of a name is not aligned and is in no name of the other sentence."""
    word = own.words[index]
    return (
        index not in done
        and not own.stop[index]
        and not any(word in other.words[name.start : name.end] for name in other.entities)
    )
