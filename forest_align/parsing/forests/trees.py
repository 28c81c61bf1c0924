"""Forests from the trees of users and corpora: Penn brackets, n-best lists with scores, Enju's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from forest_align.data.trees.penn import TOP_LABELS, strip_annotations
from forest_align.parsing.forests._forest_builder import Constituent, Packing, forest_from_constituents
from forest_align.parsing.forests.decoding import starts_of_sentences
from forest_align.types import InputError, ParseForest, Sentence, Token
from forest_align.types.brackets import join_chain, parse_bracket, split_chain, unescape

if TYPE_CHECKING:
    from collections.abc import Callable

    import nltk

    from forest_align.data.formats.format import ScoredTree, SentencePair
    from forest_align.data.trees.enju import EnjuTree


def forest_from_trees(
    trees: Sequence[nltk.Tree], log_probabilities: Sequence[float] | None = None
) -> tuple[tuple[str, ...], ParseForest]:
    """Pack the n-best trees of one sentence.

    Parameters
    ----------
    trees : sequence of nltk.Tree
        Trees over the same words, without traces and function tags (see
        :func:`forest_align.data.trees.penn.strip_annotations`).
    log_probabilities : sequence of float, optional
        One per tree, not necessarily normalised; equal by default.

    Returns
    -------
    words : tuple of str
        The words, with brackets and slashes unescaped (``-LRB-`` becomes ``(``).
    forest : ParseForest

    Raises
    ------
    InputError
        If a tree is not well formed, or the trees have different words.
    """
    constituents: list[Constituent] = []
    numbers: dict[Constituent, int] = {}
    tops = []
    words: list[str] = []
    for index, tree in enumerate(trees):
        top, leaves = _add_tree(tree, constituents, numbers)
        if index and leaves != words:
            raise InputError(f"tree {index + 1} is not over the same words as the first one")
        words = leaves
        tops.append(top)
    unescaped = tuple(unescape(word) for word in words)
    return unescaped, forest_from_constituents(constituents, tops, log_probabilities, unescaped)


def sentence_from_trees(
    trees: Sequence[nltk.Tree],
    log_probabilities: Sequence[float] | None = None,
    *,
    lemmatizer: Callable[[str, str], str] | None = None,
) -> Sentence:
    """A sentence with its forest, the best tree's tags, and the words joined by spaces as its text.

    Raises
    ------
    InputError
        See :func:`forest_from_trees`.
    """
    words, forest = forest_from_trees(trees, log_probabilities)
    tags = [""] * len(words)
    for node in forest.best_nodes():
        if forest.best_edge[node] < 0:
            tags[forest.start[node]] = split_chain(forest.labels[node])[-1]
    plain = Sentence.from_words(words, tags)
    tokens = plain.tokens
    if lemmatizer is not None:
        tokens = tuple(Token(t.text, lemmatizer(t.text, t.tag), t.tag, t.start, t.end) for t in tokens)
    return Sentence(tokens, forest=forest, text=plain.text, starts=starts_of_sentences(forest))


def sentence_from_bracket(text: str, *, lemmatizer: Callable[[str, str], str] | None = None) -> Sentence:
    """A sentence with the forest of one tree in Penn brackets; see :func:`read_bracket`.

    Raises
    ------
    InputError
        If the text is not one tree with words.
    """
    return sentence_from_trees([read_bracket(text)], lemmatizer=lemmatizer)


def with_best_tree(sentence: Sentence) -> Sentence:
    """The sentence with a forest of only its parser's best tree.

    Raises
    ------
    InputError
        If it has no forest.
    """
    if sentence.forest is None:
        raise InputError("the sentence has no parse forest")
    bracket = sentence.forest.bracket(sentence.words)
    return replace(sentence, forest=forest_from_bracket(bracket)[1])


def sentence_from_n_best(
    lines: Sequence[str], *, lemmatizer: Callable[[str, str], str] | None = None
) -> Sentence:
    """A sentence with the forest of an n-best list.

    Parameters
    ----------
    lines : sequence of str
        Lines ``log-probability<TAB>tree``, in any order; log-probabilities need not be normalised.
    lemmatizer : callable, optional
        Called with a word and its tag; returns the lemma.

    Raises
    ------
    InputError
        If a line does not have that form, or the trees have different words. Its ``line`` counts ``lines``
        from 1; its ``field`` is ``"log-probability"`` or ``"tree"``.
    """
    log_probabilities, trees = [], []
    for number, line in enumerate(lines, 1):
        try:
            score, tree = _scored_tree(line)
        except InputError as error:
            raise InputError(error.message, line=number, field=error.field) from None
        log_probabilities.append(score)
        trees.append(tree)
    try:
        return sentence_from_trees(trees, log_probabilities, lemmatizer=lemmatizer)
    except InputError as error:
        # Name the first tree that is not well formed or has other words than those before.
        for number, tree in enumerate(trees, 1):
            try:
                forest_from_trees([trees[0], tree])
            except InputError:
                raise InputError(error.message, line=number, field="tree") from None
        raise InputError(error.message) from None


def _scored_tree(line: str) -> tuple[float, nltk.Tree]:
    """Read a line of an n-best list; errors name the field."""
    score, tab, bracket = line.partition("\t")
    try:
        value = float(score) if tab else math.nan
    except ValueError:
        value = math.nan
    if not tab:
        raise InputError(f"expected log-probability, tab, tree; found {line[:80]!r}")
    if not math.isfinite(value):
        raise InputError(f"expected a finite number, found {score[:80]!r}", field="log-probability")
    try:
        return value, read_bracket(bracket)
    except InputError as error:
        raise InputError(error.message, field="tree") from None


def forest_from_bracket(text: str) -> tuple[tuple[str, ...], ParseForest]:
    """Words and forest of one tree in Penn brackets, see :func:`forest_from_trees`."""
    return forest_from_trees([read_bracket(text)])


def read_bracket(text: str) -> nltk.Tree:
    """Read one tree in Penn brackets without its traces and function tags.

    The tree of a text of several sentences has the label ``TEXT``, and those of its sentences as children.
    """
    tree = strip_annotations(parse_bracket(text))
    if tree is None:
        raise InputError(f"expected a tree with words, found {text[:80]!r}")
    return tree


def _add_tree(
    tree: nltk.Tree, constituents: list[Constituent], numbers: dict[Constituent, int]
) -> tuple[int, list[str]]:
    """Add a tree's constituents, sharing equal subtrees; return the whole tree's number and its words."""
    words: list[str] = []
    finished: list[int] = []

    def add(constituent: Constituent) -> None:
        number = numbers.setdefault(constituent, len(constituents))
        if number == len(constituents):
            constituents.append(constituent)
        finished.append(number)

    while tree.label() in TOP_LABELS and len(tree) == 1 and not isinstance(tree[0], str):
        tree = tree[0]
    # A stack instead of recursion: trees of long sentences are deep. A pair closes a tree's constituent.
    todo: list[nltk.Tree | tuple[str, int]] = [tree]
    while todo:
        item = todo.pop()
        if isinstance(item, tuple):
            label, count = item
            children = tuple(finished[-count:])
            del finished[-count:]
            start, end = constituents[children[0]].start, constituents[children[-1]].end
            add(Constituent(start, end, label, children))
            continue
        label, bottom = _collapse(item)
        if isinstance(bottom, str):
            words.append(bottom)
            add(Constituent(len(words) - 1, len(words), label, ()))
        else:
            todo.append((label, len(bottom)))
            todo.extend(reversed(bottom))
    return finished[0], words


def _collapse(tree: nltk.Tree | str) -> tuple[str, list[nltk.Tree] | str]:
    """Join a unary chain; return its label and its content: the word, or two or more children."""
    labels = []
    while not isinstance(tree, str):
        labels.append(tree.label() or "TOP")
        if len(tree) != 1:
            break
        tree = tree[0]
    if not labels:
        raise InputError(f"word {tree!r} has no part-of-speech tag")
    if not isinstance(tree, str) and len(tree) == 0:
        raise InputError(f"constituent {labels[-1]!r} is empty")
    return join_chain(labels), tree if isinstance(tree, str) else list(tree)


def forest_from_enju(tree: EnjuTree) -> tuple[ParseForest, list[int]]:
    """Convert an Enju tree to a forest of one tree; heads are its ``sem_head``.

    As in all forests, a unary chain becomes one node; a phrase over one token becomes a leaf (``"NP::NN"``).

    Parameters
    ----------
    tree : EnjuTree
        See :func:`forest_align.data.trees.enju.read_enju`.

    Returns
    -------
    forest : ParseForest
    numbers : list of int
        For each of the tree's ``nodes``, its node in the forest; the phrases of a chain share one.

    Raises
    ------
    InputError
        If the labels of a chain cannot be written as one
        (see :func:`~forest_align.types.brackets.join_chain`).
    """
    packing = Packing()
    chains: list[tuple[str, ...]] = []  # labels of each phrase, with the chain below it
    parts: list[tuple[int, ...]] = []  # the two children of each phrase, below its chain
    for node in tree.nodes:
        if len(node.children) == 1:
            chains.append((node.label, *chains[node.children[0]]))
            parts.append(parts[node.children[0]])
        elif node.children:
            chains.append((node.label,))
            parts.append(node.children)
        else:
            chains.append((node.label, tree.tokens[node.start].tag))
            parts.append(())
    # The top of a chain represents the whole chain.
    tops = list(range(len(tree.nodes)))
    for number in range(len(tree.nodes) - 1, -1, -1):
        children = tree.nodes[number].children
        if len(children) == 1:
            tops[children[0]] = tops[number]
    added: dict[int, int] = {}
    for number, node in enumerate(tree.nodes):
        if tops[number] != number:
            continue
        label = join_chain(chains[number])
        added[number] = packing.node(node.start, node.end, label, True, node.head, 1.0)
        if parts[number]:
            left, right = (added[tops[child]] for child in parts[number])
            packing.edge(added[number], left, right, 1.0, True)
    forest, numbers = packing.finish([added[tops[-1]]])
    return forest, [numbers[added[top]] for top in tops]


def sentence_from_enju(tree: EnjuTree) -> Sentence:
    """A sentence with Enju's tokens, base forms, tags and tree."""
    tokens = tuple(Token(t.text, t.base.lower(), t.tag, t.start, t.end) for t in tree.tokens)
    return Sentence(tokens, forest=forest_from_enju(tree)[0], text=tree.text)


def with_given_trees(pair: SentencePair) -> tuple[Sentence, Sentence]:
    """The sentences of a pair, each with the forest of its trees if the corpus gives any."""
    if pair.source_enju is not None and pair.target_enju is not None:
        return sentence_from_enju(pair.source_enju), sentence_from_enju(pair.target_enju)
    return (
        _with_trees(pair.source, pair.source_trees, "source"),
        _with_trees(pair.target, pair.target_trees, "target"),
    )


def _with_trees(sentence: Sentence, trees: tuple[ScoredTree, ...], side: str) -> Sentence:
    if not trees:
        return sentence
    from forest_align.lexicon.lexicon import load_lexicon

    try:
        parsed = sentence_from_trees(
            [read_bracket(tree) for tree, _ in trees],
            [score for _, score in trees],
            lemmatizer=load_lexicon().lemma,
        )
    except InputError as error:
        raise InputError(error.message, field=f"{side} tree") from None
    if not sentence.tokens:
        return parsed
    if sentence.words != parsed.words:
        expected = f"expected a tree over the tokens {' '.join(sentence.words)!r}"
        raise InputError(f"{expected}, found one over {parsed.text!r}", field=f"{side} tree")
    tokens = tuple(
        structs.replace(old, lemma=old.lemma or new.lemma, tag=old.tag or new.tag)
        for old, new in zip(sentence.tokens, parsed.tokens, strict=True)
    )
    return Sentence(tokens, forest=parsed.forest, text=sentence.text, starts=parsed.starts)
