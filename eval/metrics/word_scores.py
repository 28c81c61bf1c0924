"""Precision, recall, F1 and exact match of word links, macro-averaged as is usual in the literature.

For a pair with predicted links A and gold links G, precision is |A∩G| / |A| (1 if A is empty) and recall
|A∩G| / |G| (1 if G is empty). Both are averaged over pairs, and F1 is that of the two averages (Sultan et
al. 2014, table 2; Yao et al. 2013, table 3). Thadani et al. 2012 (table 1) average the F1 of the pairs
instead: ``pair_f1``.

Links are also split in the two ways of Yao et al. 2013:

- *identical* links join equal tokens, case included (that definition gives the shares of identical links in
  their table 3: 78.6% of MSR06, 75.2% of Edinburgh++), *non-identical* links all others;
- *token* and *phrase* alignments (their table 4): links are cut into blocks, rectangles in which every source
  token is linked to every target token. A block of 1×1 is a token alignment, any other a phrase alignment,
  and a predicted block is right only if the gold has the same block.

Both splits are pooled over pairs. The published figures come from an evaluator that does not reset its counts
between pairs, so its averages are nearly pooled figures too. Most pairs have no link of the rarer kinds, so
an average over pairs would not be informative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from forest_align.alignment import Links
from forest_align.eval.metrics.scores import MatchCounts, Scores, Statistic, mean
from forest_align.types import InputError

#: Half-open spans of a fully linked rectangle: source start, source end, target start, target end.
Block = tuple[int, int, int, int]

_Item = TypeVar("_Item")
_KINDS = ("identical", "non_identical", "token", "phrase")


@dataclass(frozen=True, slots=True)
class WordPair:
    """Gold and predicted links of one sentence pair.

    Attributes
    ----------
    source, target : sequence of str
        The tokens.
    gold, predicted : Links
        For ``gold``, the sure links or all links count, see :func:`score_words`; all of ``predicted`` count.
    id : str
        Name of the pair, for messages.
    """

    source: Sequence[str]
    target: Sequence[str]
    gold: Links
    predicted: Links
    id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class WordScores:
    """Scores of word links over N pairs.

    Attributes
    ----------
    counts : MatchCounts
        Counts of links; ``counts.macro()`` and ``counts.micro()`` are the figures to report.
    exact : numpy.ndarray
        bool, shape (N,): whether predicted and gold links are the same.
    identical, non_identical, token, phrase : MatchCounts
        The same for the kinds of links of Yao et al. 2013.
    """

    counts: MatchCounts
    exact: np.ndarray
    identical: MatchCounts = field(repr=False)
    non_identical: MatchCounts = field(repr=False)
    token: MatchCounts = field(repr=False)
    phrase: MatchCounts = field(repr=False)

    def __len__(self) -> int:
        return len(self.exact)

    @property
    def exact_match(self) -> float:
        """Share of pairs with exactly the gold links."""
        return mean(self.exact).value

    @property
    def pair_f1(self) -> float:
        """Mean of the F1 of each pair (Thadani et al. 2012)."""
        return mean(self.counts.pair_f1()).value

    def by_kind(self) -> dict[str, Scores]:
        """Pooled scores of identical, non-identical, token and phrase alignments."""
        return {kind: getattr(self, kind).micro() for kind in _KINDS}

    def statistics(self) -> dict[str, Statistic]:
        """Every reported figure by its name, ready for significance tests."""
        return {
            **self.counts.macro_statistics(),
            "exact_match": mean(self.exact),
            "micro_f1": self.counts.micro_statistics()["f1"],
            "pair_f1": mean(self.counts.pair_f1()),
        }


def score_words(pairs: Iterable[WordPair], *, links: str = "sure") -> WordScores:
    """Score word links.

    Parameters
    ----------
    pairs : iterable of WordPair
        One object per sentence pair.
    links : {"sure", "all"}
        With "all", possible gold links count as wanted links too (SURE+POSSIBLE in Thadani et al.).

    Raises
    ------
    InputError
        If ``links`` is neither, or a link points beyond a sentence: names the pair.
    """
    if links not in ("sure", "all"):
        raise InputError(f"expected 'sure' or 'all', found {links!r}", field="links")
    rows: dict[str, list[tuple[int, ...]]] = {kind: [] for kind in ("all", *_KINDS)}
    exact = []
    for number, pair in enumerate(pairs, start=1):
        wanted = _checked(pair.gold, pair, number, "gold")
        gold = set((wanted.only_sure() if links == "sure" else wanted).pairs)
        predicted = set(_checked(pair.predicted, pair, number, "predicted").pairs)
        exact.append(gold == predicted)
        for kind, row in _rows(gold, predicted, pair).items():
            rows[kind].append(row)
    counts = {kind: MatchCounts.of(of_kind) for kind, of_kind in rows.items()}
    return WordScores(counts.pop("all"), np.asarray(exact, bool), **counts)


def _checked(links: Links, pair: WordPair, number: int, which: str) -> Links:
    try:
        return links.check(len(pair.source), len(pair.target))
    except InputError as error:
        name = f"pair {pair.id!r}" if pair.id else f"pair {number}"
        raise InputError(f"{name}: {which} {error.message}") from None


def _rows(
    gold: set[tuple[int, int]], predicted: set[tuple[int, int]], pair: WordPair
) -> dict[str, tuple[int, int, int, int]]:
    def is_identical(link: tuple[int, int]) -> bool:
        return pair.source[link[0]] == pair.target[link[1]]

    gold_blocks, predicted_blocks = blocks_of(gold), blocks_of(predicted)
    return {
        "all": _row(gold, predicted),
        "identical": _row(gold, predicted, is_identical),
        "non_identical": _row(gold, predicted, lambda link: not is_identical(link)),
        "token": _row(gold_blocks, predicted_blocks, _is_token),
        "phrase": _row(gold_blocks, predicted_blocks, lambda block: not _is_token(block)),
    }


def _row(
    gold: set[_Item], predicted: set[_Item], keep: Callable[[_Item], bool] = lambda item: True
) -> tuple[int, int, int, int]:
    wanted, found = {item for item in gold if keep(item)}, {item for item in predicted if keep(item)}
    right = len(wanted & found)
    return right, len(found), right, len(wanted)


def _is_token(block: Block) -> bool:
    return block[1] - block[0] == 1 and block[3] - block[2] == 1


def blocks_of(links: Iterable[tuple[int, int]]) -> set[Block]:
    """Cut links into fully linked rectangles, greedily from the first source token.

    The first link outside all blocks opens one. It then grows alternately by one source and one target token,
    as long as all links of the larger rectangle exist and belong to no other block.
    """
    free = set(links)
    found: set[Block] = set()
    for link in sorted(free):
        if link not in free:
            continue
        s0, t0 = link
        s1, t1 = s0 + 1, t0 + 1
        grew = True
        while grew:
            grew = False
            if all((s1, t) in free for t in range(t0, t1)):
                s1, grew = s1 + 1, True
            if all((s, t1) in free for s in range(s0, s1)):
                t1, grew = t1 + 1, True
        found.add((s0, s1, t0, t1))
        free -= {(s, t) for s in range(s0, s1) for t in range(t0, t1)}
    return found
