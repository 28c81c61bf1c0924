"""Options of the forest aligner's search with their bounds, and the calibration of its probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from numbers import Integral

import numpy as np

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
        with it, see :class:`.LinkEvidence`.
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
            name, value = option.name, getattr(self, option.name)
            if name not in BOUNDS or (value is None and name == "noncompositional_penalty"):
                continue
            least, most = BOUNDS[name]
            is_whole = isinstance(option.default, int)
            if not (is_number(value) and value >= least and (isinstance(value, Integral) or not is_whole)):
                which = "a whole number" if is_whole else "a number"
                raise InputError(f"expected {which} of at least {least}, found {value!r}", field=name)
            if value > most:
                raise InputError(f"expected at most {most}, found {value}", field=name)

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


@dataclass(frozen=True, slots=True)
class PhraseCalibration:
    """Formula for the probability of a phrase pair: posterior^a · (agreement with the word links)^b.

    Posteriors alone are overconfident. The powers in the score of a derivation (``candidate_weight``,
    ``link_weight``, ``tree_weight``) find good alignments but sharpen the distribution over them. If few
    alignments compete, the best one gets nearly all of the probability, whether it is good or bad. A
    temperature reduces the sharpness; agreement with the word links separates good pairs from bad ones.

    The default does not change the posterior. A number that is out of range raises an InputError.
    """

    # In the distribution behind the posteriors, an alignment has its score raised to the power 1 /
    # temperature, normalised. Above 0; 1 keeps the scores, higher values flatten the distribution.
    temperature: float = 1.0
    posterior_power: float = 1.0  # a, at least 0
    link_power: float = 0.0  # b, at least 0
    # Where the phrase-pair model judges, the probability of a pair is the model's to this power; at least 0
    phrase_power: float = 1.0

    def __post_init__(self) -> None:
        for power in fields(self):
            value = getattr(self, power.name)
            if not is_number(value) or value < 0:
                raise InputError(f"expected a number of at least 0, found {value!r}", field=power.name)
        least, most = KERNEL_BOUNDS["temperature"]
        if not least <= self.temperature <= most:
            message = f"expected a number from {least} to {most}, found {self.temperature}"
            raise InputError(message, field="temperature")

    def probabilities(self, log_posterior: np.ndarray, log_agreement: np.ndarray) -> np.ndarray:
        """Probabilities of phrase pairs; they increase with both arguments.

        All are float64, shape (K,): logs, at most 0, and the result in (0, 1]. The posterior is the kernel's,
        at :attr:`temperature`; see :func:`.log_agreement`.
        """
        return _probabilities(self.posterior_power * log_posterior + self.link_power * log_agreement)

    def of_phrases(self, log_probability: np.ndarray) -> np.ndarray:
        """Probabilities, as above, of phrase pairs that the phrase-pair model judges."""
        return _probabilities(self.phrase_power * log_probability)


def _probabilities(logs: np.ndarray) -> np.ndarray:
    # No phrase pair is reported as impossible.
    probabilities: np.ndarray = np.exp(np.clip(logs, math.log(1e-9), 0.0))
    return probabilities
