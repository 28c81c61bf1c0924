"""The aligners and their common interface."""
