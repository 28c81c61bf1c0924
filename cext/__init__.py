"""Compiled kernels: arrays in, arrays out; no kernel knows a class."""

__all__ = ["alignment", "chart", "contextual", "quantized_rows", "semicrf", "string_similarity"]
