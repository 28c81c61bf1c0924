"""Packed parse forests as immutable arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.types._forest_objects import (
    ForestArrays,
    ForestObject,
    arrays_of_object,
    check_forest,
    object_of_forest,
)
from forest_align.types.brackets import escape_word, parse_bracket, split_chain
from forest_align.types.errors import InputError
from forest_align.types.json_records import convert_record, record_values
from forest_align.types.k_best import LazyKBest

if TYPE_CHECKING:
    import nltk


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a forest, resolved: a phrase that can be aligned.

    Attributes
    ----------
    start, end : int
        Half-open token span.
    label : str
        Category. A collapsed unary chain is joined by ``"::"`` from the top (``"S::VP"``); for leaves, the
        part-of-speech tag comes last (``"NP::NNP"``). Nodes added by binarization have their parent's
        topmost label and a prime (``"NP'"``).
    is_constituent : bool
        False for nodes added by binarization.
    head : int
        Token index of the semantic head.
    """

    start: int
    end: int
    label: str
    is_constituent: bool = True
    head: int = -1

    @property
    def span(self) -> tuple[int, int]:
        """Half-open token span."""
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Derivation:
    """One tree of a packed forest: the hyperedge that it uses at each inner node."""

    root: int  # the node at the top; any node, for a phrase's tree
    edges: Mapping[int, int]  # inner node -> number of its hyperedge
    log_probability: float = 0.0  # see ParseForest.derivations


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ParseForest(ForestArrays):
    """An immutable packed forest: ``N`` nodes in bottom-up topological order, leaves first, ``E`` hyperedges.

    A leaf covers one token and has no hyperedge; a token has several leaves when its unary chain differs
    between trees (``NNP`` and ``NP::NNP``). Every other node has at least one hyperedge; one node has several
    when trees disagree below it. Build forests with :mod:`forest_align.parsing`, not by hand.

    Attributes
    ----------
    start, end : numpy.ndarray
        int32, shape (N,): half-open token span of each node.
    labels : tuple of str
        Category of each node, see :class:`Node`.
    is_constituent : numpy.ndarray
        bool, shape (N,): False for nodes added by binarization.
    head : numpy.ndarray
        int32, shape (N,): token index of the semantic head.
    log_marginal : numpy.ndarray
        float64, shape (N,): log of the summed probability of the trees that contain the node
        (log ℓ(τ) in Arase & Tsujii 2017, §5.4); at most 0.
    edges : numpy.ndarray
        int32, shape (E, 3): hyperedges ``(parent, left, right)``, sorted.
    edge_log_marginal : numpy.ndarray
        float64, shape (E,): the same for hyperedges.
    roots : numpy.ndarray
        int32, shape (R,): nodes that cover the sentence as the root of a tree; the best tree's root first.
    best_edge : numpy.ndarray
        int32, shape (N,): the hyperedge that the parser's best tree uses at the node; -1 for leaves and for
        nodes outside that tree.
    log_posterior : numpy.ndarray
        float64, shape (N,): log-probability that a tree has the constituent, this span with this label chain.
        It is taken under the parser's tree CRF, among *all* trees of the sentence. For a leaf with only its
        tag as label, it is the log-probability that the word has no label of its own.
        Unlike ``log_marginal``, it is calibrated and does not depend on how many trees the forest holds.
        NaN for nodes added by binarization. All NaN if the trees were given, or if the parser did not compute
        posteriors.
    """

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return (
            f"<ParseForest over {self.token_count} tokens: {len(self)} nodes, {len(self.edges)} hyperedges>"
        )

    def node(self, index: int) -> Node:
        """Return node ``index`` resolved into a :class:`Node`."""
        return Node(
            int(self.start[index]),
            int(self.end[index]),
            self.labels[index],
            bool(self.is_constituent[index]),
            int(self.head[index]),
        )

    @property
    def token_count(self) -> int:
        """Number of tokens that the forest covers."""
        return int(self.end.max())

    def edges_of(self, index: int) -> range:
        """Numbers of the hyperedges below node ``index``; none for a leaf."""
        first, last = np.searchsorted(self.edges[:, 0], (index, index + 1))
        return range(int(first), int(last))

    def node_of_span(self, start: int, end: int) -> tuple[int, ...]:
        """Every node that covers exactly the half-open token span, the most probable first."""
        nodes = np.flatnonzero((self.start == start) & (self.end == end))
        return tuple(nodes[np.argsort(-self.log_marginal[nodes], kind="stable")].tolist())

    def ancestors(self, index: int) -> np.ndarray:
        """Nodes above node ``index`` in any tree, in ascending order, as an int32 array."""
        above = np.zeros(len(self), dtype=bool)
        above[index] = True
        for parent, left, right in self.edges:
            # Edges are sorted by parent and nodes bottom-up, so every child's mark is final by now.
            if above[left] or above[right]:
                above[parent] = True
        above[index] = False
        return np.flatnonzero(above).astype(np.int32)

    def best_nodes(self) -> list[int]:
        """Nodes of the parser's best tree, parents before their children; none for an empty forest."""
        best, edges = self.best_edge.tolist(), self.edges.tolist()
        todo, nodes = self.roots[:1].tolist(), []
        while todo:
            node = todo.pop()
            nodes.append(node)
            if best[node] >= 0:
                todo += edges[best[node]][1:]
        return nodes

    def best_derivation(self) -> Derivation:
        """The parser's best tree as a choice of hyperedges, with its log-probability among the n best.

        :meth:`derivations` gives the same ``log_probability`` for this tree.
        """
        edges = ((node, int(self.best_edge[node])) for node in self.best_nodes())
        chosen = {node: edge for node, edge in edges if edge >= 0}
        return Derivation(int(self.roots[0]), chosen, self.log_probability(int(self.roots[0]), chosen))

    def derivations(self, k: int | None = None) -> Iterator[Derivation]:
        """Trees of the packed forest, the most probable first (Huang & Chiang 2005, algorithm 3).

        The probability of a tree is the product of the conditional probabilities of its root and hyperedges,
        ``ℓ(edge) / ℓ(parent)``. The probabilities of all trees of the forest sum to one. A packed forest
        holds the trees that were packed into it, and others that mix their parts.

        Parameters
        ----------
        k : int, optional
            Number of trees; all by default.
        """
        return islice(self._all_derivations(), k)

    def _all_derivations(self) -> Iterator[Derivation]:
        edges = self.edges.tolist()
        conditional = (self.edge_log_marginal - self.log_marginal[self.edges[:, 0]]).tolist()
        first = np.searchsorted(self.edges[:, 0], np.arange(len(self) + 1)).tolist()
        # A leaf has the hyperedge -1.
        search = LazyKBest(
            lambda node: range(first[node], first[node + 1]) or (-1,),
            lambda edge: edges[edge][1:] if edge >= 0 else (),
            lambda edge, below: conditional[edge] + (below[0] + below[1]) if edge >= 0 else 0.0,
        )
        log_roots = self.log_marginal[self.roots]
        log_roots = (log_roots - np.logaddexp.reduce(log_roots)).tolist()
        roots = list(zip(self.roots.tolist(), log_roots, strict=True))
        for log_probability, place, rank in search.best(roots):
            chosen: dict[int, int] = {}
            todo = [(roots[place][0], rank)]
            while todo:
                node, which = todo.pop()
                ranked = search.get(node, which)
                assert ranked is not None
                if ranked.edge >= 0:
                    chosen[node] = ranked.edge
                    todo += zip(search.children(ranked.edge), ranked.ranks, strict=True)
            yield Derivation(roots[place][0], chosen, log_probability)

    def log_probability(self, root: int, edges: Mapping[int, int]) -> float:
        """Log-probability of the tree given by a choice of hyperedges, see :meth:`derivations`."""
        total = float(self.log_marginal[root] - np.logaddexp.reduce(self.log_marginal[self.roots]))
        return total + sum(float(self.edge_log_marginal[e] - self.log_marginal[n]) for n, e in edges.items())

    def bracket(self, words: Sequence[str] | None = None, derivation: Derivation | None = None) -> str:
        """Write a tree of the forest in Penn brackets: not binarized, unary chains and tags restored.

        Parameters
        ----------
        words : sequence of str, optional
            The words of the sentence, as in its tokens; brackets are written ``-LRB-`` and ``-RRB-``.
            A forest does not store words. Without them, the leaves are the token numbers, from 0.
        derivation : Derivation, optional
            Which tree; the parser's best by default.

        Raises
        ------
        InputError
            If the number of words is not the forest's number of tokens.
        """
        words = [str(token) for token in range(self.token_count)] if words is None else words
        if len(words) != self.token_count:
            raise InputError(f"the forest covers {self.token_count} tokens, found {len(words)} words")
        derivation = derivation or self.best_derivation()
        start, is_constituent, edges = (
            array.tolist() for array in (self.start, self.is_constituent, self.edges)
        )
        pieces: list[str] = []
        todo: list[int | str] = [derivation.root]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            edge = derivation.edges.get(item, -1)
            chain = split_chain(self.labels[item]) if is_constituent[item] else []
            opening, closing = " " + " ".join(f"({label}" for label in chain), ")" * len(chain)
            if edge < 0:
                pieces.append(f"{opening} {escape_word(words[start[item]])}{closing}")
                continue
            if chain:
                pieces.append(opening)
                todo.append(closing)
            todo += (edges[edge][2], edges[edge][1])
        return "".join(pieces).lstrip()

    def best_tree(self, words: Sequence[str] | None = None) -> nltk.Tree:
        """The parser's best tree as an ``nltk.Tree``, see :meth:`bracket`."""
        return parse_bracket(self.bracket(words))

    def trees(
        self, words: Sequence[str] | int | None = None, k: int | None = None
    ) -> Iterator[tuple[float, nltk.Tree]]:
        """Yield ``(log_probability, tree)``, best first: all, ``trees(words)``, or k, ``trees(words, k)``.

        ``trees()`` and ``trees(k)`` use token numbers instead of words; see :meth:`scored_brackets`.
        """
        if isinstance(words, int):
            words, k = None, words
        for log_probability, bracket in self.scored_brackets(words, k):
            yield log_probability, parse_bracket(bracket)

    def scored_brackets(
        self, words: Sequence[str] | None = None, k: int | None = None
    ) -> Iterator[tuple[float, str]]:
        """Yield ``(log_probability, tree in Penn brackets)``, best first; see :meth:`bracket`.

        Derivations that differ only in binarization or heads are one tree. It is yielded once, with the
        log-probability of the most probable derivation.

        Parameters
        ----------
        words : sequence of str, optional
            As for :meth:`bracket`.
        k : int, optional
            How many trees; all by default.
        """
        seen: set[str] = set()

        def distinct() -> Iterator[tuple[float, str]]:
            for derivation in self.derivations():
                bracket = self.bracket(words, derivation)
                if bracket not in seen:
                    seen.add(bracket)
                    yield derivation.log_probability, bracket

        return islice(distinct(), k)

    def to_dict(self) -> dict[str, Any]:
        """The forest as lists, for JSON; numbers are written in full and round-trip exactly."""
        return record_values(self.to_object())

    @classmethod
    def from_dict(cls, values: Any, path: str = "") -> ParseForest:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        values : mapping
            JSON object; unknown keys are ignored.
        path : str
            Name of the object in the document, for messages.

        Raises
        ------
        InputError
            If a field is missing or of the wrong kind, or the forest is not well formed; names the field.
        """
        return cls.of_object(convert_record(ForestObject, values, path), path)

    def to_object(self) -> ForestObject:
        """The JSON object of the forest, see :meth:`to_dict`."""
        return object_of_forest(self)

    @classmethod
    def of_object(cls, listed: ForestObject, path: str = "") -> ParseForest:
        """Build a forest from its JSON object, see :meth:`from_dict`."""
        try:
            forest = cls(**arrays_of_object(listed))
            check_forest(forest)
        except InputError as error:
            raise error.inside(path) from None
        return forest

    def to_json(self) -> dict[str, Any]:
        """The same as :meth:`to_dict`: the value of ``"forest"`` in a parse."""
        return self.to_dict()

    @classmethod
    def from_json(cls, data: Any) -> ParseForest:
        """The same as :meth:`from_dict`."""
        return cls.from_dict(data)
