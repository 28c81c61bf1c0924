"""Options of long runs: ``--shard I/N`` makes one part, ``--engine ray`` all parts on a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from forest_align.cli.arguments import flag_of, is_given, option, refuse_with
from forest_align.jobs.shards import Shard
from forest_align.system.terminal import positive
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.jobs import RayOptions

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
        "--address ADDRESS",
        help="address of the cluster, or auto; default: RAY_ADDRESS, else a new one on this machine",
    )
    num_actors: int | None = option(
        "--num-actors N",
        type=positive,
        help="processes on the cluster; default: one for each of its processors",
    )

    def cluster(self, device: str = "cpu") -> RayOptions | None:
        """The requested cluster of actors that compute on a device; None without ``--engine``.

        Raises InputError if an option needs ``--engine``.
        """
        if self.engine is None:
            for field in fields(self):
                if is_given(self, field.name):
                    raise InputError(f"{flag_of(field.name)} needs --engine ray")
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
        "--gpus-per-actor G",
        type=_share,
        help="with --device cuda, GPUs of each (0.5: two share one); default: 1",
    )


def shard_option(unit: str) -> Any:
    """``--shard``."""
    return option(
        "--shard I/N",
        type=Shard.parse,
        help=f"process the I-th of N shards of the {unit}, and write its own part into the folder OUT. "
        "A finished part is skipped, an unfinished one resumed; 'forest-align join OUT' joins all parts",
    )


def check_shard(options: Any, kinds: Sequence[str | None]) -> None:
    """Refuse what does not go with ``--shard``; ``kinds`` are the ``--to`` whose parts can be joined."""
    if options.output is None:
        raise InputError("--shard needs -o FOLDER, for the parts")
    refuse_with("--shard", options)
    if options.to not in kinds:
        raise InputError(
            f"--to {options.to} cannot be combined with --shard; expected {' or '.join(map(str, kinds))}"
        )
