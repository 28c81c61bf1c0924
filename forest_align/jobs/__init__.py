"""Long runs: blocks of items, resumed after a kill, divided into shards or mapped over a cluster, and joined.

An output has one line per item, in blocks of items that are processed together. One worker writes all
blocks into one file, with a record of where each ends. A shard is every N-th block, in a part of its own. Ray
maps over parts that are stretches of the input. A folder of parts has their settings, and a marker for each
finished one; the parts are joined in the order of the input. Ray is imported only here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.jobs.part_folder import PartFolder
    from forest_align.jobs.ray_cluster import PartWork, RayOptions, expect_on_ray, make_parts
    from forest_align.jobs.run_record import RunRecord

__all__ = ["PartFolder", "PartWork", "RayOptions", "RunRecord", "expect_on_ray", "make_parts"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.jobs.part_folder": "PartFolder",
        "forest_align.jobs.ray_cluster": "PartWork RayOptions expect_on_ray make_parts",
        "forest_align.jobs.run_record": "RunRecord",
    },
)
