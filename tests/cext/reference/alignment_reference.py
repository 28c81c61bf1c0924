"""Plain-Python twin of the alignment kernel: the oracle of its tests, written for reading, not for speed.

It is laid out as the kernel is: one forest (``alignment_reference_forest``), the chart
(``alignment_reference_chart``), the search (``alignment_reference_search``), merging
(``alignment_reference_merge``), posteriors and what comes out (``alignment_reference_result``). Everything is
in log space.
"""

from __future__ import annotations

import numpy as np

from forest_align.cext.alignment_result import AlignmentArrays

from .alignment_reference_chart import Chart, Options
from .alignment_reference_forest import Side
from .alignment_reference_result import collect
from .alignment_reference_search import Search


def align(
    source_start: np.ndarray,
    source_end: np.ndarray,
    source_edges: np.ndarray,
    source_roots: np.ndarray,
    source_log_marginal: np.ndarray,
    source_log_null: np.ndarray,
    source_class: np.ndarray,
    target_start: np.ndarray,
    target_end: np.ndarray,
    target_edges: np.ndarray,
    target_roots: np.ndarray,
    target_log_marginal: np.ndarray,
    target_log_null: np.ndarray,
    target_class: np.ndarray,
    log_pair: np.ndarray,
    base_source: np.ndarray,
    base_target: np.ndarray,
    base_log_prior: np.ndarray,
    *,
    source_log_edge: np.ndarray | None = None,
    target_log_edge: np.ndarray | None = None,
    null_penalty: float = 1.0,
    noncompositional_penalty: float = 1.0,
    parser_weight: float = 0.0,
    temperature: float = 1.0,
    beam: int = 50,
    generation_gap: int = 4,
    opened_supports: int = 4,
    max_items: int = 100_000,
    allow_noncompositional: bool = True,
    allow_single_support: bool = True,
    count_all_nulls: bool = False,
    packed: bool = False,
) -> AlignmentArrays:
    """Align two forests: see :func:`forest_align.cext.alignment.align`, which computes the same."""
    source = Side(
        source_start, source_end, source_edges, source_roots,
        source_log_marginal, source_log_null, source_log_edge,
    )  # fmt: skip
    target = Side(
        target_start, target_end, target_edges, target_roots,
        target_log_marginal, target_log_null, target_log_edge,
    )  # fmt: skip
    pairs = np.asarray(log_pair)[np.asarray(source_class)[:, None], np.asarray(target_class)[None, :]]
    options = Options(
        null_penalty=null_penalty,
        noncompositional_penalty=noncompositional_penalty,
        parser_weight=parser_weight,
        beam=beam,
        generation_gap=generation_gap,
        opened_supports=opened_supports,
        max_items=max_items,
        allow_noncompositional=allow_noncompositional,
        allow_single_support=allow_single_support,
        count_all_nulls=count_all_nulls,
    )
    chart = Chart(source, target, pairs, options)
    base = zip(base_source.tolist(), base_target.tolist(), base_log_prior.tolist(), strict=True)
    Search(chart).run(list(base))
    return collect(chart, temperature, packed)
