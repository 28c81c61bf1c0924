"""A progress bar for each epoch of the forest aligner's training, and the line that sums it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from forest_align.system.terminal import counting_bar

if TYPE_CHECKING:
    from forest_align.em.forest.expectation import Totals
    from forest_align.em.forest.state import EpochReport, TrainingState

# Without percentage and rate, the bar fits into 80 columns.
_TRAINING_BAR = "{desc}: |{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"


def _epoch_line(report: EpochReport) -> str:
    """One epoch on one line: log-likelihood, objective, reachability, null share, dev scores."""
    dev = "".join(f", {name} {100 * score:.2f}" for name, score in report.dev.items())
    return (
        f"epoch {report.epoch}: log-likelihood {report.log_likelihood:.3f} a pair, "
        f"objective {report.objective:.1f}, root reached {report.reachability:.1%}, "
        f"words null {report.null_share:.1%}{dev}"
    )


class TrainingProgress:
    """A progress bar for each epoch, and a line on standard output when the epoch is over.

    The bar shows means over the epoch so far. This is a
    :class:`forest_align.em.forest._trainer.TrainingObserver`.
    """

    def __init__(self, pair_count: int) -> None:
        self._pair_count = pair_count
        self._regularizer = 0.0
        self._bar: Any = None

    def begin_epoch(self, state: TrainingState) -> None:
        """Open the bar, at a resumed run's position in the epoch."""
        self._regularizer = state.regularizer
        self._bar = counting_bar(
            f"epoch {state.epoch + 1}", self._pair_count, state.totals.pairs, _TRAINING_BAR
        )

    def pair_done(self, totals: Totals) -> None:
        """Advance the bar."""
        if self._bar.disable:
            return
        objective = totals.log_score / totals.pairs - self._regularizer / self._pair_count
        self._bar.set_postfix_str(
            f"objective {objective:.1f}, root {totals.reachability:.1%}, null {totals.null_share:.1%}",
            refresh=False,
        )
        self._bar.update(totals.pairs - self._bar.n)

    def end_epoch(self, report: EpochReport) -> None:
        """Clear the bar and print the epoch's line."""
        if self._bar is not None:
            self._bar.close()
        # Flushed, so that the line appears at the end of the epoch in a file or pipe, too.
        print(_epoch_line(report), flush=True)
