"""Encoded sentences as padded tensors, for the networks of torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch

from forest_align.parsing.networks.encoder_batches import BOUNDARY_CASE, EncodedSentence


@dataclass(frozen=True, slots=True)
class EncoderBatch:
    """Padded encoder input of B sentences with at most T subwords and W words."""

    subwords: torch.Tensor  # int64 `[B, T]`, 0 for padding
    subword_mask: torch.Tensor  # bool `[B, T]`
    # int64 `[B, W + 2]`: last subword of the start symbol, each word and the stop symbol; 0 for padding
    word_ends: torch.Tensor
    word_mask: torch.Tensor  # bool `[B, W + 2]`
    cases: torch.Tensor  # int64 `[B, T]`: letter-case class of each subword's word
    lengths: torch.Tensor  # int64 `[B]`: number of words

    def to(self, device: torch.device) -> EncoderBatch:
        """The batch on a device."""
        return EncoderBatch(*(getattr(self, one.name).to(device) for one in fields(self)))


def padded(rows: Sequence[np.ndarray]) -> torch.Tensor:
    """States of the subwords of each sentence as one tensor, float32 ``[B, T, D]``, 0 for padding."""
    joined = np.zeros((len(rows), max(map(len, rows)), rows[0].shape[1]), dtype=np.float32)
    for place, of_sentence in enumerate(rows):
        joined[place, : len(of_sentence)] = of_sentence
    return torch.from_numpy(joined)


def collate(sentences: Sequence[EncodedSentence]) -> EncoderBatch:
    """Pad encoded sentences to one batch."""
    width = max(len(sentence.subwords) for sentence in sentences)
    height = max(len(sentence.word_ends) for sentence in sentences) + 2
    subwords = np.zeros((len(sentences), width), dtype=np.int64)
    ends = np.zeros((len(sentences), height), dtype=np.int64)
    cases = np.full((len(sentences), width), BOUNDARY_CASE, dtype=np.int64)
    sizes = np.array([len(sentence.subwords) for sentence in sentences])
    lengths = np.array([len(sentence.word_ends) for sentence in sentences])
    for row, sentence in enumerate(sentences):
        subwords[row, : sizes[row]] = sentence.subwords
        ends[row, 1 : lengths[row] + 1] = sentence.word_ends
        ends[row, lengths[row] + 1] = sizes[row] - 1
        cases[row, 1 : sizes[row] - 1] = sentence.subword_cases()
    return EncoderBatch(
        torch.from_numpy(subwords),
        torch.from_numpy(np.arange(width)[None, :] < sizes[:, None]),
        torch.from_numpy(ends),
        torch.from_numpy(np.arange(height)[None, :] < lengths[:, None] + 2),
        torch.from_numpy(cases),
        torch.from_numpy(lengths.astype(np.int64)),
    )
