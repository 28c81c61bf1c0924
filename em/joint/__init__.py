"""Training of the joint aligner."""
