"""Benchmarks: which pairs of which corpus are aligned, and how the alignments are scored."""
