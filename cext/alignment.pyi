import numpy as np
from numpy.typing import ArrayLike

from forest_align.cext.alignment_result import AlignmentArrays

def align(
    source_start: ArrayLike,
    source_end: ArrayLike,
    source_edges: np.ndarray,
    source_roots: ArrayLike,
    source_log_marginal: ArrayLike,
    source_log_null: ArrayLike,
    source_class: ArrayLike,
    target_start: ArrayLike,
    target_end: ArrayLike,
    target_edges: np.ndarray,
    target_roots: ArrayLike,
    target_log_marginal: ArrayLike,
    target_log_null: ArrayLike,
    target_class: ArrayLike,
    log_pair: np.ndarray,
    base_source: ArrayLike,
    base_target: ArrayLike,
    base_log_prior: ArrayLike,
    *,
    source_log_edge: ArrayLike | None = None,
    target_log_edge: ArrayLike | None = None,
    null_penalty: float = 1.0,
    noncompositional_penalty: float = 1.0,
    parser_weight: float = 0.0,
    beam: int = 50,
    generation_gap: int = 4,
    opened_supports: int = 4,
    max_items: int = 100_000,
    allow_noncompositional: bool = True,
    allow_single_support: bool = True,
    count_all_nulls: bool = False,
    packed: bool = False,
) -> AlignmentArrays: ...
