"""The pipeline of Sultan, Bethard & Sumner (2014): six modules, one after another.

The paper leaves some details open; these are our readings. Sequences and candidates are processed in order of
score, then of relative distance from the diagonal. So the result does not depend on which sentence comes
first. Punctuation counts as stop words, except for the mark that ends both sentences. A mention that could
match several names is matched with the one that shares most context. ``docs/background/contextual.md`` lists
the readings and their effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.aligners.sultan._contexts import Contexts, Pair, word_similarity
from forest_align.aligners.sultan.parameters import PublishedParameters
from forest_align.aligners.sultan.sentence_view import is_mark_or_bracket
from forest_align.parsing.dependencies.entities import is_acronym, is_short_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from forest_align.aligners.sultan.sentence_view import SentenceView
    from forest_align.parsing.dependencies.entities import Entity


@dataclass(frozen=True, slots=True, eq=False)
class _Mentions:
    """The names of two sentences."""

    source: SentenceView
    target: SentenceView
    # done_source, done_target: Words that are aligned so far; the sets grow while names are compared
    done_source: set[int]
    done_target: set[int]

    def full(self, a: Entity, b: Entity) -> list[Pair]:
        """Link the mentions word by word if they are the same."""
        left, right = self.source.words[a.start : a.end], self.target.words[b.start : b.end]
        return list(zip(range(a.start, a.end), range(b.start, b.end), strict=True)) if left == right else []

    def acronym(self, a: Entity, b: Entity) -> list[Pair]:
        """Link all words of a name to its acronym."""
        left, right = self.source.forms[a.start : a.end], self.target.forms[b.start : b.end]
        if (len(left) == 1 and is_acronym(left[0], right)) or (
            len(right) == 1 and is_acronym(right[0], left)
        ):
            return [(i, j) for i in range(a.start, a.end) for j in range(b.start, b.end)]
        return []

    def partial(self, a: Entity, b: Entity) -> list[Pair]:
        """Link equal terms; if the shorter name is one word, link it to the rest of the longer one too.

        The longer name must be one that the shorter can stand for, see :func:`is_short_for`: *Merino* and
        *Francisco* are Francisco Merino, *Washington* is not the Washington Post.
        """
        left, right = self.source.words[a.start : a.end], self.target.words[b.start : b.end]
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
        rest_left = {i for i in rest_left if self.unmatched(i, self.source, self.target, self.done_source)}
        rest_right = {j for j in rest_right if self.unmatched(j, self.target, self.source, self.done_target)}
        if rest_left:
            return same + [(i, j) for i in rest_left for j in range(b.start, b.end)]
        return same + [(i, j) for j in rest_right for i in range(a.start, a.end)]

    @staticmethod
    def unmatched(index: int, own: SentenceView, other: SentenceView, done: set[int]) -> bool:
        """Whether a term of a name is not aligned and is in no name of the other sentence."""
        word = own.words[index]
        return (
            index not in done
            and not own.stop[index]
            and not any(word in other.words[name.start : name.end] for name in other.entities)
        )


def published_links(
    source: SentenceView,
    target: SentenceView,
    synonyms: Callable[[str], Iterable[str]],
    parameters: PublishedParameters = PublishedParameters(),  # noqa: B008 - immutable
    similar_words: Iterable[Pair] = (),
) -> set[Pair]:
    """Align two sentences (algorithm 5)."""
    similar = word_similarity(source, target, synonyms, parameters)
    for pair in similar_words:
        similar.setdefault(pair, parameters.ppdb_similarity)
    return _Pipeline(source, target, similar, parameters).run()


class _Pipeline:
    """The state that the modules share: what is aligned so far, and the similar words."""

    def __init__(
        self,
        source: SentenceView,
        target: SentenceView,
        similar: dict[Pair, float],
        parameters: PublishedParameters,
    ) -> None:
        self.source, self.target, self.similar, self.parameters = source, target, similar, parameters
        self.contexts = Contexts(source, target, similar, parameters.window)
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
            self.align_stop_words(self.aligned_beside if "text" in modules else self.no_context)
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
        mentions = _Mentions(self.source, self.target, self.done_source, self.done_target)
        for kind in (mentions.full, mentions.acronym, mentions.partial):
            found = []
            for a in self.source.entities:
                for b in self.target.entities:
                    links = kind(a, b)
                    if links:
                        evidence = self.contexts.of_entities(a, b)
                        found.append((-evidence, self.diagonal((a.start, b.start)), a, b, links))
            for _, _, a, b, links in sorted(found, key=lambda item: item[:2]):
                if any(a == x or b == y for x, y in chosen):
                    continue
                chosen.add((a, b))
                fresh = [
                    pair
                    for pair in links
                    if pair[0] not in self.done_source or pair[1] not in self.done_target
                ]
                for pair in fresh:
                    self.add(pair)

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
        found = []
        for pair in self.content_candidates():
            context = self.contexts.by_dependencies(pair)
            if context:
                evidence = self.contexts.total(context)
                found.append((-self.score(pair, evidence), self.diagonal(pair), pair, context))
        for _, _, pair, context in sorted(found, key=lambda item: item[:2]):
            if not self.free(pair):
                continue
            self.add(pair)
            for other in sorted(context, key=lambda item: (-self.similar[item], self.diagonal(item))):
                if self.free(other):
                    self.add(other)

    def align_content_by_text(self) -> None:
        """*cwTextAlign* (algorithm 4): similar words, those in similar contexts first."""
        found = []
        with_text = "text" in self.parameters.modules
        for pair in self.content_candidates():
            evidence = self.contexts.total(self.contexts.by_text(pair)) if with_text else 0.0
            found.append((-self.score(pair, evidence), self.diagonal(pair), pair))
        self.take(found)

    def take(self, found: list[tuple[float, tuple[float, int, int], Pair]]) -> None:
        for _, _, pair in sorted(found):
            if self.free(pair):
                self.add(pair)

    def align_stop_words(self, evidence_of: Callable[[Pair], int]) -> None:
        """*swDepAlign* and *swTextAlign* (§3.3.4): only aligned words are evidence, and some is needed.

        This is repeated as long as it adds links, because an aligned stop word is evidence for the next one.
        """
        while True:
            found = []
            for pair in self.similar:
                if self.source.stop[pair[0]] and self.target.stop[pair[1]] and self.free(pair):
                    evidence = evidence_of(pair)
                    if evidence:
                        found.append((-self.score(pair, evidence), self.diagonal(pair), pair))
            if not found:
                return
            self.take(found)

    def shared_dependencies(self, pair: Pair) -> int:
        """How many basic dependencies of exactly the same type lead to aligned words."""
        return sum(
            (k, n) in self.links and left == right and parent_left == parent_right
            for k, left, parent_left in self.source.basic_neighbours[pair[0]]
            for n, right, parent_right in self.target.basic_neighbours[pair[1]]
        )

    def no_context(self, pair: Pair) -> int:
        """The same evidence for every pair, for the ablation of the textual neighbourhood."""
        return 1

    def aligned_beside(self, pair: Pair) -> int:
        """How many of the left and right neighbours are aligned; two sentence edges count as aligned."""
        i, j = pair
        start = i == 0 and j == 0
        end = (i + 1, j + 1) == self.lengths
        return (start or (i - 1, j - 1) in self.links) + (end or (i + 1, j + 1) in self.links)
