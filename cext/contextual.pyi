from typing import Any

import numpy as np

BASE_FEATURES: int
CONTEXT_FEATURES: int
LINK_CLASSES: int
MESSAGE_SLOTS: int
RELATED: tuple[int, int]

def base_features(
    cosine: Any,
    projected: Any,
    evidence: Any,
    source_kinds: Any,
    target_kinds: Any,
    source_capital: Any,
    target_capital: Any,
    source_letters: Any,
    source_ends: Any,
    target_letters: Any,
    target_ends: Any,
) -> tuple[np.ndarray, np.ndarray]: ...
def first_pass(*arguments: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]: ...
def context_features(
    probability: Any,
    names: Any,
    evidence: Any,
    source_kinds: Any,
    target_kinds: Any,
    source_related: Any,
    target_related: Any,
    cells: Any,
) -> np.ndarray: ...
def first_probabilities(base: Any, classes: Any, first: Any) -> np.ndarray: ...
def message_pass(
    probability: Any,
    cells: Any,
    classes: Any,
    units: Any,
    bias: Any,
    source_kinds: Any,
    target_kinds: Any,
    source_related: Any,
    target_related: Any,
    send: Any,
    send_bias: Any,
    own: Any,
    receive: Any,
    receive_bias: Any,
    output: Any,
) -> tuple[np.ndarray, np.ndarray]: ...
