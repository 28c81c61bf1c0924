"""Training of the semi-Markov aligner."""
