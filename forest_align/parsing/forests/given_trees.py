"""Sentences with forests of the trees that a corpus gives, Enju's included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from forest_align.parsing.forests.forest_builder import Packing
from forest_align.types import InputError, Sentence, Token
from forest_align.types.brackets import join_chain

if TYPE_CHECKING:
    from forest_align.data.formats.format import ScoredTree, SentencePair
    from forest_align.data.trees.enju import EnjuTree
    from forest_align.types import ParseForest


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
    from forest_align.parsing.forests.trees import read_bracket, sentence_from_trees

    try:
        parsed = sentence_from_trees(
            [read_bracket(tree) for tree, _ in trees],
            [score for _, score in trees],
            lemmatizer=load_lexicon().lemma,
        )
    except InputError as error:
        raise InputError(error.message, field=f"{side} tree") from None
    if sentence.tokens and sentence.words != parsed.words:
        raise InputError(
            f"expected a tree over the tokens {' '.join(sentence.words)!r}, found one over {parsed.text!r}",
            field=f"{side} tree",
        )
    if not sentence.tokens:
        return parsed
    tokens = tuple(
        structs.replace(old, lemma=old.lemma or new.lemma, tag=old.tag or new.tag)
        for old, new in zip(sentence.tokens, parsed.tokens, strict=True)
    )
    return Sentence(tokens, forest=parsed.forest, text=sentence.text, starts=parsed.starts)
