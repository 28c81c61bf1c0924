"""Two dependency arcs that correspond: the second unit of a joint alignment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from forest_align.types.errors import InputError
from forest_align.types.json_fields import Fields, check_integer


@dataclass(frozen=True, slots=True)
class ArcPair:
    """Two dependency arcs that correspond (Thadani et al. 2012, §5.1).

    Attributes
    ----------
    source, target : (int, int)
        Governor and dependent of each arc, as token indices; the governor of a root is -1.
    source_relation, target_relation : str
        Types of the two dependencies.
    """

    source: tuple[int, int]
    target: tuple[int, int]
    source_relation: str = ""
    target_relation: str = ""

    def swap(self) -> ArcPair:
        """The same pair seen from the target side."""
        return replace(
            self,
            source=self.target,
            target=self.source,
            source_relation=self.target_relation,
            target_relation=self.source_relation,
        )

    @property
    def links(self) -> tuple[tuple[int, int], ...]:
        """The word links below the pair: of the dependents, and of the governors unless both are roots."""
        (governor, dependent), (other, below) = self.source, self.target
        own = ((dependent, below),)
        return own if governor < 0 and other < 0 else ((governor, other), *own)

    def to_dict(self) -> dict[str, Any]:
        """JSON values of the pair."""
        return {
            "source": list(self.source),
            "target": list(self.target),
            "source_relation": self.source_relation,
            "target_relation": self.target_relation,
        }

    @classmethod
    def from_dict(cls, values: Any, path: str, source_length: int, target_length: int) -> ArcPair:
        """Read what :meth:`to_dict` wrote; unknown keys are ignored.

        Parameters
        ----------
        values : mapping
            JSON object, see ``docs/reference/formats.md``.
        path : str
            Name of the object in the document, for messages.
        source_length, target_length : int
            Numbers of tokens of the two sentences.

        Raises
        ------
        InputError
            If a field is missing or wrong, or an arc lies outside its sentence.
        """
        fields = Fields(values, path)
        return cls(
            _read_arc(fields, "source", source_length),
            _read_arc(fields, "target", target_length),
            fields.text("source_relation", ""),
            fields.text("target_relation", ""),
        )


def arc_order(pair: ArcPair) -> tuple[tuple[int, int], tuple[int, int]]:
    """Sort key of an alignment's pairs of arcs: dependent and governor of the source, then of the target."""
    return pair.source[::-1], pair.target[::-1]


def _read_arc(fields: Fields, side: str, length: int) -> tuple[int, int]:
    name = fields.name(side)
    governor, dependent = (check_integer(value, name) for value in fields.items(side, length=2))
    if not (-1 <= governor < length and 0 <= dependent < length):
        raise InputError(
            f"expected a governor (-1 for the root) and a dependent of {length} tokens, "
            f"found {[governor, dependent]}",
            field=name,
        )
    return governor, dependent
