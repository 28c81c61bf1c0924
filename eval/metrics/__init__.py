"""Metrics, confidence intervals and significance tests."""
