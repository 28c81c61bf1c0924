"""Labelled attachment: how many typed dependencies derived from trees are those of another system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from nltk import Tree

from forest_align.eval.metrics.scores import Scores
from forest_align.parsing.dependencies.typed import Dependency, basic_dependencies, collapse

#: Every type that table 1 of Sultan et al. (2014) names, *pos* and *rcmmod* read as *poss* and *rcmod*.
TABLE_TYPES: tuple[str, ...] = (
    *("purpcl", "xcomp", "agent", "nsubj", "xsubj", "dobj", "nsubjpass", "rel", "tmod"),
    *("prep_in", "prep_at", "prep_on", "iobj", "prep_to", "infmod", "partmod", "rcmod"),
    *("poss", "nn", "prep_of", "prep_for", "amod", "conj_and", "conj_or", "conj_nor"),
    *("acomp", "cop", "csubj"),
)


class Attachment:
    """Counts of collapsed dependencies, by type.

    A derived dependency is right if the other system has one of the same governor, dependent and type.

    Attributes
    ----------
    wanted, found, right : Counter
        Dependencies of the other system, derived ones, and those that are both.
    """

    def __init__(self) -> None:
        self.wanted: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.right: Counter[str] = Counter()

    def add(self, tree: Tree, basic: Iterable[Dependency]) -> None:
        """Count one sentence: a tree, and the basic dependencies that the other system gives for it.

        Both are collapsed in the same way, which also adds the subjects of open complements (``xsubj``).
        """
        words, tags = zip(*tree.pos(), strict=True)
        wanted = set(collapse(tuple(basic), words, tags))
        found = set(collapse(basic_dependencies(tree), words, tags))
        for counter, dependencies in (
            (self.wanted, wanted),
            (self.found, found),
            (self.right, wanted & found),
        ):
            counter.update(dependency.relation for dependency in dependencies)

    def scores(self, types: Iterable[str] = TABLE_TYPES) -> Scores:
        """Precision, recall and F1 of dependencies of some types, pooled."""
        chosen = tuple(types)
        right, found, wanted = (_total(counts, chosen) for counts in (self.right, self.found, self.wanted))
        return Scores.of(right / found if found else 0.0, right / wanted if wanted else 0.0)


def _total(counts: Mapping[str, int], types: Iterable[str]) -> int:
    return sum(counts[name] for name in types)
