import numpy as np

from forest_align.cext.alignment_arguments import BaseArrays, SearchOptions, SideArrays
from forest_align.cext.alignment_result import AlignmentArrays

def align(
    source: SideArrays, target: SideArrays, log_pair: np.ndarray, base: BaseArrays, options: SearchOptions
) -> AlignmentArrays: ...
