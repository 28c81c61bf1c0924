"""Progress bars on stderr, silent where it is no terminal, and the line that sums up an epoch."""

from __future__ import annotations

import sys
from typing import Any

from forest_align.em.expectation import Totals
from forest_align.em.training_state import EpochReport, TrainingState


def counting_bar(description: str, total: int) -> Any:
    """A bar that counts up to ``total``."""
    from tqdm import tqdm

    return tqdm(total=total, desc=description, leave=False, disable=not sys.stderr.isatty())


def epoch_line(report: EpochReport) -> str:
    """One epoch on one line: log-likelihood, reachability, null share, dev scores."""
    dev = "".join(f", {name} {100 * score:.2f}" for name, score in report.dev.items())
    return (
        f"epoch {report.epoch}: log-likelihood {report.log_likelihood:.3f} a pair, "
        f"root reached {report.reachability:.1%}, words null {report.null_share:.1%}{dev}"
    )


class TrainingProgress:
    """Shows log-likelihood, reachability and null share while the batches of an epoch go by.

    Parameters
    ----------
    pair_count : int
        Pairs in an epoch.
    """

    def __init__(self, pair_count: int) -> None:
        self._pair_count = pair_count
        self._bar: Any = None

    def __call__(self, state: TrainingState, batch: Totals) -> None:
        """Take note of a finished batch."""
        if self._bar is None:
            self._bar = counting_bar(f"epoch {len(state.history) + (state.batch > 0)}", self._pair_count)
        self._bar.update(state.totals.pairs - self._bar.n)
        mean = batch.log_score / max(batch.pairs, 1)
        self._bar.set_postfix_str(
            f"log-likelihood {mean:.2f}, root {batch.reachability:.1%}, null {batch.null_share:.1%}"
        )
        if state.batch == 0:
            self._bar.close()
            self._bar = None
