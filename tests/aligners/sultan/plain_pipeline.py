"""The published pipeline once more, from the paper and the readings in docs/background/contextual.md.

Slow and plain: every question is answered anew from words, tags, dependencies and names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from forest_align.aligners.sultan.parameters import PublishedParameters
from forest_align.aligners.sultan.sentence_view import category, crossed, parallel
from forest_align.lexicon.tables import FUNCTION_WORDS
from forest_align.parsing.dependencies.annotators import Annotation
from forest_align.parsing.dependencies.entities import Entity, is_acronym, is_short_for
from forest_align.parsing.dependencies.typed import Dependency

Pair = tuple[int, int]


@dataclass
class Plain:
    """A sentence as it was given: words as written, lemmas, tags, dependencies and names."""

    forms: list[str]
    lemmas: list[str]
    tags: list[str]
    annotation: Annotation

    def word(self, i: int) -> str:
        return self.forms[i].lower().replace("’", "'")

    def lemma(self, i: int) -> str:
        return self.lemmas[i] or self.word(i)

    def is_mark(self, i: int) -> bool:
        return not any(c.isalnum() for c in self.word(i)) or self.word(i) in ("-lrb-", "-rrb-")

    def is_clitic(self, i: int) -> bool:
        return self.word(i) in ("'s", "'d", "'em")

    def is_stop(self, i: int) -> bool:
        return self.is_mark(i) or self.word(i) in FUNCTION_WORDS

    def name(self, name: Entity) -> list[str]:
        return [self.word(i) for i in range(name.start, name.end)]

    def head(self, name: Entity) -> int:
        found = name.end - 1
        for i in range(name.start, name.end):
            above = [d.governor for d in self.annotation.basic if d.dependent == i != d.governor]
            if not any(name.start <= governor < name.end for governor in above):
                found = i
        inside = [d for d in self.annotation.basic if d.dependent == found != d.governor]
        if any(name.start <= d.governor < name.end for d in inside):
            return name.end - 1  # every word of the name depends on another one
        return found


class PlainPipeline:
    """Algorithm 5 of Sultan et al. (2014)."""

    def __init__(
        self,
        source: Plain,
        target: Plain,
        synonyms: Callable[[str], Iterable[str]],
        parameters: PublishedParameters,
        similar_words: Iterable[Pair] = (),
    ) -> None:
        self.s, self.t, self.parameters = source, target, parameters
        self.n, self.m = len(source.forms), len(target.forms)
        self.synonyms, self.similar_words = synonyms, set(similar_words)
        self.links: set[Pair] = set()

    def run(self) -> set[Pair]:
        on = self.parameters.modules
        last = (self.n - 1, self.m - 1)
        if self.s.word(last[0]) == self.t.word(last[1]) and self.s.is_mark(last[0]):
            self.links.add(last)
        if "sequences" in on:
            self.sequences(of_stop_words=False)
        if "entities" in on:
            self.entities()
        if "dependencies" in on:
            self.content_by_dependencies()
        self.content_by_text("text" in on)
        if "stop words" in on:
            if "sequences" in on:
                self.sequences(of_stop_words=True)
            if "dependencies" in on:
                self.stop_words(self.same_dependencies)
            self.stop_words(self.beside if "text" in on else lambda i, j: 1)
        return self.links

    def sim(self, i: int, j: int) -> float:
        """wordSim (§3.1)."""
        if self.s.word(i) == self.t.word(j):
            return 1
        if not self.s.is_clitic(i) and not self.t.is_clitic(j):
            if self.s.lemma(i) == self.t.lemma(j):
                return 1
            if self.t.word(j) in self.synonyms(self.s.word(i)):
                return self.parameters.ppdb_similarity
        return self.parameters.ppdb_similarity if (i, j) in self.similar_words else 0

    def cells(self) -> list[Pair]:
        return [(i, j) for i in range(self.n) for j in range(self.m)]

    def free(self, i: int, j: int) -> bool:
        return all(i != a and j != b for a, b in self.links)

    def place(self, i: int, j: int) -> tuple[float, int, int]:
        return abs((i + 0.5) / self.n - (j + 0.5) / self.m), i + j, i

    def total(self, context: Iterable[Pair]) -> float:
        return round(sum(self.sim(*pair) for pair in context), 9)

    def score(self, i: int, j: int, evidence: float) -> float:
        weight = self.parameters.word_weight
        return round(weight * self.sim(i, j) + (1 - weight) * evidence, 9)

    def sequences(self, of_stop_words: bool) -> None:
        def same(i: int, j: int) -> bool:
            if not (0 <= i < self.n and 0 <= j < self.m) or self.s.word(i) != self.t.word(j):
                return False
            return not of_stop_words or (i, j) in free

        free = {pair for pair in self.cells() if self.free(*pair)}
        runs = []
        for i, j in self.cells():
            if same(i, j) and not same(i - 1, j - 1):
                run = [(i, j)]
                while same(run[-1][0] + 1, run[-1][1] + 1):
                    run.append((run[-1][0] + 1, run[-1][1] + 1))
                has_content = any(not self.s.is_stop(k) for k, _ in run)
                if len(run) >= 2 and (of_stop_words or has_content):
                    runs.append(run)
        for run in sorted(runs, key=lambda run: (-len(run), self.place(*run[0]))):
            for pair in run:
                if self.free(*pair):
                    self.links.add(pair)

    def entities(self) -> None:
        taken_source: list[Entity] = []
        taken_target: list[Entity] = []
        for kind in (self.full, self.acronym, self.partial):
            found = []
            for a in self.s.annotation.entities:
                for b in self.t.annotation.entities:
                    if links := kind(a, b):
                        key = (-self.name_evidence(a, b), self.place(a.start, b.start))
                        found.append((key, a, b, links))
            for _, a, b, links in sorted(found, key=lambda item: item[0]):
                if a in taken_source or b in taken_target:
                    continue
                taken_source.append(a)
                taken_target.append(b)
                before = set(self.links)
                for i, j in links:
                    if all(i != k for k, _ in before) or all(j != k for _, k in before):
                        self.links.add((i, j))

    def full(self, a: Entity, b: Entity) -> list[Pair]:
        if self.s.name(a) != self.t.name(b):
            return []
        return [(a.start + k, b.start + k) for k in range(a.end - a.start)]

    def acronym(self, a: Entity, b: Entity) -> list[Pair]:
        left, right = self.s.forms[a.start : a.end], self.t.forms[b.start : b.end]
        forward = len(left) == 1 and is_acronym(left[0], right)
        back = len(right) == 1 and is_acronym(right[0], left)
        return self.all_pairs(a, b) if forward or back else []

    def all_pairs(self, a: Entity, b: Entity) -> list[Pair]:
        return [(i, j) for i in range(a.start, a.end) for j in range(b.start, b.end)]

    def partial(self, a: Entity, b: Entity) -> list[Pair]:
        left, right = self.s.name(a), self.t.name(b)
        if left == right or (a.kind != b.kind and a.kind and b.kind):
            return []
        if not (set(left) <= set(right) or set(right) <= set(left)):
            return []
        equal = [
            (i, j)
            for i, j in self.all_pairs(a, b)
            if self.s.word(i) == self.t.word(j) and not self.s.is_mark(i)
        ]
        left_over = [i for i in range(a.start, a.end) if i not in {i for i, _ in equal}]
        right_over = [j for j in range(b.start, b.end) if j not in {j for _, j in equal}]
        if left_over and right_over:
            return []
        shorter, longer = (right, left) if left_over else (left, right)
        if set(shorter) != set(longer) and not is_short_for(shorter, longer):
            return []
        if len(left) > 1 and len(right) > 1:
            return equal
        for i in left_over:
            named = any(self.s.word(i) in self.t.name(name) for name in self.t.annotation.entities)
            if not named and not self.s.is_stop(i) and all(i != k for k, _ in self.links):
                equal += [(i, j) for j in range(b.start, b.end)]
        for j in right_over:
            named = any(self.t.word(j) in self.s.name(name) for name in self.s.annotation.entities)
            if not named and not self.t.is_stop(j) and all(j != k for _, k in self.links):
                equal += [(i, j) for i in range(a.start, a.end)]
        return equal

    def name_evidence(self, a: Entity, b: Entity) -> float:
        heads = self.s.head(a), self.t.head(b)
        context = self.dependency_context(*heads) | self.text_context(*heads)
        return self.total((k, n) for k, n in context if not a.start <= k < a.end and not b.start <= n < b.end)

    @staticmethod
    def around(dependencies: Iterable[Dependency], i: int) -> list[tuple[int, str, bool]]:
        """Other word, type, whether the other is the governor."""
        found = []
        for d in dependencies:
            if d.governor >= 0 and d.governor != d.dependent:
                found += [(d.dependent, d.relation, False)] if d.governor == i else []
                found += [(d.governor, d.relation, True)] if d.dependent == i else []
        return found

    def dependency_context(self, i: int, j: int) -> set[Pair]:
        """Algorithm 1."""
        mine, other = category(self.s.tags[i]), category(self.t.tags[j])
        found = set()
        for k, left, k_above in self.around(self.s.annotation.collapsed, i):
            for n, right, n_above in self.around(self.t.annotation.collapsed, j):
                below = category(self.s.tags[k])
                if not self.sim(k, n) or mine != other or below != category(self.t.tags[n]):
                    continue
                up, down = (below, mine) if k_above else (mine, below)
                is_equivalent = parallel if k_above == n_above else crossed
                if is_equivalent(up, down, left, right):
                    found.add((k, n))
        return found

    def text_context(self, i: int, j: int) -> set[Pair]:
        """Algorithm 2."""
        width = self.parameters.window
        return {
            (k, n)
            for k, n in self.cells()
            if 0 < abs(k - i) <= width and 0 < abs(n - j) <= width
            if not self.s.is_stop(k) and not self.t.is_stop(n) and self.sim(k, n)
        }

    def candidates(self, of_stop_words: bool) -> list[Pair]:
        return [
            (i, j)
            for i, j in self.cells()
            if self.free(i, j) and self.sim(i, j)
            if self.s.is_stop(i) == self.t.is_stop(j) == of_stop_words
        ]

    def content_by_dependencies(self) -> None:
        """Algorithm 3."""
        found = []
        for pair in self.candidates(of_stop_words=False):
            context = self.dependency_context(*pair)
            if context:
                key = (-self.score(*pair, self.total(context)), self.place(*pair))
                found.append((key, pair, context))
        for _, pair, context in sorted(found, key=lambda item: item[0]):
            if self.free(*pair):
                self.links.add(pair)
                for other in sorted(context, key=lambda one: (-self.sim(*one), self.place(*one))):
                    if self.free(*other):
                        self.links.add(other)

    def content_by_text(self, with_context: bool) -> None:
        """Algorithm 4."""
        found = []
        for pair in self.candidates(of_stop_words=False):
            evidence = self.total(self.text_context(*pair)) if with_context else 0
            found.append((-self.score(*pair, evidence), self.place(*pair), pair))
        self.take(found)

    def take(self, found: list[tuple[float, tuple[float, int, int], Pair]]) -> None:
        for _, _, pair in sorted(found):
            if self.free(*pair):
                self.links.add(pair)

    def stop_words(self, evidence_of: Callable[[int, int], int]) -> None:
        """§3.3.4, while it adds links."""
        before = None
        while before != self.links:
            before = set(self.links)
            found = []
            for pair in self.candidates(of_stop_words=True):
                if evidence := evidence_of(*pair):
                    found.append((-self.score(*pair, evidence), self.place(*pair), pair))
            self.take(found)

    def same_dependencies(self, i: int, j: int) -> int:
        count = 0
        for k, left, k_above in self.around(self.s.annotation.basic, i):
            for n, right, n_above in self.around(self.t.annotation.basic, j):
                count += (k, n) in self.links and (left, k_above) == (right, n_above)
        return count

    def beside(self, i: int, j: int) -> int:
        edges = {(-1, -1), (self.n, self.m)}
        return sum(pair in self.links | edges for pair in ((i - 1, j - 1), (i + 1, j + 1)))
