"""Compiled kernels, arrays in, arrays out; no kernel knows a class. ``forest_align.cext``, in ``cext``."""

__all__ = ["alignment", "chart", "contextual", "encoder", "semicrf", "string_similarity"]
