"""Search for the penalties of an aligner with Optuna."""
