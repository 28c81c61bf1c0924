"""Measure how the time of a function grows with its input: a measure that is the same on slow machines."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def growth(run: Callable[[int], object], size: int, most: float = 3.0) -> float:
    """How many times as long an input takes that is twice as large: 2 if time is linear, 4 if quadratic.

    An input of four times the size is compared, as its time differs more from noise. Processor time counts,
    and of several runs the shortest. Runs are repeated only while the growth, perhaps by noise, is above
    ``most``. ``run`` makes the input too, so this should be cheap; ``size`` should take a hundredth of a
    second or more.
    """
    small = large = float("inf")
    for _ in range(5):
        small = min(small, _seconds(run, size))
        large = min(large, _seconds(run, 4 * size))
        if large < most**2 * small:
            break
    return (large / max(small, 1e-9)) ** 0.5


def _seconds(run: Callable[[int], object], size: int) -> float:
    gc.collect()
    began = time.process_time()
    run(size)
    return time.process_time() - began
