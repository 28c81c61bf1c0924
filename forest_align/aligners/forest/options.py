"""Options of the forest aligner's search, and their bounds."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from numbers import Integral
from typing import Any

from forest_align.cext.alignment_arguments import BOUNDS as KERNEL_BOUNDS
from forest_align.cext.alignment_arguments import SearchOptions
from forest_align.types import InputError
from forest_align.types.json_fields import check_boolean, is_number
from forest_align.types.weight_bounds import LARGEST_WEIGHT

NORMALIZERS = ("sides", "pair", "symmetric")
#: Minimum and maximum of each numeric option, both inclusive.
BOUNDS: dict[str, tuple[float, float]] = {
    # The temperature belongs to the calibration.
    **{name: bounds for name, bounds in KERNEL_BOUNDS.items() if name != "temperature"},
    "parser_weight": (0, 1),
    **dict.fromkeys(("candidate_weight", "link_weight", "tree_weight", "phrase_weight"), (0, LARGEST_WEIGHT)),
    **dict.fromkeys(("phrase_bias", "phrase_base_prior"), (-LARGEST_WEIGHT, LARGEST_WEIGHT)),
    **dict.fromkeys(("phrase_base", "phrase_cut", "phrase_added"), (0, 1)),
    # Scores of words are from 0 to 1: no word reaches a higher minimum.
    **dict.fromkeys(("confident_link", "certain_link"), (0, math.inf)),
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
        µ_n and µ_c (§5.3).
    parser_weight : float
        µ_p (§5.4), in [0, 1]: weight of the parser in a linear interpolation with the alignment probability
        of each pair, null phrase and hyperedge of a derivation, see :meth:`.PreparedPair.align`.
    beam, generation_gap : int
        µ_b and µ_g (§5.1); µ_g is at most 100.
    opened_supports : int
        How many supports of a pair are tried when a non-compositional pair replaces it.
    max_items : int
        Maximum number of packed pairs; the beam narrows to stay below it.
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
    phrase_base, phrase_base_prior : float
        Pairs of phrases without linked words need no support if the phrase-pair model gives them at least
        this probability; the second is their log weight. With 1 there are none.
    phrase_cut : float
        A pair of phrases that a word link leaves is left out if the phrase-pair model gives it less than this
        probability.
    phrase_added : float
        Pairs of nodes of the chosen trees that fit into the derivation are added to it if the phrase-pair
        model gives them at least this probability. With 1 none are added.
    confident_link, certain_link : float
        Minimum scores of word candidates that are reported although the structure does not contain them. A
        confident candidate is added only if the structure links neither word to another one, a certain
        candidate always. Above 1, none is added.
    normalizer : str
        Which candidates compete, see :meth:`ForestModel.log_probabilities`.
    noncompositional, single_support, multiword, count_all_nulls : bool
        Switches of the search, see :func:`forest_align.cext.alignment.align`; ``multiword`` allows groups of
        words to be aligned as a whole.
    maximum_set : bool
        Whether the derivation is completed to the maximum set (Definition 3.2, condition 6), see
        :func:`forest_align.aligners.forest._maximum_set.with_maximum_set`.
    clear_words : bool
        Whether two words are reported as a phrase pair only if their link is confident and neither has
        another link. Their link is reported in any case.
    whole_constituents : bool
        Whether phrases that are parts of constituents are widened to the whole constituents, unless other
        pairs or links prevent it, see :mod:`forest_align.aligners.forest._whole_constituents`.

    Raises
    ------
    InputError
        If the normaliser is unknown, a number is out of range, or a switch is neither true nor false.
    """

    null_penalty: float = 1.0
    noncompositional_penalty: float = 1.0
    parser_weight: float = 0.0
    beam: int = 50
    generation_gap: int = 4
    opened_supports: int = 4
    max_items: int = 20_000
    candidate_weight: float = 1.0
    link_weight: float = 0.0
    tree_weight: float = 0.0
    phrase_weight: float = 0.0
    phrase_bias: float = 0.0
    phrase_base: float = 1.0
    phrase_base_prior: float = 0.0
    phrase_cut: float = 0.0
    phrase_added: float = 1.0
    confident_link: float = 0.5
    certain_link: float = 0.6
    normalizer: str = "sides"
    noncompositional: bool = True
    single_support: bool = True
    multiword: bool = True
    count_all_nulls: bool = False
    maximum_set: bool = False
    clear_words: bool = False
    whole_constituents: bool = True

    def __post_init__(self) -> None:
        if self.normalizer not in NORMALIZERS:
            raise InputError(
                f"expected one of {', '.join(NORMALIZERS)}, found {self.normalizer!r}", field="normalizer"
            )
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(one.default, bool):
                check_boolean(value, one.name)
            elif one.name in BOUNDS:
                _check_number(value, one.name, whole=isinstance(one.default, int))

    def search_options(self) -> SearchOptions:
        """The options of the kernel, at a temperature of 1."""
        given = asdict(self)
        return SearchOptions(**{name: given[name] for name in SearchOptions._fields if name in given})
