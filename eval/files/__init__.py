"""Evaluation of files: read predictions, match them with gold pairs, print tables."""
