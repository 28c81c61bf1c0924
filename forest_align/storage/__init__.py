"""Saved models, checkpoints, outputs, and fingerprints of what they were made from."""
