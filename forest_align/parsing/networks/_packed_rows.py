"""The rows of a padded batch without its padding, and attention among those of one sentence."""

from __future__ import annotations

import torch
from torch.nn import functional

#: Attention is padded to a multiple of so many positions. Vectors of processors are as long or half as long:
#: so a sentence is summed in the same order, however long its neighbours are, and loops have no slow rest.
ATTENTION_STEP = 16


class PackedRows:
    """Where the rows of B sentences are, written one after the other without padding.

    Parameters
    ----------
    present : torch.Tensor
        bool ``[B, T]``: False where padded.
    """

    def __init__(self, present: torch.Tensor) -> None:
        self._present, self._length = present, present.shape[1]
        grid = functional.pad(present, (0, -self._length % ATTENTION_STEP))
        self._shape = grid.shape
        self._places = grid.flatten().nonzero().flatten()
        # Attention is faster without a mask.
        self._mask = None if len(self._places) == grid.numel() else grid[:, None, None, :]

    def pack(self, padded: torch.Tensor) -> torch.Tensor:
        """Leave padding out: ``[B, T, D]`` to ``[R, D]``."""
        return padded[self._present]

    def unpack(self, rows: torch.Tensor) -> torch.Tensor:
        """Put zeros where there is padding: ``[R, D]`` to ``[B, T, D]``."""
        return self._spread(rows)[:, : self._length]

    @property
    def padded_length(self) -> int:
        """Positions of a sentence in :meth:`attend`, padding included."""
        return self._shape[1]

    def biased_mask(self, bias: torch.Tensor) -> torch.Tensor:
        """A mask for :meth:`attend` that adds ``bias``, ``[heads, P, P]`` of P positions, to its scores."""
        # Always in four dimensions: given three, torch attends in another way, which rounds otherwise.
        return bias[None] if self._mask is None else bias.masked_fill(~self._mask, -torch.inf)

    def attend(self, joined: torch.Tensor, heads: int, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Attend: query, key and value, ``[R, 3 * heads * part]``, to ``[R, heads, part]``.

        ``mask`` is one of :meth:`biased_mask`; without one padding is left out and nothing added.
        """
        if mask is None:
            mask = self._mask
        spread = self._spread(joined).unflatten(-1, (3, heads, -1))
        query, key, value = spread.permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, mask)
        attended = attended.transpose(1, 2).flatten(0, 1)
        return attended if self._mask is None else attended.index_select(0, self._places)

    def _spread(self, rows: torch.Tensor) -> torch.Tensor:
        if self._mask is None:
            return rows.view(*self._shape, -1)
        spread = rows.new_zeros(self._shape.numel(), rows.shape[1])
        return spread.index_copy_(0, self._places, rows).view(*self._shape, -1)
