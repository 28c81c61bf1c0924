import numpy as np

from forest_align.cext.alignment_arrays import AlignmentArrays, BaseArrays, SearchOptions, SideArrays

def align(
    source: SideArrays, target: SideArrays, log_pair: np.ndarray, base: BaseArrays, options: SearchOptions
) -> AlignmentArrays: ...
