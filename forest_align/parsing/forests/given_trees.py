"""Sentences of a corpus, with forests of the trees that the corpus gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from forest_align.types import InputError, Sentence

if TYPE_CHECKING:
    from forest_align.data.formats.format import ScoredTree, SentencePair


def with_given_trees(pair: SentencePair) -> tuple[Sentence, Sentence]:
    """The sentences of a pair, each with the forest of its trees if the corpus gives any."""
    if pair.source_enju is not None and pair.target_enju is not None:
        from forest_align.parsing.forests.enju_forest import sentence_from_enju

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
