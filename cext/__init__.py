"""Compiled kernels: arrays in, arrays out; no kernel knows a class."""
