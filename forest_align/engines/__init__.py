"""Engines for clusters: what runs the work of a command on many machines. Ray is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.engines.ray_cluster import RayOptions
    from forest_align.engines.ray_parts import make_parts
    from forest_align.engines.ray_training import expect_on_ray

__all__ = ["RayOptions", "expect_on_ray", "make_parts"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "RayOptions": "forest_align.engines.ray_cluster",
        "expect_on_ray": "forest_align.engines.ray_training",
        "make_parts": "forest_align.engines.ray_parts",
    },
)
