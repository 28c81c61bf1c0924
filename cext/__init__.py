"""Compiled kernels: arrays in, arrays out; no kernel knows a class."""

__all__ = ["alignment", "chart", "contextual", "encoder", "semicrf", "string_similarity"]
