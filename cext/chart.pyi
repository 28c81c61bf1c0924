from typing import Any

import numpy as np

def inside_outside(labelled: Any, force_root: bool = True) -> tuple[float, np.ndarray]: ...
def k_best(
    scores: Any, k: int, force_root: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]: ...
