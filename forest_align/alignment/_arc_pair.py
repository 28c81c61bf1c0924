"""Two dependency arcs that correspond: the second unit of a joint alignment."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from forest_align.types.errors import InputError
from forest_align.types.json_records import WRITTEN, JsonObject

_Arc = Annotated[
    tuple[Annotated[int, Meta(ge=-1)], Annotated[int, Meta(ge=-1)]],
    Meta(description="Governor (-1 for a root) and dependent."),
]


class ArcPair(JsonObject, frozen=True, omit_defaults=False):
    """Two dependency arcs that correspond (Thadani et al. 2012, §5.1).

    Attributes
    ----------
    source, target : (int, int)
        Governor and dependent of each arc, as token indices; the governor of a root is -1.
    source_relation, target_relation : str
        Types of the two dependencies.
    """

    source: _Arc
    target: _Arc
    source_relation: Annotated[str, WRITTEN] = ""
    target_relation: Annotated[str, WRITTEN] = ""

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

    def check_inside(self, path: str, source_length: int, target_length: int) -> ArcPair:
        """Return self if both arcs lie inside their sentences, or raise InputError."""
        for side, arc, length in (
            ("source", self.source, source_length),
            ("target", self.target, target_length),
        ):
            if not (arc[0] < length and 0 <= arc[1] < length):
                raise InputError(
                    f"expected a governor (-1 for the root) and a dependent of {length} tokens, "
                    f"found {list(arc)}",
                    field=f"{path}.{side}",
                )
        return self


def arc_order(pair: ArcPair) -> tuple[tuple[int, int], tuple[int, int]]:
    """Sort key of an alignment's pairs of arcs: dependent and governor of the source, then of the target."""
    return pair.source[::-1], pair.target[::-1]
