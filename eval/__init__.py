"""Metrics, significance tests and benchmark tables."""
