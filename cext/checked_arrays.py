"""What kernels may be given: arrays of plain, bounded numbers. Cython's buffers crash on structured ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

#: Largest absolute value of a finite score or log-probability that kernels add up. Sums of a thousand keep
#: about six digits. Sums of larger scores lose the digits after the point, on which probabilities depend.
LARGEST_SCORE = 1e6

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def with_checked_arrays(kernel: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Let a kernel refuse what its typed arguments cannot safely be made of.

    ValueError: an array of other values than numbers, one whose numbers are not aligned in memory, or a
    number that no machine word holds. TypeError: another object with a buffer.
    """

    @wraps(kernel)
    def checked(*arguments: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
        for argument in arguments:
            _check(argument)
        for argument in named.values():
            _check(argument)
        try:
            return kernel(*arguments, **named)
        except OverflowError as error:
            raise ValueError(str(error)) from None

    return checked


def _check(argument: Any) -> None:
    if isinstance(argument, np.ndarray):
        if argument.dtype.kind not in "biufO" or not argument.dtype.isnative:
            raise ValueError(f"expected an array of numbers, found one of {argument.dtype}")
        if not argument.flags.aligned:
            raise ValueError("expected an array whose numbers are aligned in memory, found another one")
    elif isinstance(argument, tuple):
        for part in argument:
            _check(part)
    elif not isinstance(argument, np.generic | int | float) and _has_buffer(argument):
        raise TypeError(f"expected an array, found {type(argument).__name__}")


def _has_buffer(argument: Any) -> bool:
    try:
        memoryview(argument).release()
    except TypeError:
        return False
    return True
