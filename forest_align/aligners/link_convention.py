"""Conventions of annotators: sure links alone, or possible ones too; how a model of one serves the other."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from forest_align.types import InputError
from forest_align.types.json_fields import check_list, check_number, check_probability, describe, is_number

# ``"sure"``: links that annotators are sure of; ``"all"``: these and the links that they find possible.
_CONVENTIONS = ("sure", "all")


@dataclass(frozen=True, slots=True)
class AllLinks:
    """Turns probabilities of sure links into those of all links, sure or possible."""

    # slope, offset: The log-odds of a link are those of a sure link times the first, plus the second. The
    # slope is above 0, so that no two links change places.
    slope: float = 1.0
    offset: float = 0.0
    threshold: float = 0.5  # Minimum probability of a link

    def __post_init__(self) -> None:
        if not (is_number(self.slope) and self.slope > 0):
            raise InputError(f"expected a number above 0, found {self.slope!r}", field="all_links.slope")
        check_number(self.offset, "all_links.offset")
        check_probability(self.threshold, "all_links.threshold")

    def probabilities(self, sure: np.ndarray) -> np.ndarray:
        """Probabilities of links, sure or possible, given those of sure links: the same shape and type."""
        exact = np.asarray(sure, np.float64)
        # Probabilities of 0 and 1 stay what they are.
        with np.errstate(divide="ignore", over="ignore"):
            log_odds = self.slope * (np.log(exact) - np.log1p(-exact)) + self.offset
            return np.asarray(1 / (1 + np.exp(-log_odds)), dtype=sure.dtype)

    def to_fields(self) -> dict[str, float]:
        """The values as ``model.json`` has them."""
        return asdict(self)

    @classmethod
    def from_card(cls, card: dict[str, Any]) -> AllLinks | None:
        """The field ``all_links`` of a model's description; None if it has none."""
        values = _all_links_of(card, "slope", "offset", "threshold")
        return None if values is None else cls(**values)


@dataclass(frozen=True, slots=True)
class FreerLinks:
    """What changes in the scores of the joint aligner where possible links are wanted too."""

    deletion: float  # Subtracted from the score of every deletion of a word
    calibration: tuple[float, float]  # That of the probabilities, see JointModel

    def __post_init__(self) -> None:
        check_number(self.deletion, "all_links.deletion")
        for value in self.calibration:
            check_number(value, "all_links.calibration")

    @classmethod
    def from_card(cls, card: dict[str, Any]) -> FreerLinks | None:
        """The field ``all_links`` of a model's description; None if it has none."""
        values = _all_links_of(card, "calibration", "deletion")
        if values is None:
            return None
        slope, offset = check_list(values["calibration"], "all_links.calibration", 2)
        return cls(values["deletion"], (slope, offset))


def _all_links_of(card: dict[str, Any], *names: str) -> dict[str, Any] | None:
    """The field ``all_links``, an object with these names; None if the description has none."""
    values = card.get("all_links")
    if values is not None and (not isinstance(values, dict) or sorted(values) != sorted(names)):
        found = ", ".join(values) if isinstance(values, dict) else describe(values)
        raise InputError(f"expected {', '.join(names)}, found {found}", field="all_links")
    return values


def check_convention(links: str) -> bool:
    """Whether possible links are wanted too."""
    if links not in _CONVENTIONS:
        raise InputError(f"expected one of {', '.join(_CONVENTIONS)}, found {links!r}", field="links")
    return links == "all"


def no_all_links(what: str) -> InputError:
    """The error for a model that knows only sure links."""
    return InputError(f"the {what} knows sure links only: it has no all_links in model.json", field="links")
