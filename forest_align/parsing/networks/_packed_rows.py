"""The rows of a padded batch without its padding, and attention among the rows of a sentence."""

from __future__ import annotations

import torch
from torch.nn import functional

#: Attention is padded to a multiple of this number of positions, which is one or two processor vectors. So
#: sums have the same order for any length of the other sentences, and loops have no slow remainder.
ATTENTION_STEP = 16


class PackedRows:
    """Positions of the rows of B sentences, stored one after the other without padding."""

    def __init__(self, present: torch.Tensor) -> None:
        self._present, self._length = present, present.shape[1]
        grid = functional.pad(present, (0, -self._length % ATTENTION_STEP))
        self._shape = grid.shape
        self._places = grid.flatten().nonzero().flatten()
        # Attention is faster without a mask.
        self._mask = None if len(self._places) == grid.numel() else grid[:, None, None, :]

    def pack(self, padded: torch.Tensor) -> torch.Tensor:
        """Drop padding: ``[B, T, D]`` to ``[R, D]``."""
        return padded[self._present]

    def unpack(self, rows: torch.Tensor) -> torch.Tensor:
        """Restore padding as zeros: ``[R, D]`` to ``[B, T, D]``."""
        return self._spread(rows)[:, : self._length]

    @property
    def padded_length(self) -> int:
        """Positions of a sentence in :meth:`attend`, including padding."""
        return self._shape[1]

    def biased_mask(self, bias: torch.Tensor) -> torch.Tensor:
        """A mask for :meth:`attend` that adds ``bias``, ``[heads, P, P]`` of P positions, to its scores."""
        # Always four dimensions: with three, torch uses another algorithm, which rounds differently.
        return bias[None] if self._mask is None else bias.masked_fill(~self._mask, -torch.inf)

    def attend(self, joined: torch.Tensor, heads: int, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Attend: query, key and value, ``[R, 3 * heads * part]``, to ``[R, heads, part]``.

        ``mask`` comes from :meth:`biased_mask`. Without it, padding is ignored and no bias is added.
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
