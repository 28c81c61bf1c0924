"""Options of the forest aligner's search, and their bounds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any

from forest_align.cext.alignment_arrays import BOUNDS as KERNEL_BOUNDS
from forest_align.cext.alignment_arrays import SearchOptions
from forest_align.types import InputError
from forest_align.types.json_fields import LARGEST_WEIGHT, check_boolean, is_number

#: How many supports of a pair are tried when a non-compositional pair replaces it.
OPENED_SUPPORTS = 4
#: Maximum number of packed pairs; the beam narrows to stay below it.
MOST_ITEMS = 20_000
#: Minimum and maximum of each numeric option, both inclusive.
BOUNDS: dict[str, tuple[float, float]] = {
    **{
        name: KERNEL_BOUNDS[name]
        for name in ("null_penalty", "noncompositional_penalty", "beam", "generation_gap")
    },
    "parser_weight": (0, 1),
    **dict.fromkeys(("candidate_weight", "link_weight", "tree_weight", "phrase_weight"), (0, LARGEST_WEIGHT)),
    "phrase_bias": (-LARGEST_WEIGHT, LARGEST_WEIGHT),
    "phrase_added": (0, 1),
}


def _check_number(value: Any, name: str, *, whole: bool) -> None:
    least, most = BOUNDS[name]
    if not (is_number(value) and value >= least and (isinstance(value, Integral) or not whole)):
        which = "a whole number" if whole else "a number"
        raise InputError(f"expected {which} of at least {least}, found {value!r}", field=name)
    if value > most:
        raise InputError(f"expected at most {most}, found {value}", field=name)


@dataclass(frozen=True, slots=True)
class ForestOptions:
    """Options of the search; the symbols are those of Arase & Tsujii (2017).

    Attributes
    ----------
    null_penalty, noncompositional_penalty : float
        µ_n and µ_c (§5.3). If µ_c is None, there are no non-compositional pairs.
    parser_weight : float
        µ_p (§5.4), in [0, 1]: weight of the parser in a linear interpolation with the alignment probability
        of each pair, null phrase and hyperedge of a derivation, see :meth:`.PreparedPair.align`.
    beam, generation_gap : int
        µ_b and µ_g (§5.1); µ_g is at most 100.
    candidate_weight : float
        Exponent of a word candidate's score in the score of its base pair.
    link_weight : float
        Exponent, in the score of a phrase pair or null phrase, of the probability that the word links agree
        with it, see :class:`forest_align.aligners.forest._link_evidence.LinkEvidence`.
    tree_weight : float
        Exponent, in the score of a derivation, of the probability of its trees relative to the most probable
        trees.
    phrase_weight, phrase_bias : float
        What the phrase-pair model adds to the log score of a pair with several words on a side: its log-odds
        plus the bias, times the weight; see :class:`.PhraseEvidence`.
    phrase_added : float
        Pairs of nodes of the chosen trees that fit into the derivation are added to it if the phrase-pair
        model gives them at least this probability. With 1 none are added.
    strict : bool
        Whether to report derivations as Definition 3.2 has them. They are completed to the maximum set
        (condition 6), a pair rests on two pairs or is a link of two words, and there are no links outside of
        the derivation. Otherwise a pair may rest on a single one, groups of words may be aligned as a whole,
        parts of constituents are widened to whole ones, and confident links are reported in any case.

    Raises
    ------
    InputError
        If a number is out of range, or the switch is neither true nor false.
    """

    null_penalty: float = 1.0
    noncompositional_penalty: float | None = 1.0
    parser_weight: float = 0.0
    beam: int = 50
    generation_gap: int = 4
    candidate_weight: float = 1.0
    link_weight: float = 0.0
    tree_weight: float = 0.0
    phrase_weight: float = 0.0
    phrase_bias: float = 0.0
    phrase_added: float = 1.0
    strict: bool = False

    def __post_init__(self) -> None:
        check_boolean(self.strict, "strict")
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name in BOUNDS and not (value is None and option.name == "noncompositional_penalty"):
                _check_number(value, option.name, whole=isinstance(option.default, int))

    def search_options(self) -> SearchOptions:
        """The options of the kernel, at a temperature of 1."""
        return SearchOptions(
            null_penalty=self.null_penalty,
            noncompositional_penalty=self.noncompositional_penalty or 0.0,
            beam=self.beam,
            generation_gap=self.generation_gap,
            opened_supports=OPENED_SUPPORTS,
            max_items=MOST_ITEMS,
            noncompositional=self.noncompositional_penalty is not None,
            single_support=not self.strict,
            count_all_nulls=False,
        )
