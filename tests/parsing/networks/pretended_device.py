"""A pretended GPU: tensors on it are on the processor, but mixing them with others fails as on a GPU."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten

GPU = torch.device("cuda")
_CONVERSIONS = {torch.Tensor.numpy, torch.Tensor.__array__}
_MOVES = {torch.Tensor.to, torch.Tensor.cpu, torch.Tensor.cuda}


class Moved(torch.Tensor):
    """A tensor on the pretended GPU."""


class PretendedGpu(TorchFunctionMode):
    """Inside of the block, ``cuda`` is a device, for tensors that were moved there or made there.

    Tensors without dimensions may be mixed, as on a GPU.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        tensors = [one for one in tree_flatten((args, kwargs))[0] if isinstance(one, torch.Tensor)]
        moved = [isinstance(one, Moved) for one in tensors if one.dim()]
        if func == torch.Tensor.device.__get__:  # type: ignore[attr-defined]
            return GPU if isinstance(args[0], Moved) else torch.device("cpu")
        if func in _MOVES:
            return self._move(func, args, kwargs)
        if func in _CONVERSIONS and any(moved):
            raise TypeError("can't convert cuda:0 device type tensor to numpy")
        if any(moved) and not all(moved):
            raise RuntimeError(f"expected all tensors on the same device ({func})")
        wanted = kwargs.pop("device", None)
        makes = not tensors and wanted is not None and torch.device(wanted).type == "cuda"
        found = func(*args, **kwargs)
        if makes:
            return found.as_subclass(Moved)
        return found

    def _move(self, func: Any, args: Any, kwargs: Any) -> Any:
        places = [one for one in (*args[1:], *kwargs.values()) if isinstance(one, str | torch.device)]
        others = [one for one in args[1:] if not isinstance(one, str | torch.device)]
        wanted = {torch.Tensor.cpu: "cpu", torch.Tensor.cuda: "cuda"}.get(func)
        place = torch.device(places[0] if places else wanted or "cpu").type
        is_moved = isinstance(args[0], Moved)
        with torch._C.DisableTorchFunctionSubclass():
            found = args[0].as_subclass(torch.Tensor)
            found = (
                found.to(*others, **{k: v for k, v in kwargs.items() if k != "device"}) if others else found
            )
        goes = place == "cuda" if places or wanted else is_moved
        return found.as_subclass(Moved) if goes else found
