"""Training of the joint aligner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.joint.examples import JointExample
    from forest_align.em.joint.training import JointSettings, train_joint_model

__all__ = [
    "JointExample",
    "JointSettings",
    "train_joint_model",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "JointExample": "forest_align.em.joint.examples",
        "JointSettings": "forest_align.em.joint.training",
        "train_joint_model": "forest_align.em.joint.training",
    },
)
