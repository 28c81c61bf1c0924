"""Plain-Python twin of the alignment kernel: the oracle of its tests, written for reading, not for speed.

It is laid out as the kernel is: one forest (``alignment_reference_forest``), the chart
(``alignment_reference_chart``), the search (``alignment_reference_search``), merging
(``alignment_reference_merge``), posteriors and what comes out (``alignment_reference_result``). Everything is
in log space.
"""

from __future__ import annotations

import numpy as np

from forest_align.cext.alignment_arguments import BaseArrays, SearchOptions, SideArrays
from forest_align.cext.alignment_result import AlignmentArrays

from .alignment_reference_chart import Chart
from .alignment_reference_forest import Side
from .alignment_reference_result import collect
from .alignment_reference_search import Search


def align(
    source: SideArrays, target: SideArrays, log_pair: np.ndarray, base: BaseArrays, options: SearchOptions
) -> AlignmentArrays:
    """Align two forests: see :func:`forest_align.cext.alignment.align`, which computes the same."""
    return align_noting_ties(source, target, log_pair, base, options)[0]


def align_noting_ties(
    source: SideArrays, target: SideArrays, log_pair: np.ndarray, base: BaseArrays, options: SearchOptions
) -> tuple[AlignmentArrays, bool]:
    """Align two forests; also say whether rounding may decide what a beam keeps."""
    chart = Chart(Side(*source), Side(*target), log_pair, options)
    Search(chart).run(list(zip(*(part.tolist() for part in base), strict=True)))
    return collect(chart, options.temperature, options.packed), chart.tied
