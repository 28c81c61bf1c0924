"""``--engine ray``: a run whose parts are made on a Ray cluster."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from forest_align.cli.option_rules import flag_of
from forest_align.cli.typed_options import is_given, option
from forest_align.em.progress import counting_bar
from forest_align.jobs.part_folder import PartFolder
from forest_align.types import InputError
from forest_align.types.positive import positive

if TYPE_CHECKING:
    from forest_align.jobs import RayOptions
    from forest_align.jobs.ray_parts import PartWork

ENGINES = ("ray",)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """``--engine`` and what belongs to it."""

    engine: str | None = option(
        "--engine",
        choices=ENGINES,
        help="run on a Ray cluster (extra [ray]); its machines must see the same files",
    )
    address: str | None = option(
        "--address",
        metavar="ADDRESS",
        help="address of the cluster, or auto; default: RAY_ADDRESS, else a new one on this machine",
    )
    num_actors: int | None = option(
        "--num-actors",
        type=positive,
        metavar="N",
        help="processes on the cluster; default: one for each of its processors",
    )

    def cluster(self, device: str = "cpu") -> RayOptions | None:
        """The cluster that is asked for, of actors that compute on a device; None without ``--engine``.

        Raises
        ------
        InputError
            If an option needs ``--engine``.
        """
        if self.engine is None:
            for one in fields(self):
                if is_given(self, one.name):
                    raise InputError(f"{flag_of(one.name)} needs --engine ray")
            return None
        from forest_align.jobs import RayOptions

        # A process on a GPU has one of its own, unless they are to share it.
        needed = 1.0 if device != "cpu" else 0.0
        return RayOptions(self.address, self.num_actors, getattr(self, "gpus_per_actor", None) or needed)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1000:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text!r}")
    return value


@dataclass(frozen=True, slots=True)
class GpuClusterOptions(ClusterOptions):
    """``--engine`` for actors that may compute on a GPU."""

    gpus_per_actor: float | None = option(
        "--gpus-per-actor",
        type=_share,
        metavar="G",
        help="with --device cuda, GPUs of each (0.5: two share one); default: 1",
    )


def run_parts(folder: PartFolder, work: PartWork, engine: RayOptions) -> None:
    """Make all parts of a folder that are not finished, and say how many there are."""
    from forest_align.jobs import make_parts

    left = [number for number in range(1, folder.parts + 1) if not folder.is_finished(number)]
    for number in left:
        folder.forget_attempts(number)
    done = folder.parts - len(left)
    if done:
        print(
            f"forest-align {folder.command}: {done} of {folder.parts} parts are finished already",
            file=sys.stderr,
        )
    with counting_bar("parts", folder.parts, done) as bar:
        for _ in make_parts(work, left, engine):
            bar.update()


def report_parts(folder: PartFolder, unit: str) -> int:
    """Say how many items all parts have; return how many of them failed."""
    reports = [folder.report(number) for number in range(1, folder.parts + 1)]
    items, failures = (sum(one.counts.get(name, 0) for one in reports) for name in ("items", "failures"))
    failed = f"; {failures} of them have an error" if failures else ""
    print(f"forest-align {folder.command}: {items} {unit} in {folder.parts} parts{failed}", file=sys.stderr)
    return failures
