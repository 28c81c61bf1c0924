"""A device that is not the processor and is there without a GPU: torch's lazy one.

It refuses operands in main memory, as a GPU does, so that it tells whether everything is where it should be.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch

_nonzero, _triu_indices = torch.Tensor.nonzero, torch.triu_indices


def lazy_device(monkeypatch: pytest.MonkeyPatch) -> str:
    """Name of the device; while a test runs, functions that would leave it for main memory stay there."""
    _start()
    for name, function in (("chunk", _chunk), ("split", _split)):
        monkeypatch.setattr(torch, name, function)
        monkeypatch.setattr(torch.Tensor, name, function)
    for name, method in (("nonzero", _nonzero_there), ("unbind", _unbind), ("__iter__", _iterate)):
        monkeypatch.setattr(torch.Tensor, name, method)
    monkeypatch.setattr(torch, "triu_indices", _triu_indices_there)
    return "lazy"


@cache
def _start() -> None:
    # Torch does not take it twice.
    pytest.importorskip("torch._lazy.ts_backend").init()


def _split(whole: torch.Tensor, size: int, dim: int = 0) -> tuple[torch.Tensor, ...]:
    starts = range(0, whole.shape[dim], size)
    return tuple(whole.narrow(dim, at, min(size, whole.shape[dim] - at)) for at in starts)


def _chunk(whole: torch.Tensor, count: int, dim: int = 0) -> tuple[torch.Tensor, ...]:
    return _split(whole, -(-whole.shape[dim] // count), dim)


def _unbind(whole: torch.Tensor, dim: int = 0) -> tuple[torch.Tensor, ...]:
    return tuple(whole.select(dim, at) for at in range(whole.shape[dim]))


def _iterate(whole: torch.Tensor) -> Any:
    return iter(_unbind(whole))


def _nonzero_there(mask: torch.Tensor, as_tuple: bool = False) -> Any:
    return _unbind(_nonzero(mask), 1) if as_tuple else _nonzero(mask)


def _triu_indices_there(rows: int, columns: int, device: Any = "cpu") -> torch.Tensor:
    return _triu_indices(rows, columns).to(device)
