"""How long threads of torch wait for each other; set before anything of this package can import torch."""

from __future__ import annotations

import os

# The value that GNU's OpenMP itself uses when there are more threads than processors.
_SPINS = "1000"


def limit_spinning() -> None:
    """Keep torch's threads from spinning while they wait for a thread that other programs delay.

    The threads wait for each other at every operation. If each has a processor, GNU's OpenMP lets them spin
    for milliseconds, even if other programs use these processors. OpenMP reads this setting when torch is
    loaded, so it has no effect if torch is loaded already. Values that the user has set are kept.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)
