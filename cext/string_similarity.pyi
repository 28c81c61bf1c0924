from typing import Any

import numpy as np

def string_similarities(
    source_letters: Any, source_ends: Any, target_letters: Any, target_ends: Any
) -> np.ndarray: ...
