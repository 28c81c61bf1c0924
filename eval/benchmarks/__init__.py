"""Benchmarks: the pairs of each corpus to align, and the scoring of the alignments."""
