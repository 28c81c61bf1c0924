"""Classes of transitions between the steps of a path: distortion (Yao et al. 2013, §3.3)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

#: Transitions between steps: the distance from the last target word of a step to the first of the next one,
#: null, and the ends.
TRANSITIONS = (
    *(
        "back by 10 or more",
        "back by 6 to 9",
        "back by 4 or 5",
        "back by 3",
        "back by 2",
        "back by 1",
        "on the spot",
    ),
    *("to the next", "over 1", "over 2", "over 3", "over 4 or 5", "over 6 to 9", "over 10 or more"),
    *("to null", "from null", "from null to null", "beginning at null"),
    *("beginning at the first word", "beginning at the second or third", "beginning farther on"),
    *("ending at the last word", "ending at the last but one", "ending before", "ending at null"),
)
_NEXT, _TO_NULL, _BEGINNING, _ENDING = (
    TRANSITIONS.index(name)
    for name in ("to the next", "to null", "beginning at the first word", "ending at the last word")
)
_OVER = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6])  # class of a distance from 0 to 10


@lru_cache(maxsize=64)
def transition_classes(columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of the transitions, and of the ends, over a target sentence; see the kernel for the rows."""
    places = np.arange(columns)
    steps = places - places[:, None] - 1
    table = np.full((columns + 2, columns + 1), _TO_NULL, dtype=np.int64)
    onward = _NEXT + _OVER[np.clip(steps, 0, 10)]
    back = _NEXT - 1 - _OVER[np.clip(-steps - 1, 0, 10)]
    table[:columns, :columns] = np.where(steps >= 0, onward, back)
    table[columns, :columns] = TRANSITIONS.index("from null")
    table[columns, columns] = TRANSITIONS.index("from null to null")
    table[columns + 1, :columns] = _BEGINNING + (places > 0) + (places > 2)
    table[columns + 1, columns] = TRANSITIONS.index("beginning at null")
    ends = np.full(columns + 1, TRANSITIONS.index("ending at null"), dtype=np.int64)
    ends[:columns] = _ENDING + np.minimum(columns - 1 - places, 2)
    table.setflags(write=False)
    ends.setflags(write=False)
    return table, ends
