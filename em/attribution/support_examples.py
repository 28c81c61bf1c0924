"""Claims whose unsupported words people marked (WiCE), and hypotheses that follow from a text (RTE)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from forest_align.aligners.documents.document_sentences import document_sentences
from forest_align.data.pairs import read_pairs
from forest_align.types import InputError, Sentence


@dataclass(frozen=True, slots=True, eq=False)
class SupportExample:
    """A sentence, what should support it, and which of its words that does."""

    claim: Sentence
    evidence: tuple[Sentence, ...]  # All sentences of its source
    chosen: tuple[int, ...]  # Numbers of those that people named as support
    supported: np.ndarray  # bool, shape (n,): of each word of the claim


def read_wice(path: Path, limit: int | None = None) -> Iterator[SupportExample]:
    """Read partially supported claims of WiCE (Kamoi et al. 2023), JSON lines.

    A claim may have several sets of supporting sentences; the chosen ones are those of all sets.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(islice(lines, limit), start=1):
            try:
                values = json.loads(line)
                claim, *evidence = document_sentences([values["claim"], *values["evidence"]]).sentences
                chosen = {index for one in values["supporting_sentences"] for index in one}
                marks = _marked(values["claim"], values["claim_tokens"], values["non_supported_spans"])
            except (ValueError, KeyError, TypeError) as error:
                message = f"expected a claim of WiCE, found {line[:60]!r} ({error})"
                raise InputError(message, file=str(path), line=number) from None
            # More than half of the characters decide, where tokens differ.
            unsupported = [2 * marks[one.start : one.end].sum() > one.end - one.start for one in claim.tokens]
            yield SupportExample(claim, tuple(evidence), tuple(sorted(chosen)), ~np.array(unsupported, bool))


def _marked(text: str, tokens: Sequence[str], marks: Sequence[bool]) -> np.ndarray:
    """For each character of a text whether it is in a marked token."""
    found = np.zeros(len(text), bool)
    place = 0
    for token, mark in zip(tokens, marks, strict=True):
        start = text.find(token, place)
        if start >= 0:
            place = start + len(token)
            found[start:place] = mark
    return found


def read_entailed(path: Path, limit: int | None = None) -> Iterator[SupportExample]:
    """Read the pairs of a file of RTE whose hypothesis follows: the text supports all of its words."""
    entailed = (pair for pair in read_pairs(path) if isinstance(pair, InputError) or pair.label)
    for pair in islice(entailed, limit):
        if isinstance(pair, InputError):
            raise pair
        (claim,) = document_sentences([pair.target.text]).sentences
        evidence = document_sentences(pair.source.text).sentences
        supported = np.ones(len(claim), bool)
        yield SupportExample(claim, evidence, tuple(range(len(evidence))), supported)
