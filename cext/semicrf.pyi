from typing import Any

import numpy as np

def marginals(
    spans: Any, scores: Any, null: Any, transition: Any, final: Any
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]: ...
def best_path(
    spans: Any, scores: Any, null: Any, transition: Any, final: Any
) -> tuple[float, np.ndarray]: ...
def link_marginals(spans: Any, pairs: Any, n: int, m: int) -> np.ndarray: ...
